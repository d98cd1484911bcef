//! Insights that say what no longer holds: what they rest on was denied, and they fall with it.

use nightfold_memory::{Change, Form, MemoryId, Reason, Rule, State};

use super::reconciliation::Reconciliation;
use crate::text::{Analysis, sentences};

/// How much of what a sentence says must stand in a statement for it to say the same. The rest are an insight's own words:
/// "as it stands", "what counts is".
const SAID: f64 = 0.6;

impl Reconciliation<'_> {
    /// Older insights that say what was set aside tonight; `holds_now` is what did it.
    pub(super) fn unfounded(&self, holds_now: &[(&MemoryId, &MemoryId)]) -> Vec<Change> {
        let insights = self.past.values().filter(|e| {
            let entry = &e.entry;
            e.state == State::Active
                && entry.form == Form::Reflection
                && !entry.pinned
                && !holds_now.iter().any(|(old, _)| **old == entry.id)
        });
        insights
            .filter_map(|insight| {
                let denied = |id: &MemoryId| {
                    let &(old, new) = holds_now.iter().find(|(old, _)| *old == id)?;
                    says(&insight.entry.text, &self.past.get(old)?.entry.text).then_some((old, new))
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
        rows.iter()
            .any(|row| self.revision().outdated.contains_key(row) && says(insight, &self.memory(*row).text))
    }
}

/// What takes the place of what is denied, as the plan says it.
pub(super) fn successors(supersedes: &[Change]) -> Vec<(&MemoryId, &MemoryId)> {
    supersedes.iter().filter_map(|change| Some((change.id(), change.sources().first()?))).collect()
}

/// Whether a sentence of an insight says, for the most part, what a statement says.
fn says(insight: &str, statement: &str) -> bool {
    let statement = Analysis::new(statement, []).content;
    sentences(insight).any(|sentence| {
        let said = Analysis::new(sentence.text, []).content;
        let shared = said.iter().filter(|word| statement.binary_search(word).is_ok()).count();
        shared >= 2 && shared as f64 >= SAID * said.len() as f64
    })
}

#[cfg(test)]
mod tests {
    use super::says;

    #[test]
    fn an_insight_says_what_its_ground_says_in_its_own_words() {
        let chart = "The chart of the Narrows is in my drawer.";
        assert!(says(
            "The chart kept coming up in my day. How things are: the chart of the Narrows is in my drawer.",
            chart
        ));
        assert!(says("For now it stands like this: the chart is in my drawer.", chart));
        assert!(!says("Ilse and Corin came up in my day for the third time this week.", chart));
        assert!(!says("What counts is that Corin asked twice after the chart.", chart));
    }
}
