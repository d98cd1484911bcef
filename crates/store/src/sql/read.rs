//! Queries. Each reads one state: by one statement, or in its caller's transaction.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
};

use nightfold_memory::{
    AppliedNight, Fingerprint, GameTime, LogFilter, LogLine, MemoryId, MemoryRecord, MemorySnapshot, ModelId,
    NpcId, StoreError, effect::LogPlace,
};

use super::{
    Database, DatabaseFault, ExportError, fingerprint, query_all, query_one, query_value,
    row::{self, Cells, select},
    theme,
    value::params,
};

/// Row of an NPC.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NpcRow {
    /// Key that replaces the NPC's name in all other tables.
    pub(crate) key: i64,
    /// Version in force.
    pub(crate) version: u64,
}

pub(crate) fn model(db: &dyn Database) -> Result<Option<ModelId>, DatabaseFault> {
    query_one(db, "SELECT model FROM store", &[], |cells| cells.parsed_if_any("model id"))
        .map(Option::flatten)
}

pub(crate) fn npc_row(db: &dyn Database, npc: &NpcId) -> Result<Option<NpcRow>, DatabaseFault> {
    query_one(db, "SELECT key, version FROM npc WHERE name = ?1", &params![npc.as_str()], |cells| {
        Ok(NpcRow { key: cells.get("key of an NPC")?, version: cells.get("version of an NPC")? })
    })
}

/// Runs a query on one NPC by its key; returns nothing for an unknown NPC.
pub(crate) fn of_npc<T>(
    db: &dyn Database,
    npc: &NpcId,
    ask: impl FnOnce(i64) -> Result<Vec<T>, DatabaseFault>,
) -> Result<Vec<T>, DatabaseFault> {
    npc_row(db, npc)?.map_or(Ok(Vec::new()), |found| ask(found.key))
}

pub(crate) fn npcs(db: &dyn Database) -> Result<Vec<NpcId>, DatabaseFault> {
    let sql = "SELECT name FROM npc WHERE EXISTS (SELECT 1 FROM memory WHERE npc = key) ORDER BY name";
    query_all(db, sql, &[], |cells| cells.parsed("NPC name"))
}

/// Looks up the primary key of `memory` once per NPC.
pub(crate) fn owners(db: &dyn Database, id: &MemoryId) -> Result<Vec<NpcId>, DatabaseFault> {
    let sql =
        "SELECT name FROM npc WHERE EXISTS (SELECT 1 FROM memory WHERE npc = key AND id = ?1) ORDER BY name";
    query_all(db, sql, &params![id.as_str()], |cells| cells.parsed("NPC name"))
}

/// Returns the NPCs that have nights of a run, in order.
pub(crate) fn npcs_of_run(db: &dyn Database, run: u64) -> Result<Vec<NpcId>, DatabaseFault> {
    let sql = "SELECT DISTINCT npc.name FROM night JOIN npc ON npc.key = night.npc WHERE run = ?1 ORDER BY npc.name";
    query_all(db, sql, &params![run], |cells| cells.parsed("NPC name"))
}

/// Selects the archived entries for [`MemoryReader::faint`](nightfold_memory::MemoryReader::faint), but for their rule.
const FAINT: &str = select!(
    ", v.numbers FROM npc JOIN memory AS m ON m.npc = npc.key
     LEFT JOIN vector AS v ON v.npc = m.npc AND v.id = m.id
     WHERE npc.name = ?1 AND m.state = 'archived' AND m.superseded_by IS NULL ORDER BY m.id"
);

/// Returns the archived entries that may come faintly to mind.
pub(crate) fn faint(db: &dyn Database, npc: &NpcId) -> Result<Vec<MemoryRecord>, DatabaseFault> {
    let mut found = query_all(db, FAINT, &params![npc.as_str()], |cells| with_vector(cells, npc))?;
    found.retain(MemoryRecord::is_faint);
    Ok(found)
}

