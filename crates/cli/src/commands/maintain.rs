//! `nightfold maintain`: runs all maintenance of long-term memory that is due.

use nightfold::{MaintenancePlan, MaintenanceTasks, StatusScope};

use super::maintenance::StorePlanning;
use crate::{
    args::{Common, MaintainArgs, MaintainTask},
    config,
    error::CliError,
    language,
    models::embedder,
};

pub(crate) fn run(args: &MaintainArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    let config = config::load(common)?;
    let plan = &args.plan;
    let call = StorePlanning::open(&plan.store, &plan.args, &config, common, (plan.json, verbose))?
        .with_language(&args.language, args.record.as_ref());
    let npcs = call.npcs()?;
    let language = language::open(&args.language, args.record.as_ref(), &config)?;
    // The model is opened only if a text is to be embedded.
    let open = |texts| embedder(common, &config, texts);
    let MaintenancePlan { plan, failures, .. } =
        call.maintenance().plan_worded(&npcs, tasks(args), language.as_deref(), open)?;
    call.conclude(&plan, failures)
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
