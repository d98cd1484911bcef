//! `--report`: writes the nights of a call as an HTML page.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use nightfold::{
    Observer,
    consolidate::{
        DayMap,
        review::{EarlierEntries, Extent},
    },
    memory::{MemoryReader, NightLabel, NightPlan, NpcId, NpcNight, RunReport},
};
use nightfold_report::{ComparedExpectation, Comparison, Maps, ReportExpectation, ReportSource, ReportView};
use serde::Serialize;

use crate::{
    error::{CliError, chain},
    interrupt::Interrupt,
    output::{self, NewFile},
    progress::NightsBar,
    show::count,
};

/// Observer of a run: draws its progress bar, and keeps maps of its days if a page is to show them.
pub(crate) struct RunObserver {
    bar: NightsBar,
    maps: Option<Mutex<Maps>>,
    interrupt: Interrupt,
}

impl RunObserver {
    pub(crate) fn new(memories: usize, draws: bool, interrupt: Interrupt) -> Self {
        Self { bar: NightsBar::new(memories), maps: draws.then(Mutex::default), interrupt }
    }

    /// Ends the observation of the run, and returns the maps; none if none were wanted.
    pub(crate) fn finish(self) -> Maps {
        self.interrupt.run_is_over();
        self.maps.map(|maps| maps.into_inner().unwrap_or_else(PoisonError::into_inner)).unwrap_or_default()
    }
}

impl Observer for RunObserver {
    fn should_stop(&self) -> bool {
        self.interrupt.is_noted()
    }

    fn on_embedded(&self, texts: usize) {
        self.bar.on_embedded(texts);
    }

    fn wants_map(&self) -> bool {
        self.maps.is_some()
    }

    fn on_map(&self, npc: &NpcId, night: &NightLabel, map: DayMap) {
        if let Some(maps) = &self.maps {
            // What a thread that panicked left behind is whole: maps go in one by one.
            let mut maps = maps.lock().unwrap_or_else(PoisonError::into_inner);
            maps.insert((npc.clone(), night.clone()), map);
        }
    }

    fn on_nights(&self, nights: usize, memories: usize) {
        self.bar.on_nights(nights, memories);
    }
}

/// Contents of a page beside its nights, and its use.
#[derive(Debug, Default)]
pub(crate) struct PageOptions<'a> {
    /// Title; by default the numbers of nights and NPCs.
    pub(crate) title: Option<&'a str>,
    /// Expectations of the scenario of the nights.
    pub(crate) expectations: Vec<ReportExpectation>,
    /// True if the page is then opened in a browser.
    pub(crate) opens: bool,
}

/// Writes the page of a plan, or of some of its nights. `store` is the store that the plan was made against, if
/// available.
pub(crate) fn write(
    file: NewFile,
    plan: &NightPlan,
    nights: &[NpcNight],
    maps: &Maps,
    store: Option<&dyn MemoryReader>,
    options: &PageOptions<'_>,
) -> Result<(), CliError> {
    let of_npcs: Vec<&[NpcNight]> = nights.chunk_by(|a, b| a.npc == b.npc).collect();
    let known = known_before(&plan.nights, &of_npcs, store)?;
    let mut themes = BTreeMap::new();
    if let Some(store) = store {
        for npc in of_npcs.iter().map(|nights| &nights[0].npc) {
            themes.insert(npc.clone(), store.themes(npc)?);
        }
    }
    let title = match (options.title, of_npcs.as_slice()) {
        (Some(title), _) => title.to_owned(),
        (None, [one]) => format!("{} of {}", count(nights.len(), "night", "nights"), one[0].npc),
        (None, many) => {
            format!("{} of {}", count(nights.len(), "night", "nights"), count(many.len(), "NPC", "NPCs"))
        }
    };
    let source = ReportSource {
        title: &title,
        nights,
        report: &plan.report,
        maps,
        known: &known,
        themes: &themes,
        expectations: &options.expectations,
    };
    let view = source.view();
    finish(file, options.opens, |out| nightfold_report::write(out, &view))
}

/// Writes the page of the same nights under two settings. `store` is the store that they were planned against, if
/// available.
pub(crate) fn write_comparison(
    file: NewFile,
    title: String,
    settings: [String; 2],
    nights: [&[NpcNight]; 2],
    store: Option<&dyn MemoryReader>,
    expectations: Vec<ComparedExpectation>,
    opens: bool,
) -> Result<(), CliError> {
    let view = |nights: &[NpcNight]| -> Result<ReportView, CliError> {
        let of_npcs: Vec<&[NpcNight]> = nights.chunk_by(|a, b| a.npc == b.npc).collect();
        let source = ReportSource {
            title: "",
            nights,
            report: &RunReport::default(),
            maps: &Maps::new(),
            known: &known_before(nights, &of_npcs, store)?,
            themes: &BTreeMap::new(),
            expectations: &[],
        };
        Ok(source.view())
    };
    let [one, other] = [view(nights[0])?, view(nights[1])?];
    let comparison = Comparison::of(title, settings, [one, other], expectations);
    finish(file, opens, |out| nightfold_report::write_comparison(out, &comparison))
}

/// Writes the page of a bench.
pub(crate) fn write_bench(file: NewFile, report: &impl Serialize, opens: bool) -> Result<(), CliError> {
    finish(file, opens, |out| nightfold_report::write_bench(out, report))
}

/// Looks up what NPCs knew before these nights, as far as the nights refer to it.
fn known_before(
    nights: &[NpcNight],
    of_npcs: &[&[NpcNight]],
    store: Option<&dyn MemoryReader>,
) -> Result<BTreeMap<NpcId, EarlierEntries>, CliError> {
    let mut known = BTreeMap::new();
    let Some(store) = store else { return Ok(known) };
    for npc in of_npcs.iter().map(|nights| &nights[0].npc) {
        let mut entries = EarlierEntries::new();
        for night in nights.iter().filter(|night| night.npc == *npc) {
            entries.look_up(night, Extent::All, store)?;
        }
        known.insert(npc.clone(), entries);
    }
    Ok(known)
}

/// Writes a page, tells so, and opens it if that is asked for.
fn finish(
    file: NewFile,
    opens: bool,
    write: impl FnOnce(&mut (dyn std::io::Write + Send)) -> std::io::Result<()>,
) -> Result<(), CliError> {
    let path = file.path().to_owned();
    let how = if opens { "" } else { " (any browser opens it, and so does --open)" };
    file.announced("report", how).finish(write)?;
    if opens && let Err(error) = open::that_detached(std::path::absolute(&path)?) {
        output::note(&format!("warning: the report cannot be opened in a browser: {}\n", chain(&error)));
    }
    Ok(())
}
