//! `nightfold show`: a saved plan as a diff.

use std::{collections::BTreeMap, fs, path::Path};

use nightfold::memory::{Confidence, LongTermMemory, MemoryId, NightPlan, NpcNight, State};

use crate::{
    args::Show,
    error::{CliError, Exit, message},
    output,
    show::run_totals,
    terminal::Terminal,
};

pub(crate) fn run(args: &Show, verbose: bool) -> Result<(), CliError> {
    let plan = read(&args.plan)?;
    let terminal = Terminal::stdout();
    let mut out = String::new();
    let mut known: BTreeMap<_, BTreeMap<MemoryId, LongTermMemory>> = BTreeMap::new();
    for night in plan.nights.iter().filter(|n| args.npc.is_empty() || args.npc.contains(&n.npc)) {
        let known = known.entry(&night.npc).or_default();
        out.push_str(&crate::show::night(night, known, terminal, verbose));
        remember(known, night);
    }
    if out.is_empty() && !args.npc.is_empty() {
        return Err(message(Exit::Usage, "the plan holds no night of the NPCs asked for"));
    }
    out.push_str(&run_totals(&plan.report));
    output::text(&out)
}

/// Reads a saved plan.
pub(crate) fn read(path: &Path) -> Result<NightPlan, CliError> {
    let bytes = fs::read(path)
        .map_err(|e| message(Exit::Input, format!("cannot read the plan {}: {e}", path.display())))?;
    NightPlan::from_json(&bytes).map_err(|e| {
        message(Exit::Input, format!("{}: {e}", path.display()))
            .hint("plans are saved by `nightfold sleep … --plan FILE`")
    })
}

/// Adds what a night would write to what is known, for the texts that later nights speak of.
pub(crate) fn remember(known: &mut BTreeMap<MemoryId, LongTermMemory>, night: &NpcNight) {
    for entry in night.changes.iter().filter_map(nightfold::memory::Change::entry) {
        let memory = LongTermMemory {
            npc: night.npc.clone(),
            entry: entry.clone(),
            state: State::Active,
            archived_by: None,
            corroborations: 0,
            confidence: Confidence::Normal,
            superseded_by: None,
            last_corroborated_at: None,
            touched_at: night.at,
            night: night.night.clone(),
        };
        known.insert(entry.id.clone(), memory);
    }
}
