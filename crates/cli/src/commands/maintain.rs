//! `nightfold maintain`: all upkeep of long-term memory that is due.

use nightfold::english::Packs;
use nightfold::{Chores, Drafted, Lines, Tidied, Upkeep, memory::ValidConfig};

use super::upkeep;
use crate::{
    args::{Chore, Common, Maintain},
    config,
    error::CliError,
    models::embedder,
    store,
};

pub(crate) fn run(args: &Maintain, common: &Common, verbose: bool) -> Result<(), CliError> {
    let config = config::load(common)?;
    let tending = args.tending.of_a_store(&config.review);
    let store = upkeep::open(&args.store, &tending)?;
    let npcs = store::npcs(&store, &tending.npc)?;
    let drafted = Upkeep { config: &config, packs: &Packs, store: &store }.draft(&npcs, chores(args))?;
    let Tidied { plan, failures, .. } = planned(drafted, common, &config)?;
    upkeep::conclude(&store, &args.store, (&plan, failures), &tending, (args.json, verbose))
}

fn chores(args: &Maintain) -> Chores {
    let wanted = |chore| args.only.is_empty() || args.only.contains(&chore);
    Chores {
        collapse: wanted(Chore::Collapse).then_some(Lines::Operational),
        abstracting: wanted(Chore::Abstract),
        cap: wanted(Chore::Cap),
        forget: wanted(Chore::Forget),
        now: args.now,
    }
}

/// The model is opened only where something is to be embedded.
fn planned(drafted: Drafted<'_>, common: &Common, config: &ValidConfig) -> Result<Tidied, CliError> {
    let texts = drafted.texts_to_embed();
    if texts.is_empty() {
        return Ok(drafted.plan(None)?);
    }
    let embedder = embedder(common, config, texts.len())?;
    Ok(drafted.plan_embedded(&embedder, config.embed.window)?)
}
