//! What occupies an NPC night after night: clusters of single days, followed over all of them.

use serde::{Deserialize, Serialize};

use crate::{GameTime, NightLabel, ThemeId, Vector};

/// A theme as the last night that saw it left it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Theme {
    /// Its name within the NPC.
    pub id: ThemeId,
    /// The words that tell it from the rest of the day on which it was first seen.
    pub words: Vec<String>,
    /// The direction of the mean of all its memories' vectors.
    pub centre: Vector,
    /// The length of that mean, 0 to 1, to six places: 1 when all say the same. With `centre` and `memories` it gives
    /// their sum, from which the mean goes on.
    pub tightness: f64,
    /// How many distinct memories were in it, over all nights.
    pub memories: u64,
    /// On how many nights it was seen.
    pub nights: u32,
    /// When the first of its memories happened.
    pub first_at: GameTime,
    /// When the last of them happened.
    pub last_at: GameTime,
    /// The last nights on which it was seen, oldest first; at most [`Theme::MOST_RECENT`].
    pub recent: Vec<ThemeSeen>,
}

impl Theme {
    /// How many of the last nights a theme remembers one by one.
    pub const MOST_RECENT: usize = 12;
}

/// A night on which a theme was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThemeSeen {
    /// Which night.
    pub night: NightLabel,
    /// The moment of sleep.
    pub at: GameTime,
    /// The stems that two or more of that night's memories have, the most frequent first: what may be said to have
    /// come up that night.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
}

/// A theme that a night saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThemeNight {
    /// How it stands after the night.
    #[serde(flatten)]
    pub theme: Theme,
    /// How many distinct memories of the night are in it.
    pub tonight: u32,
    /// Their mean importance, to four places.
    pub importance: f64,
    /// Whether no night before saw it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub new: bool,
}

/// A theme with every night that saw it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThemeHistory {
    /// Its name within the NPC.
    pub id: ThemeId,
    /// As in [`Theme`].
    pub words: Vec<String>,
    /// As in [`Theme`].
    pub memories: u64,
    /// As in [`Theme`].
    pub nights: u32,
    /// As in [`Theme`].
    pub first_at: GameTime,
    /// As in [`Theme`].
    pub last_at: GameTime,
    /// In the order in which the nights were applied.
    pub history: Vec<ThemePoint>,
}

/// What one night added to a theme.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThemePoint {
    /// Which night.
    pub night: NightLabel,
    /// The moment of sleep.
    pub at: GameTime,
    /// How many distinct memories.
    pub memories: u32,
    /// Their mean importance.
    pub importance: f64,
}
