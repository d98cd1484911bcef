//! Erasing a person. Everything runs inside the caller's transaction.

use nightfold_memory::{
    Erasure, NpcId, PersonNames, SavePointName, StoreError, ThemeSeen,
    effect::{Edge, Effect, ErasureEffect, NpcHistory, RecordHistory, ThemeState, erasure_of},
};

use super::{
    Database, DatabaseFault, query_all, query_value,
    read::{self, NpcRow},
    rewind,
    row::{self, select},
    value::params,
    write::{NightWrite, clear_unused_model, write_nights},
};

/// Deletes an NPC whole: rows that refer to others come before them.
const OF_A_WHOLE_NPC: &[&str] = &[
    "DELETE FROM log WHERE npc = ?1",
    "DELETE FROM edge WHERE npc = ?1",
    "DELETE FROM prior_edge WHERE npc = ?1",
    "DELETE FROM prior WHERE npc = ?1",
    "DELETE FROM vector WHERE npc = ?1",
    "DELETE FROM memory WHERE npc = ?1",
    "DELETE FROM theme WHERE npc = ?1",
    "DELETE FROM gone WHERE npc = ?1",
    "DELETE FROM night WHERE npc = ?1",
    "DELETE FROM npc WHERE key = ?1",
];

/// Deletes the rows that undo nights, up to the latest, and notes that these nights cannot be undone.
const NO_WAY_BACK: &[&str] = &[
    "DELETE FROM prior WHERE npc = ?1",
    "DELETE FROM prior_edge WHERE npc = ?1",
    "UPDATE npc SET purged = (SELECT max(seq) FROM night WHERE npc = ?1) WHERE key = ?1",
];

/// Returns the [`Erasure`] that [`erase`] would perform.
pub(crate) fn erasable(
    db: &dyn Database,
    npc: &NpcId,
    person: &PersonNames,
) -> Result<Option<Erasure>, DatabaseFault> {
    Ok(effect(db, npc, person, 0)?.map(|(_, effect)| effect.erasure))
}

pub(crate) fn erase(
    db: &dyn Database,
    run: u64,
    npc: &NpcId,
    person: &PersonNames,
) -> Result<Option<Erasure>, DatabaseFault> {
    let Some((found, effect)) = effect(db, npc, person, run)? else { return Ok(None) };
    // What was shelved builds on rows that are gone.
    db.execute("DELETE FROM shelved WHERE npc = ?1", &params![npc.as_str()])?;
    if effect.erasure.whole {
        db.execute("DELETE FROM saved_version WHERE npc = ?1", &params![npc.as_str()])?;
    }
    if let Some(found) = found {
        if effect.erasure.whole {
            for sql in OF_A_WHOLE_NPC {
                db.execute(sql, &params![found.key])?;
            }
        } else {
            write(db, npc, found, &effect)?;
        }
        clear_unused_model(db)?;
    }
    Ok(Some(effect.erasure))
}

/// Returns the row of the NPC and the effect of an erasure; `None` if there is nothing to erase.
fn effect(
    db: &dyn Database,
    npc: &NpcId,
    person: &PersonNames,
    run: u64,
) -> Result<Option<(Option<NpcRow>, ErasureEffect)>, DatabaseFault> {
    let found = read::npc_row(db, npc)?;
    let history = history(db, npc, found, person)?;
    let effect = erasure_of(npc, &history, person, run).map_err(StoreError::backend)?;
    // An NPC of which the store holds nothing is not deleted.
    let saved = "SELECT EXISTS (SELECT 1 FROM saved_version WHERE npc = ?1)";
    let is_there = found.is_some()
        || history.open_nights > 0
        || query_value(db, saved, &params![npc.as_str()], "presence at a save point")?;
    Ok(effect.filter(|_| is_there).map(|effect| (found, effect)))
}

fn history(
    db: &dyn Database,
    npc: &NpcId,
    found: Option<NpcRow>,
    person: &PersonNames,
) -> Result<NpcHistory, DatabaseFault> {
    let sql = "SELECT night FROM shelved WHERE npc = ?1";
    let shelved = query_all(db, sql, &params![npc.as_str()], |cells| {
        let night: String = cells.get("night that was shelved")?;
        Ok(person.are_in(&night))
    })?;
    let mut history = NpcHistory {
        nights: read::nights(db, Some(npc))?,
        open_nights: shelved.len(),
        named_elsewhere: shelved.contains(&true),
        ..NpcHistory::default()
    };
    let Some(NpcRow { key, version }) = found else { return Ok(history) };
    history.version = version;
    let open: usize = query_value(
        db,
        "SELECT count(*) FROM night JOIN npc ON npc.key = night.npc
         WHERE night.npc = ?1 AND seq > coalesce(purged, seq - 1)",
        &params![key],
        "count of nights",
    )?;
    history.open_nights += open;
    let sql = select!(
        ", m.version, EXISTS (SELECT 1 FROM vector AS v WHERE v.npc = m.npc AND v.id = m.id)
         FROM memory AS m WHERE m.npc = ?1 ORDER BY m.id"
    );
    history.records = query_all(db, sql, &params![key], |cells| {
        let record = row::read(cells, npc)?;
        Ok(RecordHistory {
            record,
            version: cells.get("version")?,
            has_vector: cells.get("presence of a vector")?,
        })
    })?;
    let sql = "SELECT derived, source FROM edge WHERE npc = ?1 ORDER BY derived, source";
    history.edges = query_all(db, sql, &params![key], row::edge)?;
    history.log = read::whole_log(db, npc)?;
    let sql = "SELECT t.id, night.version, t.words, t.recent, t.members FROM theme AS t JOIN night ON night.seq = t.seq
         WHERE t.npc = ?1 ORDER BY t.seq, t.id";
    history.themes = query_all(db, sql, &params![key], |cells| {
        let (id, version) = (cells.parsed("name of a theme")?, cells.get("version")?);
        let mut words: Vec<String> = cells.json("words of a theme")?;
        let recent: Vec<ThemeSeen> = cells.json("last nights of a theme")?;
        words.extend(recent.into_iter().flat_map(|seen| seen.terms));
        words.extend(cells.json::<Vec<String>>("memories of a night")?);
        Ok(ThemeState { id, version, words })
    })?;
    let sql = "SELECT id FROM gone WHERE npc = ?1 ORDER BY id";
    history.gone = query_all(db, sql, &params![key], |cells| cells.parsed("id"))?;
    let sql = "SELECT id, tags FROM prior WHERE npc = ?1";
    let prior = query_all(db, sql, &params![key], |cells| {
        let (id, tags): (String, String) = (cells.get("id")?, cells.get("list of tags")?);
        Ok(person.are_in(&id) || person.are_in(&tags))
    })?;
    history.named_elsewhere |= prior.contains(&true);
    Ok(history)
}

