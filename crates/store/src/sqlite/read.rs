//! Queries on a store file. Each reads one state: by one statement, or in its caller's transaction.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{
    AppliedNight, Fingerprint, GameTime, LogFilter, LogLine, MemoryId, MemoryRecord, MemorySnapshot, ModelId,
    NpcId, StoreError,
};
use rusqlite::{Connection, OptionalExtension, Params, params};

use super::{
    fault::SqliteError,
    row::{self, Cells, select},
    theme,
};

/// Row of an NPC.
#[derive(Debug, Clone, Copy)]
pub(super) struct NpcRow {
    /// Key that replaces the NPC's name in all other tables.
    pub(super) key: i64,
    /// Version in force.
    pub(super) version: u64,
}

pub(super) fn model(file: &Connection) -> Result<Option<ModelId>, SqliteError> {
    query_one(file, "SELECT model FROM store", [], |cells| cells.parsed_if_any("model id"))
        .map(Option::flatten)
}

pub(super) fn npc_row(file: &Connection, npc: &NpcId) -> Result<Option<NpcRow>, SqliteError> {
    let row = file
        .prepare_cached("SELECT key, version FROM npc WHERE name = ?1")?
        .query_row([npc.as_str()], |row| Ok(NpcRow { key: row.get(0)?, version: row.get(1)? }))
        .optional()?;
    Ok(row)
}

pub(super) fn npcs(file: &Connection) -> Result<Vec<NpcId>, SqliteError> {
    let sql = "SELECT name FROM npc WHERE EXISTS (SELECT 1 FROM memory WHERE npc = key) ORDER BY name";
    query_all(file, sql, [], |cells| cells.parsed("NPC name"))
}

/// Looks up the primary key of `memory` once per NPC.
pub(super) fn owners(file: &Connection, id: &MemoryId) -> Result<Vec<NpcId>, SqliteError> {
    let sql =
        "SELECT name FROM npc WHERE EXISTS (SELECT 1 FROM memory WHERE npc = key AND id = ?1) ORDER BY name";
    query_all(file, sql, [id.as_str()], |cells| cells.parsed("NPC name"))
}

/// Returns the NPCs that have nights of a run, in order.
pub(super) fn npcs_of_run(file: &Connection, run: u64) -> Result<Vec<NpcId>, SqliteError> {
    let sql = "SELECT DISTINCT npc.name FROM night JOIN npc ON npc.key = night.npc WHERE run = ?1 ORDER BY npc.name";
    query_all(file, sql, [run], |cells| cells.parsed("NPC name"))
}

/// Selects the candidates for [`MemorySnapshot::archived`]. The condition is that of
/// [`MemoryRecord::is_restorable`], with the rules of `Rule::RESTORABLE`.
const ARCHIVED_STATEMENTS: &str =
    "SELECT id, last_at FROM memory WHERE npc = ?1 AND state = 'archived' AND superseded_by IS NULL
     AND archived_by IN ('unimportant-incoherent', 'over-budget', 'over-text', 'faded', 'over-most')
     AND kind <> 'status' AND form <> 'reflection'";

/// Returns the most recent statements for [`MemorySnapshot::archived`]. Their ids and times are read first:
/// there may be any number of them, and no index can sort times, which are written in the form the game uses.
fn archived_statements(file: &Connection, key: i64, name: &NpcId) -> Result<Vec<MemoryRecord>, SqliteError> {
    let mut ids: Vec<(MemoryId, GameTime)> = query_all(file, ARCHIVED_STATEMENTS, [key], |cells| {
        Ok((cells.parsed("id")?, cells.parsed("last time")?))
    })?;
    ids.sort_unstable_by(|(a, at), (b, bt)| MemorySnapshot::archived_order((*at, a), (*bt, b)));
    ids.truncate(MemorySnapshot::MAX_ARCHIVED);
    let sql = select!(
        ", v.numbers FROM memory AS m LEFT JOIN vector AS v ON v.npc = m.npc AND v.id = m.id
         WHERE m.npc = ?1 AND m.id = ?2"
    );
    let mut found = Vec::with_capacity(ids.len());
    for (id, _) in &ids {
        found.extend(query_one(file, sql, params![key, id.as_str()], |cells| {
            let mut memory = row::read(cells, name)?;
            memory.entry.vector = cells.vector_if_any("vector")?;
            Ok(memory)
        })?);
    }
    Ok(found)
}

