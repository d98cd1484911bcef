//! `nightfold maintain`: all upkeep of long-term memory that is due.

use nightfold::{Chores, Lines, Upkeep};

use super::upkeep;
use crate::{
    args::{Common, Maintain},
    config,
    error::CliError,
    store,
};

pub(crate) fn run(args: &Maintain, common: &Common, verbose: bool) -> Result<(), CliError> {
    let config = config::load(common)?;
    let store = upkeep::open(&args.store, &args.tending)?;
    let npcs = store::npcs(&store, &args.tending.npc)?;
    let chores = Chores { collapse: Some(Lines::Operational), cap: true };
    let plan = Upkeep { config: &config, store: &store }.plan(&npcs, chores)?.plan;
    upkeep::conclude(&store, &args.store, &plan, &args.tending, (args.json, verbose))
}
