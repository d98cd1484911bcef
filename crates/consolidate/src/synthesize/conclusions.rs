//! Conclusions from the memories of a day and those of earlier nights.

use nightfold_memory::{
    BeliefChange, Conclusion, ConclusionSources, EarlierSource, Entry, Kind, MemoryId, MemorySnapshot,
    RecordKind, ReflectionSource,
};

use super::SynthesisContext;

/// Maximum number of earlier memories that conclusions are drawn from: the most important ones and, of those, the latest.
const CONCLUDED_FROM: usize = 200;

impl SynthesisContext<'_> {
    /// Returns the conclusions of the night: from all memories of the day together with the entries of earlier
    /// nights that keep a memory in its own words.
    pub(crate) fn conclusions(
        &self,
        past: &MemorySnapshot,
        changed: &[(&MemoryId, usize)],
    ) -> Vec<(Conclusion, Vec<MemoryId>)> {
        let most = (self.config.budget.conclusions as f64 * self.share).round() as usize;
        if most == 0 {
            return Vec::new();
        }
        let known = known_in_own_words(past.entries.iter().map(|record| &record.entry), CONCLUDED_FROM);
        let earlier: Vec<EarlierSource<'_>> = known.iter().map(|entry| earlier_source(entry)).collect();
        let today: Vec<ReflectionSource<'_>> = (0..self.distinct.len())
            .filter(|&row| self.distinct[row].kind != Kind::Reflection)
            .map(|row| self.reflection_source(row))
            .collect();
        let place = |id: &MemoryId| known.iter().position(|entry| entry.id == *id);
        let changes: Vec<BeliefChange> =
            changed.iter().filter_map(|&(id, row)| Some(BeliefChange { earlier: place(id)?, row })).collect();
        let reflections = past.entries.iter().filter(|record| record.entry.form == RecordKind::Reflection);
        let drawn: Vec<Vec<usize>> =
            reflections.map(|record| record.entry.sources.iter().filter_map(place).collect()).collect();
        let people = self.people();
        let sources = ConclusionSources {
            today: &today,
            earlier: &earlier,
            changes: &changes,
            drawn: &drawn,
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
}

/// Returns up to `most` active entries that keep a memory in its own words, the most important and then the latest
/// ones, in order of time.
pub(crate) fn known_in_own_words<'a>(
    entries: impl IntoIterator<Item = &'a Entry>,
    most: usize,
) -> Vec<&'a Entry> {
    let entries = entries.into_iter();
    let mut known: Vec<&Entry> =
        entries.filter(|e| e.form == RecordKind::Verbatim && e.kind != Kind::Reflection).collect();
    known.sort_by(|a, b| (b.importance, b.at, &b.id).cmp(&(a.importance, a.at, &a.id)));
    known.truncate(most);
    known.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
    known
}

/// Returns an entry as a source of conclusions.
pub(crate) fn earlier_source(entry: &Entry) -> EarlierSource<'_> {
    EarlierSource {
        text: &entry.text,
        kind: entry.kind,
        importance: entry.importance.get(),
        feeling: entry.emotion.map_or(0.0, |e| e.valence * e.intensity),
        actors: &entry.actors,
        place: entry.place.as_deref(),
        at: entry.at,
        vector: entry.vector.as_ref().map_or(&[], |vector| vector.as_slice()),
    }
}
