//! A connection to a SQLite file as a database of the shared statements.

use std::{borrow::Cow, error::Error, fs, ops::ControlFlow, path::Path};

use nightfold_memory::StoreError;
use rusqlite::{
    Connection, OpenFlags, ToSql, params_from_iter,
    types::{ToSqlOutput, ValueRef},
};

use super::{
    fault::{fault_of, file_of},
    open::{connect_summed, fold_log},
    opened_files::with_suffix,
    page_sums,
};
use crate::sql::{Database, DatabaseFault, Row, SqlValue, StoreSize, query_all};

/// Converts errors of a connection into ones that name its file.
fn lost_at(file: &Connection) -> impl Fn(rusqlite::Error) -> DatabaseFault + Copy {
    move |error| DatabaseFault::Lost(fault_of(file_of(file), error))
}

impl Database for Connection {
    fn query(
        &self,
        sql: &str,
        params: &[SqlValue<'_>],
        take: &mut dyn FnMut(&dyn Row) -> ControlFlow<()>,
    ) -> Result<(), DatabaseFault> {
        let lost = lost_at(self);
        let mut statement = self.prepare_cached(sql).map_err(lost)?;
        let mut rows = statement.query(params_from_iter(params)).map_err(lost)?;
        while let Some(row) = rows.next().map_err(lost)? {
            if take(row).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn execute(&self, sql: &str, params: &[SqlValue<'_>]) -> Result<usize, DatabaseFault> {
        let lost = lost_at(self);
        let mut statement = self.prepare_cached(sql).map_err(lost)?;
        statement.execute(params_from_iter(params)).map_err(lost)
    }

    fn execute_each(&self, sql: &str, params: &[Vec<SqlValue<'_>>]) -> Result<usize, DatabaseFault> {
        if params.is_empty() {
            return Ok(0);
        }
        let lost = lost_at(self);
        let mut statement = self.prepare_cached(sql).map_err(lost)?;
        params.iter().map(|params| statement.execute(params_from_iter(params)).map_err(lost)).sum()
    }

    fn size(&self) -> Result<StoreSize, DatabaseFault> {
        let lost = lost_at(self);
        let pragma = |name| self.pragma_query_value(None, name, |row| row.get::<_, u64>(0)).map_err(lost);
        let page_bytes = pragma("page_size")?;
        let path = file_of(self).map(Path::new);
        let on_disk = |path: &Path| fs::metadata(path).ok().map(|found| found.len());
        Ok(StoreSize {
            bytes: match path.and_then(on_disk) {
                Some(bytes) => bytes,
                None => pragma("page_count")? * page_bytes,
            },
            log_bytes: Some(path.and_then(|path| on_disk(&with_suffix(path, "-wal"))).unwrap_or_default()),
            free_bytes: Some(pragma("freelist_count")? * page_bytes),
        })
    }

    fn read_damaged(
        &self,
        read: &mut dyn FnMut(&dyn Database) -> Result<(), DatabaseFault>,
    ) -> Result<(), DatabaseFault> {
        let Some(path) = file_of(self) else { return read(self) };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // The default VFS compares no sums.
        read(&Connection::open_with_flags(path, flags).map_err(lost_at(self))?)
    }

    fn integrity(&self, most: usize) -> Result<Vec<String>, DatabaseFault> {
        let mut damaged = Vec::new();
        if let Some(file) = file_of(self) {
            let page_bytes =
                self.pragma_query_value(None, "page_size", |row| row.get(0)).map_err(lost_at(self))?;
            let mut pages = page_sums::damaged(self, page_bytes).map_err(lost_at(self))?;
            // A page that a machine lost power over half-way is in the log yet, from where readers take it.
            if !pages.is_empty() && fold_log_of(file).is_ok() {
                pages = page_sums::damaged(self, page_bytes).map_err(lost_at(self))?;
            }
            let told = pages.iter().take(most.max(1));
            damaged.extend(told.map(|page| format!("page {page} of {file} is not as it was written")));
            let more = pages.len().saturating_sub(most.max(1));
            damaged.extend((more > 0).then(|| format!("{more} more pages of it are not either")));
        }
        if !damaged.is_empty() {
            return Ok(damaged);
        }
        let sql = format!("PRAGMA integrity_check({})", most.max(1));
        let mut problems = match query_all(self, &sql, &[], |cells| cells.get::<String>("problem")) {
            Ok(problems) => problems,
            // A file that cannot be checked to the end is one with a problem.
            Err(fault) => vec![StoreError::from(fault).to_string()],
        };
        problems.retain(|problem| problem != "ok");
        let sql =
            "SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2 ORDER BY 1, 2";
        if problems.is_empty() {
            problems = query_all(self, sql, &[], |cells| {
                let (table, parent): (String, String) =
                    (cells.get("name of a table")?, cells.get("name of a table")?);
                let n: u64 = cells.get("count of rows")?;
                Ok(format!("rows of `{table}` that refer to rows of `{parent}` that are not there: {n}"))
            })?;
        }
        Ok(problems)
    }

    fn items_of(&self, column: &str) -> String {
        format!("json_each({column})")
    }

    fn field_of(&self, item: &str, field: &str) -> String {
        format!("({item} ->> '{field}')")
    }
}

/// Writes what the log of a file holds into the file, on a connection of its own: the one that asks may be a reader's.
fn fold_log_of(file: &str) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    fold_log(&connect_summed(file, flags)?)
}

impl Row for rusqlite::Row<'_> {
    fn value(&self, column: usize) -> Result<SqlValue<'_>, Box<dyn Error + Send + Sync>> {
        Ok(match self.get_ref(column)? {
            ValueRef::Null => SqlValue::Null,
            ValueRef::Integer(number) => SqlValue::Integer(number),
            ValueRef::Real(number) => SqlValue::Real(number),
            ValueRef::Text(text) => SqlValue::Text(Cow::Borrowed(std::str::from_utf8(text)?)),
            ValueRef::Blob(bytes) => SqlValue::Blob(bytes.into()),
        })
    }
}

impl ToSql for SqlValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Self::Integer(number) => ToSqlOutput::Borrowed(ValueRef::Integer(*number)),
            // What does not fit into 63 bits is an error, not a wrong number.
            Self::Unsigned(number) => number.to_sql()?,
            Self::Real(number) => ToSqlOutput::Borrowed(ValueRef::Real(*number)),
            Self::Flag(flag) => ToSqlOutput::Borrowed(ValueRef::Integer((*flag).into())),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Blob(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}
