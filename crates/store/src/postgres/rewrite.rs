//! Rewriting the tables, so that no old version of a deleted row is left in them.

use std::error::Error;

use nightfold_memory::{PersonNames, StoreError};

use super::{PostgresStore, error::OtherOwner};
use crate::sql::{ChangeScope, Idempotency, PhysicalErase, erasure, params, query_value, with_causes};

/// Tables that hold memories, or values derived from them.
const TABLES: &[&str] = &[
    "npc",
    "night",
    "memory",
    "prior",
    "vector",
    "edge",
    "prior_edge",
    "log",
    "theme",
    "gone",
    "shelved",
    "save_point",
    "saved_version",
    "cached_record",
];

impl PostgresStore {
    pub(super) fn rewrite_without(&self, person: &PersonNames) -> Result<PhysicalErase, StoreError> {
        let (save_points, cached) = self.write(ChangeScope::All, Idempotency::Idempotent, |db| {
            let save_points = erasure::forget_named_save_points(db, person)?;
            Ok((save_points, db.execute("DELETE FROM cached_record", &[])?))
        })?;
        let not_rewritten =
            self.rewrite_tables().err().map(|error| with_causes(error.source().unwrap_or(&error)));
        Ok(PhysicalErase { save_points, cached, not_rewritten })
    }

    fn rewrite_tables(&self) -> Result<(), StoreError> {
        // Of tables of another role, the server skips each with a notice.
        let sql = "SELECT coalesce(bool_and(pg_has_role(relowner, 'USAGE')), false) FROM pg_class
             JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = ?1 AND relkind = 'r'";
        let schema = self.connections.schema();
        let ours: bool = self.read(|db| query_value(db, sql, &params![schema], "owner of the tables"))?;
        if !ours {
            return Err(StoreError::backend(OtherOwner));
        }
        TABLES
            .iter()
            .try_for_each(|table| self.connections.run_alone(&format!("VACUUM FULL \"{schema}\".{table}")))
    }
}
