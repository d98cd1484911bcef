//! The index of entries.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use nightfold_memory::{
    GameTime, LanguagePack, LanguagePacks, MemoryId, MemoryRecord, Sketch, State, UnknownPack,
};

use crate::gram::dot;

use super::{RecallQuery, ended::PartedWords, words::WordIndex};

/// Search index over an NPC's active entries, and over the archived ones that may come faintly to mind if they are given
/// ([`MemoryReader::faint`](nightfold_memory::MemoryReader::faint)). A game keeps one for each NPC that talks and rebuilds it
/// after a night has been applied. For each entry it holds the vector (384 numbers) or the sketch of it (48 bytes), the entry's
/// text and its words.
///
/// ```
/// use nightfold_consolidate::{RecallIndex, RecallQuery};
/// use nightfold_english::English;
/// use nightfold_memory::{Config, MemoryRecord};
///
/// let entry = |id: &str, text: &str, vector: [f32; 2]| -> MemoryRecord {
///     serde_json::from_value(serde_json::json!({
///         "npc": "Mara", "id": id, "form": "verbatim", "kind": "event", "text": text, "at": 0, "last_at": 0,
///         "importance": 5, "occurrences": 1, "sources": [id], "vector": vector, "state": "active",
///         "corroborations": 0, "confidence": "normal", "touched_at": 0, "night": "day-0",
///     }))
///     .unwrap()
/// };
/// let entries = vec![entry("axle", "Joss owes Tom for an axle", [1.0, 0.0]), entry("rain", "It rained", [0.0, 1.0])];
/// let index = RecallIndex::new(entries, &English);
/// let now = nightfold_memory::GameTime::from_seconds(60).unwrap();
/// let query = RecallQuery::new("What does Joss owe?", &[0.8, 0.6], &English);
/// let found = index.recall(&query, now, &Config::default().recall);
/// assert_eq!(found[0].memory.entry.id.as_str(), "axle");
/// ```
#[derive(Debug, Clone, Default)]
pub struct RecallIndex {
    pub(super) entries: Vec<MemoryRecord>,
    /// Row of each entry, by its id.
    rows: BTreeMap<MemoryId, usize>,
    /// Place of each entry's embedding, by row.
    pub(super) places: Vec<Place>,
    /// Vectors of the active entries, one after the other.
    vectors: Vec<f32>,
    /// Sketches of the faint entries, one after the other.
    sketches: Vec<u8>,
    pub(super) dimensions: usize,
    pub(super) words: WordIndex,
    /// Words of the entries that have ended positions, by row.
    pub(super) parted: BTreeMap<usize, PartedWords>,
    pack: &'static str,
    /// True if archived entries of any kind may answer.
    pub(super) has_history: bool,
    /// Number of entries that a night has reconciled with each other; the others were appended.
    pub(super) reconciled: usize,
}

/// Place of an embedding among the vectors or the sketches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Vector(usize),
    Sketch(usize),
}

impl RecallIndex {
    /// Builds an index of entries, whose words `pack` reads. Left out are archived entries that may not come faintly to mind,
    /// active ones without a vector, faint ones without a vector or a sketch, and those whose vectors have another length than
    /// the first.
    pub fn new(entries: Vec<MemoryRecord>, pack: &dyn LanguagePack) -> Self {
        Self::default().filled(entries, pack)
    }

    fn filled(mut self, entries: Vec<MemoryRecord>, pack: &dyn LanguagePack) -> Self {
        self.pack = pack.name();
        let vector = |record: &MemoryRecord| Some(record.entry.vector.as_ref()?.as_slice().len());
        self.dimensions = entries.iter().find_map(vector).unwrap_or(0);
        entries.into_iter().for_each(|record| self.push(record, pack));
        self.reconciled = self.entries.len();
        self
    }

    /// Builds an index of entries as [`RecallIndex::new`] does, and of all other archived ones that have a vector or a
    /// sketch: also of what was superseded, capped or declined. It answers as if all of them came faintly to mind.
    pub fn of_history(entries: Vec<MemoryRecord>, pack: &dyn LanguagePack) -> Self {
        let history = Self { has_history: true, ..Self::default() };
        history.filled(entries, pack)
    }

    /// Creates an index without entries.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Appends records that were made since the index was built, such as the memories of the day
    /// ([`MemoryRecord::of_today`]); of an index without entries, `pack` becomes the pack. Records that are archived,
    /// that the index has already, or whose vectors have another length are left out.
    pub fn extend(&mut self, records: impl IntoIterator<Item = MemoryRecord>, pack: &dyn LanguagePack) {
        for record in records {
            if self.is_empty() {
                self.pack = pack.name();
                self.dimensions = record.entry.vector.as_ref().map_or(0, |vector| vector.as_slice().len());
            }
            if record.state == State::Active && !self.rows.contains_key(&record.entry.id) {
                self.push(record, pack);
            }
        }
    }

