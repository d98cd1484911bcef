//! Settings of the judge of two close statements: `[judge]`.

use serde::{Deserialize, Serialize};

use crate::config::settings::settings;

/// Judge that decides whether two statements say the same, contradict each other, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum JudgeBy {
    /// The stance model that comes with the program, or the rules if the model is not available.
    #[default]
    Model,
    /// The rules: numbers, names, roles, negations, opposites, and how many words have a counterpart.
    Rules,
    /// The language model that `--language` names.
    Language,
}

impl JudgeBy {
    /// Returns the name used in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Rules => "rules",
            Self::Language => "language",
        }
    }
}

settings! {
    /// `[judge]`: deciding whether two close statements say the same, contradict each other, or neither.
    pub struct JudgeConfig at judge changed by JudgeChanges {
        /// Judge; the stance model by default.
        pub by: JudgeBy,
        /// Least probability at which two statements say the same.
        pub same_from: f64 => 0.0..=1.0,
        /// Least probability at which two statements contradict each other; it is high because a
        /// wrong supersession is worse than a missed one.
        pub contradiction_from: f64 => 0.0..=1.0,
        /// Maximum number of pairs of one NPC and night that are searched for contradictions beyond those close
        /// enough to be merged, the most promising first.
        pub max_pairs: usize => 0..=100_000,
    }
}
