//! Memories that are paragraphs already, such as the summaries of another program: they stay whole, beside what the budgets
//! allow to the others.

use std::collections::BTreeSet;

use nightfold_memory::{Kind, Reason, Rule};

use super::triager::{TriageDecision, Triager};

impl Triager<'_> {
    /// True if a memory is condensed.
    pub(super) fn is_condensed(&self, row: usize) -> bool {
        let memory = &self.distinct[row];
        memory.kind != Kind::Chat
            && memory.readings.is_none()
            && memory.text.chars().count() >= self.config.budget.condensed_chars
    }

    /// Keeps the most salient condensed memories, and returns their rows. Those that are kept in any case, or that the game rates as
    /// unimportant, are left to the other rules.
    pub(super) fn keep_condensed(&self, fates: &mut [Option<TriageDecision>]) -> BTreeSet<usize> {
        let is_candidate = |&row: &usize| {
            let important_enough = self.distinct[row].importance.get() >= self.config.triage.unimportant;
            fates[row].is_none() && !self.must_keep(row) && important_enough && self.is_condensed(row)
        };
        let mut ranked: Vec<usize> = (0..fates.len()).filter(is_candidate).collect();
        ranked.sort_by(|&a, &b| self.score_of(b).total_cmp(&self.score_of(a)).then(a.cmp(&b)));
        // A tenth of ten is one, even if the product is rounded down.
        let most = (self.config.budget.condensed as f64 * self.share + 1e-9).floor() as usize;
        ranked.truncate(most);
        for &row in &ranked {
            let chars = self.distinct[row].text.chars().count();
            let reason = self.with_salience(row, Reason::new(Rule::Condensed).with("chars", chars));
            fates[row] = Some(TriageDecision::Store(reason));
        }
        ranked.into_iter().collect()
    }
}
