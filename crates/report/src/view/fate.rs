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
    Told,
    /// Corroborated an entry.
    Known,
    /// Kept, although another entry, also kept, contradicts it.
    Contested,
    /// Superseded by a later memory of the same day.
    Replaced,
    /// Collapsed into another memory: a repeat of its text or a reading of its status.
    Repeat,
    /// Pruned.
    Gone,
}

impl MemoryFate {
    fn mark(self) -> &'static str {
        match self {
            Self::Kept => "+",
            Self::Told => "~",
            Self::Known => "=",
            Self::Contested => "?",
            Self::Replaced => "!",
            Self::Repeat => "&",
            Self::Gone => "-",
        }
    }
}

impl From<review::DiffFate> for MemoryFate {
    fn from(fate: review::DiffFate) -> Self {
        match fate {
            review::DiffFate::Kept => Self::Kept,
            review::DiffFate::Told => Self::Told,
            review::DiffFate::Known => Self::Known,
            review::DiffFate::Contested => Self::Contested,
            review::DiffFate::Superseded => Self::Replaced,
            review::DiffFate::LetGo => Self::Gone,
        }
    }
}

impl Serialize for MemoryFate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.mark())
    }
}
