//! `nightfold show`: a saved plan as a diff.

use nightfold::memory::{MemoryStore, NpcNight};
use nightfold_report::Maps;

use super::upkeep::texts;
use crate::{
    args::Show,
    error::CliError,
    npcs::chosen,
    output::{self, NewFile},
    plan, report,
    show::{Texts, nights, run_totals},
    store,
    terminal::Terminal,
};

pub(crate) fn run(args: &Show, verbose: bool) -> Result<(), CliError> {
    let plan = plan::read(&args.plan)?;
    let npcs = chosen(&args.npc, plan.nights.iter().map(|n| n.npc.clone()).collect(), "the plan")?;
    let store = args.store.as_deref().map(store::read_only).transpose()?;
    let wanted: Vec<NpcNight> = plan.nights.iter().filter(|n| npcs.contains(&n.npc)).cloned().collect();
    if let Some(path) = &args.report {
        let in_use = [args.plan.as_path()].into_iter().chain(args.store.as_deref());
        let store = store.as_ref().map(|store| store as &dyn MemoryStore);
        report::write(NewFile::prepare(path, in_use)?, &plan, &wanted, &Maps::new(), store)?;
    }
    // Without the store, what it knew before is not at hand.
    let before =
        |npc: &_| store.as_ref().map_or_else(|| Ok(Texts::new()), |store| texts(store, &plan, npc, verbose));
    let mut out = nights(&wanted, before, Terminal::stdout(), verbose)?;
    out.push_str(&run_totals(&plan.report));
    output::text(&out)
}
