//! Settings of approving plans: `[review]`.

use serde::{Deserialize, Serialize};

use crate::config::settings::settings;

/// Approval of the plans that a command makes for a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Approval {
    /// A person approves each plan.
    #[default]
    Manual,
    /// Plans are written without being shown first; setting this key is the approval.
    Auto,
}

settings! {
    /// `[review]`: approval of plans, and the time in which they may be applied.
    pub struct ReviewConfig at review {
        /// Approval of plans: `manual` (the default) asks a person each time, `auto` writes unasked.
        pub approval: Approval,
        /// Number of hours after saving in which a plan may be applied, by the time of its file.
        pub plan_hours: u32 => 0..=87_600,
    }
}
