//! Settings of maintenance: `[maintain]`.

use crate::config::settings::settings;

settings! {
    /// `[maintain]`: summaries of weeks and months, typed records, the forgetting curve, and purging.
    pub struct MaintainConfig at maintain changed by MaintainChanges {
        /// Half-life in days of the strength of an entry of importance 5 without corroborations and recalls [60;
        /// 0.1 to 3650].
        pub base_days: f64,
        /// Points of importance that double the half-life [1; 0.1 to 100].
        pub doubling: f64,
        /// Exponent with which the half-life grows with corroborations and recalls: (1 + corroborations +
        /// recalls)^practice [0.5; 0 to 3].
        pub practice: f64,
        /// Strength below which an entry is forgotten [0.1; 0 to 1].
        pub forget_below: f64,
        /// Number of days after the end of a week when it is summarised [7; 1 to 3650].
        pub week_after_days: u32,
        /// Number of days after the end of a month when its weeks are summarised as one [30; 1 to 3650].
        pub month_after_days: u32,
        /// Strength below which an entry is summarised with others; what is stronger keeps its own words [0.5; 0 to
        /// 1].
        pub summarize_below: f64,
        /// Least pairwise cosine of the entries in one summary [0.45; 0 to 1].
        pub similar: f64,
        /// Minimum number of entries in one summary [3; 2 to 64].
        pub min_group: usize,
        /// Maximum number of entries in one summary [64; 2 to 1000].
        pub max_group: usize,
        /// Least pairwise cosine of the memories that a typed record is distilled from [0.45; 0 to 1].
        pub distill_similar: f64,
        /// Minimum number of days on which these memories lie [3; 2 to 365].
        pub distill_days: usize,
        /// Maximum number of memories that records are distilled from, the most important ones [400; 0 to 10000].
        pub distill_from: usize,
        /// Maximum number of active entries of an NPC [5000; 10 to 1000000]; the weakest beyond it are forgotten,
        /// but no important ones.
        pub max_active: usize,
        /// Number of latest nights that a purge spares; entries archived before them are deleted for good [30; 1
        /// to 100000].
        pub purge_after_nights: usize,
    }
}
