//! A transaction on a PostgreSQL server as a database of the shared statements.

use std::ops::ControlFlow;

use deadpool_postgres::Object;
use futures_util::{TryStreamExt as _, future::try_join_all};
use tokio_postgres::{Statement, types::ToSql};

use super::{
    error::to_store_error,
    server::Waiter,
    statement::{ColumnOf, of_many_rows, translated},
};
use crate::sql::{Database, DatabaseFault, Row, SqlValue, StoreSize, query_value};

/// Rows that are taken from the server at a time.
const ROWS_AT_A_TIME: usize = 512;

/// Rows that are inserted by one statement. A night has some tens.
const ROWS_A_STATEMENT: usize = 4096;

/// Statements that are sent before the first answer is waited for.
const STATEMENTS_IN_FLIGHT: usize = 256;

/// A transaction that has begun. It ends with its owner.
pub(super) struct Transaction<'a> {
    pub(super) waiter: &'a Waiter,
    pub(super) client: &'a Object,
}

fn lost(error: tokio_postgres::Error) -> DatabaseFault {
    DatabaseFault::Lost(to_store_error(error))
}

fn bound<'a>(params: &'a [SqlValue<'_>]) -> Vec<&'a (dyn ToSql + Sync)> {
    params.iter().map(|param| param as &(dyn ToSql + Sync)).collect()
}

impl Transaction<'_> {
    fn prepare(&self, sql: &str) -> Result<Statement, DatabaseFault> {
        let sql = translated(sql);
        self.waiter.wait(self.client.prepare_cached(&sql)).map_err(lost)
    }

    /// Runs statements without parameters.
    pub(super) fn batch(&self, sql: &str) -> Result<(), DatabaseFault> {
        self.waiter.wait(self.client.batch_execute(sql)).map_err(lost)
    }

    /// Inserts many rows by few statements.
    fn insert_rows(&self, sql: &str, rows: &[Vec<SqlValue<'_>>]) -> Result<usize, DatabaseFault> {
        let statement = self.waiter.wait(self.client.prepare_cached(sql)).map_err(lost)?;
        let mut changed = 0;
        for rows in rows.chunks(ROWS_A_STATEMENT) {
            let columns: Vec<ColumnOf<'_>> =
                (0..statement.params().len()).map(|column| ColumnOf { rows, column }).collect();
            changed += self.waiter.wait(self.client.execute_raw(&statement, columns.iter())).map_err(lost)?;
        }
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }
}

impl Database for Transaction<'_> {
    fn query(
        &self,
        sql: &str,
        params: &[SqlValue<'_>],
        take: &mut dyn FnMut(&dyn Row) -> ControlFlow<()>,
    ) -> Result<(), DatabaseFault> {
        let statement = self.prepare(sql)?;
        let rows = self.waiter.wait(self.client.query_raw(&statement, params.iter())).map_err(lost)?;
        let mut rows = Box::pin(rows);
        loop {
            // A store may be larger than memory.
            let read = self.waiter.wait(async {
                let mut read = Vec::new();
                while read.len() < ROWS_AT_A_TIME
                    && let Some(row) = rows.try_next().await?
                {
                    read.push(row);
                }
                Ok(read)
            });
            let read = read.map_err(lost)?;
            for row in &read {
                if take(row).is_break() {
                    return Ok(());
                }
            }
            if read.len() < ROWS_AT_A_TIME {
                return Ok(());
            }
        }
    }

    fn query_each(
        &self,
        sql: &str,
        params: &[Vec<SqlValue<'_>>],
        take: &mut dyn FnMut(&dyn Row) -> ControlFlow<()>,
    ) -> Result<(), DatabaseFault> {
        if params.is_empty() {
            return Ok(());
        }
        let statement = self.prepare(sql)?;
        for params in params.chunks(STATEMENTS_IN_FLIGHT) {
            let asked = params.iter().map(|params| {
                let (client, statement) = (&self.client, &statement);
                async move { client.query(statement, &bound(params)).await }
            });
            for row in self.waiter.wait(try_join_all(asked)).map_err(lost)?.iter().flatten() {
                if take(row).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn execute(&self, sql: &str, params: &[SqlValue<'_>]) -> Result<usize, DatabaseFault> {
        let statement = self.prepare(sql)?;
        let changed = self.waiter.wait(self.client.execute_raw(&statement, params.iter())).map_err(lost)?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    fn execute_each(&self, sql: &str, params: &[Vec<SqlValue<'_>>]) -> Result<usize, DatabaseFault> {
        if let [] | [_] = params {
            return params.iter().map(|params| self.execute(sql, params)).sum();
        }
        let statement = self.prepare(sql)?;
        if let Some(many) = of_many_rows(sql, statement.params()) {
            return self.insert_rows(&many, params);
        }
        let mut changed = 0;
        for params in params.chunks(STATEMENTS_IN_FLIGHT) {
            let asked = params.iter().map(|params| {
                let (client, statement) = (&self.client, &statement);
                async move { client.execute(statement, &bound(params)).await }
            });
            changed += self.waiter.wait(try_join_all(asked)).map_err(lost)?.iter().sum::<u64>();
        }
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    fn advance_sequence(&self) -> Result<(), DatabaseFault> {
        let sql =
            "SELECT setval(pg_get_serial_sequence('night', 'seq'), max(seq)) FROM night HAVING count(*) > 0";
        self.query(sql, &[], &mut |_| ControlFlow::Continue(()))
    }

    fn read_damaged(
        &self,
        read: &mut dyn FnMut(&dyn Database) -> Result<(), DatabaseFault>,
    ) -> Result<(), DatabaseFault> {
        read(self)
    }

    fn size(&self) -> Result<StoreSize, DatabaseFault> {
        let sql = "SELECT CAST(coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bigint) FROM pg_class AS c
             JOIN pg_namespace AS s ON s.oid = c.relnamespace WHERE s.nspname = current_schema() AND c.relkind = 'r'";
        let bytes = query_value(self, sql, &[], "size of the tables")?;
        Ok(StoreSize { bytes, log_bytes: None, free_bytes: None })
    }

    fn items_of(&self, column: &str) -> String {
        format!("LATERAL (SELECT json_array_elements_text({column}::json) AS value)")
    }

    fn field_of(&self, item: &str, field: &str) -> String {
        format!("({item}::json ->> '{field}')")
    }
}
