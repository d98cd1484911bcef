//! Ended positions: parts of an entry that no longer hold, while the rest of it stays.

use serde::{Deserialize, Serialize};

use crate::{id::MemoryId, time::GameTime};

/// Mark on an entry: a position that it states, an answer to a question that held from a time on, no longer holds. The
/// text of the entry stays as it was. Marks are sorted by time, words and cause.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EndedPosition {
    /// Time from which on it no longer holds.
    pub since: GameTime,
    /// Words of the entry that state it.
    pub text: String,
    /// Id of the entry because of which it ended.
    pub by: MemoryId,
}

impl EndedPosition {
    /// True if an entry with this text can state the position.
    pub fn is_stated_in(&self, text: &str) -> bool {
        !self.text.trim().is_empty() && text.contains(&self.text)
    }
}