/// Reads several tables, so it must be called in a transaction.
pub(super) fn snapshot(file: &Connection, name: &NpcId) -> Result<MemorySnapshot, SqliteError> {
    let mut past = MemorySnapshot { model: model(file)?, ..MemorySnapshot::empty() };
    let Some(NpcRow { key, version }) = npc_row(file, name)? else {
        return Ok(past);
    };
    past.version = version;
    let sql = select!(
        ", v.numbers FROM memory AS m LEFT JOIN vector AS v ON v.npc = m.npc AND v.id = m.id
         WHERE m.npc = ?1 AND m.state = 'active' ORDER BY m.id"
    );
    past.entries = query_all(file, sql, [key], |cells| {
        let mut memory = row::read(cells, name)?;
        memory.entry.vector = Some(cells.vector("vector")?);
        Ok(memory)
    })?;
    let sql =
        "SELECT id, known FROM memory WHERE npc = ?1 UNION ALL SELECT id, known FROM gone WHERE npc = ?1";
    let known = query_all(file, sql, [key], |cells| {
        Ok((cells.parsed("id")?, Fingerprint::from_bytes(cells.get("fingerprint")?)))
    })?;
    past.known = BTreeMap::from_iter(known);
    past.themes = theme::latest(file, key)?;
    past.archived = archived_statements(file, key, name)?;
    let sql = "SELECT npc_tags FROM night WHERE npc = ?1 AND version = ?2";
    let tags = query_one(file, sql, params![key, version], |cells| cells.json("list of an NPC's tags"))?;
    past.npc_tags = tags.unwrap_or_default();
    Ok(past)
}

/// Returns one record, without its vector.
pub(super) fn record(
    file: &Connection,
    key: i64,
    npc: &NpcId,
    id: &MemoryId,
) -> Result<Option<MemoryRecord>, SqliteError> {
    let sql = select!(" FROM memory AS m WHERE m.npc = ?1 AND m.id = ?2");
    query_one(file, sql, params![key, id.as_str()], |cells| row::read(cells, npc))
}

pub(super) fn entries(file: &Connection, npc: &NpcId) -> Result<Vec<MemoryRecord>, SqliteError> {
    let sql = select!(" FROM npc JOIN memory AS m ON m.npc = npc.key WHERE npc.name = ?1 ORDER BY m.id");
    query_all(file, sql, [npc.as_str()], |cells| row::read(cells, npc))
}

/// Passes each entry of an NPC to `take`, archived ones included, by id and with its vector if there is one.
pub(super) fn each_entry<E: From<StoreError>>(
    file: &Connection,
    npc: &NpcId,
    take: &mut impl FnMut(MemoryRecord) -> Result<(), E>,
) -> Result<(), E> {
    let sql = select!(
        ", v.numbers FROM npc JOIN memory AS m ON m.npc = npc.key
         LEFT JOIN vector AS v ON v.npc = m.npc AND v.id = m.id WHERE npc.name = ?1 ORDER BY m.id"
    );
    let of_file = |error| E::from(StoreError::from(SqliteError::from(error)));
    let mut statement = file.prepare_cached(sql).map_err(of_file)?;
    let mut rows = statement.query([npc.as_str()]).map_err(of_file)?;
    while let Some(row) = rows.next().map_err(of_file)? {
        let mut cells = Cells::of(row);
        let mut memory = row::read(&mut cells, npc)?;
        memory.entry.vector = cells.vector_if_any("vector")?;
        take(memory)?;
    }
    Ok(())
}

