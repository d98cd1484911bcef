//! Steps that the commands of maintenance share: open the store, show the plan, write it if asked to.

use std::{collections::BTreeSet, path::Path};

use nightfold::{
    Applied, Failure, apply_plan,
    memory::{NightPlan, NpcId},
};
use nightfold_store::DurableStore;

use crate::{
    args::{PlanArgs, WaitArgs},
    error::{CliError, Exit, message},
    failures::failures,
    files_in_use::FilesInUse,
    output::{self, NewFile},
    plan,
    show::{DiffView, count, maintenance_totals, nights, text},
    store,
};

/// Hint for plans that failed because another process had written to the store.
const RUN_AGAIN: &str = "another process wrote to the same NPCs meanwhile; run it again";

/// Opens the store, for writing only if the plan is applied.
pub(crate) fn open(path: &Path, plan_args: &PlanArgs) -> Result<Box<dyn DurableStore>, CliError> {
    if plan_args.apply { store::existing(path, plan_args.wait, None) } else { store::read_only(path) }
}

/// Outcome of a plan.
pub(crate) struct MaintenanceOutcome {
    /// Result of applying it; `None` if it was not to be applied.
    applied: Option<Applied>,
    /// NPCs that have no part in the plan, because planning their maintenance failed.
    unplanned: Vec<Failure>,
    planned: usize,
}

/// Saves the plan and applies it, as far as the arguments ask for it.
pub(crate) fn write(
    store: &dyn DurableStore,
    in_use: &FilesInUse,
    plan: &NightPlan,
    plan_args: &PlanArgs,
) -> Result<MaintenanceOutcome, CliError> {
    if let Some(file) = &plan_args.plan {
        plan::save(plan, NewFile::prepare(file, in_use)?)?;
    }
    let apply = plan_args.apply && !plan.nights.is_empty();
    let applied = apply.then(|| apply_plan(store, plan)).transpose()?;
    Ok(MaintenanceOutcome { applied, unplanned: Vec::new(), planned: plan.nights.len() })
}

/// Saves and applies the plan, as far as the arguments ask for it, and prints it with its outcome.
pub(crate) fn conclude(
    store: &dyn DurableStore,
    in_use: &FilesInUse,
    (plan, unplanned): (&NightPlan, Vec<Failure>),
    plan_args: &PlanArgs,
    (json, verbose): (bool, bool),
) -> Result<(), CliError> {
    let written = write(store, in_use, plan, plan_args)?.with_unplanned(unplanned);
    if json {
        output::json(plan)?;
    } else {
        let (diff, totals) = (diff(store, plan, verbose)?, maintenance_totals(&plan.report));
        output::text(&format!("{diff}{totals}{}", written.result_line(plan)))?;
    }
    written.all_or_error()
}

impl MaintenanceOutcome {
    /// Returns the NPCs whose plan the store refused.
    pub(crate) fn refused(&self) -> BTreeSet<&NpcId> {
        self.applied.iter().flat_map(|applied| &applied.failures).map(|failure| &failure.npc).collect()
    }

    /// Adds the NPCs whose maintenance could not be planned.
    pub(crate) fn with_unplanned(self, unplanned: Vec<Failure>) -> Self {
        Self { unplanned, ..self }
    }

    /// Returns the last line of the output.
    pub(crate) fn result_line(&self, plan: &NightPlan) -> String {
        match &self.applied {
            _ if plan.nights.is_empty() => "nothing to do\n".to_owned(),
            Some(applied) => format!("applied: {} tended\n", count(applied.written, "NPC", "NPCs")),
            None => "dry run: nothing was written; --apply writes it\n".to_owned(),
        }
    }

    /// # Errors
    /// The NPCs whose maintenance could not be planned, and those whose plan the store refused.
    pub(crate) fn all_or_error(&self) -> Result<(), CliError> {
        let refused = self.applied.iter().flat_map(|applied| &applied.failures);
        let failed: Vec<&Failure> = self.unplanned.iter().chain(refused).collect();
        let done = self.applied.as_ref().map_or(self.planned, |applied| applied.written + applied.unchanged);
        failures(failed, done, RUN_AGAIN)
    }
}

/// Refuses arguments about a store in a call about something else.
pub(crate) fn no_store(plan_args: &PlanArgs, about: &str) -> Result<(), CliError> {
    let flag = match plan_args {
        PlanArgs { npc, .. } if !npc.is_empty() => "--npc",
        PlanArgs { plan: Some(_), .. } => "--plan",
        PlanArgs { wait: WaitArgs { wait: Some(_) }, .. } => "--wait",
        _ => return Ok(()),
    };
    let text = format!("{flag} is for a store; this call is about {about}");
    Err(message(Exit::Usage, text).hint("leave it out, or name a store with --store FILE"))
}

/// Returns the plan as a diff.
pub(crate) fn diff(store: &dyn DurableStore, plan: &NightPlan, verbose: bool) -> Result<String, CliError> {
    nights(&plan.nights, Some(store), DiffView::stdout(verbose), text)
}
