//! Rewriting the tables, so that no old version of a deleted row is left in them.

use std::{error::Error, thread};

use nightfold_memory::{PersonNames, StoreError};

use super::{
    PostgresStore,
    connections::{FIRST_WAIT, LONGEST_WAIT},
    error::RewriteError,
};
use crate::sql::{Again, ChangeScope, Scouring, erasure, params, query_one, query_value, rewind};

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

/// Names one who may still look at rows that transactions before `?1` have deleted. A snapshot matters in its own database;
/// one that is taken while an older transaction writes, in whichever database, is as old as that. The statement's own snapshot is
/// taken before the lists are read, and is the last line: without it a transaction could end between them, and be in the snapshot
/// of another.
const HOLDERS: &str = "
    WITH erasure AS (SELECT ?1::text::xid8 AS id)
    SELECT 'a transaction of process ' || pid || coalesce(' (' || nullif(application_name, '') || ')', '') FROM pg_stat_activity, erasure
    WHERE pid <> pg_backend_pid() AND (age(backend_xid) > age(id::xid)
        OR age(backend_xmin) > age(id::xid) AND (datid IS NULL OR datname = current_database()))
    UNION ALL
    SELECT 'the prepared transaction ' || gid FROM pg_prepared_xacts, erasure WHERE age(transaction) > age(id::xid)
    UNION ALL
    SELECT 'the replication slot ' || slot_name FROM pg_replication_slots, erasure WHERE age(xmin) > age(id::xid)
    UNION ALL
    SELECT 'the setting vacuum_defer_cleanup_age' FROM erasure
    WHERE current_setting('vacuum_defer_cleanup_age', true)::int > age(id::xid)
    UNION ALL
    SELECT 'a transaction that has just ended' FROM erasure WHERE pg_snapshot_xmin(pg_current_snapshot()) < id
    LIMIT 1";

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
        let holder = self.wait_for_older_transactions()?;
        let mut kept = None;
        for table in TABLES {
            let details =
                self.connections.run_alone(&format!("VACUUM (FULL, VERBOSE) \"{schema}\".{table}"))?;
            // "3 dead row versions cannot be removed yet.", in the language of the server.
            if details.iter().find_map(|detail| first_number(detail)) != Some(0) {
                kept = kept.or(Some(table));
            }
        }
        match (holder, kept) {
            (Some(holder), Some(table)) => {
                Err(StoreError::backend(RewriteError::Held { table: (*table).to_owned(), holder }))
            }
            _ => Ok(()),
        }
    }

    /// Waits until nobody can look any more at rows that were deleted before this call, which the server keeps until then, but no
    /// longer than a failed call is tried again; then names one who still can. Rows that others delete meanwhile do not count.
    fn wait_for_older_transactions(&self) -> Result<Option<String>, StoreError> {
        let sql = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text";
        let now: String = self.read(|db| query_value(db, sql, &[], "transaction of the server"))?;
        let (mut left, mut wait) = (self.connections.retry_for, FIRST_WAIT);
        loop {
            let holder = self.read(|db| {
                query_one(db, HOLDERS, &params![now.as_str()], |c| c.get("transaction of the server"))
            })?;
            match (holder, left.checked_sub(wait)) {
                (None, _) => return Ok(None),
                (Some(holder), None) => return Ok(Some(holder)),
                (Some(_), Some(left_then)) => {
                    thread::sleep(wait);
                    left = left_then;
                    wait = (2 * wait).min(LONGEST_WAIT);
                }
            }
        }
    }
}

fn first_number(text: &str) -> Option<u64> {
    text.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty())?.parse().ok()
}
