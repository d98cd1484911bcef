//! Applying nights to a store file, and undoing them. Both run inside the caller's transaction.

use nightfold_memory::{
    AppliedNight, GameTime, MemoryId, MemoryRecord, ModelId, NightLabel, NpcId, NpcNight, Outcome,
    StoreError, ThemeId, Undone,
    effect::{Decision, Effect, PriorRows, PriorState, effect_of},
};
use rusqlite::{Connection, OptionalExtension, params};

use super::{
    fault::SqliteError,
    read::{self, NpcRow},
    row::{self, Cells},
    theme,
};

/// Returns the next run number, each only once.
pub(super) fn begin_run(file: &Connection) -> Result<u64, SqliteError> {
    let sql = "UPDATE store SET last_run = last_run + 1 RETURNING last_run";
    Ok(file.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// Applies one night, which makes `version`. After [`SqliteError::Own`] nothing of the night is written, so
/// no savepoint is needed: every decision is made before the first write, and a write can only fail with an
/// error of the file.
pub(super) fn apply_night(
    file: &Connection,
    run: u64,
    night: &NpcNight,
    version: u64,
) -> Result<Outcome, SqliteError> {
    let found = read::npc_row(file, &night.npc)?;
    let before = PriorState {
        version: found.map_or(0, |npc| npc.version),
        applied: found.map_or(Ok(false), |npc| is_applied(file, npc.key, version))?,
        model: read::model(file)?,
    };
    match effect_of(
        night,
        before,
        &SqlitePriorRows { file, name: &night.npc, key: found.map(|npc| npc.key) },
    )? {
        Decision::Nothing(outcome) => Ok(outcome),
        Decision::Write(effect) => {
            let applied = AppliedNight::new(night, run, version);
            write_night(file, found, &applied, &effect, Some(&night.model))?;
            // Only for a run number that this store did not reserve: it must not be returned later.
            file.prepare_cached("UPDATE store SET last_run = ?1 WHERE last_run < ?1")?.execute([run])?;
            Ok(Outcome::Applied { version })
        }
    }
}

/// Writes a night whose effect is known. `model` is that of its vectors.
pub(super) fn write_night(
    file: &Connection,
    found: Option<NpcRow>,
    applied: &AppliedNight,
    effect: &Effect,
    model: Option<&ModelId>,
) -> rusqlite::Result<()> {
    let key = set_version(file, &applied.npc, found, applied.version)?;
    insert_night(file, key, applied)?;
    write_effect(file, key, applied.version, effect)?;
    theme::write(file, key, applied.version, &effect.themes)?;
    if let Some(model) = model.filter(|_| effect.has_vectors()) {
        file.prepare_cached("UPDATE store SET model = ?1")?.execute([model.as_str()])?;
    }
    Ok(())
}

/// Rows of one NPC in the file; none without a key.
struct SqlitePriorRows<'a> {
    file: &'a Connection,
    name: &'a NpcId,
    key: Option<i64>,
}

impl PriorRows for SqlitePriorRows<'_> {
    type Error = SqliteError;

    fn row(&self, id: &MemoryId) -> Result<Option<MemoryRecord>, SqliteError> {
        self.key.map_or(Ok(None), |key| read::record(self.file, key, self.name, id))
    }

    fn purged(&self, id: &MemoryId) -> Result<bool, SqliteError> {
        self.key.map_or(Ok(false), |key| read::purged(self.file, key, id))
    }

    fn has_vector(&self, id: &MemoryId) -> Result<bool, SqliteError> {
        self.key.map_or(Ok(false), |key| read::has_vector(self.file, key, id))
    }

    fn derived(&self, id: &MemoryId) -> Result<Vec<MemoryId>, SqliteError> {
        self.key.map_or(Ok(Vec::new()), |key| read::derived(self.file, key, id))
    }

    fn predecessors(&self, id: &MemoryId) -> Result<Vec<MemoryId>, SqliteError> {
        self.key.map_or(Ok(Vec::new()), |key| read::superseded(self.file, key, id))
    }

    fn has_theme(&self, id: &ThemeId) -> Result<bool, SqliteError> {
        self.key.map_or(Ok(false), |key| theme::exists(self.file, key, id))
    }
}

