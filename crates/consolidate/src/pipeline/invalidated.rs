//! Archiving of reflections that state what this night superseded.

use nightfold_memory::{Change, MemoryId, Reason, RecordKind, Rule, State};

use super::reconciliation::Reconciliation;

impl Reconciliation<'_> {
    /// Returns the changes that archive older reflections which state what was superseded this night.
    /// `holds_now` pairs each superseded entry with its successor.
    pub(super) fn invalidated_reflections(&self, holds_now: &[(&MemoryId, &MemoryId)]) -> Vec<Change> {
        let insights = self.past.values().filter(|e| {
            let entry = &e.entry;
            e.state == State::Active
                && entry.form == RecordKind::Reflection
                && !entry.pinned
                && !holds_now.iter().any(|(old, _)| **old == entry.id)
        });
        insights
            .filter_map(|insight| {
                let denied = |id: &MemoryId| {
                    let &(old, new) = holds_now.iter().find(|(old, _)| *old == id)?;
                    self.pack
                        .restates(&insight.entry.text, &self.past.get(old)?.entry.text)
                        .then_some((old, new))
                };
                let (old, new) = insight.entry.sources.iter().find_map(denied)?;
                Some(Change::Archive {
                    id: insight.entry.id.clone(),
                    sources: vec![new.clone()],
                    reason: Reason::new(Rule::Contradicted).with("rests_on", old.as_str()),
                })
            })
            .collect()
    }

    /// True if a reflection of this night states what was contradicted later the same night.
    pub(super) fn is_invalidated(&self, insight: &str, rows: &[usize]) -> bool {
        rows.iter().any(|row| {
            self.revision().outdated.contains_key(row) && self.pack.restates(insight, &self.memory(*row).text)
        })
    }
}

/// Returns each superseded entry with its successor, as the plan holds them.
pub(super) fn successors(supersedes: &[Change]) -> Vec<(&MemoryId, &MemoryId)> {
    supersedes.iter().filter_map(|change| Some((change.id(), change.sources().first()?))).collect()
}
