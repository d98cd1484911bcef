//! Data of a page: everything is looked up and counted. Field names are short, because they repeat
//! for every memory.

mod events;
mod history;
mod night;
mod story;

use nightfold_memory::{GameTime, NpcId, NpcNight};
use serde::Serialize;

pub use events::NightEvents;
pub use night::PageNight;

use crate::source::{ReportExpectation, ReportSource};
use history::History;
use night::{EndedView, FATES};
use story::PageStory;

/// Maximum number of important entries that ended which the first view names.
const MAX_ENDED: usize = 100;

/// Data of a whole report.
#[derive(Debug)]
pub struct ReportView {
    /// Overview of all NPCs.
    pub summary: ReportSummary,
    /// Each NPC in full, in the order of the summary.
    pub npcs: Vec<NpcView>,
}

/// Overview of all NPCs: the data of the page's first view.
#[derive(Debug, Serialize)]
pub struct ReportSummary {
    title: String,
    version: &'static str,
    npcs: Vec<NpcSummary>,
    nights: Vec<NightRow>,
    /// Important memories and entries that ended, each with the index of its NPC; the first ones.
    ended: Vec<(usize, EndedView)>,
    /// Number of all of these.
    ended_count: usize,
    /// Language model tokens of all nights: the budget, the estimate, the tokens spent.
    tokens: [usize; 3],
    /// Expectations of a scenario.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    expectations: Vec<ReportExpectation>,
}

/// Sums over the nights of one NPC.
#[derive(Debug, Serialize)]
struct NpcSummary {
    npc: String,
    nights: usize,
    memories: usize,
    distinct: usize,
    kept: usize,
    budget: usize,
    important: usize,
    important_kept: usize,
    insights: usize,
    events: NightEvents,
    /// Index of its most eventful night.
    opens: usize,
    /// Memories by fate, in the order of [`FATES`].
    fates: [usize; FATES],
    /// Most telling texts of all nights.
    story: PageStory,
}

/// Sums over all NPCs of the nights with one label.
#[derive(Debug, Serialize)]
struct NightRow {
    night: String,
    #[serde(skip)]
    at: GameTime,
    fates: [usize; FATES],
}

/// One NPC in full.
#[derive(Debug, Serialize)]
pub struct NpcView {
    /// Name of the NPC.
    pub npc: String,
    /// The nights, in order of time.
    pub nights: Vec<PageNight>,
    history: History,
}

impl NpcView {
    fn row(&self, nights: &[NpcNight]) -> NpcSummary {
        let sum = |of: fn(&NpcNight) -> usize| nights.iter().map(of).sum();
        let mut fates = [0; FATES];
        let mut events = NightEvents::default();
        for night in &self.nights {
            add(&mut fates, &night.fates());
            events += night.events();
        }
        NpcSummary {
            npc: self.npc.clone(),
            nights: nights.len(),
            memories: sum(|n| n.report.counts.memories),
            distinct: sum(|n| n.report.counts.distinct),
            kept: sum(|n| n.report.counts.kept),
            budget: sum(|n| n.report.storage_budget),
            important: sum(|n| n.report.important),
            important_kept: sum(|n| n.report.important_kept),
            insights: sum(|n| n.report.counts.reflections),
            events,
            opens: NightEvents::most(self.nights.iter().map(PageNight::events)),
            fates,
            story: PageStory::of_all(self.nights.iter().map(PageNight::story)),
        }
    }
}

fn add(sum: &mut [usize; FATES], more: &[usize; FATES]) {
    sum.iter_mut().zip(more).for_each(|(a, b)| *a += b);
}

impl ReportSource<'_> {
    /// Looks up and counts everything that the page shows.
    pub fn view(&self) -> ReportView {
        let of_npcs: Vec<&[NpcNight]> = self.nights.chunk_by(|a, b| a.npc == b.npc).collect();
        let npcs: Vec<NpcView> = of_npcs.iter().map(|nights| self.npc(&nights[0].npc, nights)).collect();
        let rows = npcs.iter().zip(&of_npcs).map(|(npc, nights)| npc.row(nights)).collect();
        let tokens = self.report.tokens;
        let ended = of_npcs.iter().enumerate().flat_map(|(number, nights)| {
            nights.iter().flat_map(EndedView::of).map(move |ended| (number, ended))
        });
        let summary = ReportSummary {
            title: self.title.to_owned(),
            version: env!("CARGO_PKG_VERSION"),
            npcs: rows,
            nights: by_night(&of_npcs, &npcs),
            ended: ended.take(MAX_ENDED).collect(),
            ended_count: self.nights.iter().map(|night| night.report.important_ended.len()).sum(),
            tokens: [tokens.budget, tokens.estimate, tokens.spent],
            expectations: self.expectations.to_vec(),
        };
        ReportView { summary, npcs }
    }

    fn npc(&self, npc: &NpcId, nights: &[NpcNight]) -> NpcView {
        let mut known = self.known.get(npc).cloned().unwrap_or_default();
        let view = |night: &NpcNight| {
            let map = self.maps.get(&(npc.clone(), night.night.clone()));
            let view = PageNight::of(night, map, &known);
            known.remember(night);
            view
        };
        NpcView {
            npc: npc.to_string(),
            nights: nights.iter().map(view).collect(),
            history: History::of(self.themes.get(npc).map_or(&[], Vec::as_slice), nights),
        }
    }
}

/// Sums up the nights of all NPCs by label, in order of time.
fn by_night(of_npcs: &[&[NpcNight]], npcs: &[NpcView]) -> Vec<NightRow> {
    let mut rows: Vec<NightRow> = Vec::new();
    let mut places = std::collections::BTreeMap::new();
    let views = npcs.iter().flat_map(|npc| &npc.nights);
    for (night, view) in of_npcs.iter().copied().flatten().zip(views) {
        let place = *places.entry(&night.night).or_insert(rows.len());
        if place == rows.len() {
            let (label, at) = (night.night.to_string(), night.at);
            rows.push(NightRow { night: label, at, fates: [0; FATES] });
        }
        let row = &mut rows[place];
        row.at = row.at.min(night.at);
        add(&mut row.fates, &view.fates());
    }
    rows.sort_by_key(|row| row.at);
    rows
}
