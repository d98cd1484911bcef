//! How a stance judge was asked, and what came of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How a judge beside the rules was asked what statements are to each other, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct JudgeReport {
    /// Which judge.
    pub judge: String,
    /// Pairs that were put to it.
    pub asked: usize,
    /// Pairs it answered.
    pub answered: usize,
    /// Answers "same" that did not count, because the rules find different facts.
    pub vetoed: usize,
    /// Pairs that could have cost more than was left.
    pub unaffordable: usize,
    /// Pairs that were not put to it because the NPC woke, or because the judge had not answered for long.
    pub unasked: usize,
    /// Pairs without an answer: closeness and the rules' guard decided.
    pub by_fail_safe: usize,
    /// Those of them that were merged.
    pub merged_by_fail_safe: usize,
    /// Pairs that were not answered, by kind.
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
