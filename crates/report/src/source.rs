//! What there is to show.

use std::collections::BTreeMap;

use nightfold_consolidate::{DayMap, review::Before};
use nightfold_memory::{NightLabel, NpcId, NpcNight, RunReport, ThemeHistory};

/// Where the memories of each night lie on its map.
pub type Maps = BTreeMap<(NpcId, NightLabel), DayMap>;

/// The nights of a run, with what stood before them.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// What the page is called.
    pub title: &'a str,
    /// The nights, by NPC and then in order of time, as in a plan.
    pub nights: &'a [NpcNight],
    /// Their sums.
    pub report: &'a RunReport,
    /// Maps of their days; a night without one is laid out by theme.
    pub maps: &'a Maps,
    /// What each NPC knew before, as far as the nights speak of it.
    pub known: &'a BTreeMap<NpcId, Before>,
    /// Each NPC's themes of earlier nights, where there is a store.
    pub themes: &'a BTreeMap<NpcId, Vec<ThemeHistory>>,
}
