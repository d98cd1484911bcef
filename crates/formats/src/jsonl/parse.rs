//! One piece of JSON, with the place of what is wrong in it.

use serde::Deserialize;

use crate::in_words;

/// A fault in a piece of JSON, with its place.
///
/// The message includes what the parser says, so `problem` is not a [`source`](std::error::Error::source).
#[derive(Debug, thiserror::Error)]
#[error("column {column}: {}{}", field.as_ref().map(|f| format!("field `{f}`: ")).unwrap_or_default(), in_words(&self.words()))]
pub struct JsonError {
    /// Byte after which reading stopped, counted from 1 in its line.
    pub column: usize,
    /// Path to the field, such as `test[3]`, where it is known.
    pub field: Option<String>,
    /// The parser's own error. The line it names is counted from the start of what was parsed.
    pub problem: serde_json::Error,
}

impl JsonError {
    /// The parser's words without the place at their end ("at line 1 column 7"), which would mislead for a line that
    /// was parsed alone.
    pub fn words(&self) -> String {
        let text = self.problem.to_string();
        text.rsplit_once(" at line ").map_or(text.as_str(), |(words, _)| words).to_owned()
    }
}

impl From<serde_json::Error> for JsonError {
    fn from(problem: serde_json::Error) -> Self {
        Self { column: problem.column(), field: None, problem }
    }
}

impl From<serde_path_to_error::Error<serde_json::Error>> for JsonError {
    fn from(error: serde_path_to_error::Error<serde_json::Error>) -> Self {
        let field = Some(error.path().to_string()).filter(|path| path != "." && path != "?");
        Self { field, ..error.into_inner().into() }
    }
}

/// Reads a text that is one piece of JSON, such as a line of JSONL.
///
/// # Errors
/// [`JsonError`] with the column, and with the field that is wrong where it is known.
pub fn parse<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, JsonError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json)?;
    json.end()?;
    Ok(value)
}

/// Reads a text as [`parse`] does, and passes the path of each field that is not read to `ignored`.
pub(super) fn parse_noting<'de, T: Deserialize<'de>>(
    text: &'de str,
    mut ignored: impl FnMut(&str),
) -> Result<T, JsonError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let mut note = |path: serde_ignored::Path<'_>| ignored(&path.to_string());
    let value = serde_path_to_error::deserialize(serde_ignored::Deserializer::new(&mut json, &mut note))?;
    json.end()?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_json_is_named_with_column_and_field() {
        let error = parse::<Vec<u8>>("[2,-3]").unwrap_err();
        assert_eq!((error.column, error.field.as_deref()), (5, Some("[1]")));
        assert!(
            error.to_string().starts_with("column 5: field `[1]`: `-3` is not a whole number, 0 or more"),
            "{error}"
        );
        assert!(!error.to_string().contains("at line"), "{error}");
        let error = parse::<u8>("1 2").unwrap_err();
        assert_eq!(error.to_string(), "column 3: trailing characters");
        assert!(std::error::Error::source(&error).is_none(), "its words would be told twice");
    }
}
