//! Archiving of reflections that state what this night ended.

use nightfold_memory::{Change, MemoryId, Reason, RecordKind, Rule, State};

use super::reconciliation::Reconciliation;

/// Words that no longer hold since this night.
struct Ended<'a> {
    /// Entry that states them.
    id: &'a MemoryId,
    text: &'a str,
    /// Entry because of which they ended.
    by: &'a MemoryId,
}

impl Reconciliation<'_> {
    /// Returns the changes that archive older reflections which state what this night superseded or ended, given those
    /// changes.
    pub(super) fn invalidated_reflections(&self, supersedes: &[Change], ends: &[Change]) -> Vec<Change> {
        let ended: Vec<Ended<'_>> =
            supersedes.iter().chain(ends).filter_map(|change| self.ended_words(change)).collect();
        let insights = self.past.values().filter(|e| {
            let entry = &e.entry;
            e.state == State::Active
                && entry.form == RecordKind::Reflection
                && !entry.pinned
                && !supersedes.iter().any(|change| *change.id() == entry.id)
        });
        insights
            .filter_map(|insight| {
                let rests_on = |ended: &&Ended<'_>| {
                    insight.entry.sources.contains(ended.id)
                        && self.pack.restates(&insight.entry.text, ended.text)
                };
                let Ended { id, by, .. } = ended.iter().find(rests_on)?;
                Some(Change::Archive {
                    id: insight.entry.id.clone(),
                    sources: vec![(*by).clone()],
                    reason: Reason::new(Rule::Contradicted).with("rests_on", id.as_str()),
                })
            })
            .collect()
    }

    fn ended_words<'c>(&'c self, change: &'c Change) -> Option<Ended<'c>> {
        let (id, by) = (change.id(), change.sources().first()?);
        let text = match change {
            Change::End { position, .. } => position.as_str(),
            _ => self.past.get(id)?.entry.text.as_str(),
        };
        Some(Ended { id, text, by })
    }

    /// True if a reflection of this night states what was contradicted later the same night.
    pub(super) fn is_invalidated(&self, insight: &str, rows: &[usize]) -> bool {
        rows.iter().any(|row| {
            self.revision().outdated.contains_key(row) && self.pack.restates(insight, &self.memory(*row).text)
        })
    }
}
