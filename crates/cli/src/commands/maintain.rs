//! `nightfold maintain`: all upkeep of long-term memory that is due.

use nightfold::{Chores, Lines, Upkeep};

use super::upkeep;
use crate::{
    args::{Common, Maintain},
    config,
    error::CliError,
    output,
    show::run_totals,
    store,
};

pub(crate) fn run(args: &Maintain, common: &Common, verbose: bool) -> Result<(), CliError> {
    let config = config::load(common)?;
    let store = upkeep::open(&args.store, &args.tending)?;
    let npcs = store::npcs(&store, &args.tending.npc)?;
    let chores = Chores { collapse: Some(Lines::Operational), cap: true };
    let plan = Upkeep { config: &config, store: &store }.plan(&npcs, chores)?.plan;
    let written = upkeep::write(&store, &args.store, &plan, &args.tending)?;
    if args.json {
        output::json(&plan)?;
    } else {
        let totals = if plan.nights.is_empty() { String::new() } else { run_totals(&plan.report) };
        let diff = upkeep::diff(&store, &plan, verbose)?;
        output::text(&format!("{diff}{totals}{}", written.line(&plan)))?;
    }
    written.all_or_error()
}
