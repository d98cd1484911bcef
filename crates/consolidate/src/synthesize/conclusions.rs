//! Conclusions from the memories of a day and those of earlier nights.

use std::collections::BTreeSet;

use nightfold_memory::{
    BeliefChange, Conclusion, ConclusionSources, EarlierSource, Entry, Kind, MemoryId, MemorySnapshot,
    RecordKind, ReflectionSource, heard_from,
};

use super::SynthesisContext;

/// Maximum number of earlier memories that conclusions are drawn from: the most important ones and, of those, the latest.
const CONCLUDED_FROM: usize = 200;
/// Maximum number of reflections for ten distinct memories of a day.
const REFLECTIONS_PER_TEN: usize = 3;

impl SynthesisContext<'_> {
    /// Maximum number of reflections of the day.
    pub(crate) fn most_reflections(&self) -> usize {
        (self.distinct.len() * REFLECTIONS_PER_TEN / 10).max(1)
    }

    /// Returns the conclusions of the night: from all memories of the day together with the entries of earlier
    /// nights that keep a memory in its own words.
    pub(crate) fn conclusions(
        &self,
        past: &MemorySnapshot,
        changed: &[(&MemoryId, usize)],
    ) -> Vec<(Conclusion, Vec<MemoryId>)> {
        let budget = (self.config.budget.conclusions as f64 * self.share).round() as usize;
        let most = budget.min(self.most_reflections());
        if most == 0 {
            return Vec::new();
        }
        // What stands for several memories is one occasion of what they tell.
        let is_told = |entry: &&Entry| {
            matches!(entry.form, RecordKind::Verbatim | RecordKind::Synthesis)
                && entry.kind != Kind::Reflection
        };
        let told = past.entries.iter().map(|record| &record.entry).filter(is_told);
        let known = most_important(told.collect(), CONCLUDED_FROM);
        let records = past.entries.iter().filter(|record| !record.ended.is_empty());
        let ended: BTreeSet<&MemoryId> = records.map(|record| &record.entry.id).collect();
        let earlier: Vec<EarlierSource<'_>> =
            known.iter().map(|entry| self.earlier_source(&ended, entry)).collect();
        let today: Vec<ReflectionSource<'_>> = (0..self.distinct.len())
            .filter(|&row| self.distinct[row].kind != Kind::Reflection)
            .map(|row| self.reflection_source(row))
            .collect();
        let place = |id: &MemoryId| known.iter().position(|entry| entry.id == *id);
        let changes: Vec<BeliefChange> =
            changed.iter().filter_map(|&(id, row)| Some(BeliefChange { earlier: place(id)?, row })).collect();
        let people = self.people();
        let sources = ConclusionSources {
            today: &today,
            earlier: &earlier,
            changes: &changes,
            own_name: self.name_analysis,
            people: &people,
        };
        let drawn = self.pack.conclusions(&sources, most);
        drawn
            .into_iter()
            .map(|one| {
                let ids = one.earlier.iter().filter_map(|&at| known.get(at)).map(|e| e.id.clone()).collect();
                (one, ids)
            })
            .collect()
    }

    /// Returns an entry as a source, with the feeling that its vector shows if the game gave none.
    fn earlier_source<'e>(&self, ended: &BTreeSet<&MemoryId>, entry: &'e Entry) -> EarlierSource<'e> {
        let source = earlier_source(entry, self.name);
        let has_ended = ended.contains(&entry.id);
        EarlierSource { feeling: self.feelings.feeling(entry.emotion, source.vector), has_ended, ..source }
    }
}

/// Returns the most important and then the latest of some entries, in order of time.
fn most_important(mut known: Vec<&Entry>, most: usize) -> Vec<&Entry> {
    known.sort_by(|a, b| (b.importance, b.at, &b.id).cmp(&(a.importance, a.at, &a.id)));
    known.truncate(most);
    known.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
    known
}

/// Returns an entry as a source of conclusions.
fn earlier_source<'e>(entry: &'e Entry, me: &str) -> EarlierSource<'e> {
    EarlierSource {
        text: &entry.text,
        kind: entry.kind,
        importance: entry.importance.get(),
        feeling: entry.emotion.map_or(0.0, |e| e.valence * e.intensity),
        is_felt: entry.emotion.is_some(),
        actors: &entry.actors,
        is_heard: heard_from(entry.kind, &entry.actors, me).is_some(),
        has_ended: false,
        at: entry.at,
        vector: entry.vector.as_ref().map_or(&[], |vector| vector.as_slice()),
    }
}
