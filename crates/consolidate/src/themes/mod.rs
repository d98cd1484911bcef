//! Themes over the nights: selects the clusters of a day worth following, matches them to themes of earlier
//! nights, and updates each theme.
//!
//! A cluster continues the theme with the closest centre, one to one, if it shares a frequent word with the theme's
//! latest nights. The centre moves halfway to each night's memories: a theme is what it has been about of late, and
//! holds nothing merely because it resembles a whole year.

mod graph;
mod mean;
mod same;

use std::collections::BTreeMap;

use nightfold_memory::{
    Analysis, GameTime, Kind, NightLabel, Theme, ThemeId, ThemeNight, ThemeSeen, Vectors,
    config::ThemesConfig, rounded,
};
use serde::{Deserialize, Serialize};

pub use graph::{RecalledTheme, RelatedTheme, ThemeRelation, recall_theme};
pub use mean::mean_direction;

use self::same::{Subject, match_themes};
use crate::collapse::DistinctMemory;

/// Maximum number of themes that a night compares with its clusters, the last seen first.
const MAX_THEMES: usize = 64;
/// Number of the latest nights of a theme with which a cluster must share a stem.
const LATEST_NIGHTS: usize = 2;
/// Maximum number of word stems kept with a theme for each night.
const MAX_TERMS: usize = 16;
/// Minimum number of a night's memories that must contain a stem for it to be kept.
const MIN_TERM_COUNT: usize = 2;

/// Relation of a cluster of this night to the themes of earlier nights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ThemeMatch {
    /// Cluster that is not followed, because it is too loose or too unimportant.
    Passing,
    /// Starts a new theme.
    New,
    /// Continues the theme with this index in the snapshot.
    Again(usize),
}

/// Recurrence of a cluster of this night over earlier nights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ThemeRecurrence {
    pub(crate) lasting: ThemeMatch,
    /// Number of earlier nights on which the theme was seen.
    pub(crate) nights: usize,
}

impl ThemeRecurrence {
    /// Recurrence of a cluster that is not followed.
    pub(crate) const UNTRACKED: Self = Self { lasting: ThemeMatch::Passing, nights: 0 };
}

/// Matches the clusters of one night to known themes and updates the themes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThemeMatcher<'a> {
    pub(crate) distinct: &'a [DistinctMemory],
    pub(crate) vectors: &'a Vectors,
    pub(crate) analyses: &'a [Analysis],
    /// Analysis of the NPC's name, which tells nothing.
    pub(crate) own: &'a Analysis,
    pub(crate) night: &'a NightLabel,
    pub(crate) until: GameTime,
    pub(crate) config: &'a ThemesConfig,
}

