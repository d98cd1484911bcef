//! `nightfold purge`: deletes entries for good that were archived long ago.

use nightfold::memory::{MemoryStore, NpcId, Purge, ValidConfig};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    args::{Common, PurgeArgs},
    config,
    error::CliError,
    output,
    show::{count, noun},
    store,
    terminal::clean,
};

/// JSON output: the entries that are deleted.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PurgeOutput {
    /// True if nothing was deleted.
    dry_run: bool,
    /// Number of latest nights that are spared; a profile may have another number for its NPCs.
    older_than_nights: usize,
    /// NPCs of which something is deleted, by name.
    npcs: Vec<Purge>,
}

pub(crate) fn run(args: &PurgeArgs, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    let asked = args.older_than_nights.map(|n| n as usize);
    let store = if args.apply {
        store::existing(&args.store, args.wait, None)?
    } else {
        store::read_only(&args.store)?
    };
    let npcs = store::npcs(store.as_ref(), &args.npc)?;
    let npcs = purges(store.as_ref(), &npcs, &config, asked, args.apply)?;
    if args.json {
        let older_than_nights = asked.unwrap_or(config.maintain.purge_after_nights);
        return output::json(&PurgeOutput { dry_run: !args.apply, older_than_nights, npcs });
    }
    output::text(&render(&npcs, args.apply))
}

/// Purges these NPCs, or only returns what that would delete. The latest nights of each are spared: `asked`, or as many as
/// its configuration says.
pub(super) fn purges(
    store: &dyn MemoryStore,
    npcs: &[NpcId],
    config: &ValidConfig,
    asked: Option<usize>,
    apply: bool,
) -> Result<Vec<Purge>, CliError> {
    let mut purges = Vec::new();
    for npc in npcs {
        let tags = store.latest_night(npc)?.map(|night| night.npc_tags).unwrap_or_default();
        let keep = asked.unwrap_or_else(|| config.for_npc(npc, &tags).maintain.purge_after_nights);
        let purge = if apply { store.purge(npc, keep)? } else { store.purgeable(npc, keep)? };
        if !purge.is_empty() {
            purges.push(purge);
        }
    }
    Ok(purges)
}

fn render(npcs: &[Purge], applied: bool) -> String {
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
