//! Recall of the entries that best answer a question.
//!
//! Relevance comes first: the cosine of an entry's vector to that of the question, and the words that both have,
//! weighed by rarity ([`words`]). Recency and importance decide between entries of nearly equal relevance.

mod filter;
mod words;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use nightfold_memory::{
    GameTime, LanguagePack, LanguagePacks, MemoryId, MemoryRecord, RecordKind, State, UnknownPack, Vector,
    config::RecallConfig,
};
use serde::Serialize;

pub use self::filter::RecallFilter;
use self::words::WordIndex;
use crate::gram::dot;

/// Share of its score that an entry keeps if the question is about a part of it that no longer holds. A perfect match of
/// such a part goes behind every entry that holds and is half as good.
const ENDED_SHARE: f64 = 0.5;

/// Number of entries, the best ones, among which newer ones go before older ones and lived ones before reflections. It
/// is twice the default limit, so that what moves forward can enter an answer; it bounds the pairs that are compared.
const STATE_WINDOW: usize = 20;

/// A recalled entry with the parts of its score.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recalled<'a> {
    /// The entry, without its vector.
    pub memory: &'a MemoryRecord,
    /// The weighted mean of relevance, recency and importance, 0 to 1; half of it if the question is about a part of
    /// the entry that no longer holds.
    pub score: f64,
    /// The weighted mean of cosine and words, 0 to 1.
    pub relevance: f64,
    /// Cosine to the question; negative values count as 0.
    pub cosine: f64,
    /// Share of the question's words, by rarity, relative to the entry that has most of them, 0 to 1.
    pub words: f64,
    /// 1 for an entry just experienced or recalled, halving every `recall.half_life_hours`.
    pub recency: f64,
    /// Importance divided by 10.
    pub importance: f64,
}

/// A question to an NPC's memory: its vector, its content words, whether it asks how things are now, and which entries
/// may answer it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallQuery {
    vector: Vec<f32>,
    stems: BTreeSet<String>,
    about_present: bool,
    /// True if it asks about the present in any way: what has ended is left out.
    is_in_present: bool,
    filter: RecallFilter,
}

impl RecallQuery {
    /// Creates the query of a question. `vector` is its embedding, by the model of the entries; `pack` reads its
    /// words and is the one of the index.
    pub fn new(question: &str, vector: &[f32], pack: &dyn LanguagePack) -> Self {
        let mut stems = BTreeSet::new();
        pack.content_stems(question, &mut |stem| {
            stems.insert(stem.to_owned());
        });
        Self {
            vector: vector.to_vec(),
            stems,
            about_present: pack.asks_about_present(question),
            is_in_present: pack.asks_about_present(question) || pack.is_in_present(question),
            filter: RecallFilter::default(),
        }
    }

    /// Lets only the entries that pass the filter answer.
    #[must_use]
    pub fn with_filter(self, filter: RecallFilter) -> Self {
        Self { filter, ..self }
    }
}

/// Search index over an NPC's active entries. A game keeps one for each NPC that talks and rebuilds it after
/// a night has been applied. For each entry it holds the vector (384 numbers), the entry's text and its words.
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
    entries: Vec<MemoryRecord>,
    /// Row of each entry, by its id.
    rows: BTreeMap<MemoryId, usize>,
    /// Vectors of the entries, row after row.
    vectors: Vec<f32>,
    dimensions: usize,
    words: WordIndex,
    /// Words of the entries that have ended positions, by row.
    parted: BTreeMap<usize, PartedWords>,
    pack: &'static str,
    /// Number of entries that a night has reconciled with each other; the others were appended.
    reconciled: usize,
}