    /// Appends a record, unless it has no place.
    fn push(&mut self, mut record: MemoryRecord, pack: &dyn LanguagePack) {
        let Some(place) = self.place(&mut record) else { return };
        self.places.push(place);
        self.words.push(&stems_of(&record, pack));
        if !record.ended.is_empty() {
            self.parted.insert(self.entries.len(), PartedWords::of(&record, pack));
        }
        self.rows.insert(record.entry.id.clone(), self.entries.len());
        self.entries.push(record);
    }

    /// Takes the embedding of a record and returns its place.
    fn place(&mut self, record: &mut MemoryRecord) -> Option<Place> {
        let (vector, sketch) = (record.entry.vector.take(), record.sketch.take());
        let vector = vector.filter(|vector| vector.as_slice().len() == self.dimensions);
        match record.state {
            State::Active => {
                self.vectors.extend_from_slice(vector?.as_slice());
                Some(Place::Vector(self.vectors.len() / self.dimensions - 1))
            }
            State::Archived if self.has_history || record.is_faint() => {
                let sketch = vector.map(|vector| Sketch::of(vector.as_slice())).or(sketch)?;
                let sketch = Some(sketch).filter(|sketch| sketch.fits(self.dimensions))?;
                self.sketches.extend_from_slice(sketch.as_bytes());
                Some(Place::Sketch(self.sketches.len() / sketch.as_bytes().len() - 1))
            }
            State::Archived => None,
        }
    }

    /// Returns the name of the language pack that read the entries.
    pub fn pack(&self) -> &'static str {
        self.pack
    }

    /// Number of entries in the index.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if the index has no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns an entry by its id, without its vector and its sketch.
    pub fn get(&self, id: &MemoryId) -> Option<&MemoryRecord> {
        self.entries.get(*self.rows.get(id)?)
    }

    /// Creates the query of a question, whose words the pack that read the entries reads. `vector` is the
    /// embedding of the question, by the model of the entries.
    ///
    /// # Errors
    /// [`UnknownPack`] if the pack that read the entries is not among these.
    pub fn query(
        &self,
        question: &str,
        vector: &[f32],
        packs: &dyn LanguagePacks,
    ) -> Result<RecallQuery, UnknownPack> {
        let unknown = || UnknownPack { asked: self.pack.to_owned(), known: packs.names().join(", ") };
        Ok(RecallQuery::new(question, vector, packs.named(self.pack).ok_or_else(unknown)?))
    }

    /// Records that entries were recalled, as [`MemoryStore::touch`](nightfold_memory::MemoryStore::touch)
    /// does in the store.
    pub fn touch(&mut self, ids: &[MemoryId], at: GameTime) {
        for &row in ids.iter().filter_map(|id| self.rows.get(id)) {
            let memory = &mut self.entries[row];
            memory.recalls += 1;
            memory.recalled_at = Some(at);
        }
    }

    /// Returns the vector of an active entry.
    pub(super) fn vector(&self, row: usize) -> Option<&[f32]> {
        match self.places[row] {
            Place::Vector(at) => self.vectors.get(at * self.dimensions..(at + 1) * self.dimensions),
            Place::Sketch(_) => None,
        }
    }

    /// Returns the cosine of two entries, estimated from their sketches if one of them has no vector.
    pub(super) fn cosine(&self, a: usize, b: usize) -> f32 {
        if let (Some(a), Some(b)) = (self.vector(a), self.vector(b)) {
            return dot(a, b);
        }
        let sketch = |row: usize| match self.places[row] {
            Place::Sketch(at) => Cow::Borrowed(self.sketch(at)),
            Place::Vector(_) => {
                Cow::Owned(self.vector(row).map_or_else(Vec::new, |v| Sketch::of(v).as_bytes().to_vec()))
            }
        };
        Sketch::cosine(&sketch(a), &sketch(b), self.dimensions)
    }

    /// Returns the sketch at a place among the sketches.
    pub(super) fn sketch(&self, at: usize) -> &[u8] {
        let length = self.dimensions.div_ceil(8);
        &self.sketches[at * length..(at + 1) * length]
    }
}

/// Returns the stems of an entry's text, and of the names of its participants and its place.
fn stems_of(memory: &MemoryRecord, pack: &dyn LanguagePack) -> BTreeSet<String> {
    let entry = &memory.entry;
    let names = entry.actors.iter().chain(&entry.place).map(String::as_str);
    let mut stems = BTreeSet::new();
    for text in std::iter::once(entry.text.as_str()).chain(names) {
        pack.content_stems(text, &mut |stem| {
            stems.insert(stem.to_owned());
        });
    }
    stems
}
