//! Pairs of memories of one night that may say the same, independent of the order of arrival.

use super::Synthesized;
use crate::{canonical_day::are_namesakes, gram::dot, triage::TriageDecision};

/// A memory kept in its own words, and a later one close to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SameDayPair {
    pub(super) earlier: usize,
    pub(super) later: usize,
    pub(super) cosine: f64,
}

/// Returns the pairs of memories that would be kept in their own words and whose cosine is at least
/// `reconcile.min_similarity`, ordered by the later memory, the closest first.
pub(super) fn pairs(synthesized: &Synthesized) -> Vec<SameDayPair> {
    let (distinct, settings) = (&synthesized.frame.distinct, &synthesized.frame.config.reconcile);
    let stored = |row: &usize| matches!(synthesized.triage.fates[*row], TriageDecision::Store(_));
    let mut rows: Vec<usize> = (0..distinct.len()).filter(stored).collect();
    // Stable sort: memories of one moment stay in the order of their rows, which is canonical. The last time
    // counts, because repeats show that a memory still holds.
    rows.sort_by_key(|&row| distinct[row].last_at);
    let mut all = Vec::new();
    for (at, &later) in rows.iter().enumerate() {
        let vector = synthesized.vectors.row(later);
        let mut near: Vec<SameDayPair> = rows[..at]
            .iter()
            .map(|&earlier| {
                let cosine = f64::from(dot(synthesized.vectors.row(earlier), vector));
                SameDayPair { earlier, later, cosine }
            })
            .filter(|pair| pair.cosine >= settings.min_similarity)
            .filter(|pair| distinct[pair.earlier].is_talk() == distinct[later].is_talk())
            .filter(|pair| !are_namesakes(distinct[pair.earlier].named(), distinct[later].named()))
            .collect();
        near.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.earlier.cmp(&b.earlier)));
        near.truncate(settings.neighbours);
        all.extend(near);
    }
    all
}
