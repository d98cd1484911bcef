//! Recall of the entries that best answer a question.
//!
//! Relevance comes first: the cosine of an entry's vector to that of the question, and the words of the question that the
//! entry has, weighed by rarity ([`words`]). Recency and importance decide between entries of nearly equal relevance.
//! Archived entries may come faintly to mind, behind active ones that answer as well.

mod context;
mod ended;
mod filter;
mod index;
mod query;
mod ranking;
#[cfg(test)]
mod tests;
mod words;

use nightfold_memory::MemoryRecord;
use serde::Serialize;

pub use self::{context::ContextLimits, filter::RecallFilter, index::RecallIndex, query::RecallQuery};

/// A recalled entry with the parts of its score.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recalled<'a> {
    /// The entry, without its vector.
    pub memory: &'a MemoryRecord,
    /// True if the entry is archived and comes [faintly](MemoryRecord::is_faint) to mind.
    pub faint: bool,
    /// The weighted mean of relevance, recency and importance, 0 to 1; less if the entry is faint, or if the question is about
    /// a part of the entry that no longer holds.
    pub score: f64,
    /// The weighted mean of cosine and words, 0 to 1; less by `recall.faint_margin` if the entry is faint.
    pub relevance: f64,
    /// Cosine to the question; negative values count as 0. That of a faint entry is estimated.
    pub cosine: f64,
    /// Share of the question's words that the entry has, by rarity, 0 to 1.
    pub words: f64,
    /// 1 for an entry just experienced or recalled, halving every `recall.half_life_hours`.
    pub recency: f64,
    /// Importance divided by 10.
    pub importance: f64,
}