pub(super) fn entry(
    file: &Connection,
    npc: &NpcId,
    id: &MemoryId,
) -> Result<Option<MemoryRecord>, SqliteError> {
    let sql = select!(
        ", v.numbers FROM npc JOIN memory AS m ON m.npc = npc.key
         LEFT JOIN vector AS v ON v.npc = m.npc AND v.id = m.id WHERE npc.name = ?1 AND m.id = ?2"
    );
    query_one(file, sql, [npc.as_str(), id.as_str()], |cells| {
        let mut memory = row::read(cells, npc)?;
        memory.entry.vector = cells.vector_if_any("vector")?;
        Ok(memory)
    })
}

const PAGE: &str =
    select!(" FROM memory AS m WHERE m.npc = ?1 AND m.id > ?2 AND m.state = 'active' ORDER BY m.id LIMIT ?3");

pub(super) fn active_page(
    file: &Connection,
    key: i64,
    npc: &NpcId,
    after: Option<&MemoryId>,
    most: usize,
) -> Result<Vec<MemoryRecord>, SqliteError> {
    // Every id comes after the empty text, and no file holds more rows than fit.
    let (after, most) = (after.map_or("", MemoryId::as_str), i64::try_from(most).unwrap_or(i64::MAX));
    query_all(file, PAGE, params![key, after, most], |cells| row::read(cells, npc))
}

macro_rules! log {
    ($which:literal) => {
        concat!(
            "SELECT log.id, night.label, night.at, log.verb, log.reason
             FROM npc
             JOIN log ON log.npc = npc.key
             JOIN night ON night.npc = log.npc AND night.version = log.version
             WHERE npc.name = ?1 AND ",
            $which,
            " ORDER BY night.seq, log.ord"
        )
    };
}

fn log_line(cells: &mut Cells<'_, '_>) -> Result<LogLine, StoreError> {
    Ok(LogLine {
        id: cells.parsed("id")?,
        night: cells.parsed("night")?,
        at: cells.parsed("time of a night")?,
        verb: cells.get("verb")?,
        reason: cells.json("reason")?,
    })
}

pub(super) fn log(
    file: &Connection,
    npc: &NpcId,
    filter: LogFilter<'_>,
) -> Result<Vec<LogLine>, SqliteError> {
    match filter {
        LogFilter::Entry(id) => query_all(file, log!("log.id = ?2"), [npc.as_str(), id.as_str()], log_line),
        LogFilter::Verb(verb) => query_all(file, log!("log.verb = ?2"), [npc.as_str(), verb], log_line),
    }
}

/// Returns the log of the night that made a version.
pub(super) fn night_log(file: &Connection, npc: &NpcId, version: u64) -> Result<Vec<LogLine>, SqliteError> {
    query_all(file, log!("log.version = ?2"), params![npc.as_str(), version], log_line)
}

const DERIVED: &str = "SELECT derived FROM edge WHERE npc = ?1 AND source = ?2 ORDER BY derived";

/// Returns the sources of a memory.
pub(super) fn sources(file: &Connection, key: i64, id: &MemoryId) -> Result<Vec<MemoryId>, SqliteError> {
    let sql = "SELECT source FROM edge WHERE npc = ?1 AND derived = ?2 ORDER BY source";
    query_all(file, sql, params![key, id.as_str()], |cells| cells.parsed("id"))
}

/// Returns the memories derived from a memory.
pub(super) fn derived(file: &Connection, key: i64, id: &MemoryId) -> Result<Vec<MemoryId>, SqliteError> {
    query_all(file, DERIVED, params![key, id.as_str()], |cells| cells.parsed("id"))
}

const SUPERSEDED: &str = "SELECT id FROM memory WHERE npc = ?1 AND superseded_by = ?2 ORDER BY id";

/// Returns the memories that name this one as their successor.
pub(super) fn superseded(file: &Connection, key: i64, id: &MemoryId) -> Result<Vec<MemoryId>, SqliteError> {
    query_all(file, SUPERSEDED, params![key, id.as_str()], |cells| cells.parsed("id"))
}

