//! Typed records that are distilled from similar memories of several days: what the NPC likes, practises and is wary
//! of, whom and which places it knows, and what keeps happening.
//!
//! Two pure steps, with an embedding between, and a language model if there is one: [`distilled`] groups the memories
//! of long-term memory and writes the texts by rules; [`changes`] takes their vectors and returns the changes of a plan.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use nightfold_memory::{
    Analysis, Answer, Calendar, Change, Distillate, DistillationSources, EarlierSource, Entry, Fault,
    GameTime, Importance, Kind, LanguagePack, LanguageTask, MemoryId, MemoryRecord, NpcId, Reason,
    RecordKind, ReflectionKind, Rule, SourceText, State, TaskKind, TextBounds, ValidConfig, Vectors,
};

use crate::{
    abstraction::MAX_GROUP,
    linkage::{Bounds, LinkageGroup, similar_entries},
    merged::{common, united},
    naming::{hashed_entry, slug, unused_id},
    synthesize::{earlier_source, estimated_tokens, known_in_own_words},
};

/// Maximum number of memories that records are distilled from, the most important ones.
const DISTILLED_FROM: usize = 400;

/// Number of memories by which a record outgrows one that rests on a part of its memories, and replaces it.
const MIN_GROWTH: usize = 2;

/// Typed record before it has a vector.
#[derive(Debug, Clone, PartialEq)]
pub struct DistilledRecord {
    kind: ReflectionKind,
    /// Entry of the record; its vector is set last.
    entry: Entry,
    name: String,
    /// Texts of its sources.
    texts: Vec<SourceText>,
    occasions: usize,
    of: usize,
    /// Number of days on which its sources lie.
    days: usize,
    /// Least cosine between any two memories of the group that it is distilled from.
    similarity: f32,
    /// Active records that rest on a part of its sources alone.
    replaced: Vec<MemoryId>,
}

impl DistilledRecord {
    /// Returns its text, which needs a vector.
    pub fn text(&self) -> &str {
        &self.entry.text
    }

    /// Returns the ids of the memories that it rests on.
    pub fn sources(&self) -> &[MemoryId] {
        &self.entry.sources
    }

    /// Returns the ids of the active records that it replaces.
    pub fn replaced(&self) -> &[MemoryId] {
        &self.replaced
    }

    /// Returns the entry as it will be written, without a vector.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Returns the task of wording it, for a language model: the same memories, of which one reflection is asked.
    pub fn task(&self, npc: &NpcId, id: usize) -> LanguageTask {
        let kind = TaskKind::Reflections { slots: 1 };
        let tokens = estimated_tokens(&self.texts, 1);
        let value = f64::from(self.entry.importance.get()) / tokens as f64;
        let me = npc.as_str().replace('_', " ");
        LanguageTask { id, kind, me, sources: self.texts.clone(), tokens, value }
    }

    /// Takes the wording of a language model. The type and the memories that it rests on stay as they are.
    ///
    /// # Errors
    /// The fault of the answer, if it does not pass the checks of a reflection; the record is unchanged then.
    pub fn reword(
        &mut self,
        npc: &NpcId,
        answer: &Answer,
        config: &ValidConfig,
        pack: &dyn LanguagePack,
    ) -> Result<(), Fault> {
        let own_name = &pack.analyze(npc.as_str(), &[npc.as_str()]);
        let people: Vec<&str> = self.entry.actors.iter().map(String::as_str).collect();
        let cited = self.texts.iter().filter(|source| answer.cites.contains(&source.id));
        let analyses: Vec<Analysis> = cited.map(|source| pack.analyze(&source.text, &people)).collect();
        let bounds = TextBounds { max_chars: config.synthesis.max_chars, own_name };
        if let Some(fault) = pack.reflection_fault(&answer.text, &analyses.iter().collect::<Vec<_>>(), bounds)
        {
            return Err(fault);
        }
        self.entry.text.clone_from(&answer.text);
        Ok(())
    }
}

/// Long-term memory from which records are distilled.
#[derive(Clone, Copy)]
pub struct DistillationContext<'a> {
    /// The NPC.
    pub npc: &'a NpcId,
    /// Active entries that no other change of the plan touches.
    pub active: &'a [&'a MemoryRecord],
    /// Records that were distilled before, in any state.
    pub distilled_before: &'a [MemoryRecord],
    /// Returns true for every id that was ever used.
    pub is_used: &'a dyn Fn(&MemoryId) -> bool,
    /// Moment of the maintenance.
    pub now: GameTime,
}

