//! Applying nights one by one. Prior state is read on demand, because the file is local.

use nightfold_memory::{
    AppliedNight, NpcNight, Outcome,
    effect::{Decision, PriorState, effect_of},
};

use crate::sql::{
    Database, DatabaseFault, read,
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
    let before = PriorState {
        version: found.map_or(0, |npc| npc.version),
        applied: read::has_version(db, &night.npc, version)?,
        model: read::model(db)?,
    };
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
