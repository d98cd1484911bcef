//! Who approves plans, and for how long: `[review]`.

use serde::{Deserialize, Serialize};

/// Who approves the plans that a command makes for a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Approval {
    /// A person, each time.
    #[default]
    Manual,
    /// Whoever wrote this key, once and for all: what is planned is written.
    Auto,
}

/// `[review]`: who approves plans, and for how long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ReviewConfig {
    /// Whether a person approves each plan, or what is planned is written [manual; or auto].
    pub approval: Approval,
    /// For how many hours after it was saved a plan may be applied [168; 0 to 87600; 0: for ever]. Told by the time of
    /// its file.
    pub plan_hours: u32,
}

impl Default for ReviewConfig {
    fn default() -> Self {
        Self { approval: Approval::Manual, plan_hours: 168 }
    }
}