/// Returns the records that memories teach, those that rest on most memories first.
///
/// Of the active entries the most important ones that keep a memory in its own words are grouped by complete linkage
/// (`maintain.similar`). A group teaches a record if it is important enough on average
/// (`budget.reflection_importance`), lies on at least `maintain.distill_days` days and the pack finds what its memories
/// have in common, unless a reflection rests on all of them already, or an earlier record on most of them, or there is a
/// record of the same name.
///
/// ```
/// use nightfold_consolidate::distillation::{DistillationContext, distilled};
/// use nightfold_english::English;
/// use nightfold_memory::{Config, GameTime, MemoryRecord};
///
/// let texts = ["auth middleware caused test timeout", "auth middleware race condition under load",
///     "auth middleware flaky in CI"];
/// let episode = |(day, text): (usize, &&str)| -> MemoryRecord {
///     serde_json::from_value(serde_json::json!({
///         "npc": "Agent", "id": format!("e{day}"), "form": "verbatim", "kind": "event", "text": text,
///         "at": 86400 * day, "last_at": 86400 * day, "importance": 5, "occurrences": 1, "sources": [format!("e{day}")],
///         "vector": [1.0, 0.0], "state": "active", "corroborations": 0, "confidence": "normal",
///         "touched_at": 86400 * day, "night": format!("day-{day}"),
///     }))
///     .unwrap()
/// };
/// let episodes: Vec<MemoryRecord> = texts.iter().enumerate().map(episode).collect();
/// let known = DistillationContext {
///     npc: &"Agent".parse().unwrap(),
///     active: &episodes.iter().collect::<Vec<_>>(),
///     distilled_before: &[],
///     is_used: &|id| id.as_str().starts_with('e'),
///     now: GameTime::from_seconds(300_000).unwrap(),
/// };
/// let records = distilled(known, &Config::default().check().unwrap(), &English);
/// assert!(records[0].text().starts_with("At least three times in three days I had trouble with auth middleware"));
/// ```
pub fn distilled(
    known: DistillationContext<'_>,
    config: &ValidConfig,
    pack: &dyn LanguagePack,
) -> Vec<DistilledRecord> {
    let Some(calendar) = known.active.first().map(|record| Calendar::of(record, config.day.turns_at)) else {
        return Vec::new();
    };
    let with_vector = known.active.iter().filter(|record| record.entry.vector.is_some());
    let entries = known_in_own_words(with_vector.map(|record| &record.entry), DISTILLED_FROM);
    let days_of = |members: &[usize]| {
        let days: BTreeSet<i64> = members.iter().map(|&at| calendar.day(entries[at].at)).collect();
        days.len()
    };
    let is_important = |members: &[usize]| {
        let sum: u32 = members.iter().map(|&at| u32::from(entries[at].importance.get())).sum();
        f64::from(sum) >= members.len() as f64 * config.budget.reflection_importance
    };
    let mut groups = similar_groups(&entries, config);
    groups.retain(|group| {
        days_of(&group.members) >= config.maintain.distill_days && is_important(&group.members)
    });
    if groups.is_empty() {
        return Vec::new();
    }
    let sources: Vec<EarlierSource<'_>> = entries.iter().map(|entry| earlier_source(entry)).collect();
    let own = pack.analyze(known.npc.as_str(), &[known.npc.as_str()]);
    let members: Vec<Vec<usize>> = groups.iter().map(|group| group.members.clone()).collect();
    let mut taught = pack.distillates(&DistillationSources {
        known: &sources,
        groups: &members,
        own_name: &own,
        min_days: config.maintain.distill_days,
    });
    let mut admission = Admission::new(known, config, pack);
    // Of two records of one name the one that rests on more memories is new.
    taught.sort_by_key(|found| (Reverse(found.sources.len()), found.sources.first().copied()));
    for found in taught {
        let rests_on: Vec<&Entry> = found.sources.iter().filter_map(|&at| entries.get(at).copied()).collect();
        let group = groups.iter().find(|group| found.sources.iter().all(|at| group.members.contains(at)));
        admission.admit(DistilledRecord {
            name: pack.title(&[&found.subject]),
            texts: rests_on.iter().map(|entry| source_text(entry)).collect(),
            days: days_of(&found.sources),
            similarity: group.map_or(1.0, |group| group.similarity),
            entry: entry(&found, &rests_on, known.now, config),
            kind: found.kind,
            occasions: found.occasions,
            of: found.of,
            replaced: Vec::new(),
        });
    }
    admission.admitted
}

/// Records that are new, one after the other.
struct Admission<'a> {
    known: DistillationContext<'a>,
    config: &'a ValidConfig,
    pack: &'a dyn LanguagePack,
    /// Names, as in ids, of the active records that were distilled before, with their ids.
    names: BTreeMap<String, MemoryId>,
    admitted: Vec<DistilledRecord>,
}

impl<'a> Admission<'a> {
    fn new(known: DistillationContext<'a>, config: &'a ValidConfig, pack: &'a dyn LanguagePack) -> Self {
        let active = known.distilled_before.iter().filter(|record| record.state == State::Active);
        let names = active.filter_map(|record| {
            let (name, _) = record.entry.id.as_str().rsplit_once('-')?;
            Some((name.to_owned(), record.entry.id.clone()))
        });
        Self { known, config, pack, names: names.collect(), admitted: Vec::new() }
    }

