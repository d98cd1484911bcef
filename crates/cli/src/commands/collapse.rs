//! `nightfold collapse`: finds status lines that repeat with new numbers, in days or in long-term memory.

use std::{collections::BTreeMap, path::Path};

use nightfold::english::Packs;
use nightfold::{
    MaintenancePlan, MaintenanceTasks, StatusScope,
    consolidate::collapse::{StatusCollapse, StatusReport},
    memory::{LanguagePacks as _, Memory, NpcId, ValidConfig},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::maintenance::{MaintenanceOutcome, StorePlanning, no_store};
use crate::{
    args::{CollapseArgs, Common},
    config,
    error::CliError,
    input::MemoryReading,
    output,
    show::{count, wrap_hanging},
    terminal::{Terminal, TextRole, clean},
};

/// Last line of a call about days.
const ONLY_LOOKED_AT: &str = "nothing is written: a night collapses its day by itself, `nightfold collapse --store FILE` \
                              what is remembered\n";

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CollapseOutput {
    #[serde(flatten)]
    report: StatusReport,
    /// Ids of every group of two and more, the canonical entry first.
    groups: Vec<Vec<String>>,
}

pub(crate) fn run(args: &CollapseArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    let mut common = common.clone();
    common.set.extend(args.fuzzy.then(|| "collapse.fuzzy=true".to_owned()));
    let config = config::load(&common)?;
    match &args.store {
        Some(path) => in_store(args, path, &common, &config, verbose),
        None => in_days(args, &common, &config),
    }
}

fn in_store(
    args: &CollapseArgs,
    path: &Path,
    common: &Common,
    config: &ValidConfig,
    verbose: bool,
) -> Result<(), CliError> {
    let call = StorePlanning::open(path, &args.plan_args, config, common, (args.json, verbose))?;
    let npcs = call.npcs()?;
    let lines = if args.all_status { StatusScope::All } else { StatusScope::Operational };
    let tasks = MaintenanceTasks { collapse: Some(lines), ..MaintenanceTasks::default() };
    let MaintenancePlan {
        plan,
        collapse_report: found,
        reports_after: applied,
        collapse_groups: groups,
        failures,
    } = call.maintenance().plan(&npcs, tasks)?;
    let written = call.write(&plan, failures)?;
    let report = if call.args.apply { written_report(applied, &written) } else { found };
    if args.json {
        output::json(&CollapseOutput { report, groups })?;
    } else {
        let counts = render(&report, npcs.len(), ["entry", "entries"]);
        output::text(&format!("{}{counts}{}", call.diff(&plan)?, written.result_line(&plan)))?;
    }
    written.all_or_error()
}

/// Returns the report of the NPCs whose plans were written.
fn written_report(applied: BTreeMap<NpcId, StatusReport>, written: &MaintenanceOutcome) -> StatusReport {
    let refused = written.refused();
    let mut report = StatusReport::default();
    for (_, of_npc) in applied.into_iter().filter(|(npc, _)| !refused.contains(npc)) {
        report.add(of_npc);
    }
    report
}

fn in_days(args: &CollapseArgs, common: &Common, config: &ValidConfig) -> Result<(), CliError> {
    no_store(&args.plan_args, "days")?;
    let mut of_npcs: BTreeMap<NpcId, Vec<Memory>> = BTreeMap::new();
    for memory in MemoryReading::new(&args.memories, config, common).all()? {
        of_npcs.entry(memory.npc.clone()).or_default().push(memory);
    }
    // What one NPC noted says nothing about another's notes.
    let mut report = StatusReport::dry();
    let mut groups: Vec<Vec<String>> = Vec::new();
    for memories in of_npcs.values() {
        let settings = &config.collapse;
        let texts = &mut memories.iter().map(|memory| memory.text.as_str());
        let pack = Packs.resolve(&config.language.pack, texts)?;
        let mut collapse = if args.all_status {
            StatusCollapse::unfiltered(settings, pack)
        } else {
            StatusCollapse::new(settings, pack)
        };
        for memory in memories.iter().filter(|m| !m.is_blank()) {
            collapse.push_memory(memory);
        }
        let found = collapse.finish();
        report.add(found.report);
        groups.extend(found.groups.iter().map(|g| g.members().map(str::to_owned).collect()));
    }
    if args.json {
        return output::json(&CollapseOutput { report, groups });
    }
    let counts = render(&report, of_npcs.len(), ["memory", "memories"]);
    let samples = samples(&report, Terminal::stdout());
    output::text(&format!("{counts}{samples}{ONLY_LOOKED_AT}"))
}

/// Returns the counts in two lines.
fn render(report: &StatusReport, npcs: usize, [one, many]: [&str; 2]) -> String {
    format!(
        "{} of {}: {} operational, {} in {}\n\
         groups by phase: {} exact, {} token, {} fuzzy\n",
        count(report.scanned_profiles, one, many),
        count(npcs, "NPC", "NPCs"),
        report.operational_profiles,
        count(report.duplicates_found, "duplicate", "duplicates"),
        count(report.duplicate_groups, "group", "groups"),
        report.exact_duplicate_groups,
        report.token_duplicate_groups,
        report.fuzzy_duplicate_groups
    )
}

fn samples(report: &StatusReport, terminal: Terminal) -> String {
    let mut out = String::new();
    for group in &report.samples {
        let title = format!(
            "{} stands for {}",
            group.canonical,
            count(1 + group.duplicates.len(), "memory", "memories")
        );
        out.push_str(&terminal.paint(TextRole::Title, &format!("  {}\n", clean(&title))));
        out.push_str(&wrap_hanging("      ", 6, &group.signature, terminal.width));
        out.push_str(&terminal.paint(
            TextRole::Faint,
            &wrap_hanging("      ", 6, &group.duplicates.join(", "), terminal.width),
        ));
    }
    out
}