fn is_applied(file: &Connection, key: i64, version: u64) -> Result<bool, SqliteError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM night WHERE npc = ?1 AND version = ?2)";
    Ok(file.prepare_cached(sql)?.query_row(params![key, version], |row| row.get(0))?)
}

/// Sets the NPC's new version; adds the NPC if it is new.
fn set_version(file: &Connection, npc: &NpcId, found: Option<NpcRow>, version: u64) -> rusqlite::Result<i64> {
    if let Some(NpcRow { key, .. }) = found {
        file.prepare_cached("UPDATE npc SET version = ?2 WHERE key = ?1")?.execute(params![key, version])?;
        Ok(key)
    } else {
        file.prepare_cached("INSERT INTO npc (name, version) VALUES (?1, ?2)")?
            .execute(params![npc.as_str(), version])?;
        Ok(file.last_insert_rowid())
    }
}

fn insert_night(file: &Connection, key: i64, night: &AppliedNight) -> rusqlite::Result<()> {
    let sql = "INSERT INTO night (npc, version, base_version, label, at, run, changes, npc_tags)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    file.prepare_cached(sql)?.execute(params![
        key,
        night.version,
        night.base_version,
        night.night.as_str(),
        night.at.to_string(),
        night.run,
        night.changes,
        row::json(&night.npc_tags)?,
    ])?;
    Ok(())
}

