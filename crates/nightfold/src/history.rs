//! Long-term memory as it was at an earlier moment.

use std::collections::BTreeMap;

use nightfold_memory::{
    GameTime, LogFilter, MemoryId, MemoryReader, MemoryRecord, NpcId, Rule, State, StoreError,
};

/// Verbs of changes that write an active entry.
const WRITING: [&str; 3] = ["store", "chunk", "reflect"];

/// Verbs of changes after which an entry is archived.
const ARCHIVING: [&str; 3] = ["supersede", "archive", "forget"];

/// Returns the entries that were active at a moment, with vectors and by id: what the NPC knew and believed then.
/// An entry that a later night archived is active again in what is returned, and has no successor; marks of
/// contest are those of today, between entries that were both active, and positions had ended if the NPC knew by then
/// because of what. What was purged since is missing.
///
/// # Errors
/// [`StoreError`] if the store cannot be read.
pub fn entries_at(
    store: &dyn MemoryReader,
    npc: &NpcId,
    at: GameTime,
) -> Result<Vec<MemoryRecord>, StoreError> {
    let all = store.entries(npc)?;
    let timeline = Timeline::read(store, npc, &all)?;
    let mut known: Vec<MemoryRecord> = Vec::new();
    for memory in all.iter().filter(|memory| timeline.was_active(&memory.entry.id, at)) {
        known.extend(store.entry(npc, &memory.entry.id)?.map(|mut memory| {
            (memory.state, memory.archived_by, memory.superseded_by) = (State::Active, None, None);
            memory
        }));
    }
    let ids: Vec<MemoryId> = known.iter().map(|memory| memory.entry.id.clone()).collect();
    for memory in &mut known {
        memory.contested_with.retain(|id| ids.binary_search(id).is_ok());
        memory.ended.retain(|ended| ended.since <= at && timeline.was_written(&ended.by, at));
    }
    Ok(known)
}

/// Moments at which entries became active or were archived.
struct Timeline(BTreeMap<MemoryId, Vec<(GameTime, bool)>>);

impl Timeline {
    fn read(store: &dyn MemoryReader, npc: &NpcId, all: &[MemoryRecord]) -> Result<Self, StoreError> {
        let mut events: BTreeMap<MemoryId, Vec<(GameTime, bool)>> = BTreeMap::new();
        let mut written: BTreeMap<MemoryId, GameTime> = BTreeMap::new();
        for verb in WRITING {
            for line in store.log(npc, LogFilter::Verb(verb))? {
                events.entry(line.id.clone()).or_default().push((line.at, true));
                written.entry(line.id).or_insert(line.at);
            }
        }
        let mut archived = |id: &MemoryId, at: GameTime| {
            events.entry(id.clone()).or_default().push((at, false));
        };
        for verb in ARCHIVING {
            store.log(npc, LogFilter::Verb(verb))?.iter().for_each(|line| archived(&line.id, line.at));
        }
        // No line of the log names the sources of a summary, which leave when it is written, …
        let by_id: BTreeMap<&MemoryId, &MemoryRecord> = all.iter().map(|m| (&m.entry.id, m)).collect();
        let by = |memory: &MemoryRecord, rule: Rule| memory.archived_by.as_deref() == Some(rule.as_str());
        for summary in all {
            let Some(at) = written.get(&summary.entry.id) else { continue };
            let sources = summary.entry.sources.iter().filter_map(|id| by_id.get(id));
            sources.filter(|m| by(m, Rule::Abstracted)).for_each(|m| archived(&m.entry.id, *at));
        }
        // … nor the repeats that a collapse merged.
        let merges = store.log(npc, LogFilter::Verb("collapse"))?;
        for memory in all.iter().filter(|memory| by(memory, Rule::StatusRepeat)) {
            let since = written.get(&memory.entry.id);
            let into = |id: &MemoryId| memory.superseded_by.as_ref() == Some(id);
            let merge = merges.iter().find(|line| into(&line.id) && since.is_some_and(|at| line.at >= *at));
            if let Some(line) = merge {
                archived(&memory.entry.id, line.at);
            }
        }
        for line in store.log(npc, LogFilter::Verb("restore"))? {
            events.entry(line.id).or_default().push((line.at, true));
        }
        events.values_mut().for_each(|events| events.sort_by_key(|(at, _)| *at));
        Ok(Self(events))
    }

    /// True unless an entry became active for the first time after a moment.
    fn was_written(&self, id: &MemoryId, at: GameTime) -> bool {
        self.0.get(id).and_then(|events| events.first()).is_none_or(|(when, _)| *when <= at)
    }

    /// True if an entry was active at a moment, after all that happened then.
    fn was_active(&self, id: &MemoryId, at: GameTime) -> bool {
        let events = self.0.get(id).map_or(&[][..], Vec::as_slice);
        events.iter().rev().find(|(when, _)| *when <= at).is_some_and(|(_, active)| *active)
    }
}
