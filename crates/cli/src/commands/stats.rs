//! `nightfold stats`: how large a store is, how fast it grows, and what could be freed.

use nightfold_store::StoreStats;
use schemars::JsonSchema;
use serde::Serialize;

use super::purge::{free_bytes, purges, whole};
use crate::{
    args::{Common, StatsArgs},
    config,
    error::CliError,
    output,
    show::{TextTable, bytes, count},
    store,
    terminal::clean,
};

/// JSON output: the figures, and what follows from them.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StatsOutput {
    #[serde(flatten)]
    stats: StoreStats,
    /// Bytes of the store for each night of an NPC; `null` without nights.
    bytes_per_night: Option<u64>,
    /// Entries that `purge` would delete, by the configuration.
    purge: Purgeable,
}

/// Entries that `purge` would delete, by the configuration.
#[derive(Debug, Serialize, JsonSchema)]
struct Purgeable {
    /// Number of the entries.
    entries: u64,
    /// Their part of the store, as if every entry were of one size.
    bytes: u64,
}

pub(crate) fn run(args: &StatsArgs, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    let store = store::read_only(&args.read.store)?;
    let stats = store.stats(args.biggest.into())?;
    let npcs = store.npcs()?;
    let deleted = purges(store.as_ref(), &npcs, &config, None, false)?;
    let entries = deleted.iter().map(|purge| purge.entries as u64).sum();
    let bytes = part(stats.size.bytes, entries, stats.active + stats.archived);
    let output = StatsOutput {
        bytes_per_night: whole(&stats.size).checked_div(stats.nights),
        purge: Purgeable { entries, bytes },
        stats,
    };
    if args.read.json {
        return output::json(&output);
    }
    output::text(&format!("{}\n{}", store::shown(&args.read.store), render(&output)))
}

/// Returns the part of `bytes` that `some` of `all` have.
fn part(bytes: u64, some: u64, all: u64) -> u64 {
    let part = u128::from(bytes) * u128::from(some) / u128::from(all.max(1));
    u64::try_from(part).unwrap_or(u64::MAX)
}

fn render(output: &StatsOutput) -> String {
    let StatsOutput { stats, bytes_per_night, purge } = output;
    let size = &stats.size;
    let log =
        size.log_bytes.map_or_else(String::new, |log| format!(" and {} of write-ahead log", bytes(log)));
    let growth = bytes_per_night.map_or_else(String::new, |n| format!(", {} each", bytes(n)));
    let free = free_bytes(size).map_or_else(
        || "the server vacuums by itself".to_owned(),
        |n| format!("{} are free already", bytes(n)),
    );
    let entries = count(purge.entries, "archived entry", "archived entries");
    let purged = format!("{entries} by purge, about {}", bytes(purge.bytes));
    let lines = [
        ("size", format!("{}{log}", bytes(size.bytes))),
        ("NPCs", stats.npcs.to_string()),
        ("nights", format!("{}{growth}", stats.nights)),
        ("entries", format!("{} active, {} archived", stats.active, stats.archived)),
        ("vectors", stats.vectors.to_string()),
        ("log lines", stats.log_lines.to_string()),
        ("shelved", count(stats.shelved, "night", "nights")),
        ("purged", count(stats.purged, "entry", "entries")),
        ("to be freed", format!("{purged}; {free}")),
    ];
    let mut out: String = lines.iter().map(|(what, told)| format!("  {what:<12} {told}\n")).collect();
    if !stats.biggest.is_empty() {
        let mut table =
            TextTable::new(["largest memory", "nights", "active", "archived", "texts and vectors"]);
        for npc in &stats.biggest {
            let counts = [npc.nights, npc.active, npc.archived].map(|n| n.to_string());
            table.row(
                [clean(npc.npc.as_str()).into_owned()].into_iter().chain(counts).chain([bytes(npc.bytes)]),
            );
        }
        out.push_str(&format!("\n{}", table.render()));
    }
    out
}
