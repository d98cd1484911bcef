//! Save points and rewinding. Everything runs inside the caller's transaction.

use std::collections::BTreeMap;

use nightfold_memory::{
    AppliedNight, GameTime, MemoryId, NightLabel, NpcId, RewindTarget, Rewound, SavePoint, SavePointName,
    StoreError,
    effect::{Edge, Effect, RewindPath, ShelvedNight, rewind_path},
};
use rusqlite::{Connection, params};

use super::{
    fault::SqliteError,
    read::{self, NpcRow, query_all, query_one},
    row::{self, select},
    theme, write,
};

pub(super) fn save_points(file: &Connection) -> Result<Vec<SavePoint>, SqliteError> {
    let sql = "SELECT name, (SELECT count(*) FROM saved_version WHERE save_point = name) FROM save_point ORDER BY name";
    query_all(file, sql, [], |cells| {
        Ok(SavePoint { name: cells.parsed("name of a save point")?, npcs: cells.get("count of NPCs")? })
    })
}

pub(super) fn save_point(file: &Connection, name: &SavePointName) -> Result<SavePoint, SqliteError> {
    forget_save_point(file, name)?;
    file.prepare_cached("INSERT INTO save_point (name) VALUES (?1)")?.execute([name.as_str()])?;
    let sql = "INSERT INTO saved_version (save_point, npc, version) SELECT ?1, name, version FROM npc";
    let npcs = file.prepare_cached(sql)?.execute([name.as_str()])?;
    Ok(SavePoint { name: name.clone(), npcs })
}

pub(super) fn forget_save_point(file: &Connection, name: &SavePointName) -> Result<bool, SqliteError> {
    // Not every connection enforces foreign keys, so the versions are deleted by name.
    file.prepare_cached("DELETE FROM saved_version WHERE save_point = ?1")?.execute([name.as_str()])?;
    Ok(file.prepare_cached("DELETE FROM save_point WHERE name = ?1")?.execute([name.as_str()])? > 0)
}

/// Way of an NPC to another state.
struct NpcPath {
    npc: NpcId,
    /// Nights in force, the oldest first.
    nights: Vec<AppliedNight>,
    /// Version that it is to have.
    version: u64,
    path: RewindPath,
}

impl NpcPath {
    fn rewound(&self) -> Rewound {
        let Self { npc, version, path: RewindPath { back, forward }, .. } = self;
        Rewound { npc: npc.clone(), back: *back, forward: forward.len(), version: *version }
    }
}

/// Returns what [`rewind`] would do.
pub(super) fn rewindable(
    file: &Connection,
    npc: Option<&NpcId>,
    to: &RewindTarget,
) -> Result<Vec<Rewound>, SqliteError> {
    Ok(paths(file, npc, to)?.iter().map(NpcPath::rewound).collect())
}

/// Rewinds one NPC, or all that have nights in force or shelved.
pub(super) fn rewind(
    file: &Connection,
    npc: Option<&NpcId>,
    to: &RewindTarget,
) -> Result<Vec<Rewound>, SqliteError> {
    let paths = paths(file, npc, to)?;
    for NpcPath { npc, nights, path: RewindPath { back, forward }, .. } in &paths {
        for _ in 0..*back {
            shelve_latest(file, npc, nights)?;
        }
        for version in forward {
            carry_out_again(file, npc, *version)?;
        }
    }
    write::clear_unused_model(file)?;
    Ok(paths.iter().map(NpcPath::rewound).collect())
}

/// Returns the ways of the NPCs that a rewind changes, by name.
fn paths(file: &Connection, npc: Option<&NpcId>, to: &RewindTarget) -> Result<Vec<NpcPath>, SqliteError> {
    if let RewindTarget::SavePoint(name) = to {
        let sql = "SELECT 1 FROM save_point WHERE name = ?1";
        let found: Option<i64> = query_one(file, sql, [name.as_str()], |cells| cells.get("save point"))?;
        found.ok_or_else(|| StoreError::NoSavePoint { name: name.clone() })?;
    }
    let all = match npc {
        Some(npc) => vec![npc.clone()],
        None => {
            query_all(file, "SELECT name FROM npc UNION SELECT npc FROM shelved ORDER BY 1", [], |cells| {
                cells.parsed("NPC name")
            })?
        }
    };
    let mut paths = Vec::new();
    for npc in all {
        paths.extend(npc_path(file, npc, to)?);
    }
    Ok(paths)
}

/// Returns the way of an NPC; `None` if it is there already.
fn npc_path(file: &Connection, npc: NpcId, to: &RewindTarget) -> Result<Option<NpcPath>, SqliteError> {
    let nights = read::nights(file, Some(&npc))?;
    let version = match to {
        RewindTarget::At(at) => last_until(&nights, *at),
        RewindTarget::SavePoint(name) => {
            let sql = "SELECT version FROM saved_version WHERE save_point = ?1 AND npc = ?2";
            let named = params![name.as_str(), npc.as_str()];
            query_one(file, sql, named, |cells| cells.get("version"))?.unwrap_or(0)
        }
    };
    let in_force: Vec<u64> = nights.iter().map(|night| night.version).collect();
    let sql = "SELECT version, base_version FROM shelved WHERE npc = ?1";
    let shelved = query_all(file, sql, [npc.as_str()], |cells| {
        Ok((cells.get("version")?, cells.get("base version")?))
    })?;
    let path = rewind_path(&in_force, &BTreeMap::from_iter(shelved), version)
        .ok_or_else(|| StoreError::Unreachable { npc: npc.clone(), version })?;
    if let Some(night) = purged_night(file, &npc, path.back)? {
        return Err(StoreError::Purged { npc, night }.into());
    }
    Ok((path != RewindPath::default()).then_some(NpcPath { npc, nights, version, path }))
}

