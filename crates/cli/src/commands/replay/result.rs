//! Result of a scenario, compared with the accepted outcome.

use nightfold_scenario::{OutcomeDifference, Replayed, Scenario};

/// Result of a scenario, compared with the accepted outcome.
pub(super) struct ScenarioRun {
    pub(super) scenario: Scenario,
    pub(super) replayed: Replayed,
    pub(super) digest: String,
    pub(super) accepted: Accepted,
}

/// Comparison of a run's outcome with the accepted one.
pub(super) enum Accepted {
    /// No accepted outcome.
    None,
    /// The same outcome.
    Same,
    /// Another outcome, which was not accepted.
    Differs(Vec<OutcomeDifference>),
    /// Another outcome, or the first, which this run accepted.
    Updated(Vec<OutcomeDifference>),
}

impl Accepted {
    /// Returns the differences from the accepted outcome, in order.
    pub(super) fn differences(&self) -> &[OutcomeDifference] {
        match self {
            Self::None | Self::Same => &[],
            Self::Differs(all) | Self::Updated(all) => all,
        }
    }
}

impl ScenarioRun {
    /// True if all expectations hold and the outcome is the accepted one, or none is kept.
    pub(super) fn holds(&self) -> bool {
        self.replayed.holds() && !matches!(self.accepted, Accepted::Differs(_))
    }
}
