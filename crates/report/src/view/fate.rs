//! Fates of the memories of a day, as the marks that diffs have.

use nightfold_consolidate::review;
use serde::{Serialize, Serializer};

/// Number of fates.
pub(crate) const FATES: usize = 7;

/// Fate of a memory of the day: the fate that a review names, or [`Self::Repeat`] for a memory collapsed into
/// another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemoryFate {
    /// Kept word for word.
    Kept,
    /// Became part of a synthesis.
    Synthesized,
    /// Corroborated an entry.
    Corroborated,
    /// Kept, although another entry, also kept, contradicts it.
    Contested,
    /// Superseded by a later memory of the same day.
    Superseded,
    /// Collapsed into another memory: a repeat of its text or a reading of its status.
    Repeat,
    /// Pruned.
    Pruned,
}

impl MemoryFate {
    fn mark(self) -> &'static str {
        match self {
            Self::Kept => "+",
            Self::Synthesized => "~",
            Self::Corroborated => "=",
            Self::Contested => "?",
            Self::Superseded => "!",
            Self::Repeat => "&",
            Self::Pruned => "-",
        }
    }
}

impl From<review::DiffFate> for MemoryFate {
    fn from(fate: review::DiffFate) -> Self {
        match fate {
            review::DiffFate::Kept => Self::Kept,
            review::DiffFate::Synthesized => Self::Synthesized,
            review::DiffFate::Corroborated => Self::Corroborated,
            review::DiffFate::Contested => Self::Contested,
            review::DiffFate::Superseded => Self::Superseded,
            review::DiffFate::Archived => Self::Pruned,
        }
    }
}

impl Serialize for MemoryFate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.mark())
    }
}