impl RecallIndex {
    /// Builds an index of the active entries, whose words `pack` reads. Entries without a vector, or with one of
    /// another length than the first, are left out.
    pub fn new(entries: Vec<MemoryRecord>, pack: &dyn LanguagePack) -> Self {
        let length = |e: &MemoryRecord| e.entry.vector.as_ref().map(|v| v.as_slice().len());
        let dimensions = entries.iter().find_map(length).unwrap_or(0);
        let mut kept: Vec<MemoryRecord> = entries
            .into_iter()
            .filter(|e| e.state == State::Active && length(e) == Some(dimensions) && dimensions > 0)
            .collect();
        let mut vectors = Vec::with_capacity(kept.len() * dimensions);
        for memory in &mut kept {
            let vector = memory.entry.vector.take();
            vectors.extend(vector.iter().flat_map(Vector::as_slice));
        }
        let stems: Vec<Vec<String>> = kept.iter().map(|memory| stems_of(memory, pack)).collect();
        let parted = kept.iter().enumerate().filter(|(_, memory)| !memory.ended.is_empty());
        let parted = parted.map(|(row, memory)| (row, PartedWords::of(memory, pack))).collect();
        let reconciled = kept.len();
        let rows = kept.iter().enumerate().map(|(row, memory)| (memory.entry.id.clone(), row)).collect();
        Self {
            entries: kept,
            rows,
            vectors,
            dimensions,
            words: WordIndex::new(&stems),
            parted,
            pack: pack.name(),
            reconciled,
        }
    }

