//! Collapse of status lines that repeat with new numbers: "guard post status: 3 patrols, 1 alert" every hour.
//!
//! Operational lines (with a keyword **and** an ephemeral token) are grouped in phases, each joining groups
//! that the phases before left separate: by equal signature ([`Phase::Exact`]), by equal key words
//! ([`Phase::Token`]), and, if enabled, by overlap of key words ([`Phase::Fuzzy`]). One entry of every group is canonical; the others are its duplicates, and their
//! reinforcement is added to it.

pub(super) mod fuzzy;
mod operational;
mod signature;
mod token;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use nightfold_memory::{
    GameTime, Kind, LanguagePack, Memory, MemoryId, config::CollapseConfig, config::KeptReading,
};
use serde::{Deserialize, Serialize};

use self::{
    operational::OperationalFilter,
    signature::{signature, token_key},
};

/// Maximum number of folded groups that a report shows as samples.
const MAX_SAMPLES: usize = 20;

/// Significance class of an entry.
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
    /// Derives the class from an importance of 1 to 10; pinned entries are core.
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
    /// Unique id of the entry.
    pub id: &'a str,
    /// Text of the entry.
    pub text: &'a str,
    /// Further attributes that must be equal for entries to be readings of one thing, such as place and
    /// actors: entries of different contexts are never joined. May be empty.
    pub context: &'a str,
    /// Significance class of the entry.
    pub significance: Significance,
    /// Number of times it was seen so far.
    pub reinforcement: u32,
    /// Game time at which it was first seen.
    pub created_at: GameTime,
}

/// Phase that joins entries into groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Equal signatures: the same text except for numbers, dates and ids.
    Exact,
    /// Equal sets of key words, at least three.
    Token,
    /// Sufficiently overlapping key words.
    Fuzzy,
}

impl Phase {
    /// Returns the name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Token => "token",
            Self::Fuzzy => "fuzzy",
        }
    }
}

/// Group of entries that say the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatusGroup {
    /// Latest phase that joined members of the group.
    pub phase: Phase,
    /// Signature of the canonical entry.
    pub signature: String,
    /// Id of the canonical entry, which stays.
    pub canonical: String,
    /// Ids of the entries that it represents, by time and id.
    pub duplicates: Vec<String>,
    /// New reinforcement of the canonical entry: its own plus that of its duplicates, each of which counts at
    /// least 1.
    pub reinforcement: u32,
}

impl StatusGroup {
    /// Returns the ids of all members, the canonical one first.
    pub fn members(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.canonical).chain(&self.duplicates).map(String::as_str)
    }
}

/// Report of a collapse.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatusReport {
    /// True if nothing was changed.
    pub dry_run: bool,
    /// Number of entries considered.
    pub scanned_profiles: usize,
    /// Number of operational entries.
    pub operational_profiles: usize,
    /// Number of different signatures among the operational entries.
    pub unique_signatures: usize,
    /// Number of groups of two or more entries.
    pub duplicate_groups: usize,
    /// Number of duplicates of canonical entries.
    pub duplicates_found: usize,
    /// Number of groups collapsed; 0 in a dry run.
    pub groups_collapsed: usize,
    /// Number of entries archived; 0 in a dry run.
    pub duplicates_removed: usize,
    /// Reinforcement transferred to canonical entries; 0 in a dry run.
    pub reinforcements_applied: u64,
    /// Number of groups joined by equal signature.
    pub exact_duplicate_groups: usize,
    /// Number of groups joined by equal key words.
    pub token_duplicate_groups: usize,
    /// Number of groups joined by overlap of words.
    pub fuzzy_duplicate_groups: usize,
    /// The largest groups, for review.
    pub samples: Vec<StatusGroup>,
}

impl StatusReport {
    /// Creates the empty report of a dry run.
    pub fn dry() -> Self {
        Self { dry_run: true, ..Self::default() }
    }

    /// Adds the counts of another NPC's report, and keeps the largest samples of the two reports.
    pub fn add(&mut self, other: Self) {
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
        self.fuzzy_duplicate_groups += other.fuzzy_duplicate_groups;
        self.samples.extend(other.samples);
        self.samples.sort_by_key(|g| Reverse(g.duplicates.len()));
        self.samples.truncate(MAX_SAMPLES);
    }
}

