//! The shared statements in PostgreSQL's words.

use std::{error::Error, fmt::Write as _};

use bytes::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use super::text::{escaped, unescaped};
use crate::sql::{Row, SqlValue};

/// Writes the parameters of a statement as PostgreSQL does: `?1` becomes `$1`, and the third `?` `$3`.
pub(super) fn translated(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len() + 8);
    let mut parts = sql.split('?');
    out.push_str(parts.next().unwrap_or_default());
    for (index, part) in parts.enumerate() {
        out.push('$');
        if !part.starts_with(|c: char| c.is_ascii_digit()) {
            // Writing to a String cannot fail.
            let _ = write!(out, "{}", index + 1);
        }
        out.push_str(part);
    }
    out
}

/// Returns a statement that inserts many rows at once, given as one list for each column; `None` for any statement but an
/// `INSERT` of the parameters in order.
pub(super) fn of_many_rows(sql: &str, types: &[Type]) -> Option<String> {
    let (head, rest) = sql.split_once("VALUES (")?;
    let (values, tail) = rest.split_once(')')?;
    let in_order = values.split(", ").enumerate().all(|(index, value)| value == format!("?{}", index + 1));
    if !sql.starts_with("INSERT") || !in_order || tail.contains("RETURNING") {
        return None;
    }
    let lists: Vec<String> =
        types.iter().enumerate().map(|(index, of)| format!("${}::{}[]", index + 1, of.name())).collect();
    Some(format!("{head}SELECT * FROM unnest({}){tail}", lists.join(", ")))
}

/// A number that does not fit into a column.
#[derive(Debug, thiserror::Error)]
#[error("{0} does not fit into 63 bits")]
struct TooLarge(u64);

/// A value for a column of another type.
#[derive(Debug, thiserror::Error)]
#[error("{value} is no value of a column of the type {column}")]
struct Unfit {
    value: String,
    column: Type,
}

impl ToSql for SqlValue<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match (self, ty) {
            (Self::Null, _) => Ok(IsNull::Yes),
            (Self::Integer(number), &Type::INT8) => number.to_sql(ty, out),
            (Self::Unsigned(number), &Type::INT8) => {
                i64::try_from(*number).map_err(|_| TooLarge(*number))?.to_sql(ty, out)
            }
            (Self::Real(number), &Type::FLOAT8) => number.to_sql(ty, out),
            (Self::Flag(flag), &Type::BOOL) => flag.to_sql(ty, out),
            (Self::Text(text), &Type::TEXT | &Type::VARCHAR | &Type::NAME | &Type::JSON) => {
                out.extend_from_slice(escaped(text).as_bytes());
                Ok(IsNull::No)
            }
            (Self::Blob(bytes), &Type::BYTEA) => bytes.as_ref().to_sql(ty, out),
            (value, column) => Err(Unfit { value: format!("{value:?}"), column: column.clone() }.into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// The values of a column in many rows.
#[derive(Debug)]
pub(super) struct ColumnOf<'a> {
    pub(super) rows: &'a [Vec<SqlValue<'a>>],
    pub(super) column: usize,
}

impl ToSql for ColumnOf<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.rows.iter().map(|row| &row[self.column]).collect::<Vec<_>>().to_sql(ty, out)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl Row for tokio_postgres::Row {
    fn value(&self, column: usize) -> Result<SqlValue<'_>, Box<dyn Error + Send + Sync>> {
        let ty = self.columns().get(column).map(tokio_postgres::Column::type_);
        let value = match ty {
            Some(&Type::INT8) => self.try_get::<_, Option<i64>>(column)?.map(SqlValue::Integer),
            Some(&Type::INT4) => self.try_get::<_, Option<i32>>(column)?.map(|n| SqlValue::Integer(n.into())),
            Some(&Type::FLOAT8) => self.try_get::<_, Option<f64>>(column)?.map(SqlValue::Real),
            Some(&Type::BOOL) => self.try_get::<_, Option<bool>>(column)?.map(SqlValue::Flag),
            Some(&Type::BYTEA) => {
                self.try_get::<_, Option<&[u8]>>(column)?.map(|bytes| SqlValue::Blob(bytes.into()))
            }
            _ => self.try_get::<_, Option<&str>>(column)?.map(|text| SqlValue::Text(unescaped(text))),
        };
        Ok(value.unwrap_or(SqlValue::Null))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered() {
        assert_eq!(translated("a = ?1 AND b = ?12"), "a = $1 AND b = $12");
        assert_eq!(translated("VALUES (?, ?, ?)"), "VALUES ($1, $2, $3)");
    }

    #[test]
    fn plain_inserts_take_many_rows() {
        let types = [Type::INT8, Type::TEXT];
        assert_eq!(
            of_many_rows("INSERT INTO t (a, b) VALUES (?1, ?2) ON CONFLICT DO NOTHING", &types).unwrap(),
            "INSERT INTO t (a, b) SELECT * FROM unnest($1::int8[], $2::text[]) ON CONFLICT DO NOTHING"
        );
        for other in [
            "INSERT INTO t (a, b) VALUES (?2, ?1)",
            "INSERT INTO t (a, b) VALUES (?1, ?2) RETURNING a",
            "UPDATE t SET a = ?1 WHERE b = ?2",
            "INSERT INTO t (a, b) SELECT ?1, ?2",
        ] {
            assert!(of_many_rows(other, &types).is_none(), "{other}");
        }
    }
}