/// Returns the faint entries that were recalled after a moment.
fn recalled_after(
    db: &dyn Database,
    key: i64,
    name: &NpcId,
    at: GameTime,
) -> Result<Vec<MemoryRecord>, DatabaseFault> {
    let sql = select!(
        ", v.numbers FROM memory AS m LEFT JOIN vector AS v ON v.npc = m.npc AND v.id = m.id
         WHERE m.npc = ?1 AND m.state = 'archived' AND m.superseded_by IS NULL AND m.recalled_at > ?2"
    );
    let mut found = query_all(db, sql, &params![key, at], |cells| with_vector(cells, name))?;
    found.retain(MemoryRecord::is_faint);
    Ok(found)
}

/// Reads the columns of [`select!`], and the vector behind them if there is one.
pub(crate) fn with_vector(cells: &mut Cells<'_>, npc: &NpcId) -> Result<MemoryRecord, StoreError> {
    let mut memory = row::read(cells, npc)?;
    memory.entry.vector = cells.vector_if_any("vector")?;
    Ok(memory)
}

/// Reads several tables, so it must be called in a transaction.
pub(crate) fn snapshot(db: &dyn Database, name: &NpcId) -> Result<MemorySnapshot, DatabaseFault> {
    let mut past = MemorySnapshot { model: model(db)?, ..MemorySnapshot::empty() };
    let Some(NpcRow { key, version }) = npc_row(db, name)? else {
        return Ok(past);
    };
    past.version = version;
    let sql = select!(
        ", v.numbers FROM memory AS m LEFT JOIN vector AS v ON v.npc = m.npc AND v.id = m.id
         WHERE m.npc = ?1 AND m.state = 'active' ORDER BY m.id"
    );
    past.entries = query_all(db, sql, &params![key], |cells| {
        let mut memory = row::read(cells, name)?;
        memory.entry.vector = Some(cells.vector("vector")?);
        Ok(memory)
    })?;
    let sql =
        "SELECT id, known FROM memory WHERE npc = ?1 UNION ALL SELECT id, known FROM gone WHERE npc = ?1";
    let known = query_all(db, sql, &params![key], |cells| {
        Ok((cells.parsed("id")?, Fingerprint::from_bytes(cells.get("fingerprint")?)))
    })?;
    past.known = BTreeMap::from_iter(known);
    past.themes = theme::latest(db, key)?;
    let sql = "SELECT npc_tags, at FROM night WHERE npc = ?1 AND version = ?2";
    let latest = query_one(db, sql, &params![key, version], |cells| {
        Ok((cells.json("list of an NPC's tags")?, cells.time("time of a night")?))
    })?;
    if let Some((npc_tags, at)) = latest {
        (past.npc_tags, past.last_night) = (npc_tags, Some(at));
        past.add_recalled(recalled_after(db, key, name, at)?);
    }
    let sql =
        "SELECT importance, count(*) FROM memory WHERE npc = ?1 AND form = 'verbatim' GROUP BY importance";
    query_all(db, sql, &params![key], |cells| {
        let (importance, count) = (cells.get::<u64>("importance")?, cells.get("count of memories")?);
        if let Some(held) = importance.checked_sub(1).and_then(|at| past.importances.get_mut(at as usize)) {
            *held = count;
        }
        Ok(())
    })?;
    Ok(past)
}

/// Returns one record, without its vector.
pub(crate) fn record(
    db: &dyn Database,
    key: i64,
    npc: &NpcId,
    id: &MemoryId,
) -> Result<Option<MemoryRecord>, DatabaseFault> {
    let sql = select!(" FROM memory AS m WHERE m.npc = ?1 AND m.id = ?2");
    query_one(db, sql, &params![key, id.as_str()], |cells| row::read(cells, npc))
}

pub(crate) fn entries(db: &dyn Database, npc: &NpcId) -> Result<Vec<MemoryRecord>, DatabaseFault> {
    let sql = select!(" FROM npc JOIN memory AS m ON m.npc = npc.key WHERE npc.name = ?1 ORDER BY m.id");
    query_all(db, sql, &params![npc.as_str()], |cells| row::read(cells, npc))
}

