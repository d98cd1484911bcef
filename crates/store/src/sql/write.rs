//! Writing nights, and undoing them. Both run inside the caller's transaction.

use nightfold_memory::{
    AppliedNight, GameTime, MemoryId, MemoryRecord, ModelId, NightLabel, NpcId, StoreError, Undone,
    effect::Effect,
};

use super::{
    Database, DatabaseFault, query_all, query_each, query_one, query_value,
    read::{self, NpcRow},
    row, theme,
    value::{SqlValue, params},
};

/// Reserves the next run number.
pub(crate) fn begin_run(db: &dyn Database) -> Result<u64, DatabaseFault> {
    query_value(db, "UPDATE store SET last_run = last_run + 1 RETURNING last_run", &[], "number of a run")
}

/// Notes a run number that this store did not reserve: it must not be returned later.
pub(crate) fn note_run(db: &dyn Database, run: u64) -> Result<(), DatabaseFault> {
    db.execute("UPDATE store SET last_run = ?1 WHERE last_run < ?1", &params![run]).map(drop)
}

/// Notes the model of the vectors that were written, if they are the first. Another worker may note another one at the same
/// moment.
pub(crate) fn set_model(
    db: &dyn Database,
    effect: &Effect,
    model: Option<&ModelId>,
) -> Result<(), DatabaseFault> {
    let Some(ours) = model.filter(|_| effect.has_vectors()) else { return Ok(()) };
    db.execute("UPDATE store SET model = ?1 WHERE model IS NULL", &params![ours.as_str()])?;
    match read::model(db)? {
        Some(stored) if stored != *ours => {
            Err(DatabaseFault::Lost(StoreError::Model { stored, given: ours.clone() }))
        }
        _ => Ok(()),
    }
}

/// A night whose effect is known.
pub(crate) struct NightWrite<'a> {
    /// Row of the NPC before the night.
    pub(crate) found: Option<NpcRow>,
    pub(crate) applied: AppliedNight,
    pub(crate) effect: &'a Effect,
}

/// Writes nights of different NPCs, table by table.
pub(crate) fn write_nights(db: &dyn Database, nights: &[NightWrite<'_>]) -> Result<(), DatabaseFault> {
    let keys = set_versions(db, nights)?;
    let nights: Vec<KeyedNight<'_>> = nights
        .iter()
        .zip(keys)
        .map(|(night, key)| KeyedNight { key, version: night.applied.version, night })
        .collect();
    let seqs = insert_nights(db, &nights)?;
    write_memories(db, &nights)?;
    write_edges(db, &nights)?;
    write_logs(db, &nights)?;
    theme::write(
        db,
        nights.iter().zip(seqs).map(|(of, seq)| (of.key, seq, of.night.effect.themes.as_slice())),
    )
}

/// A night with the key of its NPC.
struct KeyedNight<'a> {
    key: i64,
    version: u64,
    night: &'a NightWrite<'a>,
}