/// Returns the context that memories must share to be readings of one thing: kind, place and actors.
pub(super) fn context(kind: Kind, place: Option<&str>, actors: &[String]) -> String {
    let mut actors: Vec<&str> = actors.iter().map(String::as_str).collect();
    actors.sort_unstable();
    // Names are free text: length prefixes keep the concatenation unambiguous.
    let parts = [kind.as_str(), place.unwrap_or_default()].into_iter().chain(actors);
    parts.map(|part| format!("{}:{part}", part.len())).collect()
}

/// Returns a stricter context for lines that a night or a store collapses, where a wrong join would lose a
/// fact: it also includes names and the alphabetic parts of hyphenated words, in order. "Joss attacked Tom"
/// and "Tom attacked Joss" have the same words; "post-north-1" and "post-south-2" are both ids.
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

/// Text that status lines of one context share once their readings are left out.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Signature {
    context: String,
    text: String,
}

/// Attributes of an entry other than its text, which is not kept.
struct ScannedEntry {
    id: String,
    significance: Significance,
    reinforcement: u32,
    created_at: GameTime,
    /// Index of its signature.
    signature: usize,
}

/// Collects entries one by one, in any order, and groups them at the end. It keeps the id and a few numbers
/// of each entry, and every different signature once: a million entries take about 200 MB.
///
/// ```
/// use nightfold_consolidate::collapse::{Significance, StatusCollapse, StatusRecord};
/// use nightfold_english::English;
/// use nightfold_memory::{config::CollapseConfig, GameTime};
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
    last_phase: Phase,
    operational: Option<OperationalFilter>,
    scanned: usize,
    entries: Vec<ScannedEntry>,
    /// Index of each signature.
    signature_indices: BTreeMap<Signature, usize>,
    signatures: Vec<Signature>,
}

/// Groups of a collapse with its report.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusCollapsed {
    /// Report with all counts.
    pub report: StatusReport,
    /// All groups of two or more entries, by the time and id of their canonical entry.
    pub groups: Vec<StatusGroup>,
}

impl<'a> StatusCollapse<'a> {
    /// Creates a collapse that considers only operational entries.
    pub fn new(settings: &'a CollapseConfig, pack: &'a dyn LanguagePack) -> Self {
        let operational = Some(OperationalFilter::new(&settings.keywords, pack));
        Self { operational, ..Self::unfiltered(settings, pack) }
    }

    /// Creates a collapse that treats every entry as a status line.
    pub fn unfiltered(settings: &'a CollapseConfig, pack: &'a dyn LanguagePack) -> Self {
        Self {
            settings,
            pack,
            last_phase: Phase::Fuzzy,
            operational: None,
            scanned: 0,
            entries: Vec::new(),
            signature_indices: BTreeMap::new(),
            signatures: Vec::new(),
        }
    }

    /// Skips the phases after this one.
    #[must_use]
    pub fn up_to(self, last: Phase) -> Self {
        Self { last_phase: last, ..self }
    }

    /// Adds the next entry. Returns true if it is a status line. What was given the id of a different memory is none:
    /// the two are never made one.
    pub fn push(&mut self, record: StatusRecord<'_>) -> bool {
        self.scanned += 1;
        if MemoryId::split_number(record.id).1.is_some() {
            return false;
        }
        let signature = signature(record.text, self.pack);
        if self.operational.as_ref().is_some_and(|operational| !operational.matches(&signature)) {
            return false;
        }
        let next = self.signatures.len();
        let signature = Signature { context: record.context.to_owned(), text: signature };
        let number = *self.signature_indices.entry(signature).or_insert_with_key(|signature| {
            self.signatures.push(signature.clone());
            next
        });
        self.entries.push(ScannedEntry {
            id: record.id.to_owned(),
            significance: record.significance,
            reinforcement: record.reinforcement,
            created_at: record.created_at,
            signature: number,
        });
        true
    }

    /// Adds a memory of a day. Returns true if it is a status line. Memories of different kind, place or
    /// actors have different contexts.
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

    /// Groups the entries added so far. The result does not depend on their order.
    pub fn finish(self) -> StatusCollapsed {
        self.finish_where(|_, _| true)
    }

