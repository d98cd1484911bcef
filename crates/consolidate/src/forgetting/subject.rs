//! Entries on one thing that changes: readings of a status, and statements that differ in a number or a denial only.

use std::collections::BTreeMap;

use nightfold_memory::{Kind, LanguagePack, MemoryId, MemoryRecord, RecordKind, text::jaccard};

/// Least Jaccard index of the words of two status entries on one thing.
const SAME_STATUS: f64 = 0.6;

/// Least Jaccard index of the words of two other statements on one thing: they are the same.
const SAME_STATEMENT: f64 = 1.0;

/// Minimum number of words that name a thing.
const MIN_WORDS: usize = 2;

/// Words of active entries, by which those on one thing are found.
pub(super) struct SubjectIndex<'a> {
    entries: Vec<&'a MemoryRecord>,
    /// Place of each entry in the list.
    places: BTreeMap<&'a MemoryId, usize>,
    /// Stems of each entry without numbers, sorted and distinct.
    words: Vec<Vec<String>>,
    /// Entries with a stem.
    with: BTreeMap<String, Vec<usize>>,
}

impl<'a> SubjectIndex<'a> {
    pub(super) fn of(entries: impl IntoIterator<Item = &'a MemoryRecord>, pack: &dyn LanguagePack) -> Self {
        let entries: Vec<&MemoryRecord> =
            entries.into_iter().filter(|memory| memory.entry.form != RecordKind::Reflection).collect();
        let stems = |memory: &&MemoryRecord| {
            let mut stems = Vec::new();
            pack.content_stems(&memory.entry.text, &mut |stem| {
                if !stem.chars().any(char::is_numeric) {
                    stems.push(stem.to_owned());
                }
            });
            stems.sort_unstable();
            stems.dedup();
            stems
        };
        let words: Vec<Vec<String>> = entries.iter().map(stems).collect();
        let mut with: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, stems) in words.iter().enumerate() {
            stems.iter().for_each(|stem| with.entry(stem.clone()).or_default().push(place));
        }
        let places = (0..).zip(&entries).map(|(place, memory)| (&memory.entry.id, place)).collect();
        Self { entries, places, words, with }
    }

    /// Returns the older entries on the thing that an entry is about, the oldest first. The entry may be later than the one
    /// of its id in the list, such as one that has absorbed its duplicates.
    pub(super) fn predecessors(&self, memory: &MemoryRecord) -> Vec<&'a MemoryRecord> {
        let Some(&own) = self.places.get(&memory.entry.id) else { return Vec::new() };
        let words = &self.words[own];
        if words.len() < MIN_WORDS {
            return Vec::new();
        }
        let least = if memory.entry.kind == Kind::Status { SAME_STATUS } else { SAME_STATEMENT };
        // Two lists as alike as that share one of the rarest words: only those need to be looked up.
        let mut rarest: Vec<&String> = words.iter().collect();
        let frequency = |stem: &String| self.with.get(stem).map_or(0, Vec::len);
        rarest.sort_by_key(|stem| (frequency(stem), *stem));
        let shared = (least * words.len() as f64).ceil() as usize;
        rarest.truncate(words.len() - shared.min(words.len()) + 1);
        let mut places: Vec<usize> =
            rarest.into_iter().filter_map(|stem| self.with.get(stem)).flatten().copied().collect();
        places.sort_unstable();
        places.dedup();
        places.retain(|&place| {
            let other = &self.entries[place].entry;
            place != own
                && other.kind == memory.entry.kind
                && other.last_at < memory.entry.last_at
                && jaccard(words, &self.words[place]) >= least
        });
        let mut older: Vec<&MemoryRecord> = places.into_iter().map(|place| self.entries[place]).collect();
        older.sort_by(|a, b| (a.entry.last_at, &a.entry.id).cmp(&(b.entry.last_at, &b.entry.id)));
        older
    }
}
