//! Tasks of `nightfold sleep --then`, after the nights are written: maintenance, then purging.

use std::path::Path;

use crate::{
    args::{AfterSleep, Common, MaintainArgs, PlanArgs, SleepArgs, StorePlanArgs},
    commands::{maintain, purge},
    error::{CliError, Exit, message},
    output, store,
};

/// Maintains and purges the NPCs of a call whose nights are all written.
pub(super) fn run(args: &SleepArgs, path: &Path, common: &Common, verbose: bool) -> Result<(), CliError> {
    let known = store::read_only(path)?.npcs()?;
    let npc: Vec<_> = args.days.npc.iter().filter(|npc| known.contains(npc)).cloned().collect();
    if npc.is_empty() && !args.days.npc.is_empty() {
        return Ok(());
    }
    let plan_args = PlanArgs { npc, apply: true, dry_run: false, plan: None, wait: args.wait };
    // In this order, however they are named: what maintenance archives today is purged in many nights.
    for (task, name) in [(AfterSleep::Maintain, "maintain"), (AfterSleep::Purge, "purge")] {
        if !args.then.contains(&task) {
            continue;
        }
        if !args.json {
            output::text(&format!("\n{name}:\n"))?;
        }
        let done = match task {
            AfterSleep::Maintain => maintain::run(&maintain_args(args, path, &plan_args), common, verbose),
            AfterSleep::Purge => purge::after_nights(path, &plan_args, common, args.json),
        };
        done.map_err(|error| of_task(name, error))?;
    }
    Ok(())
}

fn maintain_args(args: &SleepArgs, path: &Path, plan_args: &PlanArgs) -> MaintainArgs {
    MaintainArgs {
        plan: StorePlanArgs { store: path.to_owned(), args: plan_args.clone(), json: args.json },
        only: Vec::new(),
        now: None,
        language: args.language.clone(),
        record: args.record.clone(),
    }
}

/// The failure of a task, which is not one of the nights.
fn of_task(name: &str, error: CliError) -> CliError {
    if error.is_broken_pipe() || error.exit == Exit::Interrupted {
        return error;
    }
    message(Exit::Partial, format!("the nights are written, and {name} failed: {}", error.without_hint()))
        .hint(format!("`nightfold {name} --store FILE --apply` does what is left"))
}