    /// Admits a record unless a reflection tells as much already or there is one of the same name, which it does not
    /// replace.
    fn admit(&mut self, mut record: DistilledRecord) {
        let Some(replaced) = self.replaced_by(&record) else { return };
        record.replaced = replaced;
        let taken = |id: &MemoryId| {
            self.admitted.iter().any(|record| record.entry.id == *id) || (self.known.is_used)(id)
        };
        let name = slug(&record.name, self.pack);
        record.entry.id = unused_id(hashed_entry(&name, record.text(), record.sources()), &taken);
        if self.names.get(&name).is_none_or(|other| record.replaced.contains(other)) {
            self.names.insert(name, record.entry.id.clone());
            self.admitted.push(record);
        }
    }

    /// Returns the active reflections that a record replaces: those that rest on a part of its memories alone, but on
    /// as many as a record needs. Returns `None` if a reflection rests on all of its memories, or a record that was
    /// distilled before on most of them.
    fn replaced_by(&self, record: &DistilledRecord) -> Option<Vec<MemoryId>> {
        let reflections = self.known.active.iter().filter(|known| known.entry.form == RecordKind::Reflection);
        let before = self.known.distilled_before.iter();
        let known = reflections.map(|known| (*known, false)).chain(before.map(|known| (known, true)));
        let rests_on = record.sources();
        let mut replaced = Vec::new();
        for (known, is_distilled) in known {
            let sources = &known.entry.sources;
            let shared = sources.iter().filter(|id| rests_on.contains(id)).count();
            let is_outgrown = shared == sources.len() && shared + MIN_GROWTH <= rests_on.len();
            let is_told = shared == rests_on.len() || is_distilled && 2 * shared > rests_on.len();
            if is_told && !is_outgrown {
                return None;
            }
            let is_enough = shared >= self.config.maintain.distill_days && known.state == State::Active;
            if is_outgrown && is_enough && !replaced.contains(&known.entry.id) {
                replaced.push(known.entry.id.clone());
            }
        }
        Some(replaced)
    }
}

/// Groups memories by complete linkage.
fn similar_groups(known: &[&Entry], config: &ValidConfig) -> Vec<LinkageGroup> {
    let bounds =
        Bounds { min_similarity: config.maintain.similar, max_members: MAX_GROUP, max_chars: usize::MAX };
    similar_entries(known.iter().copied(), bounds, |_, _| false)
}

fn source_text(entry: &Entry) -> SourceText {
    SourceText { id: entry.id.clone(), text: entry.text.clone(), verbatim: false }
}

fn entry(found: &Distillate, rests_on: &[&Entry], now: GameTime, config: &ValidConfig) -> Entry {
    let most = config.input.max_list;
    Entry {
        // A placeholder: the id is set when the record is admitted.
        id: rests_on[0].id.clone(),
        form: RecordKind::Reflection,
        kind: Kind::Reflection,
        text: found.text.clone(),
        at: now,
        last_at: now,
        importance: Importance::new(config.synthesis.reflection_importance).unwrap_or(Importance::DEFAULT),
        occurrences: 1,
        actors: united(rests_on.iter().map(|entry| &entry.actors), most),
        tags: united(rests_on.iter().map(|entry| &entry.tags), most),
        place: common(rests_on.iter().map(|entry| &entry.place)).cloned().flatten(),
        pinned: false,
        emotion: None,
        sources: rests_on.iter().map(|entry| entry.id.clone()).collect(),
        vector: None,
    }
}

/// Returns the changes that write records and supersede those that they replace. `vectors` are those of the records'
/// texts, in their order.
pub fn changes(records: Vec<DistilledRecord>, vectors: &Vectors, config: &ValidConfig) -> Vec<Change> {
    let mut replaced: BTreeSet<MemoryId> = BTreeSet::new();
    let mut changes = Vec::new();
    for (row, mut record) in records.into_iter().enumerate().take(vectors.len()) {
        record.entry.vector = Some(vectors.vector(row));
        let (id, reason) = (record.entry.id.clone(), record.reason(config));
        changes.push(Change::Reflect {
            entry: record.entry,
            name: record.name,
            reflection: record.kind,
            reason: reason.clone(),
        });
        for old in record.replaced {
            if replaced.insert(old.clone()) {
                changes.push(Change::Supersede {
                    id: old,
                    sources: vec![id.clone()],
                    reason: reason.clone(),
                });
            }
        }
    }
    changes
}

impl DistilledRecord {
    fn reason(&self, config: &ValidConfig) -> Reason {
        Reason::new(Rule::Distilled)
            .with("occasions", self.occasions)
            .with("of", self.of)
            .with("counter", self.of.saturating_sub(self.occasions))
            .with("days", self.days)
            .with("days_from", config.maintain.distill_days)
            .with("similarity", self.similarity)
            .with("similar_from", config.maintain.similar)
    }
}
