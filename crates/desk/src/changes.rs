//! The whole story before and after a change: of each night what is kept and how many fates differ, and which
//! expectations hold.

use std::collections::BTreeMap;

use nightfold::{
    consolidate::review::{EarlierEntries, MemoryFate, NightView},
    memory::{Day, MemoryId, NightLabel, NpcId, NpcNight},
};
use nightfold_report::ComparedExpectation;
use serde::Serialize;

use crate::WholeStory;

/// The whole story before and after a change.
#[derive(Debug, Serialize)]
pub(crate) struct StoryChanges {
    /// The nights of each NPC, in the order of the page's choice.
    npcs: Vec<Vec<NightChanges>>,
    expectations: Vec<ComparedExpectation>,
}

/// A night before and after a change.
#[derive(Debug, Serialize)]
struct NightChanges {
    /// Number of entries kept, before and after.
    kept: [usize; 2],
    /// Number of memories with another fate.
    changed: usize,
}

/// Returns the fate of each memory that no other one represents.
pub(crate) fn fates(night: &NpcNight) -> BTreeMap<MemoryId, MemoryFate> {
    let before = EarlierEntries::new();
    let view = NightView::of(night, &before);
    let memories = view.sections.iter().flat_map(|section| &section.memories);
    memories.map(|memory| (memory.id.clone(), memory.fate)).collect()
}

/// Counts the memories that have another fate.
pub(crate) fn differing(
    before: &BTreeMap<MemoryId, MemoryFate>,
    after: &BTreeMap<MemoryId, MemoryFate>,
) -> usize {
    let lost = before.keys().filter(|id| !after.contains_key(*id)).count();
    lost + after.iter().filter(|(id, fate)| before.get(*id) != Some(fate)).count()
}

impl StoryChanges {
    /// Compares two runs of a story; `days` are those that the page shows.
    pub(crate) fn of(days: &[(NpcId, Vec<Day>)], before: &WholeStory, after: &WholeStory) -> Self {
        let [was, is] = [by_label(before), by_label(after)];
        let night = |npc, day: &Day| {
            let [was, is] = [&was, &is].map(|nights| nights.get(&(npc, &day.night)).copied());
            let kept = [was, is].map(|night| night.map_or(0, |night| night.report.counts.kept));
            let [was, is] = [was, is].map(|night| night.map(fates).unwrap_or_default());
            NightChanges { kept, changed: differing(&was, &is) }
        };
        let npcs = days.iter().map(|(npc, days)| days.iter().map(|day| night(npc, day)).collect());
        let expectations = before.checks.iter().zip(&after.checks).map(|(was, is)| ComparedExpectation {
            expected: is.expected.clone(),
            because: is.because.clone(),
            holds: [was.holds, is.holds],
            found: [&was.found, &is.found].map(String::clone),
        });
        Self { npcs: npcs.collect(), expectations: expectations.collect() }
    }
}

/// Nights by NPC and label; maintenance, which stands behind the night that it follows, is left out.
fn by_label(story: &WholeStory) -> BTreeMap<(&NpcId, &NightLabel), &NpcNight> {
    let mut nights = BTreeMap::new();
    for night in &story.nights {
        nights.entry((&night.npc, &night.night)).or_insert(night);
    }
    nights
}
