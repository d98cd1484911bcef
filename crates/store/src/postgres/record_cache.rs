//! Vectors and verdicts that the workers of a store share.

use nightfold_memory::{RecordCache, RecordKey, StoreError};

use super::PostgresStore;
use crate::sql::{ChangeScope, Idempotency, SqlValue, params, query_each, query_value};

impl RecordCache for PostgresStore {
    fn find_records(
        &self,
        keys: &[RecordKey],
        most_bytes: usize,
    ) -> Result<Vec<(RecordKey, Vec<u8>)>, StoreError> {
        let asked: Vec<Vec<SqlValue<'_>>> =
            keys.iter().map(|key| Vec::from(params![key.as_slice(), most_bytes])).collect();
        let sql = "SELECT key, record FROM cached_record WHERE key = ?1 AND length(record)::bigint <= ?2";
        self.read(|db| query_each(db, sql, &asked, |cells| Ok((cells.get("key")?, cells.get("record")?))))
    }

    fn keep_records(&self, records: &[(RecordKey, Vec<u8>)], most: u64) -> Result<(), StoreError> {
        // In one order, so that of two who keep the same one waits for the other, and not both.
        let mut sorted: Vec<&(RecordKey, Vec<u8>)> = records.iter().collect();
        sorted.sort_unstable_by_key(|(key, _)| key);
        sorted.dedup_by_key(|(key, _)| key);
        let rows: Vec<Vec<SqlValue<'_>>> = sorted
            .iter()
            .map(|(key, record)| Vec::from(params![key.as_slice(), record.as_slice()]))
            .collect();
        self.write(ChangeScope::Nothing, Idempotency::Idempotent, |db| {
            db.execute_each(
                "INSERT INTO cached_record (key, record) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET record = excluded.record \
                 WHERE cached_record.record <> excluded.record",
                &rows,
            )?;
            // One at a time: whoever comes meanwhile leaves it to the other.
            let lock = format!("SELECT pg_try_advisory_xact_lock({})", self.connections.lock("cached records", ""));
            if !query_value::<bool>(db, &lock, &[], "lock of the cache")? {
                return Ok(());
            }
            let oldest = "DELETE FROM cached_record WHERE seq <= (SELECT max(seq) FROM cached_record) - ?1";
            db.execute(oldest, &params![most]).map(drop)
        })
    }
}