    /// Creates an index without entries.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Appends records that were made since the index was built, such as the memories of the day
    /// ([`MemoryRecord::of_today`]); of an index without entries, `pack` becomes the pack. Records that are archived,
    /// that the index has already, or whose vectors have another length are left out.
    pub fn extend(&mut self, records: impl IntoIterator<Item = MemoryRecord>, pack: &dyn LanguagePack) {
        if self.is_empty() {
            self.pack = pack.name();
        }
        for mut memory in records {
            let Some(vector) = memory.entry.vector.take().filter(|_| memory.state == State::Active) else {
                continue;
            };
            if self.rows.contains_key(&memory.entry.id) {
                continue;
            }
            let vector = vector.as_slice();
            if self.is_empty() {
                self.dimensions = vector.len();
            }
            if vector.len() != self.dimensions || vector.is_empty() {
                continue;
            }
            self.vectors.extend_from_slice(vector);
            self.words.push(&stems_of(&memory, pack));
            if !memory.ended.is_empty() {
                self.parted.insert(self.entries.len(), PartedWords::of(&memory, pack));
            }
            self.rows.insert(memory.entry.id.clone(), self.entries.len());
            self.entries.push(memory);
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

    /// Returns the best entries for a question at a moment, best first and ties by id, at most `recall.limit`;
    /// none if the question's vector has another length. Entries that the query's filter excludes, or whose relevance is
    /// below `recall.min_relevance`, do not come to mind. A reflection follows the memories that it rests on. If the question
    /// asks how things are now ("does he still owe you?"), the newer of two entries on one subject goes first; an appended
    /// one does so in any case ([`RecallIndex::extend`]), for no night has decided yet which of the two holds. An entry of
    /// which the question has more words in common with [ended positions](MemoryRecord::ended) than with the rest of its
    /// text has half of its score, and does not come to mind if the question asks how things are now.
    ///
    /// The score of three parts is that of Generative Agents (Park et al. 2023), with an exponential half-life for
    /// recency.
    pub fn recall(&self, query: &RecallQuery, now: GameTime, config: &RecallConfig) -> Vec<Recalled<'_>> {
        if query.vector.len() != self.dimensions || self.is_empty() {
            return Vec::new();
        }
        let words = self.words.scores(&query.stems);
        let mut found: Vec<(usize, Recalled<'_>)> = self
            .entries
            .iter()
            .zip(self.vectors.chunks_exact(self.dimensions))
            .zip(words)
            .map(|((memory, vector), words)| {
                score_entry(memory, f64::from(dot(vector, &query.vector)), words, now, config)
            })
            .enumerate()
            .filter_map(|(row, mut recalled)| {
                if self.parted.get(&row).is_some_and(|words| words.are_asked_as_ended(&query.stems)) {
                    recalled.score *= ENDED_SHARE;
                    return (!query.is_in_present).then_some((row, recalled));
                }
                Some((row, recalled))
            })
            .filter(|(_, recalled)| recalled.relevance >= config.min_relevance)
            .filter(|(_, recalled)| query.filter.matches(recalled.memory))
            .collect();
        let order = |(_, a): &(usize, Recalled<'_>), (_, b): &(usize, Recalled<'_>)| {
            b.score.total_cmp(&a.score).then_with(|| a.memory.entry.id.cmp(&b.memory.entry.id))
        };
        // The window is the same for every limit, so that a limit never changes the order.
        let sorted = config.limit.max(STATE_WINDOW);
        if sorted < found.len() {
            found.select_nth_unstable_by(sorted, order);
            found.truncate(sorted);
        }
        found.sort_by(order);
        let window = found.len().min(STATE_WINDOW);
        let behind = found.split_off(window);
        lived_first(&mut found);
        self.newer_first(&mut found, query.about_present, config);
        found.into_iter().chain(behind).take(config.limit).map(|(_, recalled)| recalled).collect()
    }

    /// Brings entries into the order in which the newer of two on one subject goes first ([`Self::updates`]).
    ///
    /// An entry takes the best place among its own and those of the older entries that it updates, with the places that
    /// these take. Among entries of one place the newer goes first, then the one that was better before. An entry that
    /// updates another one therefore always goes before it, in whatever order the entries are compared.
    fn newer_first(
        &self,
        found: &mut Vec<(usize, Recalled<'_>)>,
        about_present: bool,
        config: &RecallConfig,
    ) {
        let mut by_age: Vec<usize> = (0..found.len()).collect();
        by_age.sort_by_key(|&at| found[at].1.memory.entry.last_at);
        let mut places: Vec<usize> = (0..found.len()).collect();
        for (older, &at) in by_age.iter().enumerate() {
            let updated = by_age[..older]
                .iter()
                .filter(|&&other| self.updates(&found[at], &found[other], about_present, config));
            places[at] = updated.map(|&other| places[other]).fold(at, usize::min);
        }
        let mut ordered: Vec<usize> = (0..found.len()).collect();
        ordered.sort_by_key(|&at| (places[at], Reverse(found[at].1.memory.entry.last_at), at));
        *found = ordered.into_iter().map(|at| found[at].clone()).collect();
    }

    /// True if the first entry is newer than the second one and tells the state of its subject: any entry if the question
    /// is about the present, otherwise one that no night has compared with the older ones. That one must be half as near
    /// again, and may lack half as much relevance.
    fn updates(
        &self,
        (newer, n): &(usize, Recalled<'_>),
        (older, o): &(usize, Recalled<'_>),
        about_present: bool,
        config: &RecallConfig,
    ) -> bool {
        // A reflection is as old as what it rests on.
        if n.memory.entry.last_at <= o.memory.entry.last_at || n.memory.entry.form == RecordKind::Reflection {
            return false;
        }
        let (lacks, cosine) =
            (o.relevance - n.relevance, f64::from(dot(self.vector(*newer), self.vector(*older))));
        about_present && lacks <= config.newer_margin && cosine >= config.same_subject
            || *newer >= self.reconciled
                && lacks <= config.newer_margin / 2.0
                && cosine >= config.same_subject * 1.5
    }

    fn vector(&self, row: usize) -> &[f32] {
        &self.vectors[row * self.dimensions..(row + 1) * self.dimensions]
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
}

/// Moves the memories that a reflection rests on before it: what an NPC lived through comes to mind before what it
/// thinks of that, and a reflection takes the place of none of them.
fn lived_first(found: &mut [(usize, Recalled<'_>)]) {
    // From the last to the first: what moves back meets no reflection that is still to be moved.
    for at in (0..found.len()).rev() {
        let reflection = &found[at].1.memory.entry;
        if reflection.form != RecordKind::Reflection {
            continue;
        }
        let is_source = |other: &(usize, Recalled<'_>)| reflection.sources.contains(&other.1.memory.entry.id);
        if let Some(last) = found.iter().rposition(is_source).filter(|&last| last > at) {
            found[at..=last].rotate_left(1);
        }
    }
}

/// Returns the stems of an entry's text, and of the names of its participants and its place.
fn stems_of(memory: &MemoryRecord, pack: &dyn LanguagePack) -> Vec<String> {
    let entry = &memory.entry;
    let names = entry.actors.iter().chain(&entry.place).map(String::as_str);
    let mut stems = Vec::new();
    for text in std::iter::once(entry.text.as_str()).chain(names) {
        pack.content_stems(text, &mut |stem| stems.push(stem.to_owned()));
    }
    stems
}

/// Content words of an entry with ended positions.
#[derive(Debug, Clone)]
struct PartedWords {
    ended: BTreeSet<String>,
    holding: BTreeSet<String>,
}

impl PartedWords {
    fn of(memory: &MemoryRecord, pack: &dyn LanguagePack) -> Self {
        let mut words = Self { ended: BTreeSet::new(), holding: BTreeSet::new() };
        let mut rest = memory.entry.text.clone();
        for position in &memory.ended {
            rest = rest.replace(&position.text, " ");
            pack.content_stems(&position.text, &mut |stem| {
                words.ended.insert(stem.to_owned());
            });
        }
        pack.content_stems(&rest, &mut |stem| {
            words.holding.insert(stem.to_owned());
        });
        words
    }

    /// True if a question has more words in common with what ended than with what still holds.
    fn are_asked_as_ended(&self, question: &BTreeSet<String>) -> bool {
        question.intersection(&self.ended).count() > question.intersection(&self.holding).count()
    }
}

fn score_entry<'a>(
    memory: &'a MemoryRecord,
    cosine: f64,
    words: f64,
    now: GameTime,
    config: &RecallConfig,
) -> Recalled<'a> {
    let cosine = cosine.clamp(0.0, 1.0);
    let relevance = (1.0 - config.words) * cosine + config.words * words;
    let since = memory.last_touched().max(memory.entry.last_at);
    let hours = (now.seconds() - since.seconds()).max(0) as f64 / 3600.0;
    let recency = (-hours / config.half_life_hours).exp2();
    let importance = f64::from(memory.entry.importance.get()) / 10.0;
    let weights = config.relevance + config.recency + config.importance;
    let sum = config.relevance * relevance + config.recency * recency + config.importance * importance;
    let score = if weights > 0.0 { sum / weights } else { 0.0 };
    Recalled { memory, score, relevance, cosine, words, recency, importance }
}

#[cfg(test)]
mod tests {
    use nightfold_english::English;
    use nightfold_memory::{Config, EndedPosition};
    use serde_json::json;

    use super::*;

    fn entry(id: &str, at: i64, importance: u8, vector: &[f32]) -> MemoryRecord {
        serde_json::from_value(json!({
            "npc": "Mara", "id": id, "form": "verbatim", "kind": "event", "text": id, "at": at, "last_at": at,
            "importance": importance, "occurrences": 1, "sources": [id], "vector": vector, "state": "active",
            "corroborations": 0, "confidence": "normal", "touched_at": at, "night": "day-0",
        }))
        .unwrap()
    }

    fn index_of(entries: Vec<MemoryRecord>) -> RecallIndex {
        RecallIndex::new(entries, &English)
    }

    /// A question without content words.
    fn query(vector: &[f32]) -> RecallQuery {
        RecallQuery::new("what?", vector, &English)
    }

    fn settings() -> RecallConfig {
        Config::default().recall.with(|c| c.min_relevance = 0.0)
    }

    fn time(hours: i64) -> GameTime {
        GameTime::from_seconds(3600 * hours).unwrap()
    }

    fn ids<'a>(found: &'a [Recalled<'_>]) -> Vec<&'a str> {
        found.iter().map(|r| r.memory.entry.id.as_str()).collect()
    }

    #[test]
    fn each_score_part_decides_if_the_others_are_equal() {
        let config = settings();
        let best = |a: MemoryRecord, b: MemoryRecord| {
            let index = index_of(vec![a, b]);
            ids(&index.recall(&query(&[1.0, 0.0]), time(200), &config))[0].to_owned()
        };
        let far = entry("far", 0, 5, &[0.0, 1.0]);
        let near = entry("near", 0, 5, &[1.0, 0.0]);
        assert_eq!(best(far.clone(), near.clone()), "near");
        assert_eq!(best(near.clone(), entry("new", 3600 * 199, 5, &[1.0, 0.0])), "new");
        assert_eq!(best(near.clone(), entry("weighty", 0, 9, &[1.0, 0.0])), "weighty");
        assert_eq!(best(near, entry("alike", 0, 5, &[1.0, 0.0])), "alike", "of equal ones by id");
    }

    #[test]
    fn relevance_goes_before_recency_and_importance() {
        let config = settings();
        let index =
            index_of(vec![entry("near", 0, 1, &[0.8, 0.6]), entry("new", 3600 * 199, 10, &[0.5, 0.866])]);
        assert_eq!(ids(&index.recall(&query(&[1.0, 0.0]), time(200), &config)), ["near", "new"]);
    }

    #[test]
    fn shared_words_raise_relevance() {
        let index = index_of(vec![
            entry("rain fell", 0, 5, &[0.8, 0.6]),
            entry("Joss owes silver", 0, 5, &[0.6, 0.8]),
        ]);
        let ask = |question: &str| {
            let query = RecallQuery::new(question, &[1.0, 0.0], &English);
            ids(&index.recall(&query, time(0), &settings()))[0].to_owned()
        };
        assert_eq!(ask("what?"), "rain fell");
        assert_eq!(ask("who owes silver?"), "Joss owes silver");
        let found = index.recall(&RecallQuery::new("silver", &[1.0, 0.0], &English), time(0), &settings());
        assert_eq!((found[0].words, found[1].words), (1.0, 0.0));
    }

    #[test]
    fn reflections_follow_the_memories_that_they_rest_on() {
        let mut thought = entry("thought", 0, 5, &[1.0, 0.0]);
        thought.entry.form = RecordKind::Reflection;
        thought.entry.sources = ["far", "near"].map(|id| MemoryId::new(id).unwrap()).to_vec();
        let lived = [("near", [0.9, 0.435_89]), ("other", [0.95, 0.312_25]), ("far", [0.5, 0.866_03])];
        let entries = lived.iter().map(|(id, vector)| entry(id, 0, 5, vector)).chain([thought]).collect();
        let index = index_of(entries);
        let found = index.recall(&query(&[1.0, 0.0]), time(0), &settings());
        assert_eq!(ids(&found), ["other", "near", "far", "thought"]);
    }

    #[test]
    fn names_of_actors_and_place_are_searched() {
        let mut held = entry("the talk went on", 0, 5, &[1.0, 0.0]);
        held.entry.actors = vec!["Vex".to_owned()];
        held.entry.place = Some("the Three Kettles".to_owned());
        let index = index_of(vec![held, entry("it rained", 0, 5, &[1.0, 0.0])]);
        for question in ["What of Vex?", "What happened at the Three Kettles?"] {
            let found =
                index.recall(&RecallQuery::new(question, &[1.0, 0.0], &English), time(0), &settings());
            assert!(found[0].words > 0.5 && found[1].words == 0.0, "{question} {found:?}");
        }
    }

    #[test]
    fn question_about_now_prefers_the_newer_statement_on_a_subject() {
        let first = |question: &str, newer: MemoryRecord| {
            let index = index_of(vec![entry("Joss owes 14 silver", 0, 5, &[0.8, 0.6]), newer]);
            let query = RecallQuery::new(question, &[0.8, 0.6], &English);
            ids(&index.recall(&query, time(3), &settings()))[0].to_owned()
        };
        let (old, new) = ("Joss owes 14 silver", "Joss paid nine and owes five after harvest");
        let paid = entry(new, 3600, 5, &[0.4, 0.9165]);
        assert_eq!(first("How much did Joss owe you?", paid.clone()), old);
        assert_eq!(first("How much does Joss still owe you?", paid.clone()), new);
        // Another subject tells nothing of this one, nor does a reflection tell anything new.
        assert_eq!(first("Does Joss still owe you?", entry("rain", 3600, 5, &[-0.6, 0.8])), old);
        let mut insight = paid;
        insight.entry.form = RecordKind::Reflection;
        assert_eq!(first("How much does Joss still owe you?", insight), old);
    }

    /// An entry that tells how the mayor opened the fair, and that he is alive, which ended.
    fn opened_the_fair(vector: &[f32]) -> MemoryRecord {
        let mut told = entry("fair", 0, 5, vector);
        told.entry.text = "The bell rang at the fair; the mayor is alive".to_owned();
        told.ended = vec![EndedPosition {
            since: time(2),
            text: "the mayor is alive".to_owned(),
            by: MemoryId::new("news").unwrap(),
        }];
        told
    }

    #[test]
    fn entry_whose_asked_part_has_ended_follows_those_that_hold() {
        let news = entry("the mayor died", 3600, 5, &[0.8, 0.6]);
        let mut appended = index_of(vec![news.clone()]);
        appended.extend([opened_the_fair(&[1.0, 0.0])], &English);
        for index in [index_of(vec![opened_the_fair(&[1.0, 0.0]), news]), appended] {
            let ask = |question: &str| {
                let query = RecallQuery::new(question, &[1.0, 0.0], &English);
                let found = index.recall(&query, time(3), &settings());
                ids(&found).into_iter().map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(ask("Was the mayor alive?"), ["the mayor died", "fair"]);
            assert_eq!(ask("Who rang the bell at the fair?"), ["fair", "the mayor died"]);
            assert_eq!(ask("what?"), ["fair", "the mayor died"], "no word tells which part is meant");
        }
    }

    #[test]
    fn question_about_now_does_not_recall_what_has_ended() {
        let index = index_of(vec![opened_the_fair(&[1.0, 0.0])]);
        let ask = |question: &str| {
            let query = RecallQuery::new(question, &[1.0, 0.0], &English);
            index.recall(&query, time(3), &settings()).len()
        };
        assert_eq!(ask("Is the mayor still alive?"), 0);
        assert_eq!(ask("Is the bell still at the fair?"), 1);
        assert_eq!(ask("Was the mayor alive?"), 1);
    }

    #[test]
    fn every_update_goes_before_what_it_updates_whatever_the_order_of_scores() {
        // A chain on one subject in which each tells the state of its neighbour only: the first and the last are too
        // far from each other.
        let angles = [0.0_f32, 0.9, 1.8];
        let chain = |order: [usize; 3]| {
            let of = |place: usize| {
                let n = order[place];
                entry(
                    &format!("m{n}"),
                    i64::try_from(n).unwrap() * 3600,
                    5,
                    &[angles[n].cos(), angles[n].sin()],
                )
            };
            (0..3).map(of).collect::<Vec<_>>()
        };
        let mut config = settings();
        (config.same_subject, config.newer_margin) = (0.6, 1.0);
        for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]] {
            for asked in [0.0_f32, 0.9, 1.8] {
                let index = index_of(chain(order));
                let mut query = query(&[asked.cos(), asked.sin()]);
                (query.about_present, query.is_in_present) = (true, true);
                config.min_relevance = 0.0;
                let found = index.recall(&query, time(9), &config);
                assert_eq!(ids(&found), ["m2", "m1", "m0"], "{asked}");
            }
        }
    }

    #[test]
    fn appended_entry_goes_before_an_older_one_on_its_subject() {
        let mut index = index_of(vec![entry("the bridge fell", 0, 9, &[1.0, 0.0])]);
        let fixed = entry("they mended it", 3600, 5, &[0.9, 0.435_89]);
        index.extend([entry("rain", 3600, 5, &[0.5, 0.866]), fixed], &English);
        let found = index.recall(&query(&[1.0, 0.0]), time(2), &settings());
        assert_eq!(ids(&found), ["they mended it", "the bridge fell", "rain"]);
        let today = RecallFilter::default().since(time(1));
        let found = index.recall(&query(&[1.0, 0.0]).with_filter(today), time(2), &settings());
        assert_eq!(ids(&found), ["they mended it", "rain"]);
        let mut empty = index_of(Vec::new());
        let first = entry("first", 0, 5, &[1.0, 0.0]);
        empty.extend([first.clone(), entry("short", 0, 5, &[1.0]), first], &English);
        assert_eq!(ids(&empty.recall(&query(&[1.0, 0.0]), time(2), &settings())), ["first"]);
    }

    #[test]
    fn irrelevant_entries_do_not_come_to_mind() {
        let index = index_of(vec![entry("near", 0, 5, &[0.8, 0.6]), entry("far", 0, 10, &[0.1, 0.995])]);
        let floor = Config::default().recall.with(|c| c.min_relevance = 0.3);
        assert_eq!(ids(&index.recall(&query(&[1.0, 0.0]), time(0), &floor)), ["near"]);
        assert!(index.recall(&query(&[-1.0, 0.0]), time(0), &floor).is_empty());
    }

    #[test]
    fn recency_halves_per_half_life_and_recall_resets_it() {
        let config = settings();
        let mut index = index_of(vec![entry("a", 0, 5, &[1.0])]);
        let recency =
            |index: &RecallIndex, hours: i64| index.recall(&query(&[1.0]), time(hours), &config)[0].recency;
        let half = config.half_life_hours as i64;
        assert!((recency(&index, half) - 0.5).abs() < 1e-12);
        index.touch(&[MemoryId::new("a").unwrap()], time(half));
        assert!((recency(&index, half) - 1.0).abs() < 1e-12);
        assert_eq!(index.recall(&query(&[1.0]), time(half), &config)[0].memory.recalls, 1);
        assert!((recency(&index, 0) - 1.0).abs() < 1e-12, "nothing is more recent than now");
    }

    #[test]
    fn ranking_does_not_depend_on_limit_or_order() {
        let mut config = settings();
        let entries: Vec<MemoryRecord> = (0_u16..60)
            .map(|n| {
                let angle = f32::from(n) * 0.37;
                let vector = [angle.cos(), angle.sin()];
                entry(&format!("m{n:02}"), i64::from(n % 7) * 40_000, 1 + (n % 9) as u8, &vector)
            })
            .collect();
        let mut reversed = entries.clone();
        reversed.reverse();
        config.limit = 60;
        let (index, other) = (index_of(entries), index_of(reversed));
        let asked = query(&[0.6, 0.8]);
        let all = index.recall(&asked, time(100), &config);
        assert_eq!(all.len(), 60);
        config.limit = 7;
        for index in [&index, &other] {
            assert_eq!(ids(&index.recall(&asked, time(100), &config)), ids(&all)[..7]);
        }
    }

    #[test]
    fn archived_entries_and_other_vector_lengths_are_not_recalled() {
        let mut archived = entry("archived", 0, 5, &[1.0, 0.0]);
        archived.state = State::Archived;
        let index = index_of(vec![entry("a", 0, 5, &[1.0, 0.0]), archived, entry("short", 0, 5, &[1.0])]);
        let config = settings();
        assert_eq!(ids(&index.recall(&query(&[1.0, 0.0]), time(0), &config)), ["a"]);
        assert!(index.recall(&query(&[1.0]), time(0), &config).is_empty());
        assert!(index_of(Vec::new()).recall(&query(&[1.0]), time(0), &config).is_empty());
    }
}
