//! `nightfold undo`: takes back nights that were applied.

use std::collections::BTreeSet;

use nightfold::memory::{AppliedNight, MemoryStore, NightLabel, NpcId, Undone};

use crate::{
    args::UndoArgs,
    error::{CliError, Exit, message},
    output,
    show::{count, night_title, noun},
    store,
    terminal::clean,
};

/// Hint for nights that stay.
const ONE_BY_ONE: &str =
    "`nightfold undo --store FILE --npc NAME` takes back the latest night of an NPC, whoever wrote it";

pub(crate) fn run(args: &UndoArgs) -> Result<(), CliError> {
    let store = store::existing(&args.write.store, args.write.wait, None)?;
    match (&args.npc, &args.night) {
        (Some(npc), Some(night)) => since(store.as_ref(), npc, night, args.cascade),
        (Some(npc), None) => one(store.as_ref(), npc),
        (None, _) => last_run(store.as_ref()),
    }
}

/// Undoes a night of an NPC, and with `cascade` all later ones, the latest first: each step leaves a state
/// that once was.
fn since(store: &dyn MemoryStore, npc: &NpcId, night: &NightLabel, cascade: bool) -> Result<(), CliError> {
    store::npcs(store, std::slice::from_ref(npc))?;
    let nights = store.nights(Some(npc))?;
    let labels = || nights.iter().map(|n| n.night.as_str()).collect::<Vec<_>>().join(", ");
    // Two naps of a day, and maintenance after one night, share a label: the latest is meant, which takes least back.
    let Some(first) = nights.iter().rposition(|n| n.night == *night) else {
        let error = message(Exit::Usage, format!("no night {night} of {npc} is applied"));
        return Err(error.hint(format!("there are {}", clean(&labels()))));
    };
    let later = &nights[first + 1..];
    if !later.is_empty() && !cascade {
        let refused: Vec<String> = later.iter().map(night_title).collect();
        let what = format!("night {night} of {npc} stays: later ones build on it: {}", refused.join(", "));
        return Err(message(Exit::Store, what).hint("--cascade takes these back too"));
    }
    // What was begun is ended, though nobody may read of it any more.
    let mut printed = Ok(());
    for planned in nights[first..].iter().rev() {
        let undone = store.undo(npc)?;
        if let Some(undone) = &undone {
            printed =
                printed.and_then(|()| output::text(&result_line("taken back", &undone.npc, &undone.night)));
        }
        // Undoing a night puts the version it was planned against in force again.
        if undone.is_none_or(|undone| undone.version != planned.base_version) {
            let what = format!("another process wrote or took back nights of {npc} meanwhile");
            return Err(
                message(Exit::Partial, what).hint("`nightfold list` shows what is left; run it again")
            );
        }
    }
    printed
}

fn one(store: &dyn MemoryStore, npc: &NpcId) -> Result<(), CliError> {
    store::npcs(store, std::slice::from_ref(npc))?;
    match store.undo(npc)? {
        Some(night) => output::text(&result_line("taken back", &night.npc, &night.night)),
        None => Err(message(Exit::Usage, format!("no night of {npc} is applied"))),
    }
}

/// Undoes all nights that the latest call wrote, except those that other calls have built on since.
fn last_run(store: &dyn MemoryStore) -> Result<(), CliError> {
    let nights = store.nights(None)?;
    let Some(last) = nights.iter().map(|n| n.run).max() else {
        return Err(message(Exit::Usage, "no night is applied; there is nothing to take back"));
    };
    let undone = store.undo_run(last)?;
    let stay = staying(&nights, last, &undone);
    let mut out: String = undone.iter().map(|n| result_line("taken back", &n.npc, &n.night)).collect();
    out.extend(stay.iter().map(|n| result_line("stays", &n.npc, &n.night)));
    output::text(&out)?;
    if stay.is_empty() {
        return Ok(());
    }
    let staying = format!(
        "{} of the latest call {}: another call has built on {} since",
        count(stay.len(), "night", "nights"),
        noun(stay.len(), "stays", "stay"),
        noun(stay.len(), "it", "them"),
    );
    let exit = if undone.is_empty() { Exit::Store } else { Exit::Partial };
    Err(message(exit, staying).hint(ONE_BY_ONE))
}

/// Returns the nights of a run that were not undone with it.
fn staying<'a>(nights: &'a [AppliedNight], run: u64, undone: &[Undone]) -> Vec<&'a AppliedNight> {
    // Undoing a night puts the version it was planned against in force again.
    let taken: BTreeSet<(&NpcId, u64)> = undone.iter().map(|n| (&n.npc, n.version)).collect();
    nights.iter().filter(|n| n.run == run && !taken.contains(&(&n.npc, n.base_version))).collect()
}

fn result_line(what: &str, npc: &NpcId, night: &NightLabel) -> String {
    format!("{what}: {}\n", clean(&format!("{npc} · night of {night}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nights_that_another_call_built_on_are_not_undone() {
        let night = |npc: &str, run, base_version: u64| AppliedNight {
            npc_tags: Vec::new(),
            npc: NpcId::new(npc).unwrap(),
            night: NightLabel::new(format!("day-{base_version}")).unwrap(),
            at: nightfold::memory::GameTime::from_seconds(0).unwrap(),
            run,
            base_version,
            version: base_version + 1,
            changes: 1,
        };
        let nights = [night("Mara", 2, 0), night("Mara", 1, 1), night("Tom", 2, 0), night("Tom", 2, 1)];
        let back =
            |n: &AppliedNight| Undone { npc: n.npc.clone(), night: n.night.clone(), version: n.base_version };
        let undone = [back(&nights[3]), back(&nights[2])];
        assert_eq!(staying(&nights, 2, &undone), [&nights[0]]);
        assert!(staying(&nights, 1, &[back(&nights[1])]).is_empty());
    }
}
