//! `nightfold maintain`: runs all maintenance of long-term memory that is due.

use nightfold::english::Packs;
use nightfold::{Maintenance, MaintenancePlan, MaintenanceTasks, StatusScope};

use super::maintenance;
use crate::{
    approval,
    args::{Common, MaintainArgs, MaintainTask},
    config,
    error::CliError,
    files_in_use::FilesInUse,
    language,
    models::{embedder, models},
    store,
};

pub(crate) fn run(args: &MaintainArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    let config = config::load(common)?;
    let plan_args = approval::of_a_store(&args.plan.args, common, &config.review);
    let in_use = FilesInUse::of(common)
        .and([&args.plan.store])
        .and_language(&args.language, args.record.as_ref())
        .and(models(common, &config).files());
    let store = maintenance::open(&args.plan.store, &plan_args)?;
    let npcs = store::npcs(store.as_ref(), &plan_args.npc)?;
    let language = language::open(&args.language, args.record.as_ref(), &config)?;
    // The model is opened only if a text is to be embedded.
    let window = config.embed.window;
    let open = |texts| embedder(common, &config, texts);
    let MaintenancePlan { plan, failures, .. } =
        Maintenance { config: &config, packs: &Packs, store: store.as_ref() }.plan_worded(
            &npcs,
            tasks(args),
            language.as_deref(),
            window,
            open,
        )?;
    maintenance::conclude(store.as_ref(), &in_use, (&plan, failures), &plan_args, (args.plan.json, verbose))
}

fn tasks(args: &MaintainArgs) -> MaintenanceTasks {
    let wanted = |task| args.only.is_empty() || args.only.contains(&task);
    MaintenanceTasks {
        collapse: wanted(MaintainTask::Collapse).then_some(StatusScope::Operational),
        summarize: wanted(MaintainTask::Abstract),
        cap: wanted(MaintainTask::Cap),
        forget: wanted(MaintainTask::Forget),
        distil: wanted(MaintainTask::Distill),
        now: args.now,
    }
}
