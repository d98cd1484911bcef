//! Status lines that repeat with new numbers: "guard post status: 3 patrols, 1 alert" every hour.
//!
//! What is operational (a keyword **and** an ephemeral token) is put into groups in phases, each joining what the one
//! before left apart: by equal [signature](Phase::Exact), by equal [words of meaning](Phase::Token), and where asked for
//! by [template](Phase::Template) and by [overlap of words](Phase::Fuzzy). Of every group one entry is canonical; the
//! others are its duplicates, whose reinforcement it takes over.

mod fuzzy;
mod operational;
mod signature;
mod template;
mod token;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use nightfold_memory::{CollapseConfig, GameTime, KeptReading, Kind, LanguagePack, Memory};
use serde::{Deserialize, Serialize};

use self::{
    operational::Operational,
    signature::{signature, token_key},
    template::{Skeleton, skeleton, templates},
};

/// How much an entry signifies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Significance {
    /// Importance 1 to 3.
    Routine,
    /// Importance 4 to 6.
    Noteworthy,
    /// Importance 7 to 9.
    Important,
    /// Importance 10, or pinned.
    Core,
}

impl Significance {
    /// From an importance of 1 to 10; what is pinned is core.
    pub fn of(importance: u8, pinned: bool) -> Self {
        match importance {
            _ if pinned => Self::Core,
            ..=3 => Self::Routine,
            4..=6 => Self::Noteworthy,
            7..=9 => Self::Important,
            _ => Self::Core,
        }
    }
}

/// An entry that may be a status line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatusRecord<'a> {
    /// Its id, unlike any other's.
    pub id: &'a str,
    /// What it says.
    pub text: &'a str,
    /// What else must be equal for entries to be readings of one thing, such as where and by whom: entries of different
    /// contexts are never joined. May be empty.
    pub context: &'a str,
    /// How much it signifies.
    pub significance: Significance,
    /// How often it was seen so far.
    pub reinforcement: u32,
    /// When it was first seen.
    pub created_at: GameTime,
}

/// How the members of a group were found to be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The same signature: equal but for numbers, dates and ids.
    Exact,
    /// The same words of meaning, at least three.
    Token,
    /// The same template: equal but for positions at which many values stand.
    Template,
    /// Words of meaning that overlap enough.
    Fuzzy,
}

impl Phase {
    /// The name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Token => "token",
            Self::Template => "template",
            Self::Fuzzy => "fuzzy",
        }
    }
}

/// Entries that say the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StatusGroup {
    /// Which phase joined it last.
    pub phase: Phase,
    /// The signature of the canonical entry.
    pub signature: String,
    /// The one that stays.
    pub canonical: String,
    /// Those that it stands for, by time and id.
    pub duplicates: Vec<String>,
    /// What the canonical entry's reinforcement becomes: its own and its duplicates', each of which counts at least 1.
    pub reinforcement: u32,
}

impl StatusGroup {
    /// All of them, the canonical one first.
    pub fn members(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.canonical).chain(&self.duplicates).map(String::as_str)
    }
}

/// What was found, field by field as the collapse of profile snapshots reports it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusReport {
    /// Whether nothing was changed.
    pub dry_run: bool,
    /// Entries looked at.
    pub scanned_profiles: usize,
    /// Entries that are operational.
    pub operational_profiles: usize,
    /// Different signatures among them.
    pub unique_signatures: usize,
    /// Groups of two and more.
    pub duplicate_groups: usize,
    /// Entries that are duplicates of a canonical one.
    pub duplicates_found: usize,
    /// Groups that were collapsed; 0 in a dry run.
    pub groups_collapsed: usize,
    /// Entries that were put away; 0 in a dry run.
    pub duplicates_removed: usize,
    /// Reinforcement that was handed over; 0 in a dry run.
    pub reinforcements_applied: u64,
    /// Groups by equal signature.
    pub exact_duplicate_groups: usize,
    /// Groups that equal words joined.
    pub token_duplicate_groups: usize,
    /// Groups that a template joined.
    pub template_duplicate_groups: usize,
    /// Groups that an overlap of words joined.
    pub fuzzy_duplicate_groups: usize,
    /// The largest groups, for review.
    pub samples: Vec<StatusGroup>,
}

impl StatusReport {
    /// Of a dry run, before anything is found.
    pub fn dry() -> Self {
        Self { dry_run: true, ..Self::default() }
    }

