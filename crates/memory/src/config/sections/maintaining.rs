//! What becomes of what is old: `[maintain]`.

use serde::{Deserialize, Serialize};

/// `[maintain]`: weeks and months told in short, the forgetting curve, and what is deleted for good.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct MaintainConfig {
    /// Days in which a memory of importance 5 loses half its strength, if it is neither said again nor comes to mind
    /// [14; 0.1 to 3650].
    pub base_days: f64,
    /// So many points of importance more double that time [2; 0.1 to 100].
    pub doubling: f64,
    /// With which power that time grows in how often it was said, said again and came to mind [0.5; 0 to 3].
    pub practice: f64,
    /// What is weaker than this is forgotten [0.1; 0 to 1].
    pub forget_below: f64,
    /// A week is told in short once it ended so many days ago [7; 1 to 3650].
    pub week_after_days: u32,
    /// Its weeks are told as a month once that ended so many days ago [30; 1 to 3650].
    pub month_after_days: u32,
    /// What is told in one summary is at least this close, each to each (cosine) [0.45; 0 to 1].
    pub similar: f64,
    /// Fewest entries that are told in one summary [3; 2 to 64].
    #[serde(alias = "least_group")]
    pub least_group: usize,
    /// Most [64; 2 to 1000].
    #[serde(alias = "most_group")]
    pub most_group: usize,
    /// Most active entries of an NPC; beyond them the weakest are forgotten, but no important ones
    /// [5000; 10 to 1000000].
    #[serde(alias = "active_most")]
    pub active_most: usize,
    /// What was put away so many nights ago is deleted for good by a purge [30; 1 to 100000].
    pub purge_after_nights: usize,
}

impl Default for MaintainConfig {
    fn default() -> Self {
        Self {
            base_days: 14.0,
            doubling: 2.0,
            practice: 0.5,
            forget_below: 0.1,
            week_after_days: 7,
            month_after_days: 30,
            similar: 0.45,
            least_group: 3,
            most_group: 64,
            active_most: 5_000,
            purge_after_nights: 30,
        }
    }
}
