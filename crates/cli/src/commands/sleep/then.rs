//! Tasks of `nightfold sleep --then`, after the nights are written: maintenance, then purging.

use std::path::Path;

use crate::{
    args::{AfterSleep, ChangeArgs, Common, MaintainArgs, PlanArgs, SleepArgs, StorePlanArgs},
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
    let SleepArgs { wait, json, .. } = *args;
    // In this order, however they are named: what maintenance archives today is purged in many nights.
    for (task, name) in [(AfterSleep::Maintain, "maintain"), (AfterSleep::Purge, "purge")] {
        if !args.then.contains(&task) {
            continue;
        }
        if !json {
            output::text(&format!("\n{name}:\n"))?;
        }
        let store = path.to_owned();
        let done = match task {
            AfterSleep::Maintain => {
                let plan_args = PlanArgs { npc: npc.clone(), apply: true, dry_run: false, plan: None, wait };
                let maintain = MaintainArgs {
                    plan: StorePlanArgs { store, args: plan_args, json },
                    only: Vec::new(),
                    now: None,
                    language: args.language.clone(),
                    record: args.record.clone(),
                };
                maintain::run(&maintain, common, verbose)
            }
            AfterSleep::Purge => {
                purge::after_nights(&ChangeArgs { store, apply: true, wait, json }, &npc, common)
            }
        };
        done.map_err(|error| of_task(name, error))?;
    }
    Ok(())
}

/// The failure of a task, which is not one of the nights.
fn of_task(name: &str, error: CliError) -> CliError {
    if error.is_broken_pipe() || error.exit == Exit::Interrupted {
        return error;
    }
    message(Exit::Partial, format!("the nights are written, and {name} failed: {}", error.without_hint()))
        .hint(format!("`nightfold {name} --store FILE --apply` does what is left"))
}