/// Returns a night among the latest `nights` whose data for undoing was purged.
fn purged_night(file: &Connection, npc: &NpcId, nights: usize) -> Result<Option<NightLabel>, SqliteError> {
    let sql = "SELECT label FROM (SELECT label, seq, purged FROM night JOIN npc ON npc.key = night.npc
         WHERE name = ?1 ORDER BY seq DESC LIMIT ?2) WHERE seq <= purged LIMIT 1";
    query_one(file, sql, params![npc.as_str(), nights], |cells| cells.parsed("night"))
}

/// Returns the version of the last night of the first ones that end by a moment.
fn last_until(nights: &[AppliedNight], at: GameTime) -> u64 {
    nights.iter().take_while(|night| night.at <= at).last().map_or(0, |night| night.version)
}

/// Undoes the latest night of an NPC and keeps what carries it out again.
fn shelve_latest(file: &Connection, npc: &NpcId, nights: &[AppliedNight]) -> Result<(), SqliteError> {
    let Some(latest) = write::latest_night(file, npc)? else { return Ok(()) };
    let latest = latest.require_undoable(npc)?;
    let Some(applied) = nights.iter().find(|night| night.version == latest.version).cloned() else {
        return Ok(());
    };
    let effect = effect_in_force(file, npc, latest.key, latest.version)?;
    let (version, base_version) = (applied.version, applied.base_version);
    let night = ShelvedNight { applied, model: read::model(file)?, effect };
    file.prepare_cached("INSERT INTO shelved (npc, version, base_version, night) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![npc.as_str(), version, base_version, row::json(&night)?])?;
    write::undo_night(file, npc, latest)?;
    Ok(())
}

/// Returns what the latest night of an NPC wrote, as it is in the file.
fn effect_in_force(file: &Connection, npc: &NpcId, key: i64, version: u64) -> Result<Effect, SqliteError> {
    let with_vector = |cells: &mut row::Cells<'_, '_>| {
        let mut memory = row::read(cells, npc)?;
        memory.entry.vector = cells.vector_if_any("vector")?;
        Ok(memory)
    };
    let inserted = select!(
        ", v.numbers FROM memory AS m LEFT JOIN vector AS v ON v.npc = m.npc AND v.id = m.id AND v.version IS NULL
         WHERE m.npc = ?1 AND m.version = ?2 ORDER BY m.id"
    );
    let updated = select!(
        ", v.numbers FROM prior AS p JOIN memory AS m ON m.npc = p.npc AND m.id = p.id
         LEFT JOIN vector AS v ON v.npc = m.npc AND v.id = m.id AND v.version = ?2
         WHERE p.npc = ?1 AND p.version = ?2 ORDER BY m.id"
    );
    let edges = |sql: &str| -> Result<Vec<Edge>, SqliteError> {
        query_all(file, sql, params![key, version], |cells| {
            let (derived, source): (MemoryId, MemoryId) = (cells.parsed("id")?, cells.parsed("source")?);
            Ok(Edge { derived, source })
        })
    };
    Ok(Effect {
        inserted: query_all(file, inserted, params![key, version], with_vector)?,
        updated: query_all(file, updated, params![key, version], with_vector)?,
        removed: edges(
            "SELECT derived, source FROM prior_edge WHERE npc = ?1 AND version = ?2 ORDER BY derived, source",
        )?,
        edges: edges(
            "SELECT derived, source FROM edge WHERE npc = ?1 AND version = ?2 ORDER BY derived, source",
        )?,
        log: read::night_log(file, npc, version)?,
        themes: theme::of_night(file, key, version)?,
    })
}

/// Carries out again a night that was shelved; the state that it builds on must be in force.
fn carry_out_again(file: &Connection, npc: &NpcId, version: u64) -> Result<(), SqliteError> {
    let sql = "SELECT night FROM shelved WHERE npc = ?1 AND version = ?2";
    let night: Option<ShelvedNight> =
        query_one(file, sql, params![npc.as_str(), version], |cells| cells.json("night that was shelved"))?;
    let Some(ShelvedNight { applied, model, effect }) = night else {
        return Err(StoreError::Unreachable { npc: npc.clone(), version }.into());
    };
    write::write_night(file, read::npc_row(file, npc)?, &applied, &effect, model.as_ref())?;
    if let Some(NpcRow { key, .. }) = read::npc_row(file, npc)? {
        let sql = "UPDATE memory SET recalls = ?3, recalled_at = ?4 WHERE npc = ?1 AND id = ?2";
        let mut note = file.prepare_cached(sql)?;
        for memory in effect.inserted.iter().filter(|memory| memory.recalls > 0) {
            let at = memory.recalled_at.as_ref().map(GameTime::to_string);
            note.execute(params![key, memory.entry.id.as_str(), memory.recalls, at])?;
        }
    }
    file.prepare_cached("DELETE FROM shelved WHERE npc = ?1 AND version = ?2")?
        .execute(params![npc.as_str(), version])?;
    Ok(())
}
