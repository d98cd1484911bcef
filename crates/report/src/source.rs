//! Input of a report: the nights of a run and the knowledge before them.

use std::collections::BTreeMap;

use nightfold_consolidate::{DayMap, review::EarlierEntries};
use nightfold_memory::{NightLabel, NpcId, NpcNight, RunReport, ThemeHistory};
use serde::Serialize;

/// Map of the memories of each night.
pub type Maps = BTreeMap<(NpcId, NightLabel), DayMap>;

/// The nights of a run, with the knowledge of their NPCs before them.
#[derive(Debug, Clone, Copy)]
pub struct ReportSource<'a> {
    /// Title of the page.
    pub title: &'a str,
    /// The nights, by NPC and then in order of time, as in a plan.
    pub nights: &'a [NpcNight],
    /// Totals of the nights.
    pub report: &'a RunReport,
    /// Maps of their days; a night without one is laid out by theme.
    pub maps: &'a Maps,
    /// Entries of each NPC before its first night, as far as the nights refer to them.
    pub known: &'a BTreeMap<NpcId, EarlierEntries>,
    /// Themes of each NPC's earlier nights; empty if there is no store.
    pub themes: &'a BTreeMap<NpcId, Vec<ThemeHistory>>,
    /// Expectations of the scenario of the nights; empty if they are of none.
    pub expectations: &'a [ReportExpectation],
}

/// An expectation of a scenario, with its result.
#[derive(Debug, Clone, Serialize)]
pub struct ReportExpectation {
    /// Expectation as a sentence.
    pub expected: String,
    /// True if it holds.
    pub holds: bool,
    /// State that was found.
    pub found: String,
}
