//! Themes: clusters of single days, followed over many nights.

use serde::{Deserialize, Serialize};

use crate::{
    id::{MemoryId, NightLabel, ThemeId},
    time::GameTime,
    vector::Vector,
};

/// Theme in its state after the last night that saw it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Theme {
    /// Id within the NPC.
    pub id: ThemeId,
    /// Its name as one item.
    pub words: Vec<String>,
    /// Direction of its recent memories: that of the last night that saw it and that of the nights before weigh the
    /// same.
    pub centre: Vector,
    /// Number of distinct memories, over all nights.
    pub memories: u64,
    /// Number of nights on which it was seen.
    pub nights: u32,
    /// Time at which the first of its memories happened.
    pub first_at: GameTime,
    /// Time at which the last of its memories happened.
    pub last_at: GameTime,
    /// Last nights on which it was seen, the oldest first; at most [`Theme::MAX_RECENT`].
    pub recent: Vec<ThemeSeen>,
}

impl Theme {
    /// Maximum number of nights in [`Theme::recent`].
    pub const MAX_RECENT: usize = 12;
}

/// Night on which a theme was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThemeSeen {
    /// Label of the night.
    pub night: NightLabel,
    /// Time of sleep.
    pub at: GameTime,
    /// Stems that two or more of that night's memories contain, the most frequent first: the subjects that
    /// came up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
}

/// Theme that a night saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThemeNight {
    /// State of the theme after the night.
    #[serde(flatten)]
    pub theme: Theme,
    /// Distinct memories of the night in the theme.
    pub members: Vec<MemoryId>,
    /// Mean importance of these memories, to four decimals.
    pub importance: f64,
    /// True if no earlier night saw it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub new: bool,
}

/// Theme with every night that saw it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThemeHistory {
    /// Id within the NPC.
    pub id: ThemeId,
    /// Words of the theme, as in [`Theme`].
    pub words: Vec<String>,
    /// Number of distinct memories, over all nights.
    pub memories: u64,
    /// Number of nights on which it was seen.
    pub nights: u32,
    /// Time at which the first of its memories happened.
    pub first_at: GameTime,
    /// Time at which the last of its memories happened.
    pub last_at: GameTime,
    /// Nights that saw it, in the order in which they were applied.
    pub history: Vec<ThemePoint>,
}

/// Contribution of one night to a theme.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThemePoint {
    /// Label of the night.
    pub night: NightLabel,
    /// Time of sleep.
    pub at: GameTime,
    /// Distinct memories of the night in the theme.
    pub members: Vec<MemoryId>,
    /// Mean importance of these memories.
    pub importance: f64,
}
