//! What becomes of a memory, by the marks that diffs have.

use nightfold_consolidate::review;
use serde::{Serialize, Serializer};

/// How many fates there are.
pub(crate) const FATES: usize = 7;

/// What becomes of a memory of the day: what a review says, and of what another one stands for, that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Kept word for word.
    Kept,
    /// Told with others as one.
    Told,
    /// Known already.
    Known,
    /// Kept, as is another entry that contradicts it.
    Contested,
    /// Kept no longer than until the night knew better.
    Replaced,
    /// The same as another one, which stands for it.
    Repeat,
    /// Let go.
    Gone,
}

impl Fate {
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

impl From<review::Fate> for Fate {
    fn from(fate: review::Fate) -> Self {
        match fate {
            review::Fate::Kept => Self::Kept,
            review::Fate::Told => Self::Told,
            review::Fate::Known => Self::Known,
            review::Fate::Contested => Self::Contested,
            review::Fate::Superseded => Self::Replaced,
            review::Fate::LetGo => Self::Gone,
        }
    }
}

impl Serialize for Fate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.mark())
    }
}
