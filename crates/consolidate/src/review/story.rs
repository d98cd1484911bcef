//! Story of a night: its most telling memories, changed beliefs and insights.

use nightfold_memory::{MemoryId, Value};

use super::{MemoryFate, MemoryView, NightView, Proposal, ProposalKind, StatementRef};

/// Most telling parts of a night.
#[derive(Debug)]
pub struct NightStory<'v, 'a> {
    /// Memories kept in their own words: the most important first, of these the most salient.
    pub kept: Vec<&'v MemoryView<'a>>,
    /// Statements that do not hold as they did: important ones first.
    pub beliefs: Vec<ChangedBelief<'a>>,
    /// Reflections, in the order of their themes.
    pub insights: Vec<&'v Proposal<'a>>,
}

/// A statement that does not hold as it did, with the cause.
#[derive(Debug)]
pub struct ChangedBelief<'a> {
    /// Change of the statement.
    pub change: BeliefChange,
    /// Id of the statement.
    pub id: &'a MemoryId,
    /// Words of the statement; of an ended position those that no longer hold.
    pub text: &'a str,
    /// Statement that it gave way to, or that contradicts it.
    pub cause: Option<StatementRef<'a>>,
}

/// Change of a statement that does not hold as it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BeliefChange {
    /// Another statement replaces it.
    Superseded,
    /// Another statement contradicts it, and both stay.
    Contested,
    /// A part of it no longer holds.
    Ended,
}

impl BeliefChange {
    /// Returns the sign of the change.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Superseded => MemoryFate::Superseded.sign(),
            Self::Contested => MemoryFate::Contested.sign(),
            Self::Ended => "/",
        }
    }

    /// Returns the words before the statement and before its cause.
    pub fn words(self) -> [&'static str; 2] {
        match self {
            Self::Superseded => ["no longer believes", "because of"],
            Self::Contested => ["contested", "with"],
            Self::Ended => ["no longer holds", "because of"],
        }
    }
}

impl MemoryView<'_> {
    /// Salience by which the night weighed the memory; 0 if its fate did not depend on it.
    pub fn salience(&self) -> f64 {
        match self.reason.values.get("salience") {
            Some(Value::Score(salience)) => *salience,
            _ => 0.0,
        }
    }
}

impl<'a> NightView<'a> {
    /// Returns what happened in the night, the most telling first.
    pub fn story(&self) -> NightStory<'_, 'a> {
        let memories = || self.sections.iter().flat_map(|section| &section.memories);
        let mut kept: Vec<_> = memories().filter(|memory| memory.fate == MemoryFate::Kept).collect();
        kept.sort_by(|a, b| {
            let by_salience = b.salience().total_cmp(&a.salience());
            b.importance.cmp(&a.importance).then(by_salience).then(a.at.cmp(&b.at))
        });

        let of_day = memories().filter_map(|memory| {
            let change = match memory.fate {
                MemoryFate::Superseded => BeliefChange::Superseded,
                MemoryFate::Contested => BeliefChange::Contested,
                _ => return None,
            };
            Some(ChangedBelief { change, id: memory.id, text: memory.text, cause: memory.by.clone() })
        });
        let earlier = self.known.iter().filter_map(|record| {
            let change = match record.verb {
                "supersede" => BeliefChange::Superseded,
                "contest" => BeliefChange::Contested,
                "end" => BeliefChange::Ended,
                _ => return None,
            };
            let (id, text) = (record.entry.id, record.position.unwrap_or(record.entry.text));
            let cause = record.sources.first().filter(|source| source.id != id).cloned();
            Some(ChangedBelief { change, id, text, cause })
        });
        // Both sides of a contradiction are contested: it is told once.
        let mut beliefs: Vec<ChangedBelief<'a>> = Vec::new();
        for belief in earlier.chain(of_day) {
            let is_told = |told: &ChangedBelief<'_>| {
                let other = told.cause.as_ref().is_some_and(|cause| cause.id == belief.id);
                told.change == BeliefChange::Contested && other
            };
            if belief.change != BeliefChange::Contested || !beliefs.iter().any(is_told) {
                beliefs.push(belief);
            }
        }
        let is_important = |id: &MemoryId| self.report.important_ended.iter().any(|ended| ended.id == *id);
        beliefs.sort_by_key(|belief| !is_important(belief.id));

        let proposals = self.sections.iter().flat_map(|section| &section.proposals).chain(&self.across);
        let insights = proposals.filter(|new| matches!(new.kind, ProposalKind::Insight(_))).collect();
        NightStory { kept, beliefs, insights }
    }
}
