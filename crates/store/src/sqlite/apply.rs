//! Applying nights one by one: what a night meets is read as it is needed, since the file is at hand.

use nightfold_memory::{
    AppliedNight, ModelId, NpcNight, Outcome,
    effect::{Decision, PriorState, effect_of},
};

use crate::sql::{
    Database, DatabaseFault, params, query_value,
    read::{self, NpcRow},
    write::{NightWrite, StoredRows, note_run, set_model, write_nights},
};

/// Applies one night, which makes `version`. After [`DatabaseFault::Refused`] nothing of the night is written, so no savepoint is
/// needed: every decision is made before the first write, and a write can only fail with the database.
pub(super) fn apply_night(
    db: &dyn Database,
    run: u64,
    night: &NpcNight,
    version: u64,
) -> Result<Outcome, DatabaseFault> {
    let found = read::npc_row(db, &night.npc)?;
    let before = prior_state(db, found, version, read::model(db)?)?;
    match effect_of(night, before, &StoredRows { db, name: &night.npc, key: found.map(|npc| npc.key) })? {
        Decision::Nothing(outcome) => Ok(outcome),
        Decision::Write(effect) => {
            let applied = AppliedNight::new(night, run, version);
            write_nights(db, &[NightWrite { found, applied, effect: &effect }])?;
            set_model(db, &effect, Some(&night.model))?;
            note_run(db, run)?;
            Ok(Outcome::Applied { version })
        }
    }
}

/// Returns the state that a night meets.
fn prior_state(
    db: &dyn Database,
    found: Option<NpcRow>,
    version: u64,
    model: Option<ModelId>,
) -> Result<PriorState, DatabaseFault> {
    let applied = found.map_or(Ok(false), |npc| is_applied(db, npc.key, version))?;
    Ok(PriorState { version: found.map_or(0, |npc| npc.version), applied, model })
}

fn is_applied(db: &dyn Database, key: i64, version: u64) -> Result<bool, DatabaseFault> {
    let sql = "SELECT EXISTS (SELECT 1 FROM night WHERE npc = ?1 AND version = ?2)";
    query_value(db, sql, &params![key, version], "presence of a night")
}
