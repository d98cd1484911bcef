//! Themes of an NPC over its nights.

use std::collections::BTreeMap;

use nightfold_memory::{GameTime, NpcNight, ThemeHistory, ThemeId};
use serde::Serialize;

/// Maximum number of themes drawn, the last seen first.
const MAX_THEMES: usize = 40;

/// Themes of an NPC over its nights.
#[derive(Debug, Serialize)]
pub(super) struct History {
    /// Labels of the nights that saw any of the themes, in order of time.
    nights: Vec<String>,
    /// Themes, the last seen first; among themes last seen on the same night, the one seen on most nights
    /// first.
    themes: Vec<ThemeRow>,
    /// Number of themes left out.
    more: usize,
}

/// One theme, as the page draws it.
#[derive(Debug, Serialize)]
struct ThemeRow {
    words: String,
    /// Number of nights on which it was seen, including those before this run.
    seen: u32,
    memories: u64,
    /// For each night that saw it: index in `nights`, number of memories, their mean importance.
    points: Vec<(usize, usize, f64)>,
}

/// Nights of one theme while they are collected from the store and the run.
#[derive(Default)]
struct ThemeSeries {
    words: Vec<String>,
    seen: u32,
    memories: u64,
    /// Number of memories and mean importance, by the time of sleep and the night's label.
    points: BTreeMap<(GameTime, String), (usize, f64)>,
}

impl History {
    /// Builds the history from the store's earlier nights and the nights of the run. A night that is in both
    /// counts once.
    pub(super) fn of(before: &[ThemeHistory], nights: &[NpcNight]) -> Self {
        let mut themes: BTreeMap<&ThemeId, ThemeSeries> = BTreeMap::new();
        for theme in before {
            let series = themes.entry(&theme.id).or_default();
            series.words.clone_from(&theme.words);
            (series.seen, series.memories) = (theme.nights, theme.memories);
            let points = theme.history.iter();
            series.points.extend(
                points.map(|p| ((p.at, p.night.as_str().to_owned()), (p.members.len(), p.importance))),
            );
        }
        for night in nights {
            for seen in &night.themes {
                let series = themes.entry(&seen.theme.id).or_default();
                series.words.clone_from(&seen.theme.words);
                series.seen = series.seen.max(seen.theme.nights);
                series.memories = series.memories.max(seen.theme.memories);
                let key = (night.at, night.night.as_str().to_owned());
                series.points.insert(key, (seen.members.len(), seen.importance));
            }
        }
        Self::from_series(themes.into_values().collect())
    }

    fn from_series(mut themes: Vec<ThemeSeries>) -> Self {
        let last = |theme: &ThemeSeries| theme.points.last_key_value().map(|((at, _), _)| *at);
        themes.sort_by_key(|theme| std::cmp::Reverse((last(theme), theme.seen, theme.memories)));
        let more = themes.len().saturating_sub(MAX_THEMES);
        themes.truncate(MAX_THEMES);
        let mut nights: Vec<&(GameTime, String)> = themes.iter().flat_map(|t| t.points.keys()).collect();
        nights.sort();
        nights.dedup();
        let place = |night: &(GameTime, String)| nights.binary_search(&night).unwrap_or_default();
        let row = |theme: &ThemeSeries| ThemeRow {
            words: theme.words.join(", "),
            seen: theme.seen,
            memories: theme.memories,
            points: theme.points.iter().map(|(night, &(n, weight))| (place(night), n, weight)).collect(),
        };
        Self {
            themes: themes.iter().map(row).collect(),
            nights: nights.iter().map(|(_, night)| night.clone()).collect(),
            more,
        }
    }
}
