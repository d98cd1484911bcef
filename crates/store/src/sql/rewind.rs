//! Save points and rewinding. Everything runs inside the caller's transaction.

use std::collections::BTreeMap;

use nightfold_memory::{
    AppliedNight, GameTime, NightLabel, NpcId, RewindTarget, Rewound, SavePoint, SavePointName, StoreError,
    effect::{Edge, Effect, RewindPath, ShelvedNight, rewind_path},
};
use sha2::{Digest as _, Sha256};

use super::{
    Database, DatabaseFault, query_all, query_one,
    read::{self, NpcRow, with_vector},
    row::{self, select},
    theme,
    value::params,
    write::{self, NightWrite},
};

pub(crate) fn save_points(db: &dyn Database) -> Result<Vec<SavePoint>, DatabaseFault> {
    let sql = "SELECT name FROM save_point ORDER BY name";
    let names: Vec<SavePointName> = query_all(db, sql, &[], |cells| cells.parsed("name of a save point"))?;
    names.into_iter().map(|name| saved(db, name)).collect()
}

/// Returns a save point as it is now.
fn saved(db: &dyn Database, name: SavePointName) -> Result<SavePoint, DatabaseFault> {
    let sql = "SELECT npc, version FROM saved_version WHERE save_point = ?1 ORDER BY npc";
    let versions: Vec<(String, u64)> = query_all(db, sql, &params![name.as_str()], |cells| {
        Ok((cells.get("NPC name")?, cells.get("version")?))
    })?;
    let mut hash = Sha256::new();
    for (npc, version) in &versions {
        hash.update(version.to_le_bytes());
        hash.update((npc.len() as u64).to_le_bytes());
        hash.update(npc);
    }
    let state = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Ok(SavePoint { name, npcs: versions.len(), state })
}

pub(crate) fn save_point(db: &dyn Database, name: &SavePointName) -> Result<SavePoint, DatabaseFault> {
    forget_save_point(db, name)?;
    db.execute("INSERT INTO save_point (name) VALUES (?1)", &params![name.as_str()])?;
    let sql = "INSERT INTO saved_version (save_point, npc, version) SELECT ?1, name, version FROM npc";
    db.execute(sql, &params![name.as_str()])?;
    saved(db, name.clone())
}

pub(crate) fn forget_save_point(db: &dyn Database, name: &SavePointName) -> Result<bool, DatabaseFault> {
    // Not every connection enforces foreign keys, so the versions are deleted by name.
    db.execute("DELETE FROM saved_version WHERE save_point = ?1", &params![name.as_str()])?;
    Ok(db.execute("DELETE FROM save_point WHERE name = ?1", &params![name.as_str()])? > 0)
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

/// Returns the changes that [`rewind`] would make.
pub(crate) fn rewindable(
    db: &dyn Database,
    npc: Option<&NpcId>,
    to: &RewindTarget,
) -> Result<Vec<Rewound>, DatabaseFault> {
    Ok(paths(db, npc, to)?.iter().map(NpcPath::rewound).collect())
}

/// Rewinds one NPC, or all that have nights in force or shelved.
pub(crate) fn rewind(
    db: &dyn Database,
    npc: Option<&NpcId>,
    to: &RewindTarget,
) -> Result<Vec<Rewound>, DatabaseFault> {
    let paths = paths(db, npc, to)?;
    for NpcPath { npc, nights, path, .. } in &paths {
        for _ in 0..path.back {
            shelve_latest(db, npc, nights)?;
        }
    }
    // Where all vectors of a model went, those of another one may come.
    write::clear_unused_model(db)?;
    for NpcPath { npc, path, .. } in &paths {
        for version in &path.forward {
            carry_out_again(db, npc, *version)?;
        }
    }
    Ok(paths.iter().map(NpcPath::rewound).collect())
}

/// Returns the ways of the NPCs that a rewind changes, by name.
fn paths(db: &dyn Database, npc: Option<&NpcId>, to: &RewindTarget) -> Result<Vec<NpcPath>, DatabaseFault> {
    if let RewindTarget::SavePoint(name) | RewindTarget::Saved(SavePoint { name, .. }) = to {
        let sql = "SELECT 1 FROM save_point WHERE name = ?1";
        let found: Option<i64> =
            query_one(db, sql, &params![name.as_str()], |cells| cells.get("save point"))?;
        found.ok_or_else(|| StoreError::NoSavePoint { name: name.clone() })?;
    }
    if let RewindTarget::Saved(point) = to
        && saved(db, point.name.clone())? != *point
    {
        return Err(StoreError::SavePointReplaced { name: point.name.clone() }.into());
    }
    let all = match npc {
        Some(npc) => vec![npc.clone()],
        None => {
            query_all(db, "SELECT name FROM npc UNION SELECT npc FROM shelved ORDER BY 1", &[], |cells| {
                cells.parsed("NPC name")
            })?
        }
    };
    let mut paths = Vec::new();
    for npc in all {
        paths.extend(npc_path(db, npc, to)?);
    }
    Ok(paths)
}

/// Returns the way of an NPC; `None` if it is there already.
fn npc_path(db: &dyn Database, npc: NpcId, to: &RewindTarget) -> Result<Option<NpcPath>, DatabaseFault> {
    let nights = read::nights(db, Some(&npc))?;
    let version = match to {
        RewindTarget::At(at) => last_until(&nights, *at),
        RewindTarget::SavePoint(name) | RewindTarget::Saved(SavePoint { name, .. }) => {
            let sql = "SELECT version FROM saved_version WHERE save_point = ?1 AND npc = ?2";
            let named = &params![name.as_str(), npc.as_str()];
            query_one(db, sql, named, |cells| cells.get("version"))?.unwrap_or(0)
        }
    };
    let in_force: Vec<u64> = nights.iter().map(|night| night.version).collect();
    let sql = "SELECT version, base_version FROM shelved WHERE npc = ?1";
    let shelved = query_all(db, sql, &params![npc.as_str()], |cells| {
        Ok((cells.get("version")?, cells.get("base version")?))
    })?;
    let path = rewind_path(&in_force, &BTreeMap::from_iter(shelved), version)
        .ok_or_else(|| StoreError::Unreachable { npc: npc.clone(), version })?;
    if let Some(night) = purged_night(db, &npc, path.back)? {
        return Err(StoreError::Purged { npc, night }.into());
    }
    Ok((path != RewindPath::default()).then_some(NpcPath { npc, nights, version, path }))
}

/// Returns a night among the latest `nights` whose data for undoing was purged.
fn purged_night(db: &dyn Database, npc: &NpcId, nights: usize) -> Result<Option<NightLabel>, DatabaseFault> {
    let sql = "SELECT label FROM (SELECT label, seq, purged FROM night JOIN npc ON npc.key = night.npc
         WHERE name = ?1 ORDER BY seq DESC LIMIT ?2) AS latest WHERE seq <= purged LIMIT 1";
    query_one(db, sql, &params![npc.as_str(), nights], |cells| cells.parsed("night"))
}

