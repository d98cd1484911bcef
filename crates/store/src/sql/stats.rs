//! Figures of a whole store: its size, its counts, and the NPCs with the largest memory.

use nightfold_memory::NpcId;
use serde::Serialize;

use super::{Database, DatabaseFault, query_all, query_one, value::params};

/// Size of a store on its disk, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoreSize {
    /// Size of the file, or of the tables with their indexes on a server.
    pub bytes: u64,
    /// Size of the write-ahead log beside the file; `None` for a server.
    pub log_bytes: Option<u64>,
    /// Part of the file that holds nothing; `None` for a server.
    pub free_bytes: Option<u64>,
}

/// Figures of a store.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoreStats {
    /// Size of the store.
    #[serde(flatten)]
    pub size: StoreSize,
    /// Number of NPCs with a night in force.
    pub npcs: u64,
    /// Number of their nights, maintenance counted.
    pub nights: u64,
    /// Number of active entries.
    pub active: u64,
    /// Number of archived entries.
    pub archived: u64,
    /// Number of vectors of entries.
    pub vectors: u64,
    /// Number of lines of the logs of nights.
    pub log_lines: u64,
    /// Number of nights that rewinds have shelved.
    pub shelved: u64,
    /// Number of purged entries; only their fingerprints are left.
    pub purged: u64,
    /// The NPCs whose texts and vectors are largest, the largest first.
    pub biggest: Vec<NpcStats>,
}

/// Figures of one NPC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NpcStats {
    /// The NPC.
    pub npc: NpcId,
    /// Number of nights, maintenance counted.
    pub nights: u64,
    /// Number of active entries.
    pub active: u64,
    /// Number of archived entries.
    pub archived: u64,
    /// Bytes of the texts and vectors of its entries.
    pub bytes: u64,
}

const COUNTS: &str = "SELECT (SELECT count(*) FROM npc), (SELECT count(*) FROM night),
     (SELECT count(*) FROM memory WHERE state = 'active'), (SELECT count(*) FROM memory WHERE state = 'archived'),
     (SELECT count(*) FROM vector), (SELECT count(*) FROM log), (SELECT count(*) FROM shelved),
     (SELECT count(*) FROM gone)";

const BIGGEST: &str = "SELECT n.name, (SELECT count(*) FROM night AS g WHERE g.npc = n.key),
         coalesce(m.active, 0), coalesce(m.archived, 0), coalesce(m.bytes, 0) + coalesce(v.bytes, 0) AS bytes
     FROM npc AS n
     LEFT JOIN (SELECT npc, sum(CASE WHEN state = 'active' THEN 1 ELSE 0 END) AS active,
             sum(CASE WHEN state = 'archived' THEN 1 ELSE 0 END) AS archived, sum(octet_length(text)) AS bytes
         FROM memory GROUP BY npc) AS m ON m.npc = n.key
     LEFT JOIN (SELECT npc, sum(octet_length(numbers)) AS bytes FROM vector GROUP BY npc) AS v ON v.npc = n.key
     ORDER BY bytes DESC, n.name LIMIT ?1";

/// Returns the figures of the store, with up to `biggest` NPCs.
pub(crate) fn stats(db: &dyn Database, biggest: usize) -> Result<StoreStats, DatabaseFault> {
    let counts = query_one(db, COUNTS, &[], |cells| {
        Ok(StoreStats {
            size: StoreSize::default(),
            npcs: cells.get("count of NPCs")?,
            nights: cells.get("count of nights")?,
            active: cells.get("count of active entries")?,
            archived: cells.get("count of archived entries")?,
            vectors: cells.get("count of vectors")?,
            log_lines: cells.get("count of lines of the log")?,
            shelved: cells.get("count of shelved nights")?,
            purged: cells.get("count of purged entries")?,
            biggest: Vec::new(),
        })
    })?;
    // No store holds more NPCs than an i64 counts.
    let most = i64::try_from(biggest).unwrap_or(i64::MAX);
    let biggest = query_all(db, BIGGEST, &params![most], |cells| {
        Ok(NpcStats {
            npc: cells.parsed("NPC name")?,
            nights: cells.get("count of nights")?,
            active: cells.get("count of active entries")?,
            archived: cells.get("count of archived entries")?,
            bytes: cells.get("count of bytes")?,
        })
    })?;
    Ok(StoreStats { size: db.size()?, biggest, ..counts.unwrap_or_default() })
}