/// Passes each entry of an NPC to `take`, archived ones included, by id and with its vector if there is one. An entry that
/// has not the text and time that were written is an error.
pub(crate) fn each_entry(
    db: &dyn Database,
    npc: &NpcId,
    take: &mut dyn FnMut(MemoryRecord) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let sql = select!(
        ", v.numbers, m.known FROM npc JOIN memory AS m ON m.npc = npc.key
         LEFT JOIN vector AS v ON v.npc = m.npc AND v.id = m.id WHERE npc.name = ?1 ORDER BY m.id"
    );
    let verified = |cells: &mut Cells<'_>| -> Result<MemoryRecord, StoreError> {
        let memory = with_vector(cells, npc)?;
        let stored = Fingerprint::from_bytes(cells.get("fingerprint")?);
        fingerprint::verify(&memory.entry.id, &memory.entry.text, memory.entry.at, stored)?;
        Ok(memory)
    };
    let mut done = Ok(());
    db.query(sql, &params![npc.as_str()], &mut |row| {
        done = verified(&mut Cells::of(row)).map_err(ExportError::from).and_then(&mut *take);
        if done.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    done
}

pub(crate) fn entry(
    db: &dyn Database,
    npc: &NpcId,
    id: &MemoryId,
) -> Result<Option<MemoryRecord>, DatabaseFault> {
    let sql = select!(
        ", v.numbers FROM npc JOIN memory AS m ON m.npc = npc.key
         LEFT JOIN vector AS v ON v.npc = m.npc AND v.id = m.id WHERE npc.name = ?1 AND m.id = ?2"
    );
    query_one(db, sql, &params![npc.as_str(), id.as_str()], |cells| with_vector(cells, npc))
}

pub(crate) const PAGE: &str =
    select!(" FROM memory AS m WHERE m.npc = ?1 AND m.id > ?2 AND m.state = 'active' ORDER BY m.id LIMIT ?3");

pub(crate) fn active_page(
    db: &dyn Database,
    key: i64,
    npc: &NpcId,
    after: Option<&MemoryId>,
    most: usize,
) -> Result<Vec<MemoryRecord>, DatabaseFault> {
    // Every id comes after the empty text, and no store holds more rows than fit.
    let (after, most) = (after.map_or("", MemoryId::as_str), i64::try_from(most).unwrap_or(i64::MAX));
    query_all(db, PAGE, &params![key, after, most], |cells| row::read(cells, npc))
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

fn log_line(cells: &mut Cells<'_>) -> Result<LogLine, StoreError> {
    Ok(LogLine {
        id: cells.parsed("id")?,
        night: cells.parsed("night")?,
        at: cells.time("time of a night")?,
        verb: cells.get("verb")?,
        reason: cells.json("reason")?,
    })
}

pub(crate) fn log(
    db: &dyn Database,
    npc: &NpcId,
    filter: LogFilter<'_>,
) -> Result<Vec<LogLine>, DatabaseFault> {
    match filter {
        LogFilter::Entry(id) => {
            query_all(db, log!("log.id = ?2"), &params![npc.as_str(), id.as_str()], log_line)
        }
        LogFilter::Verb(verb) => query_all(db, log!("log.verb = ?2"), &params![npc.as_str(), verb], log_line),
    }
}

/// Returns the log of the night that made a version.
pub(crate) fn night_log(db: &dyn Database, npc: &NpcId, version: u64) -> Result<Vec<LogLine>, DatabaseFault> {
    query_all(db, log!("log.version = ?2"), &params![npc.as_str(), version], log_line)
}

/// Returns all log lines of an NPC, each with the version of its night and its number in it.
pub(crate) fn whole_log(db: &dyn Database, npc: &NpcId) -> Result<Vec<(LogPlace, LogLine)>, DatabaseFault> {
    let sql = "SELECT log.id, night.label, night.at, log.verb, log.reason, log.version, log.ord
         FROM npc
         JOIN log ON log.npc = npc.key
         JOIN night ON night.npc = log.npc AND night.version = log.version
         WHERE npc.name = ?1 ORDER BY night.seq, log.ord";
    query_all(db, sql, &params![npc.as_str()], |cells| {
        let line = log_line(cells)?;
        Ok(((cells.get("version")?, cells.get("number of a log line")?), line))
    })
}

pub(crate) const DERIVED: &str = "SELECT derived FROM edge WHERE npc = ?1 AND source = ?2 ORDER BY derived";

/// Returns the sources of a memory.
pub(crate) fn sources(db: &dyn Database, key: i64, id: &MemoryId) -> Result<Vec<MemoryId>, DatabaseFault> {
    let sql = "SELECT source FROM edge WHERE npc = ?1 AND derived = ?2 ORDER BY source";
    query_all(db, sql, &params![key, id.as_str()], |cells| cells.parsed("id"))
}

/// Returns the memories derived from a memory.
pub(crate) fn derived(db: &dyn Database, key: i64, id: &MemoryId) -> Result<Vec<MemoryId>, DatabaseFault> {
    query_all(db, DERIVED, &params![key, id.as_str()], |cells| cells.parsed("id"))
}

pub(crate) const SUPERSEDED: &str = "SELECT id FROM memory WHERE npc = ?1 AND superseded_by = ?2 ORDER BY id";

/// Returns the memories that name this one as their successor.
pub(crate) fn superseded(db: &dyn Database, key: i64, id: &MemoryId) -> Result<Vec<MemoryId>, DatabaseFault> {
    query_all(db, SUPERSEDED, &params![key, id.as_str()], |cells| cells.parsed("id"))
}

/// Runs two queries, so it must be called in a transaction.
pub(crate) fn referring(db: &dyn Database, key: i64, id: &MemoryId) -> Result<Vec<MemoryId>, DatabaseFault> {
    let all: BTreeSet<_> = derived(db, key, id)?.into_iter().chain(superseded(db, key, id)?).collect();
    Ok(all.into_iter().collect())
}

pub(crate) fn has_vector(db: &dyn Database, key: i64, id: &MemoryId) -> Result<bool, DatabaseFault> {
    let sql = "SELECT EXISTS (SELECT 1 FROM vector WHERE npc = ?1 AND id = ?2)";
    query_value(db, sql, &params![key, id.as_str()], "presence of a vector")
}

/// True if an entry was purged.
pub(crate) fn purged(db: &dyn Database, key: i64, id: &MemoryId) -> Result<bool, DatabaseFault> {
    let sql = "SELECT EXISTS (SELECT 1 FROM gone WHERE npc = ?1 AND id = ?2)";
    query_value(db, sql, &params![key, id.as_str()], "mark of a purge")
}

macro_rules! nights {
    ($which:literal) => {
        concat!(
            "SELECT npc.name, label, at, run, base_version, night.version, changes, npc_tags ",
            "FROM night JOIN npc ON npc.key = night.npc ",
            $which
        )
    };
}

fn applied_night(cells: &mut Cells<'_>) -> Result<AppliedNight, StoreError> {
    Ok(AppliedNight {
        npc: cells.parsed("NPC name")?,
        night: cells.parsed("night")?,
        at: cells.time("time of a night")?,
        run: cells.get("run")?,
        base_version: cells.get("base version")?,
        version: cells.get("version")?,
        changes: cells.get("count of changes")?,
        npc_tags: cells.json("list of an NPC's tags")?,
    })
}

pub(crate) fn nights(db: &dyn Database, npc: Option<&NpcId>) -> Result<Vec<AppliedNight>, DatabaseFault> {
    match npc {
        Some(npc) => {
            let sql = nights!("WHERE npc.name = ?1 ORDER BY seq");
            query_all(db, sql, &params![npc.as_str()], applied_night)
        }
        None => query_all(db, nights!("ORDER BY seq"), &[], applied_night),
    }
}

/// Returns the night that made the version in force.
pub(crate) fn latest_night(db: &dyn Database, npc: &NpcId) -> Result<Option<AppliedNight>, DatabaseFault> {
    let sql = nights!("WHERE npc.name = ?1 AND night.version = npc.version");
    query_one(db, sql, &params![npc.as_str()], applied_night)
}

/// True if the night that makes a version is applied.
pub(crate) fn has_version(db: &dyn Database, npc: &NpcId, version: u64) -> Result<bool, DatabaseFault> {
    let sql = "SELECT EXISTS (SELECT 1 FROM night JOIN npc ON npc.key = night.npc
         WHERE npc.name = ?1 AND night.version = ?2)";
    query_value(db, sql, &params![npc.as_str(), version], "presence of a night")
}
