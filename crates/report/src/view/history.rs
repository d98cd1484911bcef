//! What occupied an NPC night after night.

use std::collections::BTreeMap;

use nightfold_memory::{GameTime, NpcNight, ThemeHistory, ThemeId};
use serde::Serialize;

use crate::json::Shown;

/// Most themes that are drawn, the last seen first.
const MOST: usize = 40;

/// An NPC's themes over its nights.
#[derive(Debug, Serialize)]
pub(super) struct History {
    /// The nights that saw any of them, in order of time.
    nights: Vec<Shown>,
    /// The last seen first, of equals the one of most nights.
    themes: Vec<Lasting>,
    /// How many more there are.
    more: usize,
}

/// One theme.
#[derive(Debug, Serialize)]
struct Lasting {
    words: Shown,
    /// On how many nights it was seen, those before this run counted.
    seen: u32,
    memories: u64,
    /// For each night that saw it: which, how many memories, their mean importance.
    points: Vec<(usize, u32, f64)>,
}

/// A theme while its nights are put together.
#[derive(Default)]
struct Gathered {
    words: Vec<String>,
    seen: u32,
    memories: u64,
    /// By the moment of sleep and the night's name.
    points: BTreeMap<(GameTime, String), (u32, f64)>,
}

impl History {
    /// From what the store knew of earlier nights and what these nights saw. A night that is in both counts once.
    pub(super) fn of(before: &[ThemeHistory], nights: &[NpcNight]) -> Self {
        let mut themes: BTreeMap<&ThemeId, Gathered> = BTreeMap::new();
        for theme in before {
            let gathered = themes.entry(&theme.id).or_default();
            gathered.words.clone_from(&theme.words);
            (gathered.seen, gathered.memories) = (theme.nights, theme.memories);
            let points = theme.history.iter();
            gathered
                .points
                .extend(points.map(|p| ((p.at, p.night.as_str().to_owned()), (p.memories, p.importance))));
        }
        for night in nights {
            for seen in &night.themes {
                let gathered = themes.entry(&seen.theme.id).or_default();
                gathered.words.clone_from(&seen.theme.words);
                gathered.seen = gathered.seen.max(seen.theme.nights);
                gathered.memories = gathered.memories.max(seen.theme.memories);
                let key = (night.at, night.night.as_str().to_owned());
                gathered.points.insert(key, (seen.tonight, seen.importance));
            }
        }
        Self::drawn(themes.into_values().collect())
    }

    fn drawn(mut themes: Vec<Gathered>) -> Self {
        let last = |theme: &Gathered| theme.points.last_key_value().map(|((at, _), _)| *at);
        themes.sort_by_key(|theme| std::cmp::Reverse((last(theme), theme.seen, theme.memories)));
        let more = themes.len().saturating_sub(MOST);
        themes.truncate(MOST);
        let mut nights: Vec<&(GameTime, String)> = themes.iter().flat_map(|t| t.points.keys()).collect();
        nights.sort();
        nights.dedup();
        let place = |night: &(GameTime, String)| nights.binary_search(&night).unwrap_or_default();
        let lasting = |theme: &Gathered| Lasting {
            words: theme.words.join(", ").into(),
            seen: theme.seen,
            memories: theme.memories,
            points: theme.points.iter().map(|(night, &(n, weight))| (place(night), n, weight)).collect(),
        };
        Self {
            themes: themes.iter().map(lasting).collect(),
            nights: nights.iter().map(|(_, night)| night.into()).collect(),
            more,
        }
    }
}