    /// Groups like [`Self::finish`], where `may_archive` returns true if its first entry may be a duplicate
    /// of the canonical entry passed second.
    pub(super) fn finish_where(mut self, may_archive: impl Fn(&str, &str) -> bool) -> StatusCollapsed {
        self.entries.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        let mut sets = DisjointSets::new(&self);
        if self.last_phase >= Phase::Token {
            sets.join_by_token(&self.signatures, self.pack);
        }
        if self.settings.fuzzy && self.last_phase >= Phase::Fuzzy {
            fuzzy::join_overlapping(&mut sets, &self.signatures, self.settings, self.pack);
        }
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.signatures.len()];
        for (at, kept) in self.entries.iter().enumerate() {
            members[sets.find(kept.signature)].push(at);
        }
        let mut groups: Vec<(usize, StatusGroup)> = members
            .into_iter()
            .enumerate()
            .filter(|(_, members)| members.len() > 1)
            .filter_map(|(root, members)| self.group(sets.phase[root], members, &may_archive))
            .collect();
        groups.sort_by_key(|(at, _)| *at);
        let groups: Vec<StatusGroup> = groups.into_iter().map(|(_, group)| group).collect();
        StatusCollapsed { report: self.report(&groups), groups }
    }

    /// Builds a group. The canonical entry is the most significant one; ties go to the most reinforced, the
    /// oldest and the first by id. If `collapse.keep` asks for the newest, age precedes reinforcement.
    /// Returns `None` if no other member may be a duplicate.
    fn group(
        &self,
        phase: Phase,
        mut members: Vec<usize>,
        may_archive: &impl Fn(&str, &str) -> bool,
    ) -> Option<(usize, StatusGroup)> {
        let rank = |&at: &usize| {
            let kept = &self.entries[at];
            // Age precedes reinforcement; otherwise the first canonical entry would remain canonical for ever.
            let newest = self.settings.keep == KeptReading::Newest;
            let age = newest.then_some(Reverse(kept.created_at));
            (Reverse(kept.significance), age, Reverse(kept.reinforcement), at)
        };
        let first = (0..members.len()).min_by_key(|&i| rank(&members[i])).unwrap_or(0);
        let canonical = members.remove(first);
        members.retain(|&at| may_archive(&self.entries[at].id, &self.entries[canonical].id));
        let taken = members.iter().map(|&at| self.entries[at].reinforcement.max(1));
        let reinforcement = taken.fold(self.entries[canonical].reinforcement, u32::saturating_add);
        let group = StatusGroup {
            phase,
            signature: self.signatures[self.entries[canonical].signature].text.clone(),
            canonical: self.entries[canonical].id.clone(),
            duplicates: members.into_iter().map(|at| self.entries[at].id.clone()).collect(),
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
            operational_profiles: self.entries.len(),
            unique_signatures: self.signatures.iter().map(|s| &s.text).collect::<BTreeSet<_>>().len(),
            duplicate_groups: groups.len(),
            duplicates_found: groups.iter().map(|g| g.duplicates.len()).sum(),
            exact_duplicate_groups: of(Phase::Exact),
            token_duplicate_groups: of(Phase::Token),
            fuzzy_duplicate_groups: of(Phase::Fuzzy),
            samples: largest.into_iter().take(MAX_SAMPLES).cloned().collect(),
            ..StatusReport::dry()
        }
    }
}

/// Disjoint sets of signatures (union–find), each with the latest phase that joined it.
struct DisjointSets {
    parent: Vec<usize>,
    phase: Vec<Phase>,
    /// Signatures ordered by the time and id of their first entry.
    order: Vec<usize>,
}

impl DisjointSets {
    fn new(collapse: &StatusCollapse<'_>) -> Self {
        let n = collapse.signatures.len();
        let mut seen = vec![false; n];
        let order =
            collapse.entries.iter().map(|k| k.signature).filter(|&s| !std::mem::replace(&mut seen[s], true));
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
        let mut first: BTreeMap<(&str, Vec<&str>), usize> = BTreeMap::new();
        for at in self.order.clone() {
            if let Some(key) = token_key(&signatures[at].text, pack) {
                let known = *first.entry((&signatures[at].context, key)).or_insert(at);
                self.join(known, at, Phase::Token);
            }
        }
    }
}

#[cfg(test)]
mod tests;
