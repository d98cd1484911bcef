//! Foundation of a statement: how it became known.

use serde::{Deserialize, Serialize};

/// Foundation of a statement, the weakest first.
///
/// Of two contradicting statements the newer one supersedes the older one only if it is at least as well
/// founded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Foundation {
    /// Not asserted as true: asked, dreamt, wished, supposed, only possible, or reported as somebody's lie.
    /// An unasserted statement corroborates and contradicts nothing.
    Unasserted,
    /// Said by nobody in particular.
    Rumour,
    /// Said by somebody.
    Told,
    /// Seen, done or thought by the NPC itself.
    Lived,
}

impl Foundation {
    /// Returns the name used in reasons.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unasserted => "unasserted",
            Self::Rumour => "rumour",
            Self::Told => "told",
            Self::Lived => "lived",
        }
    }
}
