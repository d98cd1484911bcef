//! `nightfold undo`: take back what the last call wrote.

use std::collections::BTreeMap;

use nightfold::memory::{AppliedNight, MemoryStore, NpcId, Undone};

use crate::{
    args::Undo,
    error::{CliError, Exit, message},
    output, store,
    terminal::clean,
};

pub(crate) fn run(args: &Undo) -> Result<(), CliError> {
    let store = store::existing(&args.store)?;
    let undone = match &args.npc {
        Some(npc) => one(&store, npc)?,
        None => last_run(&store)?,
    };
    let mut out = String::new();
    for night in &undone {
        let title = format!("{} · night of {}", night.npc, night.night);
        out.push_str(&format!("taken back: {}\n", clean(&title)));
    }
    output::text(&out)
}

fn one(store: &dyn MemoryStore, npc: &NpcId) -> Result<Vec<Undone>, CliError> {
    store::npcs(store, std::slice::from_ref(npc))?;
    match store.undo(npc)? {
        Some(night) => Ok(vec![night]),
        None => Err(message(Exit::Usage, format!("no night of {npc} is applied"))),
    }
}

/// All nights that the latest call wrote. They are the latest of their NPCs, since runs are numbered in order.
fn last_run(store: &dyn MemoryStore) -> Result<Vec<Undone>, CliError> {
    let nights = store.nights(None)?;
    let Some(last) = nights.iter().map(|n| n.run).max() else {
        return Err(message(Exit::Usage, "no night is applied; there is nothing to take back"));
    };
    let mut of_run: BTreeMap<&NpcId, usize> = BTreeMap::new();
    for AppliedNight { npc, .. } in nights.iter().filter(|n| n.run == last) {
        *of_run.entry(npc).or_default() += 1;
    }
    let mut undone = Vec::new();
    for (npc, count) in of_run {
        for _ in 0..count {
            undone.extend(store.undo(npc)?);
        }
    }
    Ok(undone)
}
