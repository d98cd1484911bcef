//! Purging: deleting entries that were archived long ago. Everything runs inside the caller's transaction.

use nightfold_memory::{NightLabel, NpcId, Purge};

use super::{
    Database, DatabaseFault, query_one, query_value, read, theme, value::params, write::clear_unused_model,
};

/// Latest night whose archived entries are purged.
struct Horizon {
    label: NightLabel,
    /// Number among the nights of the store.
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

/// Steps of a purge that go by the number of the latest night.
const UP_TO_A_NIGHT: &[&str] = &[
    concat!("INSERT INTO gone (npc, id, known) SELECT m.npc, m.id, m.known ", dead!()),
    "DELETE FROM prior WHERE npc = ?1 AND (id IN (SELECT id FROM gone WHERE npc = ?1)
         OR version IN (SELECT version FROM night WHERE npc = ?1 AND seq <= ?2))",
    "DELETE FROM prior_edge WHERE npc = ?1 AND (derived IN (SELECT id FROM gone WHERE npc = ?1)
         OR version IN (SELECT version FROM night WHERE npc = ?1 AND seq <= ?2))",
    "UPDATE npc SET purged = CASE WHEN purged > ?2 THEN purged ELSE ?2 END WHERE key = ?1",
];

/// Deletions that follow: rows that refer to a memory are deleted before it.
const OF_WHAT_IS_GONE: &[&str] = &[
    // An entry that keeps a purged source still names it, as it may name a source that the store never held.
    "DELETE FROM edge WHERE npc = ?1 AND derived IN (SELECT id FROM gone WHERE npc = ?1)",
    "DELETE FROM log WHERE npc = ?1 AND id IN (SELECT id FROM gone WHERE npc = ?1)",
    "DELETE FROM vector WHERE npc = ?1 AND id IN (SELECT id FROM gone WHERE npc = ?1)",
    "DELETE FROM memory WHERE npc = ?1 AND id IN (SELECT id FROM gone WHERE npc = ?1)",
];

fn horizon(db: &dyn Database, key: i64, keep: usize) -> Result<Option<Horizon>, DatabaseFault> {
    let sql = "SELECT label, seq FROM night WHERE npc = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2";
    // No store holds more nights than an i64 counts.
    let keep = i64::try_from(keep).unwrap_or(i64::MAX);
    query_one(db, sql, &params![key, keep], |cells| {
        Ok(Horizon { label: cells.parsed("night")?, seq: cells.get("number of a night")? })
    })
}

fn plan_purge(
    db: &dyn Database,
    npc: &NpcId,
    keep: usize,
) -> Result<(Purge, Option<(i64, i64)>), DatabaseFault> {
    let mut purge = Purge { npc: npc.clone(), entries: 0, until: None, nights: 0 };
    let Some(found) = read::npc_row(db, npc)? else { return Ok((purge, None)) };
    let Some(horizon) = horizon(db, found.key, keep)? else { return Ok((purge, None)) };
    let count = |sql: &str| -> Result<usize, DatabaseFault> {
        query_value(db, sql, &params![found.key, horizon.seq], "count of entries or nights")
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
pub(crate) fn purgeable(db: &dyn Database, npc: &NpcId, keep: usize) -> Result<Purge, DatabaseFault> {
    Ok(plan_purge(db, npc, keep)?.0)
}

pub(crate) fn purge(db: &dyn Database, npc: &NpcId, keep: usize) -> Result<Purge, DatabaseFault> {
    let (purge, horizon) = plan_purge(db, npc, keep)?;
    if let Some((key, seq)) = horizon.filter(|_| !purge.is_empty()) {
        for sql in UP_TO_A_NIGHT {
            db.execute(sql, &params![key, seq])?;
        }
        for sql in OF_WHAT_IS_GONE {
            db.execute(sql, &params![key])?;
        }
        theme::purge(db, key, seq)?;
        // What was shelved builds on rows that are gone.
        db.execute("DELETE FROM shelved WHERE npc = ?1", &params![npc.as_str()])?;
        clear_unused_model(db)?;
    }
    Ok(purge)
}