    /// Adds the counts of another NPC's entries, and keeps the largest of both's samples.
    pub fn add(&mut self, other: Self, max_samples: usize) {
        self.dry_run |= other.dry_run;
        self.scanned_profiles += other.scanned_profiles;
        self.operational_profiles += other.operational_profiles;
        self.unique_signatures += other.unique_signatures;
        self.duplicate_groups += other.duplicate_groups;
        self.duplicates_found += other.duplicates_found;
        self.groups_collapsed += other.groups_collapsed;
        self.duplicates_removed += other.duplicates_removed;
        self.reinforcements_applied += other.reinforcements_applied;
        self.exact_duplicate_groups += other.exact_duplicate_groups;
        self.token_duplicate_groups += other.token_duplicate_groups;
        self.template_duplicate_groups += other.template_duplicate_groups;
        self.fuzzy_duplicate_groups += other.fuzzy_duplicate_groups;
        self.samples.extend(other.samples);
        self.samples.sort_by_key(|g| Reverse(g.duplicates.len()));
        self.samples.truncate(max_samples);
    }
}

/// What else must be equal for memories to be readings of one thing: what they are, where, and who took part.
pub(super) fn context(kind: Kind, place: Option<&str>, actors: &[String]) -> String {
    let mut actors: Vec<&str> = actors.iter().map(String::as_str).collect();
    actors.sort_unstable();
    // Names are free text: lengths keep one from reading like two.
    let parts = [kind.as_str(), place.unwrap_or_default()].into_iter().chain(actors);
    parts.map(|part| format!("{}:{part}", part.len())).collect()
}

/// The same for lines that a night or a store folds, where a wrong join would lose a fact: also whom and what they name.
/// "Joss attacked Tom" and "Tom attacked Joss" have the same words; "post-north-1" and "post-south-2" are both ids.
pub(super) fn strict_context(
    kind: Kind,
    place: Option<&str>,
    actors: &[String],
    text: &str,
    pack: &dyn LanguagePack,
) -> String {
    let names = pack.analyze(text, &[]).name_order;
    let words = text
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')))
        .filter(|w| w.contains(['-', '_']));
    let parts = words.flat_map(|w| w.split(['-', '_'])).filter(|p| p.chars().all(char::is_alphabetic));
    let parts = parts.filter(|p| !p.is_empty()).map(str::to_lowercase);
    let particulars = names.into_iter().chain(parts).map(|part| format!("/{}:{part}", part.len()));
    particulars.fold(context(kind, place, actors), |context, part| context + &part)
}

/// What status lines say once their readings are left out.
struct Signature {
    context: usize,
    text: String,
}

/// What an entry is beside its text, which is not kept.
struct Kept {
    id: String,
    significance: Significance,
    reinforcement: u32,
    created_at: GameTime,
    /// Its signature's number.
    signature: usize,
}

/// Takes entries one by one, in any order, and groups them at the end. Of an entry it keeps its id and a few numbers,
/// and every different signature once: a million entries need some 200 MB.
///
/// ```
/// use nightfold_consolidate::collapse::{Significance, StatusCollapse, StatusRecord};
/// use nightfold_english::English;
/// use nightfold_memory::{CollapseConfig, GameTime};
///
/// let settings = CollapseConfig::default();
/// let mut collapse = StatusCollapse::new(&settings, &English);
/// for (id, text) in [("a", "Guard post status: 3 patrols, 1 alert"), ("b", "Guard post status: 5 patrols, 0 alerts")] {
///     collapse.push(StatusRecord {
///         id, text, context: "", significance: Significance::Routine, reinforcement: 1, created_at: GameTime::ZERO,
///     });
/// }
/// let found = collapse.finish();
/// assert_eq!((found.groups[0].canonical.as_str(), found.groups[0].reinforcement), ("a", 2));
/// ```
pub struct StatusCollapse<'a> {
    settings: &'a CollapseConfig,
    pack: &'a dyn LanguagePack,
    last: Phase,
    operational: Option<Operational>,
    scanned: usize,
    kept: Vec<Kept>,
    /// The number of each context.
    contexts: BTreeMap<String, usize>,
    /// The number of each signature within its context.
    numbers: BTreeMap<(usize, String), usize>,
    signatures: Vec<Signature>,
    /// Of each context the skeletons, with the signatures that each came with, where templates are asked for.
    skeletons: BTreeMap<usize, BTreeMap<Skeleton, BTreeSet<usize>>>,
}

