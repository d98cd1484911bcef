//! What the commands of upkeep share: open the store, show the plan, write it when told to.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use nightfold::{
    Applied, Failure, apply_plan,
    consolidate::review::EarlierEntries,
    memory::{Change, MemoryId, MemoryReader, NightPlan, NpcId, NpcNight, Rule},
};
use nightfold_store::SqliteStore;

use crate::{
    args::Tending,
    error::{CliError, Exit, failures, message},
    output::{self, NewFile},
    plan,
    show::{View, count, nights, recollection, repeats_shown, shown_of, text, upkeep_totals},
    store,
};

/// For plans that met another process's nights.
const RUN_AGAIN: &str = "another process wrote to the same NPCs meanwhile; run it again";

/// The store, for writing only where that was asked for.
pub(crate) fn open(path: &Path, tending: &Tending) -> Result<SqliteStore, CliError> {
    if tending.apply { store::existing(path, None) } else { store::read_only(path) }
}

/// What became of a plan.
pub(crate) struct Written {
    /// `None` where nothing was to be applied.
    applied: Option<Applied>,
    /// The NPCs that have no part in the plan, since their upkeep failed.
    unplanned: Vec<Failure>,
    planned: usize,
}

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
    let applied = apply.then(|| apply_plan(store, plan)).transpose()?;
    Ok(Written { applied, unplanned: Vec::new(), planned: plan.nights.len() })
}

/// Saves and applies the plan, as far as that was asked for, and says what it is and what became of it.
pub(crate) fn conclude(
    store: &SqliteStore,
    path: &Path,
    (plan, unplanned): (&NightPlan, Vec<Failure>),
    tending: &Tending,
    (json, verbose): (bool, bool),
) -> Result<(), CliError> {
    let written = write(store, path, plan, tending)?.beside(unplanned);
    if json {
        output::json(plan)?;
    } else {
        let (diff, totals) = (diff(store, plan, verbose)?, upkeep_totals(&plan.report));
        output::text(&format!("{diff}{totals}{}", written.line(plan)))?;
    }
    written.all_or_error()
}

impl Written {
    /// The NPCs whose plan the store refused.
    pub(crate) fn refused(&self) -> BTreeSet<&NpcId> {
        self.applied.iter().flat_map(|applied| &applied.failures).map(|failure| &failure.npc).collect()
    }

    /// The same beside those whose upkeep could not be planned.
    pub(crate) fn beside(self, unplanned: Vec<Failure>) -> Self {
        Self { unplanned, ..self }
    }

    /// The last line of what is shown.
    pub(crate) fn line(&self, plan: &NightPlan) -> String {
        match &self.applied {
            _ if plan.nights.is_empty() => "nothing to do\n".to_owned(),
            Some(applied) => format!("applied: {} tended\n", count(applied.written, "NPC", "NPCs")),
            None => "dry run: nothing was written; --apply writes it\n".to_owned(),
        }
    }

    /// # Errors
    /// The NPCs whose upkeep could not be planned, and those whose plan the store refused.
    pub(crate) fn all_or_error(&self) -> Result<(), CliError> {
        let refused = self.applied.iter().flat_map(|applied| &applied.failures);
        let failed: Vec<&Failure> = self.unplanned.iter().chain(refused).collect();
        let done = self.applied.as_ref().map_or(self.planned, |applied| applied.written + applied.unchanged);
        failures(failed, done, RUN_AGAIN)
    }
}

/// Refuses what is said of a store in a call about something else.
pub(crate) fn no_store(tending: &Tending, about: &str) -> Result<(), CliError> {
    let flag = match tending {
        Tending { npc, .. } if !npc.is_empty() => "--npc",
        Tending { plan: Some(_), .. } => "--plan",
        _ => return Ok(()),
    };
    let text = format!("{flag} is for a store; this call is about {about}");
    Err(message(Exit::Usage, text).hint("leave it out, or name a store with --store FILE"))
}

/// The plan as people read it.
pub(crate) fn diff(store: &SqliteStore, plan: &NightPlan, verbose: bool) -> Result<String, CliError> {
    let before = |npc: &NpcId| before(store, plan, npc, verbose);
    nights(&plan.nights, before, |diff| text(diff, View::stdout(verbose)))
}

/// The entries that a plan changes. Only what is shown is looked up: a plan may speak of a million entries.
pub(crate) fn before(
    store: &dyn MemoryReader,
    plan: &NightPlan,
    npc: &NpcId,
    verbose: bool,
) -> Result<EarlierEntries, CliError> {
    let mut texts = EarlierEntries::new();
    for night in plan.nights.iter().filter(|night| night.npc == *npc) {
        for id in spoken_of(night, verbose) {
            if let Some(memory) = store.entry(npc, id)? {
                texts.insert(id.clone(), recollection(&memory.entry));
            }
        }
    }
    Ok(texts)
}

/// The entries that a diff shows, by the changes that speak of older ones: of a day all, of upkeep as many of each sort as
/// it shows.
fn spoken_of(night: &NpcNight, verbose: bool) -> Vec<&MemoryId> {
    let mut of_verb: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ids = Vec::new();
    let older =
        |c: &&Change| c.entry().is_none() && c.verb() != "prune" || c.reason().rule == Rule::Abstracted;
    for change in night.changes.iter().filter(older) {
        let shown_before = of_verb.entry(change.verb()).or_default();
        *shown_before += 1;
        if *shown_before <= shown_of(change.verb(), verbose) || !night.memories.is_empty() {
            ids.push(change.id());
            ids.extend(change.sources().iter().take(repeats_shown(verbose)));
        }
    }
    ids
}
