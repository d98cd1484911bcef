//! Purging: deleting entries that were archived long ago. Everything runs inside the caller's transaction.

use nightfold_memory::{NightLabel, NpcId, Purge, StoreError};
use rusqlite::{Connection, OptionalExtension, params};

use super::{fault::SqliteError, read, row::Cells, write::clear_unused_model};

/// Latest night whose archived entries are purged.
struct Horizon {
    label: NightLabel,
    /// Position among the nights of the store.
    seq: i64,
}

/// Selects the archived entries that a night up to the horizon wrote and that were active before no night
/// after it. Since they are archived now, a night up to the horizon archived them.
macro_rules! dead {
    () => {
        "FROM memory AS m WHERE m.npc = ?1 AND m.state = 'archived'
         AND (SELECT seq FROM night WHERE npc = m.npc AND version = m.version) <= ?2
         AND m.id NOT IN (
             SELECT p.id FROM night AS n JOIN prior AS p ON p.npc = n.npc AND p.version = n.version
             WHERE n.npc = ?1 AND n.seq > ?2 AND p.state = 'active')"
    };
}

/// Deletions of a purge in their order: rows that refer to a memory are deleted before it.
const STEPS: &[&str] = &[
    concat!("INSERT INTO gone (npc, id, known) SELECT m.npc, m.id, m.known ", dead!()),
    "DELETE FROM prior WHERE npc = ?1 AND (id IN (SELECT id FROM gone WHERE npc = ?1)
         OR version IN (SELECT version FROM night WHERE npc = ?1 AND seq <= ?2))",
    "DELETE FROM prior_edge WHERE npc = ?1 AND (derived IN (SELECT id FROM gone WHERE npc = ?1)
         OR version IN (SELECT version FROM night WHERE npc = ?1 AND seq <= ?2))",
    // An entry that keeps a purged source still names it, as it may name a source that the store never held.
    "DELETE FROM edge WHERE npc = ?1 AND derived IN (SELECT id FROM gone WHERE npc = ?1) AND ?2 = ?2",
    "DELETE FROM log WHERE npc = ?1 AND id IN (SELECT id FROM gone WHERE npc = ?1) AND ?2 = ?2",
    "DELETE FROM memory WHERE npc = ?1 AND id IN (SELECT id FROM gone WHERE npc = ?1) AND ?2 = ?2",
    "UPDATE npc SET purged = max(coalesce(purged, ?2), ?2) WHERE key = ?1",
];

fn horizon(file: &Connection, key: i64, keep: usize) -> Result<Option<Horizon>, SqliteError> {
    let sql = "SELECT label, seq FROM night WHERE npc = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2";
    // No file holds more nights than an i64 counts.
    let keep = i64::try_from(keep).unwrap_or(i64::MAX);
    let found = file
        .prepare_cached(sql)?
        .query_row(params![key, keep], |row| {
            let mut cells = Cells::of(row);
            let mut read = || -> Result<Horizon, StoreError> {
                Ok(Horizon { label: cells.parsed("night")?, seq: cells.get("place of a night")? })
            };
            Ok(read())
        })
        .optional()?;
    Ok(found.transpose()?)
}

fn plan_purge(
    file: &Connection,
    npc: &NpcId,
    keep: usize,
) -> Result<(Purge, Option<(i64, i64)>), SqliteError> {
    let mut purge = Purge { npc: npc.clone(), entries: 0, until: None, nights: 0 };
    let Some(found) = read::npc_row(file, npc)? else { return Ok((purge, None)) };
    let Some(horizon) = horizon(file, found.key, keep)? else { return Ok((purge, None)) };
    let count = |sql: &str| -> Result<usize, SqliteError> {
        Ok(file.prepare_cached(sql)?.query_row(params![found.key, horizon.seq], |row| row.get(0))?)
    };
    purge.entries = count(concat!("SELECT count(*) ", dead!()))?;
    purge.nights = count(
        "SELECT count(*) FROM night JOIN npc ON npc.key = night.npc
         WHERE night.npc = ?1 AND seq <= ?2 AND seq > coalesce(purged, seq - 1)",
    )?;
    purge.until = Some(horizon.label);
    Ok((purge, Some((found.key, horizon.seq))))
}

/// Returns the [`Purge`] that [`purge`] would perform.
pub(super) fn purgeable(file: &Connection, npc: &NpcId, keep: usize) -> Result<Purge, SqliteError> {
    Ok(plan_purge(file, npc, keep)?.0)
}

pub(super) fn purge(file: &Connection, npc: &NpcId, keep: usize) -> Result<Purge, SqliteError> {
    let (purge, horizon) = plan_purge(file, npc, keep)?;
    if let Some((key, seq)) = horizon.filter(|_| !purge.is_empty()) {
        for sql in STEPS {
            file.prepare_cached(sql)?.execute(params![key, seq])?;
        }
        // What was shelved builds on rows that are gone.
        file.prepare_cached("DELETE FROM shelved WHERE npc = ?1")?.execute([npc.as_str()])?;
        clear_unused_model(file)?;
    }
    Ok(purge)
}
