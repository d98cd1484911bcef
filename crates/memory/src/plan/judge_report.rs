//! Counts of a stance judge's work.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Counts of the questions to a stance judge other than the rules, and of its answers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgeReport {
    /// Name of the judge.
    pub judge: String,
    /// Number of pairs sent to the judge.
    pub asked: usize,
    /// Number of pairs that the judge answered.
    pub answered: usize,
    /// Number of answers *same* that were rejected because the rules find differing facts.
    pub vetoed: usize,
    /// Number of pairs that could have cost more tokens than were left.
    pub unaffordable: usize,
    /// Number of pairs not sent because the NPC woke or the judge had been silent for too long.
    pub unasked: usize,
    /// Number of pairs without an answer, decided by cosine and the rules (`reconcile.fallback_similarity`).
    pub by_fail_safe: usize,
    /// Number of pairs in `by_fail_safe` that were merged.
    pub merged_by_fail_safe: usize,
    /// Number of failed pairs, by kind of failure.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failures: BTreeMap<String, usize>,
}

impl JudgeReport {
    /// Adds the counts of another night.
    pub fn add(&mut self, other: &Self) {
        self.judge.clone_from(&other.judge);
        self.asked += other.asked;
        self.answered += other.answered;
        self.vetoed += other.vetoed;
        self.unaffordable += other.unaffordable;
        self.unasked += other.unasked;
        self.by_fail_safe += other.by_fail_safe;
        self.merged_by_fail_safe += other.merged_by_fail_safe;
        other.failures.iter().for_each(|(kind, n)| *self.failures.entry(kind.clone()).or_default() += n);
    }
}
