//! Recall of the entries that best answer a query.

use nightfold_memory::{GameTime, MemoryId, MemoryRecord, State, Vector, config::RecallConfig};
use serde::Serialize;

use crate::gram::dot;

/// A recalled entry with the parts of its score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recalled<'a> {
    /// The entry, without its vector.
    pub memory: &'a MemoryRecord,
    /// The weighted mean of the three parts, 0 to 1.
    pub score: f64,
    /// Cosine to the query; negative values count as 0.
    pub relevance: f64,
    /// 1 for an entry just experienced or recalled, halving every `recall.half_life_hours`.
    pub recency: f64,
    /// Importance divided by 10.
    pub importance: f64,
}

/// Search index over an NPC's active entries. A game keeps one for each NPC that talks and rebuilds it after
/// a night has been applied. For each entry it holds the vector (384 numbers) and the entry's text.
///
/// ```
/// use nightfold_consolidate::RecallIndex;
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
/// let index = RecallIndex::new(entries);
/// let now = nightfold_memory::GameTime::from_seconds(60).unwrap();
/// let found = index.recall(&[0.8, 0.6], now, &Config::default().recall);
/// assert_eq!(found[0].memory.entry.id.as_str(), "axle");
/// ```
#[derive(Debug, Clone)]
pub struct RecallIndex {
    entries: Vec<MemoryRecord>,
    /// Vectors of the entries, row after row.
    vectors: Vec<f32>,
    dimensions: usize,
}

impl RecallIndex {
    /// Builds an index of the active entries. Entries without a vector, or with one of another length than
    /// the first, are left out.
    pub fn new(entries: Vec<MemoryRecord>) -> Self {
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
        Self { entries: kept, vectors, dimensions }
    }

    /// Number of entries in the index.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if the index has no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the best entries for a query's vector at a moment, best first and ties by id; none if the
    /// vector has another length. The three-part score is that of Generative Agents (Park et al. 2023), with
    /// an exponential half-life for recency.
    pub fn recall(&self, query: &[f32], now: GameTime, config: &RecallConfig) -> Vec<Recalled<'_>> {
        if query.len() != self.dimensions || self.is_empty() {
            return Vec::new();
        }
        let rows = self.vectors.chunks_exact(self.dimensions).zip(&self.entries);
        let mut found: Vec<Recalled<'_>> = rows
            .map(|(vector, memory)| score_entry(memory, f64::from(dot(vector, query)), now, config))
            .collect();
        let order = |a: &Recalled<'_>, b: &Recalled<'_>| {
            b.score.total_cmp(&a.score).then_with(|| a.memory.entry.id.cmp(&b.memory.entry.id))
        };
        if config.limit < found.len() {
            found.select_nth_unstable_by(config.limit, order);
            found.truncate(config.limit);
        }
        found.sort_by(order);
        found
    }

    /// Records that entries were recalled, as [`MemoryStore::touch`](nightfold_memory::MemoryStore::touch)
    /// does in the store.
    pub fn touch(&mut self, ids: &[MemoryId], at: GameTime) {
        for memory in self.entries.iter_mut().filter(|m| ids.contains(&m.entry.id)) {
            memory.recalls += 1;
            memory.recalled_at = Some(at);
        }
    }
}

fn score_entry<'a>(
    memory: &'a MemoryRecord,
    cosine: f64,
    now: GameTime,
    config: &RecallConfig,
) -> Recalled<'a> {
    let weights = config.relevance + config.recency + config.importance;
    let relevance = cosine.clamp(0.0, 1.0);
    let since = memory.last_touched().max(memory.entry.last_at);
    let hours = (now.seconds() - since.seconds()).max(0) as f64 / 3600.0;
    let recency = (-hours / config.half_life_hours).exp2();
    let importance = f64::from(memory.entry.importance.get()) / 10.0;
    let sum = config.relevance * relevance + config.recency * recency + config.importance * importance;
    let score = if weights > 0.0 { sum / weights } else { 0.0 };
    Recalled { memory, score, relevance, recency, importance }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::Config;
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

    fn time(hours: i64) -> GameTime {
        GameTime::from_seconds(3600 * hours).unwrap()
    }

    fn ids<'a>(found: &'a [Recalled<'_>]) -> Vec<&'a str> {
        found.iter().map(|r| r.memory.entry.id.as_str()).collect()
    }

    #[test]
    fn each_score_part_decides_if_the_others_are_equal() {
        let config = Config::default().recall;
        let best = |a: MemoryRecord, b: MemoryRecord| {
            let index = RecallIndex::new(vec![a, b]);
            ids(&index.recall(&[1.0, 0.0], time(200), &config))[0].to_owned()
        };
        let far = entry("far", 0, 5, &[0.0, 1.0]);
        let near = entry("near", 0, 5, &[1.0, 0.0]);
        assert_eq!(best(far.clone(), near.clone()), "near");
        assert_eq!(best(near.clone(), entry("new", 3600 * 199, 5, &[1.0, 0.0])), "new");
        assert_eq!(best(near.clone(), entry("weighty", 0, 9, &[1.0, 0.0])), "weighty");
        assert_eq!(best(near, entry("alike", 0, 5, &[1.0, 0.0])), "alike", "of equal ones by id");
    }

    #[test]
    fn recency_halves_per_half_life_and_recall_resets_it() {
        let config = Config::default().recall;
        let mut index = RecallIndex::new(vec![entry("a", 0, 5, &[1.0])]);
        let recency = |index: &RecallIndex, hours: i64| index.recall(&[1.0], time(hours), &config)[0].recency;
        let half = config.half_life_hours as i64;
        assert!((recency(&index, half) - 0.5).abs() < 1e-12);
        index.touch(&[MemoryId::new("a").unwrap()], time(half));
        assert!((recency(&index, half) - 1.0).abs() < 1e-12);
        assert_eq!(index.recall(&[1.0], time(half), &config)[0].memory.recalls, 1);
        assert!((recency(&index, 0) - 1.0).abs() < 1e-12, "nothing is more recent than now");
    }

    #[test]
    fn ranking_does_not_depend_on_limit_or_order() {
        let mut config = Config::default().recall;
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
        let (index, other) = (RecallIndex::new(entries), RecallIndex::new(reversed));
        let all = index.recall(&[0.6, 0.8], time(100), &config);
        assert!(all.windows(2).all(|w| w[0].score >= w[1].score) && all.len() == 60);
        config.limit = 7;
        for index in [&index, &other] {
            assert_eq!(ids(&index.recall(&[0.6, 0.8], time(100), &config)), ids(&all)[..7]);
        }
    }

    #[test]
    fn archived_entries_and_other_vector_lengths_are_not_recalled() {
        let mut archived = entry("archived", 0, 5, &[1.0, 0.0]);
        archived.state = State::Archived;
        let index =
            RecallIndex::new(vec![entry("a", 0, 5, &[1.0, 0.0]), archived, entry("short", 0, 5, &[1.0])]);
        let config = Config::default().recall;
        assert_eq!(ids(&index.recall(&[1.0, 0.0], time(0), &config)), ["a"]);
        assert!(index.recall(&[1.0], time(0), &config).is_empty());
        assert!(RecallIndex::new(Vec::new()).recall(&[1.0], time(0), &config).is_empty());
    }
}