fn write_effect(file: &Connection, key: i64, version: u64, effect: &Effect) -> rusqlite::Result<()> {
    let mut insert = file.prepare_cached(row::INSERT)?;
    let sql = "INSERT INTO vector (npc, id, numbers, version) VALUES (?1, ?2, ?3, ?4)";
    let mut vector = file.prepare_cached(sql)?;
    // A vector that came with its memory is deleted with it, and needs no version.
    let mut add_vector = |memory: &MemoryRecord, later: Option<u64>| match &memory.entry.vector {
        Some(numbers) => vector.execute(params![key, memory.entry.id.as_str(), numbers.to_bytes(), later]),
        None => Ok(0),
    };
    for memory in &effect.inserted {
        row::insert(&mut insert, key, version, memory)?;
        add_vector(memory, None)?;
    }
    let mut remember = file.prepare_cached(row::SAVE_PRIOR)?;
    let mut update = file.prepare_cached(row::UPDATE)?;
    for memory in &effect.updated {
        remember.execute(params![key, memory.entry.id.as_str(), version])?;
        row::update(&mut update, key, memory)?;
        add_vector(memory, Some(version))?;
    }
    let mut keep = file.prepare_cached(
        "INSERT INTO prior_edge (npc, version, derived, source, drawn)
         SELECT npc, ?4, derived, source, version FROM edge WHERE npc = ?1 AND derived = ?2 AND source = ?3",
    )?;
    let mut remove =
        file.prepare_cached("DELETE FROM edge WHERE npc = ?1 AND derived = ?2 AND source = ?3")?;
    for removed in &effect.removed {
        let (derived, source) = (removed.derived.as_str(), removed.source.as_str());
        keep.execute(params![key, derived, source, version])?;
        remove.execute(params![key, derived, source])?;
    }
    let mut edge = file.prepare_cached(
        "INSERT INTO edge (npc, derived, source, version) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    )?;
    for drawn in &effect.edges {
        edge.execute(params![key, drawn.derived.as_str(), drawn.source.as_str(), version])?;
    }
    let mut log = file.prepare_cached(
        "INSERT INTO log (npc, version, ord, verb, id, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for (ord, line) in effect.log.iter().enumerate() {
        log.execute(params![key, version, ord, line.verb, line.id.as_str(), row::json(&line.reason)?])?;
    }
    Ok(())
}

/// Counts recalls of memories.
pub(super) fn touch(
    file: &Connection,
    npc: &NpcId,
    ids: &[MemoryId],
    at: GameTime,
) -> Result<usize, SqliteError> {
    let Some(NpcRow { key, .. }) = read::npc_row(file, npc)? else { return Ok(0) };
    let sql = "UPDATE memory SET recalls = recalls + 1, recalled_at = ?3 WHERE npc = ?1 AND id = ?2";
    let mut note = file.prepare_cached(sql)?;
    let mut noted = 0;
    for id in ids {
        noted += note.execute(params![key, id.as_str(), at.to_string()])?;
    }
    Ok(noted)
}

/// Undoes the latest night of an NPC.
pub(super) fn undo(file: &Connection, name: &NpcId) -> Result<Option<Undone>, SqliteError> {
    let Some(latest) = latest_night(file, name)? else {
        return Ok(None);
    };
    let undone = undo_night(file, name, latest.require_undoable(name)?)?;
    clear_unused_model(file)?;
    Ok(Some(undone))
}

/// Undoes the nights of a run that no other run builds on.
pub(super) fn undo_run(file: &Connection, run: u64) -> Result<Vec<Undone>, SqliteError> {
    let mut undone = Vec::new();
    for name in read::npcs_of_run(file, run)? {
        while let Some(latest) = latest_night(file, &name)?
            && latest.run == run
        {
            undone.push(undo_night(file, &name, latest.require_undoable(&name)?)?);
        }
    }
    clear_unused_model(file)?;
    Ok(undone)
}

/// The latest night of an NPC.
pub(super) struct LatestNight {
    pub(super) key: i64,
    night: NightLabel,
    run: u64,
    pub(super) version: u64,
    base_version: u64,
    /// True if the data that would undo it was purged.
    purged: bool,
}

impl LatestNight {
    pub(super) fn require_undoable(self, npc: &NpcId) -> Result<Self, StoreError> {
        if self.purged {
            return Err(StoreError::Purged { npc: npc.clone(), night: self.night });
        }
        Ok(self)
    }
}

/// Returns the latest night, the one that made the version in force.
pub(super) fn latest_night(file: &Connection, name: &NpcId) -> Result<Option<LatestNight>, SqliteError> {
    let mut statement = file.prepare_cached(
        "SELECT night.label, npc.key, night.run, night.version, night.base_version,
                night.seq <= coalesce(npc.purged, night.seq - 1)
         FROM npc JOIN night ON night.npc = npc.key AND night.version = npc.version WHERE npc.name = ?1",
    )?;
    let latest = statement
        .query_row([name.as_str()], |row| {
            let mut cells = Cells::of(row);
            let mut read = || -> Result<LatestNight, StoreError> {
                Ok(LatestNight {
                    night: cells.parsed("night")?,
                    key: cells.get("key of an NPC")?,
                    run: cells.get("run")?,
                    version: cells.get("version")?,
                    base_version: cells.get("base version")?,
                    purged: cells.get("mark of a purge")?,
                })
            };
            Ok(read())
        })
        .optional()?;
    Ok(latest.transpose()?)
}

pub(super) fn undo_night(file: &Connection, name: &NpcId, latest: LatestNight) -> rusqlite::Result<Undone> {
    let LatestNight { key, night, version, base_version, .. } = latest;
    // Prior states are restored before anything is deleted, and rows that refer to a memory are deleted
    // before it.
    for sql in [
        row::RESTORE_PRIOR,
        "DELETE FROM prior WHERE npc = ?1 AND version = ?2",
        "DELETE FROM edge WHERE npc = ?1 AND version = ?2",
        "INSERT INTO edge (npc, derived, source, version)
         SELECT npc, derived, source, drawn FROM prior_edge WHERE npc = ?1 AND version = ?2",
        "DELETE FROM prior_edge WHERE npc = ?1 AND version = ?2",
        "DELETE FROM vector WHERE npc = ?1 AND version = ?2",
        "DELETE FROM log WHERE npc = ?1 AND version = ?2",
        "DELETE FROM memory WHERE npc = ?1 AND version = ?2",
        theme::DELETE_OF_NIGHT,
        "DELETE FROM night WHERE npc = ?1 AND version = ?2",
    ] {
        file.prepare_cached(sql)?.execute(params![key, version])?;
    }
    file.prepare_cached("UPDATE npc SET version = ?2 WHERE key = ?1")?.execute(params![key, base_version])?;
    let none_left = "DELETE FROM npc WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM night WHERE npc = ?1)";
    file.prepare_cached(none_left)?.execute([key])?;
    Ok(Undone { npc: name.clone(), night, version: base_version })
}

/// Clears the model if no vector is left.
pub(super) fn clear_unused_model(file: &Connection) -> rusqlite::Result<()> {
    let sql = "UPDATE store SET model = NULL
         WHERE NOT EXISTS (SELECT 1 FROM vector) AND NOT EXISTS (SELECT 1 FROM theme)";
    file.prepare_cached(sql)?.execute([])?;
    Ok(())
}