/// Groups, and what was counted on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusCollapsed {
    /// The counts.
    pub report: StatusReport,
    /// All groups of two and more, by the time and id of their canonical entry.
    pub groups: Vec<StatusGroup>,
}

impl<'a> StatusCollapse<'a> {
    /// Only operational entries are looked at.
    pub fn new(settings: &'a CollapseConfig, pack: &'a dyn LanguagePack) -> Self {
        let operational = Some(Operational::new(&settings.keywords, pack));
        Self { operational, ..Self::of_status(settings, pack) }
    }

    /// Every entry is known to be a status line.
    pub fn of_status(settings: &'a CollapseConfig, pack: &'a dyn LanguagePack) -> Self {
        Self {
            settings,
            pack,
            last: Phase::Fuzzy,
            operational: None,
            scanned: 0,
            kept: Vec::new(),
            contexts: BTreeMap::new(),
            numbers: BTreeMap::new(),
            signatures: Vec::new(),
            skeletons: BTreeMap::new(),
        }
    }

    /// Leaves out the phases after this one.
    #[must_use]
    pub fn up_to(self, last: Phase) -> Self {
        Self { last, ..self }
    }

    /// Takes the next entry, and says whether it is a status line.
    pub fn push(&mut self, record: StatusRecord<'_>) -> bool {
        self.scanned += 1;
        let signature = signature(record.text, self.pack);
        if self.operational.as_ref().is_some_and(|operational| !operational.is(&signature)) {
            return false;
        }
        let next = self.contexts.len();
        let context = match self.contexts.get(record.context) {
            Some(&context) => context,
            None => *self.contexts.entry(record.context.to_owned()).or_insert(next),
        };
        let next = self.signatures.len();
        let number = *self.numbers.entry((context, signature)).or_insert_with_key(|(context, text)| {
            self.signatures.push(Signature { context: *context, text: text.clone() });
            next
        });
        if self.settings.template {
            let of_context = self.skeletons.entry(context).or_default();
            of_context.entry(skeleton(record.text)).or_default().insert(number);
        }
        self.kept.push(Kept {
            id: record.id.to_owned(),
            significance: record.significance,
            reinforcement: record.reinforcement,
            created_at: record.created_at,
            signature: number,
        });
        true
    }

    /// Takes a memory of a day, and says whether it is a status line. Memories of different kind, place or actors are of
    /// different contexts.
    pub fn push_memory(&mut self, memory: &Memory) -> bool {
        self.push(StatusRecord {
            id: memory.id.as_str(),
            text: &memory.text,
            context: &context(memory.kind, memory.place.as_deref(), &memory.actors),
            significance: Significance::of(memory.importance().get(), memory.pinned),
            reinforcement: 1,
            created_at: memory.at,
        })
    }

    /// Groups what was taken. The outcome does not depend on the order it came in.
    pub fn finish(self) -> StatusCollapsed {
        self.finish_where(|_, _| true)
    }