/// Returns the version of the last night of the first ones that end by a moment.
fn last_until(nights: &[AppliedNight], at: GameTime) -> u64 {
    nights.iter().take_while(|night| night.at <= at).last().map_or(0, |night| night.version)
}

/// Undoes the latest night of an NPC and shelves it with its effect.
fn shelve_latest(db: &dyn Database, npc: &NpcId, nights: &[AppliedNight]) -> Result<(), DatabaseFault> {
    let Some(latest) = write::latest_night(db, npc)? else { return Ok(()) };
    let latest = latest.require_undoable(npc)?;
    let Some(applied) = nights.iter().find(|night| night.version == latest.version).cloned() else {
        return Ok(());
    };
    let effect = effect_in_force(db, npc, latest.key, latest.version)?;
    let (version, base_version) = (applied.version, applied.base_version);
    let night = ShelvedNight { applied, model: read::model(db)?, effect };
    // A night that was shelved before and slept again has the version of then.
    db.execute(
        "INSERT INTO shelved (npc, version, base_version, night) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (npc, version) DO UPDATE SET base_version = excluded.base_version, night = excluded.night",
        &params![npc.as_str(), version, base_version, row::json(&night)?],
    )?;
    write::undo_night(db, npc, latest)?;
    Ok(())
}

/// Returns the effect of the latest night of an NPC, read back from its rows.
fn effect_in_force(db: &dyn Database, npc: &NpcId, key: i64, version: u64) -> Result<Effect, DatabaseFault> {
    let inserted = select!(
        ", v.numbers FROM memory AS m LEFT JOIN vector AS v ON v.npc = m.npc AND v.id = m.id AND v.version IS NULL
         WHERE m.npc = ?1 AND m.version = ?2 ORDER BY m.id"
    );
    let updated = select!(
        ", v.numbers FROM prior AS p JOIN memory AS m ON m.npc = p.npc AND m.id = p.id
         LEFT JOIN vector AS v ON v.npc = m.npc AND v.id = m.id AND v.version = ?2
         WHERE p.npc = ?1 AND p.version = ?2 ORDER BY m.id"
    );
    let edges = |sql: &str| -> Result<Vec<Edge>, DatabaseFault> {
        query_all(db, sql, &params![key, version], row::edge)
    };
    Ok(Effect {
        inserted: query_all(db, inserted, &params![key, version], |cells| with_vector(cells, npc))?,
        updated: query_all(db, updated, &params![key, version], |cells| with_vector(cells, npc))?,
        removed: edges(
            "SELECT derived, source FROM prior_edge WHERE npc = ?1 AND version = ?2 ORDER BY derived, source",
        )?,
        edges: edges(
            "SELECT derived, source FROM edge WHERE npc = ?1 AND version = ?2 ORDER BY derived, source",
        )?,
        log: read::night_log(db, npc, version)?,
        themes: theme::of_night(db, key, version)?,
    })
}

/// Carries out again a night that was shelved; the state that it builds on must be in force.
fn carry_out_again(db: &dyn Database, npc: &NpcId, version: u64) -> Result<(), DatabaseFault> {
    let sql = "SELECT night FROM shelved WHERE npc = ?1 AND version = ?2";
    let night: Option<ShelvedNight> =
        query_one(db, sql, &params![npc.as_str(), version], |cells| cells.json("night that was shelved"))?;
    let Some(ShelvedNight { applied, model, effect }) = night else {
        return Err(StoreError::Unreachable { npc: npc.clone(), version }.into());
    };
    let found = read::npc_row(db, npc)?;
    write::write_nights(db, &[NightWrite { found, applied, effect: &effect }])?;
    write::set_model(db, &effect, model.as_ref())?;
    if let Some(NpcRow { key, .. }) = read::npc_row(db, npc)? {
        let sql = "UPDATE memory SET recalls = ?3, recalled_at = ?4 WHERE npc = ?1 AND id = ?2";
        let recalled = effect.inserted.iter().filter(|memory| memory.recalls > 0).map(|memory| {
            let at = memory.recalled_at;
            Vec::from(params![key, memory.entry.id.as_str(), memory.recalls, at])
        });
        db.execute_each(sql, &recalled.collect::<Vec<_>>())?;
    }
    let sql = "DELETE FROM shelved WHERE npc = ?1 AND version = ?2";
    db.execute(sql, &params![npc.as_str(), version]).map(drop)
}