/// Writes an effect row by row: erasures are rare, and an order that keeps references whole is easily seen.
fn write(db: &dyn Database, npc: &NpcId, found: NpcRow, effect: &ErasureEffect) -> Result<(), DatabaseFault> {
    let key = found.key;
    for (id, kept) in &effect.deleted {
        let sql =
            "INSERT INTO gone (npc, id, known) SELECT npc, ?3, known FROM memory WHERE npc = ?1 AND id = ?2";
        db.execute(sql, &params![key, id.as_str(), kept.as_str()])?;
    }
    for (id, kept) in &effect.renamed {
        let sql = "UPDATE gone SET id = ?3 WHERE npc = ?1 AND id = ?2";
        db.execute(sql, &params![key, id.as_str(), kept.as_str()])?;
    }
    for record in &effect.updated {
        db.execute(row::UPDATE, &row::update(key, record)?)?;
    }
    for Edge { derived, source } in &effect.cut {
        let sql = "DELETE FROM edge WHERE npc = ?1 AND derived = ?2 AND source = ?3";
        db.execute(sql, &params![key, derived.as_str(), source.as_str()])?;
    }
    for ((version, ord), reason) in &effect.log {
        match reason {
            None => {
                let sql = "DELETE FROM log WHERE npc = ?1 AND version = ?2 AND ord = ?3";
                db.execute(sql, &params![key, *version, *ord])?;
            }
            Some(reason) => {
                let sql = "UPDATE log SET reason = ?4 WHERE npc = ?1 AND version = ?2 AND ord = ?3";
                db.execute(sql, &params![key, *version, *ord, row::json(reason)?])?;
            }
        }
    }
    for id in effect.deleted.keys() {
        for sql in
            ["DELETE FROM vector WHERE npc = ?1 AND id = ?2", "DELETE FROM memory WHERE npc = ?1 AND id = ?2"]
        {
            db.execute(sql, &params![key, id.as_str()])?;
        }
    }
    for (version, id) in &effect.themes {
        let sql = "DELETE FROM theme WHERE npc = ?1 AND id = ?2
             AND seq IN (SELECT seq FROM night WHERE npc = ?1 AND version = ?3)";
        db.execute(sql, &params![key, id.as_str(), *version])?;
    }
    for (version, left) in &effect.npc_tags {
        let sql = "UPDATE night SET npc_tags = ?3 WHERE npc = ?1 AND version = ?2";
        db.execute(sql, &params![key, *version, row::json(left)?])?;
    }
    if let Some(night) = &effect.night {
        // A save point of the state in force goes along; earlier states cannot be reached any more.
        db.execute(
            "UPDATE saved_version SET version = ?3 WHERE npc = ?1 AND version = ?2",
            &params![npc.as_str(), found.version, night.version],
        )?;
        let nothing = Effect::default();
        write_nights(db, &[NightWrite { found: Some(found), applied: night.clone(), effect: &nothing }])?;
    }
    NO_WAY_BACK.iter().try_for_each(|sql| db.execute(sql, &params![key]).map(drop))
}

/// Returns the names of all NPCs with anything in the store.
pub(crate) fn everyone(db: &dyn Database) -> Result<Vec<NpcId>, DatabaseFault> {
    let sql =
        "SELECT name FROM npc UNION SELECT npc FROM shelved UNION SELECT npc FROM saved_version ORDER BY 1";
    query_all(db, sql, &[], |cells| cells.parsed("NPC name"))
}

/// Forgets the save points whose names name a person, and returns them.
pub(crate) fn forget_named_save_points(
    db: &dyn Database,
    person: &PersonNames,
) -> Result<Vec<SavePointName>, DatabaseFault> {
    let names = rewind::save_points(db)?.into_iter().map(|point| point.name);
    let named: Vec<_> = names.filter(|name| person.are_in(name.as_str())).collect();
    for name in &named {
        rewind::forget_save_point(db, name)?;
    }
    Ok(named)
}