/// Sets the new versions of the NPCs, adds those that are new, and returns their keys.
fn set_versions(db: &dyn Database, nights: &[NightWrite<'_>]) -> Result<Vec<i64>, DatabaseFault> {
    let known: Vec<_> = nights
        .iter()
        .filter_map(|night| Some(Vec::from(params![night.found?.key, night.applied.version])))
        .collect();
    db.execute_each("UPDATE npc SET version = ?2 WHERE key = ?1", &known)?;
    let new: Vec<_> = nights
        .iter()
        .filter(|night| night.found.is_none())
        .map(|night| Vec::from(params![night.applied.npc.as_str(), night.applied.version]))
        .collect();
    let sql = "INSERT INTO npc (name, version) VALUES (?1, ?2) RETURNING key";
    let mut added = query_each(db, sql, &new, |cells| cells.get("key of an NPC"))?.into_iter();
    let keys = nights.iter().map(|night| night.found.map(|npc| npc.key).or_else(|| added.next()));
    keys.collect::<Option<_>>().ok_or_else(|| {
        let source = "fewer NPCs were added than are new".into();
        DatabaseFault::Lost(StoreError::Damaged { what: "key of an NPC", id: String::new(), source })
    })
}

/// Inserts the nights, and returns their numbers among all nights of the store.
fn insert_nights(db: &dyn Database, nights: &[KeyedNight<'_>]) -> Result<Vec<i64>, DatabaseFault> {
    let mut rows = Vec::with_capacity(nights.len());
    for KeyedNight { key, version, night: NightWrite { applied, .. } } in nights {
        rows.push(Vec::from(params![
            *key,
            *version,
            applied.base_version,
            applied.night.as_str(),
            applied.at,
            applied.run,
            applied.changes,
            row::json(&applied.npc_tags)?,
        ]));
    }
    let sql = "INSERT INTO night (npc, version, base_version, label, at, run, changes, npc_tags) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING seq";
    query_each(db, sql, &rows, |cells| cells.get("number of a night"))
}

fn write_memories(db: &dyn Database, nights: &[KeyedNight<'_>]) -> Result<(), DatabaseFault> {
    let (mut inserted, mut prior, mut updated, mut vectors) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for &KeyedNight { key, version, night: NightWrite { effect, .. } } in nights {
        // A vector that came with its memory is deleted with it, and needs no version.
        let mut add_vector = |memory: &MemoryRecord, later: Option<u64>| {
            if let Some(numbers) = &memory.entry.vector {
                let id: SqlValue<'_> = memory.entry.id.as_str().to_owned().into();
                vectors.push(vec![key.into(), id, numbers.to_packed().into(), later.into()]);
            }
        };
        for memory in &effect.inserted {
            inserted.push(row::insert(key, version, memory)?);
            add_vector(memory, None);
        }
        for memory in &effect.updated {
            prior.push(Vec::from(params![key, memory.entry.id.as_str(), version]));
            updated.push(row::update(key, memory)?);
            add_vector(memory, Some(version));
        }
    }
    db.execute_each(row::INSERT, &inserted)?;
    db.execute_each(row::SAVE_PRIOR, &prior)?;
    db.execute_each(row::UPDATE, &updated)?;
    db.execute_each("INSERT INTO vector (npc, id, numbers, version) VALUES (?1, ?2, ?3, ?4)", &vectors)?;
    Ok(())
}

fn write_edges(db: &dyn Database, nights: &[KeyedNight<'_>]) -> Result<(), DatabaseFault> {
    let (mut kept, mut removed, mut drawn) = (Vec::new(), Vec::new(), Vec::new());
    for &KeyedNight { key, version, night: NightWrite { effect, .. } } in nights {
        for edge in &effect.removed {
            let (derived, source) = (edge.derived.as_str(), edge.source.as_str());
            kept.push(Vec::from(params![key, derived, source, version]));
            removed.push(Vec::from(params![key, derived, source]));
        }
        for edge in &effect.edges {
            drawn.push(Vec::from(params![key, edge.derived.as_str(), edge.source.as_str(), version]));
        }
    }
    db.execute_each(
        "INSERT INTO prior_edge (npc, version, derived, source, drawn)
         SELECT npc, ?4, derived, source, version FROM edge WHERE npc = ?1 AND derived = ?2 AND source = ?3",
        &kept,
    )?;
    db.execute_each("DELETE FROM edge WHERE npc = ?1 AND derived = ?2 AND source = ?3", &removed)?;
    db.execute_each(
        "INSERT INTO edge (npc, derived, source, version) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
        &drawn,
    )?;
    Ok(())
}

fn write_logs(db: &dyn Database, nights: &[KeyedNight<'_>]) -> Result<(), DatabaseFault> {
    let mut lines = Vec::new();
    for &KeyedNight { key, version, night: NightWrite { effect, .. } } in nights {
        for (ord, line) in effect.log.iter().enumerate() {
            let reason = row::json(&line.reason)?;
            lines.push(Vec::from(params![key, version, ord, &line.verb, line.id.as_str(), reason]));
        }
    }
    let sql = "INSERT INTO log (npc, version, ord, verb, id, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    db.execute_each(sql, &lines).map(drop)
}

/// Counts recalls of memories.
pub(crate) fn touch(
    db: &dyn Database,
    npc: &NpcId,
    ids: &[MemoryId],
    at: GameTime,
) -> Result<usize, DatabaseFault> {
    let Some(NpcRow { key, .. }) = read::npc_row(db, npc)? else { return Ok(0) };
    let sql = "UPDATE memory SET recalls = recalls + 1, recalled_at = ?3 WHERE npc = ?1 AND id = ?2";
    let touched: Vec<_> = ids.iter().map(|id| Vec::from(params![key, id.as_str(), at])).collect();
    db.execute_each(sql, &touched)
}

/// Undoes the latest night of an NPC.
pub(crate) fn undo(db: &dyn Database, name: &NpcId) -> Result<Option<Undone>, DatabaseFault> {
    let Some(latest) = latest_night(db, name)? else {
        return Ok(None);
    };
    let undone = undo_night(db, name, latest.require_undoable(name)?)?;
    clear_unused_model(db)?;
    Ok(Some(undone))
}

/// Undoes the nights of a run that no other run builds on.
pub(crate) fn undo_run(db: &dyn Database, run: u64) -> Result<Vec<Undone>, DatabaseFault> {
    let mut undone = Vec::new();
    for name in read::npcs_of_run(db, run)? {
        while let Some(latest) = latest_night(db, &name)?
            && latest.run == run
        {
            undone.push(undo_night(db, &name, latest.require_undoable(&name)?)?);
        }
    }
    clear_unused_model(db)?;
    Ok(undone)
}

/// The latest night of an NPC.
pub(crate) struct LatestNight {
    pub(crate) key: i64,
    night: NightLabel,
    run: u64,
    pub(crate) version: u64,
    base_version: u64,
    /// True if the data that would undo it was purged.
    purged: bool,
}

impl LatestNight {
    pub(crate) fn require_undoable(self, npc: &NpcId) -> Result<Self, StoreError> {
        if self.purged {
            return Err(StoreError::Purged { npc: npc.clone(), night: self.night });
        }
        Ok(self)
    }
}

/// Returns the latest night, the one that made the version in force.
pub(crate) fn latest_night(db: &dyn Database, name: &NpcId) -> Result<Option<LatestNight>, DatabaseFault> {
    let sql = "SELECT night.label, npc.key, night.run, night.version, night.base_version, \
                night.seq <= coalesce(npc.purged, night.seq - 1) \
         FROM npc JOIN night ON night.npc = npc.key AND night.version = npc.version WHERE npc.name = ?1";
    query_one(db, sql, &params![name.as_str()], |cells| {
        Ok(LatestNight {
            night: cells.parsed("night")?,
            key: cells.get("key of an NPC")?,
            run: cells.get("run")?,
            version: cells.get("version")?,
            base_version: cells.get("base version")?,
            purged: cells.get("mark of a purge")?,
        })
    })
}

pub(crate) fn undo_night(
    db: &dyn Database,
    name: &NpcId,
    latest: LatestNight,
) -> Result<Undone, DatabaseFault> {
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
    ] {
        db.execute(sql, &params![key, version])?;
    }
    let sql = "DELETE FROM memory WHERE npc = ?1 AND version = ?2 RETURNING id";
    let deleted: Vec<String> = query_all(db, sql, &params![key, version], |cells| cells.get("id"))?;
    let vectors: Vec<_> = deleted.iter().map(|id| Vec::from(params![key, id])).collect();
    db.execute_each("DELETE FROM vector WHERE npc = ?1 AND id = ?2", &vectors)?;
    for sql in [theme::DELETE_OF_NIGHT, "DELETE FROM night WHERE npc = ?1 AND version = ?2"] {
        db.execute(sql, &params![key, version])?;
    }
    db.execute("UPDATE npc SET version = ?2 WHERE key = ?1", &params![key, base_version])?;
    let none_left = "DELETE FROM npc WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM night WHERE npc = ?1)";
    db.execute(none_left, &params![key])?;
    Ok(Undone { npc: name.clone(), night, version: base_version })
}

/// Clears the model if no vector is left.
pub(crate) fn clear_unused_model(db: &dyn Database) -> Result<(), DatabaseFault> {
    let sql = "UPDATE store SET model = NULL
         WHERE NOT EXISTS (SELECT 1 FROM vector) AND NOT EXISTS (SELECT 1 FROM theme)";
    db.execute(sql, &[]).map(drop)
}
