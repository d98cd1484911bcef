//! Rewriting the tables, so that no old version of a deleted row is left in them.

use std::{error::Error, thread, time::Duration};

use nightfold_memory::{PersonNames, StoreError};

use super::{
    PostgresStore,
    connections::{FIRST_WAIT, LONGEST_WAIT},
    error::RewriteError,
};
use crate::sql::{Again, ChangeScope, Scouring, erasure, params, query_value, rewind};

/// Tables that hold memories, or what was made of them.
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
    pub(super) fn rewrite_without(&self, person: &PersonNames) -> Result<Scouring, StoreError> {
        let (save_points, cached) = self.write(ChangeScope::All, Again::Harmless, |db| {
            let named = erasure::named_save_points(db, person)?;
            for name in &named {
                rewind::forget_save_point(db, name)?;
            }
            Ok((named, db.execute("DELETE FROM cached_record", &[])?))
        })?;
        let not_rewritten = self.rewrite_tables().err().map(|error| {
            let reason: &(dyn Error + 'static) = error.source().unwrap_or(&error);
            let causes = std::iter::successors(Some(reason), |cause| (**cause).source());
            causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
        });
        Ok(Scouring { save_points, cached, not_rewritten })
    }

    fn rewrite_tables(&self) -> Result<(), StoreError> {
        // Of tables of another role, the server skips each with a notice.
        let sql = "SELECT coalesce(bool_and(pg_has_role(relowner, 'USAGE')), false) FROM pg_class
             JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = ?1 AND relkind = 'r'";
        let schema = self.connections.schema();
        let ours: bool = self.read(|db| query_value(db, sql, &params![schema], "owner of the tables"))?;
        if !ours {
            return Err(StoreError::backend(RewriteError::OtherOwner));
        }
        let mut left = self.connections.retry_for;
        TABLES.iter().try_for_each(|table| self.rewrite_table(table, &mut left))
    }

    /// Rewrites a table until no old version of a row is left in it. The server keeps those that a transaction may still look at
    /// which began before the erasure, whoever made it; most end soon. Waits no longer for them than `left`, which it lowers.
    fn rewrite_table(&self, table: &str, left: &mut Duration) -> Result<(), StoreError> {
        let mut wait = FIRST_WAIT;
        loop {
            let sql = format!("VACUUM (FULL, VERBOSE) \"{}\".{table}", self.connections.schema());
            let details = self.connections.run_alone(&sql)?;
            // "3 dead row versions cannot be removed yet.", in the language of the server.
            let kept: u64 = details
                .iter()
                .find_map(|detail| first_number(detail))
                .ok_or_else(|| StoreError::backend(RewriteError::Unsaid { table: table.to_owned() }))?;
            if kept == 0 {
                return Ok(());
            }
            let Some(left_then) = left.checked_sub(wait) else {
                return Err(StoreError::backend(RewriteError::Held { table: table.to_owned(), kept }));
            };
            thread::sleep(wait);
            *left = left_then;
            wait = (2 * wait).min(LONGEST_WAIT);
        }
    }
}

fn first_number(text: &str) -> Option<u64> {
    text.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty())?.parse().ok()
}