impl ThemeMatcher<'_> {
    /// Returns the members of a cluster that count for its theme: everything but status lines and
    /// reflections.
    pub(crate) fn experiences(&self, members: &[usize]) -> Vec<usize> {
        let lived = |i: &usize| !matches!(self.distinct[*i].kind, Kind::Status | Kind::Reflection);
        members.iter().copied().filter(lived).collect()
    }

    /// Returns the mean importance of the rows.
    fn importance(&self, rows: &[usize]) -> f64 {
        let sum: u32 = rows.iter().map(|&i| u32::from(self.distinct[i].importance.get())).sum();
        f64::from(sum) / rows.len().max(1) as f64
    }

    /// Matches each theme of the day to the themes of the snapshot.
    pub(crate) fn match_clusters(&self, clusters: &[Vec<usize>], past: &[Theme]) -> Vec<ThemeRecurrence> {
        let subjects: Vec<_> = clusters
            .iter()
            .map(|members| {
                let rows = self.experiences(members);
                let centre = mean_direction(rows.iter().map(|&i| self.vectors.row(i)));
                let centre = centre.filter(|_| rows.len() > 1);
                centre.map(|centre| (centre, self.frequent_stems(&rows)))
            })
            .collect();
        let tonight = subjects.iter().flatten().map(|(centre, stems)| Subject {
            centre: centre.as_slice(),
            stems: stems.iter().map(String::as_str).collect(),
        });
        let known = past.iter().take(MAX_THEMES).map(|theme| {
            let latest = theme.recent.iter().rev().take(LATEST_NIGHTS);
            let stems = latest.flat_map(|seen| &seen.terms).map(String::as_str).collect();
            Subject { centre: theme.centre.as_slice(), stems }
        });
        let (known, tonight): (Vec<_>, Vec<_>) = (known.collect(), tonight.collect());
        let mut found = match_themes(&known, &tonight, self.config.match_similarity).into_iter();
        let mut recurring = |is_theme: bool| match is_theme.then(|| found.next().flatten()) {
            None => ThemeRecurrence::UNTRACKED,
            Some(None) => ThemeRecurrence { lasting: ThemeMatch::New, ..ThemeRecurrence::UNTRACKED },
            Some(Some(known)) => ThemeRecurrence {
                lasting: ThemeMatch::Again(known),
                nights: self.nights_before(&past[known]),
            },
        };
        subjects.iter().map(|subject| recurring(subject.is_some())).collect()
    }

    /// Returns the number of earlier nights on which the theme was seen; re-running a night does not count
    /// twice.
    fn nights_before(&self, theme: &Theme) -> usize {
        let tonight = theme.recent.iter().any(|seen| seen.night == *self.night);
        (theme.nights as usize).saturating_sub(usize::from(tonight))
    }

    /// Returns the theme as updated by this night with the memories `rows`; `known` is its earlier state. Returns
    /// `None` if its memories share no direction.
    pub(crate) fn updated_theme(
        &self,
        rows: &[usize],
        known: Option<&Theme>,
        (id, name): (ThemeId, String),
    ) -> Option<ThemeNight> {
        let tonight = mean_direction(rows.iter().map(|&i| self.vectors.row(i)))?;
        let both = known.map(|theme| [theme.centre.as_slice(), tonight.as_slice()]);
        let centre = both.and_then(mean_direction).unwrap_or(tonight);
        let first = rows.iter().map(|&i| self.distinct[i].first_at()).min()?;
        let last = rows.iter().map(|&i| self.distinct[i].last_at).max()?;
        let theme = Theme {
            id,
            words: Some(name).filter(|name| !name.is_empty()).into_iter().collect(),
            centre,
            memories: known.map_or(0, |theme| theme.memories) + rows.len() as u64,
            nights: known.map_or(1, |theme| self.nights_before(theme) as u32 + 1),
            first_at: known.map_or(first, |theme| theme.first_at.min(first)),
            last_at: known.map_or(last, |theme| theme.last_at.max(last)),
            recent: self.recent_nights(known, self.frequent_stems(rows)),
        };
        let importance = rounded(self.importance(rows));
        let members = rows.iter().map(|&i| self.distinct[i].id.clone()).collect();
        Some(ThemeNight { theme, members, importance, new: known.is_none() })
    }

    /// Returns the most recent nights of a theme, this one included.
    fn recent_nights(&self, known: Option<&Theme>, mut terms: Vec<String>) -> Vec<ThemeSeen> {
        let mut recent = known.map(|theme| theme.recent.clone()).unwrap_or_default();
        if let Some(at) = recent.iter().position(|seen| seen.night == *self.night) {
            let before = recent.remove(at).terms;
            terms.retain(|term| !before.contains(term));
            terms = [before, terms].concat();
        }
        recent.push(ThemeSeen { night: self.night.clone(), at: self.until, terms });
        recent.sort_by(|a, b| (a.at, &a.night).cmp(&(b.at, &b.night)));
        recent.split_off(recent.len().saturating_sub(Theme::MAX_RECENT))
    }

    /// Returns the stems that at least two of these memories contain, except those of the NPC's own name; the
    /// most frequent first.
    fn frequent_stems(&self, rows: &[usize]) -> Vec<String> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for stem in rows.iter().flat_map(|&i| &self.analyses[i].content) {
            if self.own.content.binary_search(stem).is_err() {
                *counts.entry(stem).or_default() += 1;
            }
        }
        let mut often: Vec<(&str, usize)> =
            counts.into_iter().filter(|(_, n)| *n >= MIN_TERM_COUNT).collect();
        // Stable: equally frequent stems stay in alphabetical order.
        often.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        often.into_iter().take(MAX_TERMS).map(|(stem, _)| stem.to_owned()).collect()
    }
}
