//! The same nights under two settings.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{NpcView, PageNight, ReportView};

/// The same nights under two settings: the data of a page.
#[derive(Debug, Serialize)]
pub struct Comparison {
    title: String,
    version: &'static str,
    /// The settings in words.
    settings: [String; 2],
    /// NPCs with the nights that differ.
    npcs: Vec<ComparedNpc>,
    /// Number of nights that do not differ.
    same: usize,
    expectations: Vec<ComparedExpectation>,
}

/// An expectation of a scenario under two settings.
#[derive(Debug, Clone, Serialize)]
pub struct ComparedExpectation {
    /// Expectation as a sentence.
    pub expected: String,
    /// Reason given by the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// True if it holds, under either setting.
    pub holds: [bool; 2],
    /// State that was found under either setting.
    pub found: [String; 2],
}

/// The nights of an NPC that differ.
#[derive(Debug, Serialize)]
struct ComparedNpc {
    npc: String,
    /// Each night under either setting.
    nights: Vec<[PageNight; 2]>,
}

impl Comparison {
    /// Pairs the nights of two reports of the same days; a night that only one of them has is left out, and so is
    /// one that ends alike under both.
    pub fn of(
        title: String,
        settings: [String; 2],
        [one, other]: [ReportView; 2],
        expectations: Vec<ComparedExpectation>,
    ) -> Self {
        let mut others = BTreeMap::new();
        for NpcView { npc, nights, .. } in other.npcs {
            others.extend(nights.into_iter().map(|night| ((npc.clone(), night.label()), night)));
        }
        let mut same = 0;
        let npcs = one.npcs.into_iter().map(|NpcView { npc, nights, .. }| {
            let nights = nights.into_iter().filter_map(|night| {
                let other = others.remove(&(npc.clone(), night.label()))?;
                let differs = night.outcome() != other.outcome();
                same += usize::from(!differs);
                differs.then_some([night, other])
            });
            ComparedNpc { nights: nights.collect(), npc }
        });
        let mut npcs: Vec<_> = npcs.collect();
        npcs.retain(|npc| !npc.nights.is_empty());
        Self { title, version: env!("CARGO_PKG_VERSION"), settings, npcs, same, expectations }
    }
}
