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
    Analysis, Answer, Calendar, Change, CheckedSource, Distillate, DistillationSources, DistilledMemory,
    Entry, GameTime, Grammar, Importance, Kind, LanguagePack, LanguageTask, MemoryId, MemoryRecord, NpcId,
    Reason, RecordKind, ReflectionKind, Rule, SourceText, State, TaskKind, TextBounds, ValidConfig, Vectors,
};

use crate::{
    abstraction::MAX_GROUP,
    forgetting::may_fade,
    linkage::{Bounds, similar_entries},
    merged::{common, united},
    naming::{DocumentFrequencies, Namer, hashed_entry, slug, unused_id},
    synthesize::{CheckedAnswer, estimated_tokens, support_questions},
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
    /// Number of similar memories, its sources included.
    of: usize,
    /// Number of days on which its sources lie.
    days: usize,
    /// Least cosine between any two memories of the group that it is distilled from.
    similarity: f32,
    /// Active records that rest on a part of its sources alone.
    replaced: Vec<MemoryId>,
    /// Sources that are archived when the record is written.
    archived: Vec<MemoryId>,
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

    /// Returns the ids of the sources that it archives.
    pub fn archived(&self) -> &[MemoryId] {
        &self.archived
    }

    /// Returns the entry as it will be written, without a vector.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Returns the task of wording it, for a language model: the same memories, of which one reflection is asked.
    pub fn task(&self, npc: &NpcId, id: usize) -> LanguageTask {
        let kind = TaskKind::Reflections { slots: 1 };
        let tokens = estimated_tokens(&self.texts, &[], 1);
        let value = f64::from(self.entry.importance.get()) / tokens as f64;
        let me = npc.as_str().replace('_', " ");
        LanguageTask { id, kind, me, sources: self.texts.clone(), past: Vec::new(), tokens, value }
    }

    /// Takes the wording of a language model, and returns the questions if its sentences follow from what it cites. The
    /// type and the memories that it rests on stay as they are.
    ///
    /// # Errors
    /// The fault of the answer, if it does not pass the checks of a reflection; the record is unchanged then.
    pub fn reword(
        &mut self,
        npc: &NpcId,
        answer: &Answer,
        config: &ValidConfig,
        pack: &dyn LanguagePack,
    ) -> CheckedAnswer {
        let own_name = &pack.analyze(npc.as_str(), &[npc.as_str()]);
        let people: Vec<&str> = self.entry.actors.iter().map(String::as_str).collect();
        let cited: Vec<SourceText> =
            self.texts.iter().filter(|source| answer.cites.contains(&source.id)).cloned().collect();
        let read: Vec<Analysis> = cited.iter().map(|source| pack.analyze(&source.text, &people)).collect();
        let checked = |(source, analysis)| {
            let source: &SourceText = source;
            CheckedSource { text: &source.text, analysis, verbatim: false, is_heard: false }
        };
        let sources: Vec<CheckedSource<'_>> = cited.iter().zip(&read).map(checked).collect();
        let bounds = TextBounds { max_chars: config.synthesis.max_chars, own_name };
        if let Some(fault) = pack.reflection_fault(&answer.text, &sources, bounds) {
            return Err(fault);
        }
        self.entry.text.clone_from(&answer.text);
        let me = npc.as_str().replace('_', " ");
        Ok(support_questions(0, &me, &answer.text, &cited, pack))
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
    /// Archived sources of those of them that are active: a record grows with its episodes.
    pub archived_sources: &'a [MemoryRecord],
    /// Returns true for every id that was ever used.
    pub is_used: &'a dyn Fn(&MemoryId) -> bool,
    /// Moment of the maintenance.
    pub now: GameTime,
}

/// Returns the records that memories teach, those that rest on most memories first.
///
/// Of the active entries the most important ones that keep a memory in its own words are grouped by complete linkage
/// (`maintain.similar`). A group teaches a record if it lies on at least `maintain.distill_days` days, and the pack
/// finds a sentence that holds of it and a name, unless a reflection rests on all of the record's memories already, or
/// an earlier record on most of them, or there is a record of the same name. `grammar` returns the grammar of texts, in
/// their order; it is called once, with the texts of the groups, and not at all if there are none.
pub fn distilled(
    known: DistillationContext<'_>,
    grammar: &mut dyn FnMut(&[&str]) -> Vec<Option<Grammar>>,
    config: &ValidConfig,
    pack: &dyn LanguagePack,
) -> Vec<DistilledRecord> {
    let Some(calendar) = known.active.first().map(|record| Calendar::of(record, config.day.turns_at)) else {
        return Vec::new();
    };
    let records = episodes(known);
    let days_of = |members: &[usize]| {
        let days: BTreeSet<i64> = members.iter().map(|&at| calendar.day(records[at].entry.at)).collect();
        days.len()
    };
    let bounds =
        Bounds { min_similarity: config.maintain.similar, max_members: MAX_GROUP, max_chars: usize::MAX };
    let mut groups = similar_entries(records.iter().map(|record| &record.entry), bounds, |_, _| false);
    groups.retain(|group| days_of(&group.members) >= config.maintain.distill_days);
    if groups.is_empty() {
        return Vec::new();
    }
    let texts: Vec<&str> = records.iter().map(|record| record.entry.text.as_str()).collect();
    let actors = records.iter().flat_map(|record| &record.entry.actors).map(String::as_str);
    let people: Vec<&str> = actors.chain([known.npc.as_str()]).collect();
    let mut analyses = pack.analyze_day(&texts, &people);
    let members: Vec<Vec<usize>> = groups.iter().map(|group| group.members.clone()).collect();
    let of_groups: Vec<usize> = members.iter().flatten().copied().collect();
    let read = grammar(&of_groups.iter().map(|&at| texts[at]).collect::<Vec<_>>());
    for (at, grammar) in of_groups.into_iter().zip(read) {
        analyses[at].grammar = grammar;
    }
    let memories: Vec<DistilledMemory<'_>> = records
        .iter()
        .zip(&analyses)
        .map(|(record, analysis)| memory(&record.entry, analysis, calendar))
        .collect();
    let own = &pack.analyze(known.npc.as_str(), &[known.npc.as_str()]);
    let day = &DocumentFrequencies::of(&analyses);
    let mut taught = pack.distillates(&DistillationSources {
        known: &memories,
        groups: &members,
        own_name: own,
        min_days: config.maintain.distill_days,
    });
    let mut admission = Admission::new(known, config, pack);
    // Of two records of one name the one that rests on more memories is new.
    taught.sort_by_key(|found| (Reverse(found.sources.len()), found.sources.first().copied()));
    for found in taught {
        let rests_on: Vec<&MemoryRecord> =
            found.sources.iter().filter_map(|&at| records.get(at).copied()).collect();
        let told: Vec<(&str, &Analysis)> =
            found.sources.iter().map(|&at| (texts[at], &analyses[at])).collect();
        let group = groups.iter().find(|group| found.sources.iter().all(|at| group.members.contains(at)));
        admission.admit(DistilledRecord {
            name: Namer { day, own, pack }.name(&told, Some(&found.text)),
            texts: rests_on.iter().map(|record| source_text(&record.entry)).collect(),
            days: days_of(&found.sources),
            similarity: group.map_or(1.0, |group| group.similarity),
            entry: entry(&found, &rests_on, known.now, config),
            kind: found.kind,
            of: found.of,
            replaced: Vec::new(),
            archived: archived(&rests_on, config),
        });
    }
    admission.admitted
}

/// Returns the memories that records may be distilled from, in order of time: those in their own words that nothing
/// disputes and of which nothing has ended.
fn episodes(known: DistillationContext<'_>) -> Vec<&MemoryRecord> {
    let is_episode = |record: &&MemoryRecord| {
        let MemoryRecord { entry, contested_with, ended, .. } = record;
        entry.form == RecordKind::Verbatim
            && entry.kind != Kind::Reflection
            && entry.vector.is_some()
            && contested_with.is_empty()
            && ended.is_empty()
    };
    let all = known.active.iter().copied().chain(known.archived_sources);
    let mut episodes: Vec<&MemoryRecord> = all.filter(is_episode).collect();
    episodes.sort_by_key(|record| (Reverse((record.entry.importance, record.entry.at)), &record.entry.id));
    episodes.truncate(DISTILLED_FROM);
    episodes.sort_by_key(|record| (record.entry.at, &record.entry.id));
    episodes
}

fn memory<'a>(entry: &'a Entry, analysis: &'a Analysis, calendar: Calendar) -> DistilledMemory<'a> {
    DistilledMemory {
        text: &entry.text,
        analysis,
        kind: entry.kind,
        feeling: entry.emotion.map_or(0.0, |emotion| emotion.valence * emotion.intensity),
        place: entry.place.as_deref(),
        day: calendar.day(entry.at),
    }
}

/// Returns the sources that a record archives, if it does: the active ones that would fade by themselves.
fn archived(rests_on: &[&MemoryRecord], config: &ValidConfig) -> Vec<MemoryId> {
    let leaves = |record: &&&MemoryRecord| {
        config.maintain.archive_distilled && record.state == State::Active && may_fade(record, config)
    };
    rests_on.iter().filter(leaves).map(|record| record.entry.id.clone()).collect()
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

    /// Admits a record with a name, unless a reflection tells as much already or there is one of the same name, which
    /// it does not replace.
    fn admit(&mut self, mut record: DistilledRecord) {
        if record.name.is_empty() {
            return;
        }
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

fn source_text(entry: &Entry) -> SourceText {
    SourceText { id: entry.id.clone(), text: entry.text.clone(), verbatim: false, said_by: None }
}

fn entry(found: &Distillate, rests_on: &[&MemoryRecord], now: GameTime, config: &ValidConfig) -> Entry {
    let most = config.input.max_list;
    let entries = || rests_on.iter().map(|record| &record.entry);
    Entry {
        // A placeholder: the id is set when the record is admitted.
        id: rests_on[0].entry.id.clone(),
        form: RecordKind::Reflection,
        kind: Kind::Reflection,
        text: found.text.clone(),
        at: now,
        last_at: now,
        importance: entries().map(|entry| entry.importance).max().unwrap_or(Importance::DEFAULT),
        occurrences: 1,
        actors: united(entries().map(|entry| &entry.actors), most),
        tags: united(entries().map(|entry| &entry.tags), most),
        place: common(entries().map(|entry| &entry.place)).cloned().flatten(),
        pinned: false,
        emotion: None,
        sources: entries().map(|entry| entry.id.clone()).collect(),
        vector: None,
    }
}

/// Returns the changes that write records, supersede those that they replace and archive their sources. `vectors` are
/// those of the records' texts, in their order.
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
        let olds = record.replaced.into_iter().filter(|old| replaced.insert(old.clone()));
        changes.extend(olds.map(|old| Change::Supersede {
            id: old,
            sources: vec![id.clone()],
            reason: reason.clone(),
        }));
        changes.extend(record.archived.into_iter().map(|source| Change::Archive {
            id: source,
            sources: vec![id.clone()],
            reason: reason.clone(),
        }));
    }
    changes
}

impl DistilledRecord {
    fn reason(&self, config: &ValidConfig) -> Reason {
        Reason::new(Rule::Distilled)
            .with("occasions", self.entry.sources.len())
            .with("of", self.of)
            .with("days", self.days)
            .with("days_from", config.maintain.distill_days)
            .with("similarity", self.similarity)
            .with("similar_from", config.maintain.similar)
    }
}
