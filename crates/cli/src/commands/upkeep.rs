//! What the commands of upkeep share: open the store, show the plan, write it when told to.

use std::path::Path;

use nightfold::{
    Applied, apply_plan,
    memory::{MemoryId, MemoryStore, NightPlan, NpcId, NpcNight},
};
use nightfold_store::SqliteStore;

use crate::{
    args::Tending,
    error::{CliError, failures},
    output::NewFile,
    plan,
    show::{Texts, count, nights, shown},
    store,
    terminal::Terminal,
};

/// How many of the entries that one stands for are looked up, to be shown.
const LOOKED_UP: usize = 8;

/// For plans that met another process's nights.
const RUN_AGAIN: &str = "another process wrote to the same NPCs meanwhile; run it again";

/// The store, for writing only where that was asked for.
pub(crate) fn open(path: &Path, tending: &Tending) -> Result<SqliteStore, CliError> {
    if tending.apply { store::existing(path, None) } else { store::read_only(path) }
}

/// What became of a plan.
pub(crate) struct Written(Option<Applied>);

/// Saves the plan and applies it, as far as that was asked for.
pub(crate) fn write(
    store: &SqliteStore,
    path: &Path,
    plan: &NightPlan,
    tending: &Tending,
) -> Result<Written, CliError> {
    if let Some(file) = &tending.plan {
        plan::save(plan, NewFile::prepare(file, [path])?)?;
    }
    let apply = tending.apply && !plan.nights.is_empty();
    Ok(Written(apply.then(|| apply_plan(store, plan)).transpose()?))
}

impl Written {
    /// Whether all of the plan is in the store now.
    pub(crate) fn wholly(&self) -> bool {
        self.0.as_ref().is_some_and(|applied| applied.failures.is_empty())
    }

    /// The last line of what is shown.
    pub(crate) fn line(&self, plan: &NightPlan, tending: &Tending) -> String {
        match &self.0 {
            _ if plan.nights.is_empty() => "nothing to do\n".to_owned(),
            Some(applied) => format!("applied: {} tended\n", count(applied.written, "NPC", "NPCs")),
            None if tending.apply => String::new(),
            None => "dry run: nothing was written; --apply writes it\n".to_owned(),
        }
    }

    /// # Errors
    /// The NPCs whose plan the store refused.
    pub(crate) fn all_or_error(&self) -> Result<(), CliError> {
        match &self.0 {
            Some(applied) => failures(&applied.failures, applied.written + applied.unchanged, RUN_AGAIN),
            None => Ok(()),
        }
    }
}

/// The plan as people read it. Only what is shown is looked up: a plan may speak of a million entries.
pub(crate) fn diff(store: &SqliteStore, plan: &NightPlan, verbose: bool) -> Result<String, CliError> {
    let of_npc = |npc: &NpcId| -> Result<Texts, CliError> {
        let mut texts = Texts::new();
        for night in plan.nights.iter().filter(|night| night.npc == *npc) {
            for id in spoken_of(night, verbose) {
                if let Some(memory) = store.entry(npc, id)? {
                    texts.insert(id.clone(), memory.entry.text);
                }
            }
        }
        Ok(texts)
    };
    nights(&plan.nights, of_npc, Terminal::stdout(), verbose)
}

fn spoken_of(night: &NpcNight, verbose: bool) -> Vec<&MemoryId> {
    let sources = if verbose { usize::MAX } else { LOOKED_UP };
    let mut ids = Vec::new();
    for verb in ["collapse", "archive", "restore"] {
        for change in night.changes.iter().filter(|c| c.verb() == verb).take(shown(verbose)) {
            ids.push(change.id());
            ids.extend(change.sources().iter().take(sources));
        }
    }
    ids
}
