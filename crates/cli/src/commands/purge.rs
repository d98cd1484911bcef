//! `nightfold purge`: deletes entries for good that were archived long ago, and gives the free space back to the disk.

use std::path::Path;

use nightfold::memory::{MemoryStore, NpcId, Purge, ValidConfig};
use nightfold_store::{DurableStore as _, StoreSize};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    args::{ChangeArgs, Common, PlanArgs, PurgeArgs, WaitArgs},
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
    let ChangeArgs { store: path, apply, wait, json } = &args.change;
    let config = config::load(common)?;
    let asked = args.older_than_nights.map(|n| n as usize);
    let npcs = purge(path, &args.npc, &config, asked, (*apply, *wait))?;
    let freed = match *apply {
        // On a server autovacuum does it.
        _ if store::is_on_a_server(path) => None,
        false => free_bytes(&store::read_only(path)?.stats(0)?.size),
        true => Some(compact(path, *wait)?),
    };
    print(npcs, (&config, asked), freed, (*apply, *json))
}

/// Purges the NPCs of a call that was to do so after its nights. Later nights use the space.
pub(super) fn after_nights(
    path: &Path,
    args: &PlanArgs,
    common: &Common,
    json: bool,
) -> Result<(), CliError> {
    let config = config::load(common)?;
    let npcs = purge(path, &args.npc, &config, None, (true, args.wait))?;
    print(npcs, (&config, None), None, (true, json))
}

fn purge(
    path: &Path,
    npcs: &[NpcId],
    config: &ValidConfig,
    asked: Option<usize>,
    (apply, wait): (bool, WaitArgs),
) -> Result<Vec<Purge>, CliError> {
    let store = store::open_to(path, apply, wait)?;
    let npcs = store::npcs(store.as_ref(), npcs)?;
    purges(store.as_ref(), &npcs, config, asked, apply)
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
    npcs: Vec<Purge>,
    (config, asked): (&ValidConfig, Option<usize>),
    freed_bytes: Option<u64>,
    (applied, json): (bool, bool),
) -> Result<(), CliError> {
    if json {
        let older_than_nights = asked.unwrap_or(config.maintain.purge_after_nights);
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
