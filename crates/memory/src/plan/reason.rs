//! Why a change is in the plan.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

/// The rule that decided a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The same text more than once.
    ExactRepeat,
    /// A status line that repeats but for its numbers.
    StatusRepeat,
    /// Nothing in the text.
    Blank,
    /// The game pinned it.
    Pinned,
    /// As important as what is always kept.
    Important,
    /// Says what long-term memory already says.
    AlreadyKnown,
    /// Known already by the rules, but not by the judge that was asked.
    HeldApart,
    /// In a group of similar memories.
    Similar,
    /// Over budget in a cluster that hangs together: told with the others.
    OverBudgetCohesive,
    /// Unimportant, in a cluster that does not hang together.
    UnimportantIncoherent,
    /// Over budget, with one of the lowest keep scores.
    OverBudget,
    /// Within its cluster's budget.
    WithinBudget,
    /// Loose, and unlike anything else.
    Novel,
    /// Drawn from a cluster that hangs together.
    CohesiveCluster,
    /// Contradicted by something newer.
    Contradicted,
    /// More insights on one subject than are kept, and this one was touched before those.
    Capped,
    /// Somebody asked for it back.
    Restored,
    /// Somebody who reviewed the plan declined what else was to become of it.
    Declined,
    /// Old and unimportant: told in short with what is like it.
    Abstracted,
    /// Weaker than what is remembered.
    Faded,
    /// One of the weakest, where there are more than may be active.
    OverMost,
}

impl Rule {
    /// The name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ExactRepeat => "exact-repeat",
            Self::StatusRepeat => "status-repeat",
            Self::Blank => "blank",
            Self::Pinned => "pinned",
            Self::Important => "important",
            Self::AlreadyKnown => "already-known",
            Self::HeldApart => "held-apart",
            Self::Similar => "similar",
            Self::OverBudgetCohesive => "over-budget-cohesive",
            Self::UnimportantIncoherent => "unimportant-incoherent",
            Self::OverBudget => "over-budget",
            Self::WithinBudget => "within-budget",
            Self::Novel => "novel",
            Self::CohesiveCluster => "cohesive-cluster",
            Self::Contradicted => "contradicted",
            Self::Capped => "capped",
            Self::Restored => "restored",
            Self::Declined => "declined",
            Self::Abstracted => "abstracted",
            Self::Faded => "faded",
            Self::OverMost => "over-most",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A value that a rule looked at: a measured one or the threshold it was held against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A count.
    Count(u64),
    /// A score, to four decimals.
    Score(f64),
    /// A name.
    Name(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(n) => write!(f, "{n}"),
            Self::Score(x) => write!(f, "{x:.2}"),
            Self::Name(s) => f.write_str(s),
        }
    }
}

impl From<usize> for Value {
    fn from(n: usize) -> Self {
        Self::Count(n as u64)
    }
}

impl From<u32> for Value {
    fn from(n: u32) -> Self {
        Self::Count(u64::from(n))
    }
}

impl From<f64> for Value {
    fn from(x: f64) -> Self {
        // Four decimals are what a reader can use, and keep a plan's bytes short. No negative zero.
        Self::Score((x * 1e4).round() / 1e4 + 0.0)
    }
}

impl From<f32> for Value {
    fn from(x: f32) -> Self {
        Self::from(f64::from(x))
    }
}

impl From<&str> for Value {
    fn from(s: &str) -> Self {
        Self::Name(s.to_owned())
    }
}

/// The rule that decided a change, with what it looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// Which rule.
    pub rule: Rule,
    /// The measured values and the thresholds, by name.
    pub values: BTreeMap<String, Value>,
}

impl Reason {
    /// A reason without values yet.
    pub fn new(rule: Rule) -> Self {
        Self { rule, values: BTreeMap::new() }
    }

    /// With one more value.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.values.insert(name.to_owned(), value.into());
        self
    }
}
