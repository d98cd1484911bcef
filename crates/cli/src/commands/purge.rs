//! `nightfold purge`: what was put away long ago is deleted for good.

use nightfold::memory::{MemoryReader, MemoryStore as _, Purge};
use serde::Serialize;

use crate::{
    args::{Common, Purge as Args},
    config,
    error::CliError,
    output,
    show::{count, noun},
    store,
    terminal::clean,
};

/// What is deleted, as JSON.
#[derive(Debug, Serialize)]
struct Printed {
    dry_run: bool,
    older_than_nights: usize,
    npcs: Vec<Purge>,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    let keep = args.older_than_nights.map_or(config.maintain.purge_after_nights, |n| n as usize);
    let store = if args.apply { store::existing(&args.store, None)? } else { store::read_only(&args.store)? };
    let mut npcs = Vec::new();
    for npc in store::npcs(&store, &args.npc)? {
        let purge = if args.apply { store.purge(&npc, keep)? } else { store.purgeable(&npc, keep)? };
        if !purge.is_empty() {
            npcs.push(purge);
        }
    }
    if args.json {
        return output::json(&Printed { dry_run: !args.apply, older_than_nights: keep, npcs });
    }
    output::text(&told(&npcs, args.apply))
}

fn told(npcs: &[Purge], applied: bool) -> String {
    if npcs.is_empty() {
        return "nothing to do\n".to_owned();
    }
    let mut out = String::new();
    for purge in npcs {
        let entries = count(purge.entries, "archived entry", "archived entries");
        let until = purge.until.as_ref().map_or_else(String::new, |night| {
            let nights = count(purge.nights, "night", "nights");
            format!("; {nights} up to {night} can no longer be taken back")
        });
        out.push_str(&format!("  {}: {entries}{until}\n", clean(&purge.npc.to_string())));
    }
    let entries: usize = npcs.iter().map(|p| p.entries).sum();
    let total = format!(
        "{} of {}",
        count(entries, "archived entry", "archived entries"),
        count(npcs.len(), "NPC", "NPCs")
    );
    let back = noun(entries, "it", "them");
    out.push_str(&if applied {
        format!("deleted for good: {total}\n")
    } else {
        format!("dry run: nothing was deleted; --apply deletes {total}, and nothing brings {back} back\n")
    });
    out
}
