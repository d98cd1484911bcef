//! `nightfold maintain`: runs all maintenance of long-term memory that is due.

use nightfold::english::Packs;
use nightfold::{
    Maintenance, MaintenanceDraft, MaintenancePlan, MaintenanceTasks, StatusScope, memory::ValidConfig,
};

use super::maintenance;
use crate::{
    args::{Common, MaintainArgs, MaintainTask},
    config,
    error::CliError,
    models::embedder,
    store,
};

pub(crate) fn run(args: &MaintainArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    let config = config::load(common)?;
    let plan_args = args.plan_args.of_a_store(&config.review);
    let store = maintenance::open(&args.store, &plan_args)?;
    let npcs = store::npcs(&store, &plan_args.npc)?;
    let drafted = Maintenance { config: &config, packs: &Packs, store: &store }.draft(&npcs, tasks(args))?;
    let MaintenancePlan { plan, failures, .. } = planned(drafted, common, &config)?;
    maintenance::conclude(&store, &args.store, (&plan, failures), &plan_args, (args.json, verbose))
}

fn tasks(args: &MaintainArgs) -> MaintenanceTasks {
    let wanted = |task| args.only.is_empty() || args.only.contains(&task);
    MaintenanceTasks {
        collapse: wanted(MaintainTask::Collapse).then_some(StatusScope::Operational),
        summarize: wanted(MaintainTask::Abstract),
        cap: wanted(MaintainTask::Cap),
        forget: wanted(MaintainTask::Forget),
        now: args.now,
    }
}

/// Plans the draft; the model is opened only if something is to be embedded.
fn planned(
    drafted: MaintenanceDraft<'_>,
    common: &Common,
    config: &ValidConfig,
) -> Result<MaintenancePlan, CliError> {
    let texts = drafted.texts_to_embed();
    if texts.is_empty() {
        return Ok(drafted.plan(None)?);
    }
    let embedder = embedder(common, config, texts.len())?;
    Ok(drafted.plan_embedded(&embedder, config.embed.window)?)
}
