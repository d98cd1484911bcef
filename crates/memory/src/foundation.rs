//! Foundation of a statement: how it became known.

use serde::{Deserialize, Serialize};

use crate::memory::Kind;

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

/// Returns who said a memory, if it is talk of others than the NPC `me`: their names, or `"somebody"`. That it was said
/// is what the NPC lived through; what was said may be a lie.
///
/// ```
/// use nightfold_memory::{Kind, heard_from};
///
/// let actors = ["mara_thorne", "Joss"].map(str::to_owned);
/// assert_eq!(heard_from(Kind::Chat, &actors, "Mara Thorne").as_deref(), Some("Joss"));
/// assert_eq!(heard_from(Kind::Chat, &actors[..1], "Mara Thorne"), None, "her own words");
/// assert_eq!(heard_from(Kind::Chat, &[], "Mara Thorne").as_deref(), Some("somebody"));
/// assert_eq!(heard_from(Kind::Event, &actors, "Mara Thorne"), None);
/// ```
pub fn heard_from(kind: Kind, actors: &[String], me: &str) -> Option<String> {
    let fold = |name: &str| name.replace('_', " ").to_lowercase();
    let others: Vec<&str> = actors.iter().map(String::as_str).filter(|name| fold(name) != fold(me)).collect();
    match others.as_slice() {
        _ if kind != Kind::Chat => None,
        [] if actors.is_empty() => Some("somebody".to_owned()),
        [] => None,
        others => Some(others.join(", ")),
    }
}
