//! Values between Rust and a database.

use std::{borrow::Cow, error::Error};

use nightfold_memory::GameTime;

/// A value that is bound to a statement, or that a query returned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SqlValue<'a> {
    Null,
    Integer(i64),
    /// A version or a count, which no query returns. One that does not fit into 63 bits is refused when it is bound.
    Unsigned(u64),
    Real(f64),
    /// A flag; SQLite returns it as a whole number.
    Flag(bool),
    Text(Cow<'a, str>),
    Blob(Cow<'a, [u8]>),
}

macro_rules! params_from {
    ($($type:ty => |$value:ident| $param:expr),* $(,)?) => {$(
        impl<'a> From<$type> for SqlValue<'a> {
            fn from($value: $type) -> Self {
                $param
            }
        }
    )*};
}
params_from! {
    i64 => |number| Self::Integer(number),
    u64 => |number| Self::Unsigned(number),
    u32 => |number| Self::Integer(number.into()),
    u8 => |number| Self::Integer(number.into()),
    usize => |number| Self::Unsigned(number as u64),
    f64 => |number| Self::Real(number),
    f32 => |number| Self::Real(number.into()),
    bool => |flag| Self::Flag(flag),
    GameTime => |time| Self::Integer(time.to_number()),
    &'a str => |text| Self::Text(Cow::Borrowed(text)),
    &'a String => |text| Self::Text(Cow::Borrowed(text)),
    String => |text| Self::Text(Cow::Owned(text)),
    &'a [u8] => |bytes| Self::Blob(Cow::Borrowed(bytes)),
    Vec<u8> => |bytes| Self::Blob(Cow::Owned(bytes)),
    [u8; 16] => |bytes| Self::Blob(Cow::Owned(bytes.to_vec())),
}

impl<T: Into<Self>> From<Option<T>> for SqlValue<'_> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Values to bind, in order.
macro_rules! params {
    ($($value:expr),* $(,)?) => { [$($crate::sql::SqlValue::from($value)),*] };
}
pub(crate) use params;

/// A row that a query returned.
pub(crate) trait Row {
    /// Returns the value in a column, counted from 0.
    fn value(&self, column: usize) -> Result<SqlValue<'_>, Box<dyn Error + Send + Sync>>;
}

/// A value of another kind than expected.
#[derive(Debug, thiserror::Error)]
#[error("{expected} was expected, and {found} is there")]
pub(crate) struct WrongKind {
    expected: &'static str,
    found: String,
}

impl WrongKind {
    pub(crate) fn new(expected: &'static str, found: &SqlValue<'_>) -> Self {
        let found = match found {
            SqlValue::Null => "nothing".to_owned(),
            SqlValue::Integer(number) => format!("the number {number}"),
            SqlValue::Unsigned(number) => format!("the number {number}"),
            SqlValue::Real(number) => format!("the number {number}"),
            SqlValue::Flag(flag) => format!("{flag}"),
            SqlValue::Text(_) => "text".to_owned(),
            SqlValue::Blob(bytes) => format!("{} bytes", bytes.len()),
        };
        Self { expected, found }
    }
}

/// A type that a cell can hold.
pub(crate) trait FromCell: Sized {
    fn from_cell(value: SqlValue<'_>) -> Result<Self, WrongKind>;
}

macro_rules! whole_numbers {
    ($($type:ty),*) => {$(
        impl FromCell for $type {
            fn from_cell(value: SqlValue<'_>) -> Result<Self, WrongKind> {
                match value {
                    SqlValue::Integer(number) => <$type>::try_from(number).ok(),
                    _ => None,
                }
                .ok_or_else(|| WrongKind::new(concat!("a whole number (", stringify!($type), ")"), &value))
            }
        }
    )*};
}
whole_numbers!(i64, u64, u32, usize, u8);

impl FromCell for bool {
    fn from_cell(value: SqlValue<'_>) -> Result<Self, WrongKind> {
        match value {
            SqlValue::Flag(flag) => Ok(flag),
            // SQLite has no flags.
            SqlValue::Integer(number) => Ok(number != 0),
            other => Err(WrongKind::new("a flag", &other)),
        }
    }
}

impl FromCell for f64 {
    fn from_cell(value: SqlValue<'_>) -> Result<Self, WrongKind> {
        match value {
            SqlValue::Real(number) => Ok(number),
            #[expect(clippy::cast_precision_loss, reason = "a number that was written without a fraction")]
            SqlValue::Integer(number) => Ok(number as Self),
            other => Err(WrongKind::new("a number", &other)),
        }
    }
}

impl FromCell for f32 {
    fn from_cell(value: SqlValue<'_>) -> Result<Self, WrongKind> {
        #[expect(clippy::cast_possible_truncation, reason = "it was written from an f32")]
        f64::from_cell(value).map(|number| number as Self)
    }
}

impl FromCell for String {
    fn from_cell(value: SqlValue<'_>) -> Result<Self, WrongKind> {
        match value {
            SqlValue::Text(text) => Ok(text.into_owned()),
            other => Err(WrongKind::new("text", &other)),
        }
    }
}

impl FromCell for Vec<u8> {
    fn from_cell(value: SqlValue<'_>) -> Result<Self, WrongKind> {
        match value {
            SqlValue::Blob(bytes) => Ok(bytes.into_owned()),
            other => Err(WrongKind::new("bytes", &other)),
        }
    }
}

impl<const N: usize> FromCell for [u8; N] {
    fn from_cell(value: SqlValue<'_>) -> Result<Self, WrongKind> {
        match &value {
            SqlValue::Blob(bytes) => bytes.as_ref().try_into().ok(),
            _ => None,
        }
        .ok_or_else(|| WrongKind::new("bytes", &value))
    }
}

impl<T: FromCell> FromCell for Option<T> {
    fn from_cell(value: SqlValue<'_>) -> Result<Self, WrongKind> {
        match value {
            SqlValue::Null => Ok(None),
            value => T::from_cell(value).map(Some),
        }
    }
}
