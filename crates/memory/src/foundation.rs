//! Foundation of statements.

use serde::{Deserialize, Serialize};

/// Foundation of a statement, the weakest first.
///
/// Of two statements that exclude each other the newer one supersedes the older one only if it is at least as well founded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Foundation {
    /// Not put forward as true: asked, dreamt, wished, supposed, only possible, or told as somebody's lie. It decides nothing.
    Unasserted,
    /// Said by nobody in particular.
    Rumour,
    /// Said by somebody.
    Told,
    /// Seen, done or thought by the NPC itself.
    Lived,
}

impl Foundation {
    /// The name used in reasons.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unasserted => "unasserted",
            Self::Rumour => "rumour",
            Self::Told => "told",
            Self::Lived => "lived",
        }
    }
}
