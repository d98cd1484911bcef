//! `nightfold purge`: deletes entries for good that were archived long ago, and gives the free space back to the disk.

use std::path::Path;

use nightfold::memory::{MemoryStore, NpcId, Purge, ValidConfig};
use nightfold_store::{DurableStore as _, StoreSize};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    args::{ChangeArgs, Common, PurgeArgs, WaitArgs},
    config,
    error::CliError,
    output,
    show::{bytes, count, noun},
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
    /// NPCs with something to delete, by name.
    npcs: Vec<Purge>,
    /// Bytes given back to the disk, or in a dry run those that are free already; only for a file that is compacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    freed_bytes: Option<u64>,
}

pub(crate) fn run(args: &PurgeArgs, common: &Common) -> Result<(), CliError> {
    let change = &args.change;
    let asked = args.older_than_nights.map(|n| n as usize);
    let (npcs, config) = purge(change, &args.npc, asked, common)?;
    let freed = match change.apply {
        // On a server autovacuum does it.
        _ if store::is_on_a_server(&change.store) => None,
        false => free_bytes(&store::read_only(&change.store)?.stats(0)?.size),
        true => Some(compact(&change.store, change.wait)?),
    };
    print(change, npcs, asked.unwrap_or(config.maintain.purge_after_nights), freed)
}

/// Purges the NPCs of a call that was to do so after its nights. Later nights use the space.
pub(super) fn after_nights(change: &ChangeArgs, npcs: &[NpcId], common: &Common) -> Result<(), CliError> {
    let (npcs, config) = purge(change, npcs, None, common)?;
    print(change, npcs, config.maintain.purge_after_nights, None)
}

fn purge(
    change: &ChangeArgs,
    npcs: &[NpcId],
    asked: Option<usize>,
    common: &Common,
) -> Result<(Vec<Purge>, ValidConfig), CliError> {
    let config = config::load(common)?;
    let store = store::open_to(&change.store, change.apply, change.wait)?;
    let npcs = store::npcs(store.as_ref(), npcs)?;
    Ok((purges(store.as_ref(), &npcs, &config, asked, change.apply)?, config))
}

/// Gives the free space of a file back to the disk, and returns its size.
fn compact(path: &Path, wait: WaitArgs) -> Result<u64, CliError> {
    let store = store::file(path, wait)?;
    let before = whole(&store.stats(0)?.size);
    store.vacuum()?;
    Ok(before.saturating_sub(whole(&store.stats(0)?.size)))
}

/// Returns the size of the file with its log.
pub(super) fn whole(size: &StoreSize) -> u64 {
    size.bytes + size.log_bytes.unwrap_or_default()
}

/// Returns what is free in a file, and the size of its log.
pub(super) fn free_bytes(size: &StoreSize) -> Option<u64> {
    size.free_bytes.map(|free| free + size.log_bytes.unwrap_or_default())
}

fn print(
    change: &ChangeArgs,
    npcs: Vec<Purge>,
    older_than_nights: usize,
    freed_bytes: Option<u64>,
) -> Result<(), CliError> {
    let applied = change.apply;
    if change.json {
        return output::json(&PurgeOutput { dry_run: !applied, older_than_nights, npcs, freed_bytes });
    }
    let freed = match (freed_bytes, applied) {
        (None | Some(0), _) => String::new(),
        (Some(freed), true) => format!("{} given back to the disk\n", bytes(freed)),
        (Some(free), false) => {
            format!("{} are free in the file already; --apply gives them back\n", bytes(free))
        }
    };
    output::text(&format!("{}{freed}", render(&npcs, applied)))
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
        return "nothing to delete\n".to_owned();
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