/// Runs two queries, so it must be called in a transaction.
pub(super) fn referring(file: &Connection, key: i64, id: &MemoryId) -> Result<Vec<MemoryId>, SqliteError> {
    let all: BTreeSet<_> = derived(file, key, id)?.into_iter().chain(superseded(file, key, id)?).collect();
    Ok(all.into_iter().collect())
}

pub(super) fn has_vector(file: &Connection, key: i64, id: &MemoryId) -> Result<bool, SqliteError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM vector WHERE npc = ?1 AND id = ?2)";
    Ok(file.prepare_cached(sql)?.query_row(params![key, id.as_str()], |row| row.get(0))?)
}

/// True if an entry was purged.
pub(super) fn purged(file: &Connection, key: i64, id: &MemoryId) -> Result<bool, SqliteError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM gone WHERE npc = ?1 AND id = ?2)";
    Ok(file.prepare_cached(sql)?.query_row(params![key, id.as_str()], |row| row.get(0))?)
}

pub(super) fn nights(file: &Connection, npc: Option<&NpcId>) -> Result<Vec<AppliedNight>, SqliteError> {
    macro_rules! nights {
        ($which:literal) => {
            concat!(
                "SELECT npc.name, label, at, run, base_version, night.version, changes, npc_tags ",
                "FROM night JOIN npc ON npc.key = night.npc ",
                $which,
                " ORDER BY seq"
            )
        };
    }
    let read = |cells: &mut Cells<'_, '_>| {
        Ok(AppliedNight {
            npc: cells.parsed("NPC name")?,
            night: cells.parsed("night")?,
            at: cells.parsed("time of a night")?,
            run: cells.get("run")?,
            base_version: cells.get("base version")?,
            version: cells.get("version")?,
            changes: cells.get("count of changes")?,
            npc_tags: cells.json("list of an NPC's tags")?,
        })
    };
    match npc {
        Some(npc) => query_all(file, nights!("WHERE npc.name = ?1"), [npc.as_str()], read),
        None => query_all(file, nights!(""), [], read),
    }
}

pub(super) fn query_all<T>(
    file: &Connection,
    sql: &str,
    params: impl Params,
    mut read: impl FnMut(&mut Cells<'_, '_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, SqliteError> {
    let mut statement = file.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(&mut Cells::of(row))?);
    }
    Ok(found)
}

pub(super) fn query_one<T>(
    file: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&mut Cells<'_, '_>) -> Result<T, StoreError>,
) -> Result<Option<T>, SqliteError> {
    let mut statement = file.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    Ok(rows.next()?.map(|row| read(&mut Cells::of(row))).transpose()?)
}

#[cfg(test)]
mod tests {
    use nightfold_memory::Rule;

    use super::*;
    use crate::sqlite::{
        open::{StoreOptions, open},
        schema::STEPS,
    };

    #[test]
    fn archived_statements_query_names_every_rule() {
        for rule in Rule::RESTORABLE {
            assert!(ARCHIVED_STATEMENTS.contains(&format!("'{rule}'")), "{rule}");
        }
        let literals = ARCHIVED_STATEMENTS.matches('\'').count() / 2;
        assert_eq!(literals, Rule::RESTORABLE.len() + ["archived", "status", "reflection"].len());
    }

    #[test]
    fn duplicate_and_page_queries_use_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let file = open(&folder.path().join("minds.db"), &StoreOptions::default(), STEPS).unwrap();
        for (sql, expected) in [
            (DERIVED, "SEARCH edge USING COVERING INDEX edge_from (npc=? AND source=?)"),
            (SUPERSEDED, "SEARCH memory USING COVERING INDEX memory_superseded (npc=? AND superseded_by=?)"),
            (PAGE, "SEARCH m USING PRIMARY KEY (npc=? AND id>?)"),
        ] {
            let mut statement = file.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let plan = statement.raw_query().mapped(|row| row.get::<_, String>("detail"));
            let plan: Vec<_> = plan.map(Result::unwrap).collect();
            assert_eq!(plan, [expected], "nothing else is done, no sorting either");
        }
    }
}
