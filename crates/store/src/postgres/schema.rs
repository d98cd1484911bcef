//! The format of the tables, and the migrations to it.

use nightfold_memory::StoreError;

use super::{
    connections::Connections,
    error::{is_passing, is_refused_entry},
    transaction::Transaction,
};
use crate::{
    Access, OpenError,
    sql::{ChangeScope, DatabaseFault, FORMAT, Idempotency, params, query_one, query_value},
};

/// Migration steps: step `n` turns a store of format `n` into one of format `n + 1`; format 0 is an empty schema. A released
/// step is never edited: a change of the format is a new step.
const STEPS: &[&str] = &[include_str!("schema/1.sql")];

/// Finds the store and its format, and makes or migrates it if it may.
pub(super) fn prepare(connections: &Connections, place: &str, access: Access) -> Result<(), OpenError> {
    let refused = |source: StoreError| {
        let place = place.to_owned();
        if is_passing(&source) || is_refused_entry(&source) {
            OpenError::Connect { place, source }
        } else {
            OpenError::Refused { place, source }
        }
    };
    let found = connections
        .run(Connections::READING, Idempotency::Idempotent, |db, _| found(db, connections.schema()))
        .map_err(refused)?;
    let place = place.to_owned();
    match (found, access) {
        (Found::Store(FORMAT), _) => Ok(()),
        (Found::Store(found), _) if found > FORMAT => {
            Err(refused(StoreError::NewerFormat { found, known: FORMAT }))
        }
        (Found::Foreign, _) => Err(OpenError::Foreign(place)),
        (_, Access::Create) => connections
            .run(&connections.writing(ChangeScope::All), Idempotency::Idempotent, |db, _| {
                migrate(db, connections.schema())
            })
            .map_err(refused),
        (Found::Store(found), _) => Err(OpenError::OlderFormat { place, found, known: FORMAT }),
        (Found::Nothing, _) => Err(OpenError::Missing(place)),
    }
}

/// Contents of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// No table.
    Nothing,
    /// A store of a format.
    Store(i64),
    /// Tables of another program.
    Foreign,
}

fn found(db: &Transaction<'_>, schema: &str) -> Result<Found, DatabaseFault> {
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = ?1";
    if query_value::<i64>(db, tables, &params![schema], "count of tables")? == 0 {
        return Ok(Found::Nothing);
    }
    // The catalog also shows columns that this role may not read; the next query then says so.
    let ours = "SELECT count(*) FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid \
         JOIN pg_namespace ON pg_namespace.oid = relnamespace \
         WHERE nspname = ?1 AND relname = 'store' AND attname IN ('application', 'format')";
    if query_value::<i64>(db, ours, &params![schema], "count of columns")? < 2 {
        return Ok(Found::Foreign);
    }
    // By its whole name: a schema that this role may not use would not be found otherwise.
    let sql = format!("SELECT format FROM \"{schema}\".store WHERE application = 'nightfold'");
    let format = query_one(db, &sql, &[], |cells| cells.get("format"))?;
    Ok(format.map_or(Found::Foreign, Found::Store))
}

fn migrate(db: &Transaction<'_>, schema: &str) -> Result<(), DatabaseFault> {
    // Two programs may do this at the same time: the second finds it done.
    let found = match found(db, schema)? {
        Found::Store(format) => format,
        Found::Nothing => 0,
        Found::Foreign => return Err(DatabaseFault::Refused(StoreError::Foreign(0))),
    };
    if found > FORMAT {
        return Err(DatabaseFault::Refused(StoreError::NewerFormat { found, known: FORMAT }));
    }
    let there = "SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = ?1)";
    if !query_value::<bool>(db, there, &params![schema], "presence of the schema")? {
        db.batch(&format!("CREATE SCHEMA \"{schema}\""))?;
    }
    for (format, step) in (1..).zip(STEPS).filter(|(format, _)| *format > found) {
        db.batch(step)?;
        db.batch(&format!("UPDATE store SET format = {format}"))?;
    }
    Ok(())
}
