//! Counts of unusual input.

use serde::{Deserialize, Serialize};

/// Counts of unusual input, and how each case was handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InputCounts {
    /// Number of texts that hold nothing to remember; archived at once.
    pub blank: usize,
    /// Number of memories without an importance; 5 is used.
    pub without_importance: usize,
    /// Number of rows that repeat an id with the same text and time; read once.
    pub repeated_rows: usize,
    /// Number of different memories with the id of another; kept under `id~2`, `id~3` …
    pub renamed_ids: usize,
    /// Number of texts with more than one importance; the highest is used.
    pub mixed_importance: usize,
    /// Number of memories with the time of another; ordered by id.
    pub equal_times: usize,
    /// Number of memories that the store knows from an earlier night; skipped.
    pub already_slept_on: usize,
    /// Number of distinct texts longer than the model reads; embedded by their beginning.
    pub truncated_texts: usize,
    /// Number of distinct memories beyond `cluster.max_distinct`; archived unread. The readings of one status count as
    /// one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub over_distinct: usize,
    /// Number of distinct memories of a flood of one pattern (`cluster.flood`) that say nothing new; archived unread.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub flood: usize,
    /// Number of memories whose times are of another clock ([`DayConfig::stray_days`]); set apart and not slept on.
    ///
    /// [`DayConfig::stray_days`]: crate::config::DayConfig::stray_days
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stray_times: usize,
}

impl std::ops::AddAssign for InputCounts {
    fn add_assign(&mut self, other: Self) {
        self.blank += other.blank;
        self.without_importance += other.without_importance;
        self.repeated_rows += other.repeated_rows;
        self.renamed_ids += other.renamed_ids;
        self.mixed_importance += other.mixed_importance;
        self.equal_times += other.equal_times;
        self.already_slept_on += other.already_slept_on;
        self.truncated_texts += other.truncated_texts;
        self.over_distinct += other.over_distinct;
        self.flood += other.flood;
        self.stray_times += other.stray_times;
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
pub(super) fn is_zero(n: &usize) -> bool {
    *n == 0
}