    /// The same, where `may_go` says whether an entry may be a duplicate of the canonical one that is named second.
    pub(super) fn finish_where(mut self, may_go: impl Fn(&str, &str) -> bool) -> StatusCollapsed {
        self.kept.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        let mut sets = Sets::new(&self);
        if self.last >= Phase::Token {
            sets.join_by_token(&self.signatures, self.pack);
        }
        if self.settings.template && self.last >= Phase::Template {
            std::mem::take(&mut self.skeletons).into_values().for_each(|found| sets.join_by_template(found));
        }
        if self.settings.fuzzy && self.last >= Phase::Fuzzy {
            fuzzy::join(&mut sets, &self.signatures, self.settings, self.pack);
        }
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.signatures.len()];
        for (at, kept) in self.kept.iter().enumerate() {
            members[sets.find(kept.signature)].push(at);
        }
        let mut groups: Vec<(usize, StatusGroup)> = members
            .into_iter()
            .enumerate()
            .filter(|(_, members)| members.len() > 1)
            .filter_map(|(root, members)| self.group(sets.phase[root], members, &may_go))
            .collect();
        groups.sort_by_key(|(at, _)| *at);
        let groups: Vec<StatusGroup> = groups.into_iter().map(|(_, group)| group).collect();
        StatusCollapsed { report: self.report(&groups), groups }
    }

    /// The canonical entry is the most significant; of equals the most reinforced, the oldest, the first by id. Where the
    /// newest is asked for, that counts before reinforcement. `None` when no other may go.
    fn group(
        &self,
        phase: Phase,
        mut members: Vec<usize>,
        may_go: &impl Fn(&str, &str) -> bool,
    ) -> Option<(usize, StatusGroup)> {
        let rank = |&at: &usize| {
            let kept = &self.kept[at];
            // Before reinforcement: else the first to stand for others would for ever.
            let newest = self.settings.keep == KeptReading::Newest;
            let age = newest.then_some(Reverse(kept.created_at));
            (Reverse(kept.significance), age, Reverse(kept.reinforcement), at)
        };
        let first = (0..members.len()).min_by_key(|&i| rank(&members[i])).unwrap_or(0);
        let canonical = members.remove(first);
        members.retain(|&at| may_go(&self.kept[at].id, &self.kept[canonical].id));
        let taken = members.iter().map(|&at| self.kept[at].reinforcement.max(1));
        let reinforcement = taken.fold(self.kept[canonical].reinforcement, u32::saturating_add);
        let group = StatusGroup {
            phase,
            signature: self.signatures[self.kept[canonical].signature].text.clone(),
            canonical: self.kept[canonical].id.clone(),
            duplicates: members.into_iter().map(|at| self.kept[at].id.clone()).collect(),
            reinforcement,
        };
        (!group.duplicates.is_empty()).then_some((canonical, group))
    }

    fn report(&self, groups: &[StatusGroup]) -> StatusReport {
        let of = |phase: Phase| groups.iter().filter(|g| g.phase == phase).count();
        let mut largest: Vec<&StatusGroup> = groups.iter().collect();
        largest.sort_by_key(|g| Reverse(g.duplicates.len()));
        StatusReport {
            scanned_profiles: self.scanned,
            operational_profiles: self.kept.len(),
            unique_signatures: self.signatures.iter().map(|s| &s.text).collect::<BTreeSet<_>>().len(),
            duplicate_groups: groups.len(),
            duplicates_found: groups.iter().map(|g| g.duplicates.len()).sum(),
            exact_duplicate_groups: of(Phase::Exact),
            token_duplicate_groups: of(Phase::Token),
            template_duplicate_groups: of(Phase::Template),
            fuzzy_duplicate_groups: of(Phase::Fuzzy),
            samples: largest.into_iter().take(self.settings.max_samples).cloned().collect(),
            ..StatusReport::dry()
        }
    }
}

/// Signatures joined into sets, each with the phase that joined it last.
struct Sets {
    parent: Vec<usize>,
    phase: Vec<Phase>,
    /// Signatures by the time and id of their first entry.
    order: Vec<usize>,
}

impl Sets {
    fn new(collapse: &StatusCollapse<'_>) -> Self {
        let n = collapse.signatures.len();
        let mut seen = vec![false; n];
        let order =
            collapse.kept.iter().map(|k| k.signature).filter(|&s| !std::mem::replace(&mut seen[s], true));
        Self { order: order.collect(), parent: (0..n).collect(), phase: vec![Phase::Exact; n] }
    }

    fn find(&mut self, mut at: usize) -> usize {
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize, phase: Phase) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.parent[b] = a;
            self.phase[a] = self.phase[a].max(self.phase[b]).max(phase);
        }
    }

    fn join_by_token(&mut self, signatures: &[Signature], pack: &dyn LanguagePack) {
        let mut first: BTreeMap<(usize, Vec<&str>), usize> = BTreeMap::new();
        for at in self.order.clone() {
            if let Some(key) = token_key(&signatures[at].text, pack) {
                let known = *first.entry((signatures[at].context, key)).or_insert(at);
                self.join(known, at, Phase::Token);
            }
        }
    }

    /// Templates are mined within one context: what another holds says nothing about it.
    fn join_by_template(&mut self, found: BTreeMap<Skeleton, BTreeSet<usize>>) {
        let (skeletons, with_it): (Vec<Skeleton>, Vec<BTreeSet<usize>>) = found.into_iter().unzip();
        let mut first: BTreeMap<Skeleton, usize> = BTreeMap::new();
        for (template, with_it) in templates(skeletons).into_iter().zip(with_it) {
            for signature in with_it {
                let known = *first.entry(template.clone()).or_insert(signature);
                self.join(known, signature, Phase::Template);
            }
        }
    }
}

#[cfg(test)]
mod tests;
