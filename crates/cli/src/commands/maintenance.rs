//! Steps that the commands of maintenance share: open the store, show the plan, write it if asked to.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use nightfold::{
    Applied, Failure, Maintenance, apply_plan,
    english::Packs,
    memory::{MemoryId, NightPlan, NpcId, ValidConfig},
};
use nightfold_store::DurableStore;

use crate::{
    approval,
    args::{Common, PlanArgs, WaitArgs},
    choices::LanguageChoice,
    error::{CliError, Exit, message},
    failures::failures,
    files_in_use::FilesInUse,
    models::models,
    output::{self, NewFile},
    plan,
    show::{DiffView, count, maintenance_totals, nights, text},
    store,
};

/// Hint for plans that failed because another process had written to the store.
const RUN_AGAIN: &str = "another process wrote to the same NPCs meanwhile; run it again";

/// A call that changes a store by a plan, and what happens to the plan.
pub(crate) struct StorePlanning<'a> {
    pub(crate) config: &'a ValidConfig,
    pub(crate) store: Box<dyn DurableStore>,
    /// Arguments, with `apply` set if `review.approval` is `auto`.
    pub(crate) args: PlanArgs,
    in_use: FilesInUse,
    json: bool,
    verbose: bool,
}

impl<'a> StorePlanning<'a> {
    /// Opens the store, for writing only if the plan is applied.
    pub(crate) fn open(
        path: &Path,
        args: &PlanArgs,
        config: &'a ValidConfig,
        common: &Common,
        (json, verbose): (bool, bool),
    ) -> Result<Self, CliError> {
        let args = approval::of_a_store(args, common, &config.review);
        let store = store::open_to(path, args.apply, args.wait)?;
        let in_use = FilesInUse::of(common).and([path]).and(models(common, config).files());
        Ok(Self { config, store, args, in_use, json, verbose })
    }

    /// Adds the files of recorded answers to those that no output may replace.
    #[must_use]
    pub(crate) fn with_language(mut self, language: &LanguageChoice, record: Option<&PathBuf>) -> Self {
        self.in_use = self.in_use.and_language(language, record);
        self
    }

    pub(crate) fn maintenance(&self) -> Maintenance<'_> {
        Maintenance { config: self.config, packs: &Packs, store: self.store.as_ref() }
    }

    /// Returns the NPCs of the call.
    pub(crate) fn npcs(&self) -> Result<Vec<NpcId>, CliError> {
        store::npcs(self.store.as_ref(), &self.args.npc)
    }

    /// Returns the NPC of the call that has a memory of this id.
    pub(crate) fn owner(&self, id: &MemoryId) -> Result<NpcId, CliError> {
        store::owner(self.store.as_ref(), id, self.args.npc.first())
    }

    /// Saves the plan and applies it, as far as the arguments ask for it. NPCs that have no part in the plan, because their
    /// maintenance could not be planned, are `unplanned`.
    pub(crate) fn write(
        &self,
        plan: &NightPlan,
        unplanned: Vec<Failure>,
    ) -> Result<MaintenanceOutcome, CliError> {
        if let Some(file) = &self.args.plan {
            plan::save(plan, NewFile::prepare(file, &self.in_use)?)?;
        }
        let apply = self.args.apply && !plan.nights.is_empty();
        let applied = apply.then(|| apply_plan(self.store.as_ref(), plan)).transpose()?;
        Ok(MaintenanceOutcome { applied, unplanned, planned: plan.nights.len() })
    }

    /// Saves and applies the plan, as far as the arguments ask for it, and prints it with its outcome.
    pub(crate) fn conclude(&self, plan: &NightPlan, unplanned: Vec<Failure>) -> Result<(), CliError> {
        let written = self.write(plan, unplanned)?;
        if self.json {
            output::json(plan)?;
        } else {
            let (diff, totals) = (self.diff(plan)?, maintenance_totals(&plan.report));
            output::text(&format!("{diff}{totals}{}", written.result_line(plan)))?;
        }
        written.all_or_error()
    }

    /// Returns the plan as a diff.
    pub(crate) fn diff(&self, plan: &NightPlan) -> Result<String, CliError> {
        nights(&plan.nights, Some(self.store.as_ref()), DiffView::of_maintenance(self.verbose), text)
    }
}

/// Outcome of a plan.
pub(crate) struct MaintenanceOutcome {
    /// Result of applying it; `None` if it was not to be applied.
    applied: Option<Applied>,
    unplanned: Vec<Failure>,
    planned: usize,
}

impl MaintenanceOutcome {
    /// Returns the NPCs whose plan the store refused.
    pub(crate) fn refused(&self) -> BTreeSet<&NpcId> {
        self.applied.iter().flat_map(|applied| &applied.failures).map(|failure| &failure.npc).collect()
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
