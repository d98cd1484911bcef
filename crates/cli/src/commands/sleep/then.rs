//! Tasks of `nightfold sleep --then`, after the nights are written: maintenance, then purging.

use std::path::Path;

use nightfold::memory::NpcId;

use crate::{
    args::{AfterSleep, Common, MaintainArgs, PlanArgs, PurgeArgs, SleepArgs},
    commands::{maintain, purge},
    error::{CliError, Exit, message},
    output, store,
};

/// Refuses a call that is to do more after nights that it does not write.
pub(super) fn refuse_without_nights(args: &SleepArgs, applies: bool) -> Result<(), CliError> {
    if args.then.is_empty() || applies {
        return Ok(());
    }
    Err(message(Exit::Usage, "--then is for nights that are written")
        .hint("add --apply, or leave --then out"))
}

/// Maintains and purges the NPCs of the call, once all its nights are written.
pub(super) fn run(
    args: &SleepArgs,
    slept: Result<(), CliError>,
    common: &Common,
    verbose: bool,
) -> Result<(), CliError> {
    let Some(path) = args.store.as_ref().filter(|_| !args.then.is_empty()) else { return slept };
    // Nights that failed may be slept again from what is there now, which a purge would delete.
    slept.map_err(|error| match error.exit {
        Exit::Usage | Exit::HungUp => error,
        _ => {
            output::note("--then was not run: it follows when all nights are done\n");
            error
        }
    })?;
    let npc = npcs(args, path)?;
    if npc.is_empty() && !args.days.npc.is_empty() {
        return Ok(());
    }
    // In this order, however they are named: what maintenance archives today is purged in many nights.
    for (task, name) in [(AfterSleep::Maintain, "maintain"), (AfterSleep::Purge, "purge")] {
        if !args.then.contains(&task) {
            continue;
        }
        if !args.json {
            output::text(&format!("\n{name}:\n"))?;
        }
        let done = match task {
            AfterSleep::Maintain => maintain::run(&maintain_args(args, path, &npc), common, verbose),
            AfterSleep::Purge => purge::run(&purge_args(args, path, &npc), common),
        };
        done.map_err(|error| of_task(name, error))?;
    }
    Ok(())
}

/// Returns the NPCs of `--npc` that the store has; none for all.
fn npcs(args: &SleepArgs, path: &Path) -> Result<Vec<NpcId>, CliError> {
    let known = store::read_only(path)?.npcs()?;
    Ok(args.days.npc.iter().filter(|npc| known.contains(npc)).cloned().collect())
}

fn maintain_args(args: &SleepArgs, path: &Path, npc: &[NpcId]) -> MaintainArgs {
    let plan_args = PlanArgs { npc: npc.to_vec(), apply: true, dry_run: false, plan: None, wait: args.wait };
    MaintainArgs {
        store: path.to_owned(),
        plan_args,
        only: Vec::new(),
        now: None,
        language: args.language.clone(),
        record: args.record.clone(),
        json: args.json,
    }
}

fn purge_args(args: &SleepArgs, path: &Path, npc: &[NpcId]) -> PurgeArgs {
    PurgeArgs {
        store: path.to_owned(),
        npc: npc.to_vec(),
        older_than_nights: None,
        apply: true,
        wait: args.wait,
        json: args.json,
    }
}

/// The failure of a task, which is not one of the nights.
fn of_task(name: &str, error: CliError) -> CliError {
    if error.is_hung_up() || error.exit == Exit::Interrupted {
        return error;
    }
    message(Exit::Partial, format!("the nights are written, and {name} failed: {}", error.without_hint()))
        .hint(format!("`nightfold {name} --store FILE --apply` does what is left"))
}
