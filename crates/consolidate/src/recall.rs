//! What comes to mind: the entries that answer a query best.

use nightfold_memory::{GameTime, LongTermMemory, RecallConfig, State};
use serde::Serialize;

use crate::gram::dot;

/// An entry that came to mind, with the parts of its score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recalled<'a> {
    /// The entry.
    pub memory: &'a LongTermMemory,
    /// The weighted mean of the three parts, 0 to 1.
    pub score: f64,
    /// Cosine to the query, negative ones counted as 0.
    pub relevance: f64,
    /// 1 for what was just lived through, halving every `recall.half_life_hours`.
    pub recency: f64,
    /// Importance, a tenth of it.
    pub importance: f64,
}

/// The best active entries for a query's vector at a moment, best first, of equal ones by id. The three-part
/// score is that of Generative Agents (Park et al. 2023), with an exponential half-life for recency.
pub fn recall<'a>(
    entries: &'a [LongTermMemory],
    query: &[f32],
    now: GameTime,
    config: &RecallConfig,
) -> Vec<Recalled<'a>> {
    let weights = config.relevance + config.recency + config.importance;
    let mut found: Vec<Recalled<'a>> = entries
        .iter()
        .filter(|e| e.state == State::Active)
        .filter_map(|memory| {
            let vector = memory.entry.vector.as_ref()?.as_slice();
            let relevance = f64::from(dot(vector, query)).clamp(0.0, 1.0);
            let hours = (now.seconds() - memory.touched_at.max(memory.entry.last_at).seconds()).max(0) as f64
                / 3600.0;
            let recency = (-hours / config.half_life_hours).exp2();
            let importance = f64::from(memory.entry.importance.get()) / 10.0;
            let sum =
                config.relevance * relevance + config.recency * recency + config.importance * importance;
            let score = if weights > 0.0 { sum / weights } else { 0.0 };
            Some(Recalled { memory, score, relevance, recency, importance })
        })
        .collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.memory.entry.id.cmp(&b.memory.entry.id)));
    found.truncate(config.limit);
    found
}
