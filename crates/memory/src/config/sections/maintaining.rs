//! Settings of maintenance: `[maintain]`.

use crate::config::settings::settings;

settings! {
    /// `[maintain]`: summaries of weeks and months, typed records, the forgetting curve, and purging.
    pub struct MaintainConfig at maintain changed by MaintainChanges {
        /// Half-life in days of the strength of an entry of importance 5 without corroborations and recalls.
        pub base_days: f64 => 0.1..=3650.0,
        /// Points of importance that double the half-life.
        pub doubling: f64 => 0.1..=100.0,
        /// Exponent with which the half-life grows with corroborations and recalls: (1 + corroborations +
        /// recalls)^practice.
        pub practice: f64 => 0.0..=3.0,
        /// Strength below which an entry is forgotten.
        pub forget_below: f64 => 0.0..=1.0,
        /// Number of days after the end of a week when it is summarised.
        pub week_after_days: u32 => 1..=3650,
        /// Number of days after the end of a month when its weeks are summarised as one.
        pub month_after_days: u32 => 1..=3650,
        /// Strength below which an entry is summarised with others; what is stronger keeps its own words.
        pub summarize_below: f64 => 0.0..=1.0,
        /// Least pairwise cosine of the entries in one summary, and of the memories that a typed record is distilled from.
        pub similar: f64 => 0.0..=1.0,
        /// Minimum number of entries in one summary.
        pub min_group: usize => 2..=64,
        /// Minimum number of days on which these memories lie.
        pub distill_days: usize => 2..=365,
        /// True to archive the sources of a typed record when it is written, except those that never fade.
        pub archive_distilled: bool,
        /// Maximum number of active entries of an NPC; the weakest beyond it are forgotten,
        /// but no important ones.
        pub max_active: usize => 10..=1_000_000,
        /// Number of latest nights that a purge spares; entries archived before them are deleted for good.
        pub purge_after_nights: usize => 1..=100_000,
    }
}
