//! Themes over the nights: which clusters of a day are worth following, which of them have come before, and how a
//! theme stands after tonight.
//!
//! A cluster continues the theme whose centre is closest, one to one ([`same_themes`]); the centre is the mean of all
//! memories the theme ever had ([`Mean`]), whatever became of them.

mod mean;
mod same;

use std::collections::BTreeMap;

use nightfold_memory::{
    Analysis, GameTime, Kind, NightLabel, Theme, ThemeId, ThemeNight, ThemeSeen, ThemesConfig, Vector,
    Vectors, rounded,
};
use serde::{Deserialize, Serialize};

pub use mean::Mean;
pub use same::same_themes;

use crate::collapse::Distinct;

/// So many stems of a night's memories are kept with a theme.
const MOST_TERMS: usize = 16;
/// A stem came up when so many memories of a night have it.
const CAME_UP: usize = 2;

/// What a cluster of tonight is to the themes of earlier nights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Lasting {
    /// Too loose or too slight to be followed.
    Passing,
    /// Not seen before.
    New,
    /// It continues the theme of this number in the past.
    Again(usize),
}

/// How a cluster of tonight has come before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Recurring {
    pub(crate) lasting: Lasting,
    /// On how many nights before this one.
    pub(crate) nights: usize,
    /// What came up on each of those that are not long ago.
    pub(crate) lately: Vec<Vec<String>>,
}

impl Recurring {
    /// Of what is not followed.
    pub(crate) const PASSING: Self = Self { lasting: Lasting::Passing, nights: 0, lately: Vec::new() };
}

/// The night as this step needs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tonight<'a> {
    pub(crate) distinct: &'a [Distinct],
    pub(crate) vectors: &'a Vectors,
    pub(crate) night: &'a NightLabel,
    pub(crate) until: GameTime,
    pub(crate) config: &'a ThemesConfig,
}

impl Tonight<'_> {
    /// The memories of a cluster that count: what happened, not how things stood or what was made of it.
    fn lived(&self, members: &[usize]) -> Vec<usize> {
        let lived = |i: &usize| !matches!(self.distinct[*i].kind, Kind::Status | Kind::Reflection);
        members.iter().copied().filter(lived).collect()
    }

    fn mean(&self, rows: &[usize]) -> Mean {
        Mean::of(rows.iter().map(|&i| self.vectors.row(i)))
    }

    /// Mean importance.
    fn importance(&self, rows: &[usize]) -> f64 {
        let sum: u32 = rows.iter().map(|&i| u32::from(self.distinct[i].importance.get())).sum();
        f64::from(sum) / rows.len().max(1) as f64
    }

    /// What each cluster, given with its cohesion, is to the themes of the past.
    pub(crate) fn recognise(&self, clusters: &[(&[usize], f64)], past: &[Theme]) -> Vec<Recurring> {
        let centres: Vec<_> = clusters
            .iter()
            .map(|&(members, cohesion)| {
                let rows = self.lived(members);
                let worth = rows.len() > 1
                    && cohesion >= self.config.cohesion
                    && self.importance(&rows) >= self.config.importance;
                if worth { self.mean(&rows).centre() } else { None }
            })
            .collect();
        let known: Vec<&[f32]> = past.iter().take(self.config.most).map(|t| t.centre.as_slice()).collect();
        let tonight: Vec<&[f32]> = centres.iter().flatten().map(Vector::as_slice).collect();
        let mut found = same_themes(&known, &tonight, self.config.same_from).into_iter();
        let mut recurring = |is_theme: bool| match is_theme.then(|| found.next().flatten()) {
            None => Recurring::PASSING,
            Some(None) => Recurring { lasting: Lasting::New, ..Recurring::PASSING },
            Some(Some(known)) => Recurring {
                lasting: Lasting::Again(known),
                nights: self.nights_before(&past[known]),
                lately: self.lately(&past[known]),
            },
        };
        centres.iter().map(|centre| recurring(centre.is_some())).collect()
    }

    /// On how many nights before this one a theme was seen. A second sleep of one night is no second night.
    fn nights_before(&self, theme: &Theme) -> usize {
        let tonight = theme.recent.iter().any(|seen| seen.night == *self.night);
        (theme.nights as usize).saturating_sub(usize::from(tonight))
    }

    /// What came up on each of the earlier nights that saw a theme within the last days.
    fn lately(&self, theme: &Theme) -> Vec<Vec<String>> {
        let since = self.until.seconds().saturating_sub(i64::from(self.config.days) * 86_400);
        let within = |seen: &&ThemeSeen| (since + 1..=self.until.seconds()).contains(&seen.at.seconds());
        let earlier = theme.recent.iter().filter(|seen| seen.night != *self.night).filter(within);
        earlier.map(|seen| seen.terms.clone()).collect()
    }

    /// How a theme stands after tonight: `known` is how it stood, `name` gives a new one its id and words. `None` where
    /// its memories share no direction.
    pub(crate) fn after(
        &self,
        members: &[usize],
        analyses: &[Analysis],
        own: &Analysis,
        known: Option<&Theme>,
        name: impl FnOnce(&[usize]) -> (ThemeId, Vec<String>),
    ) -> Option<ThemeNight> {
        let rows = self.lived(members);
        let tonight = self.mean(&rows);
        let mean = known.map(Mean::of_theme).unwrap_or_default().with(&tonight);
        let first = rows.iter().map(|&i| self.distinct[i].first_at()).min()?;
        let last = rows.iter().map(|&i| self.distinct[i].last_at).max()?;
        let centre = mean.centre()?;
        let (id, words) = match known {
            Some(theme) => (theme.id.clone(), theme.words.clone()),
            None => name(&rows),
        };
        let theme = Theme {
            id,
            words,
            centre,
            tightness: mean.tightness(),
            memories: mean.count(),
            nights: known.map_or(1, |theme| self.nights_before(theme) as u32 + 1),
            first_at: known.map_or(first, |theme| theme.first_at.min(first)),
            last_at: known.map_or(last, |theme| theme.last_at.max(last)),
            recent: self.recent(known, came_up(&rows, analyses, own)),
        };
        let importance = rounded(self.importance(&rows));
        Some(ThemeNight { theme, tonight: rows.len() as u32, importance, new: known.is_none() })
    }

    /// The last nights, with this one.
    fn recent(&self, known: Option<&Theme>, mut terms: Vec<String>) -> Vec<ThemeSeen> {
        let mut recent = known.map(|theme| theme.recent.clone()).unwrap_or_default();
        if let Some(at) = recent.iter().position(|seen| seen.night == *self.night) {
            let before = recent.remove(at).terms;
            terms.retain(|term| !before.contains(term));
            terms = [before, terms].concat();
        }
        recent.push(ThemeSeen { night: self.night.clone(), at: self.until, terms });
        recent.sort_by(|a, b| (a.at, &a.night).cmp(&(b.at, &b.night)));
        recent.split_off(recent.len().saturating_sub(Theme::MOST_RECENT))
    }
}

/// The stems that several of these memories have, but the NPC's own name.
fn came_up(rows: &[usize], analyses: &[Analysis], own: &Analysis) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for stem in rows.iter().flat_map(|&i| &analyses[i].content) {
        if own.content.binary_search(stem).is_err() {
            *counts.entry(stem).or_default() += 1;
        }
    }
    let mut often: Vec<(&str, usize)> = counts.into_iter().filter(|(_, n)| *n >= CAME_UP).collect();
    // Stable: of equally frequent ones by their letters.
    often.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    often.into_iter().take(MOST_TERMS).map(|(stem, _)| stem.to_owned()).collect()
}
