//! Long-term memory in a relational database: the questions and statements that all such stores share.
//!
//! They use the SQL that SQLite and PostgreSQL have in common; parameters are `?1`, `?2` and so on. A [`Database`] runs
//! them.

pub(crate) mod apply;
mod durable;
pub(crate) mod erasure;
mod fingerprint;
pub(crate) mod purge;
pub(crate) mod read;
pub(crate) mod rewind;
pub(crate) mod row;
pub(crate) mod stats;
pub(crate) mod theme;
pub(crate) mod transfer;
mod value;
pub(crate) mod write;

use std::{error::Error, iter, ops::ControlFlow};

use nightfold_memory::StoreError;

pub(crate) use self::durable::{ChangeScope, Idempotency, durable_store};
#[cfg(feature = "schema")]
pub use self::transfer::export_line_schema;
#[cfg(feature = "postgres")]
pub(crate) use self::value::params;
pub(crate) use self::value::{Row, SqlValue};
pub use self::{
    durable::{DurableStore, PhysicalErase},
    stats::{NpcStats, StoreSize, StoreStats},
    transfer::{
        ExportError, ImportError, ImportOptions, ImportProblem, StoreCheck, StoreProblem, TransferCounts,
    },
};
use self::{row::Cells, value::FromCell};

/// Format of the tables, in whichever database they are.
pub(crate) const FORMAT: i64 = 1;

/// A transaction on a database.
pub(crate) trait Database {
    /// Runs a query and passes each row to `take`, until it breaks.
    fn query(
        &self,
        sql: &str,
        params: &[SqlValue<'_>],
        take: &mut dyn FnMut(&dyn Row) -> ControlFlow<()>,
    ) -> Result<(), DatabaseFault>;

    /// Runs a query once for each list of parameters, in order, and passes all rows to `take`, until it breaks.
    fn query_each(
        &self,
        sql: &str,
        params: &[Vec<SqlValue<'_>>],
        take: &mut dyn FnMut(&dyn Row) -> ControlFlow<()>,
    ) -> Result<(), DatabaseFault> {
        params.iter().try_for_each(|params| self.query(sql, params, take))
    }

    /// Runs a statement and returns the number of rows that it changed.
    fn execute(&self, sql: &str, params: &[SqlValue<'_>]) -> Result<usize, DatabaseFault>;

    /// Runs a statement once for each list of parameters, none of which depends on another, and returns the number of rows
    /// that were changed.
    fn execute_each(&self, sql: &str, params: &[Vec<SqlValue<'_>>]) -> Result<usize, DatabaseFault> {
        params.iter().map(|params| self.execute(sql, params)).sum()
    }

    /// Moves the sequence of nights (`night.seq`) past the numbers that an import has inserted.
    fn advance_sequence(&self) -> Result<(), DatabaseFault> {
        Ok(())
    }

    /// Returns the size of the store on its disk.
    fn size(&self) -> Result<StoreSize, DatabaseFault>;

    /// Reads a store of which the file is damaged, whatever its pages hold: to name the rows that they concern.
    fn read_damaged(
        &self,
        read: &mut dyn FnMut(&dyn Database) -> Result<(), DatabaseFault>,
    ) -> Result<(), DatabaseFault>;

    /// Returns up to `most` problems of the file itself, below its rows; none for a server, which looks after its own files.
    fn integrity(&self, _most: usize) -> Result<Vec<String>, DatabaseFault> {
        Ok(Vec::new())
    }

    /// Returns a source of rows, `value` by `value`, for the items of a column of JSON lists.
    fn items_of(&self, column: &str) -> String;

    /// Returns the expression of a text field of an item that is a JSON object.
    fn field_of(&self, item: &str, field: &str) -> String;
}

/// A failure of a single night or row, or of the database as a whole.
#[derive(Debug)]
pub(crate) enum DatabaseFault {
    /// Failure of one night or one row; everything before it stays valid.
    Refused(StoreError),
    /// Failure of the database, the disk or the network: the transaction is lost.
    Lost(StoreError),
}

impl From<StoreError> for DatabaseFault {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

impl From<DatabaseFault> for StoreError {
    fn from(fault: DatabaseFault) -> Self {
        match fault {
            DatabaseFault::Refused(error) | DatabaseFault::Lost(error) => error,
        }
    }
}

/// Returns an error and its causes, the outermost first, as one line.
pub(crate) fn with_causes(error: &(dyn Error + 'static)) -> String {
    let causes = iter::successors(Some(error), |cause| (**cause).source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Collects the values that `read` returns for the rows of `run`, until it fails.
fn collected<T>(
    run: impl FnOnce(&mut dyn FnMut(&dyn Row) -> ControlFlow<()>) -> Result<(), DatabaseFault>,
    mut read: impl FnMut(&mut Cells<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, DatabaseFault> {
    let (mut found, mut failed) = (Vec::new(), None);
    run(&mut |row| match read(&mut Cells::of(row)) {
        Ok(value) => {
            found.push(value);
            ControlFlow::Continue(())
        }
        Err(error) => {
            failed = Some(error);
            ControlFlow::Break(())
        }
    })?;
    failed.map_or(Ok(found), |error| Err(error.into()))
}

/// Returns all rows of a query.
pub(crate) fn query_all<T>(
    db: &dyn Database,
    sql: &str,
    params: &[SqlValue<'_>],
    read: impl FnMut(&mut Cells<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, DatabaseFault> {
    collected(|take| db.query(sql, params, take), read)
}

/// Returns all rows of a query that runs once for each list of parameters.
pub(crate) fn query_each<T>(
    db: &dyn Database,
    sql: &str,
    params: &[Vec<SqlValue<'_>>],
    read: impl FnMut(&mut Cells<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, DatabaseFault> {
    collected(|take| db.query_each(sql, params, take), read)
}

/// Returns the first row of a query.
pub(crate) fn query_one<T>(
    db: &dyn Database,
    sql: &str,
    params: &[SqlValue<'_>],
    read: impl Fn(&mut Cells<'_>) -> Result<T, StoreError>,
) -> Result<Option<T>, DatabaseFault> {
    let mut first = None;
    db.query(sql, params, &mut |row| {
        first = Some(read(&mut Cells::of(row)));
        ControlFlow::Break(())
    })?;
    Ok(first.transpose()?)
}

/// Returns the only value of the only row of a query; `what` names it in errors.
pub(crate) fn query_value<T: FromCell>(
    db: &dyn Database,
    sql: &str,
    params: &[SqlValue<'_>],
    what: &'static str,
) -> Result<T, DatabaseFault> {
    query_one(db, sql, params, |cells| cells.get(what))?.ok_or_else(|| {
        let source = "the query returned no row".into();
        DatabaseFault::Lost(StoreError::Damaged { what, id: String::new(), source })
    })
}
