//! Insights that say what no longer holds: what they rest on was denied, and they fall with it.

use nightfold_memory::{Change, MemoryId, Reason, RecordKind, Rule, State};

use super::reconciliation::Reconciliation;

impl Reconciliation<'_> {
    /// Older insights that say what was set aside tonight; `holds_now` is what did it.
    pub(super) fn unfounded(&self, holds_now: &[(&MemoryId, &MemoryId)]) -> Vec<Change> {
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

    /// Whether an insight of tonight says what was denied later tonight.
    pub(super) fn is_outdated(&self, insight: &str, rows: &[usize]) -> bool {
        rows.iter().any(|row| {
            self.revision().outdated.contains_key(row) && self.pack.restates(insight, &self.memory(*row).text)
        })
    }
}

/// What takes the place of what is denied, as the plan says it.
pub(super) fn successors(supersedes: &[Change]) -> Vec<(&MemoryId, &MemoryId)> {
    supersedes.iter().filter_map(|change| Some((change.id(), change.sources().first()?))).collect()
}
