//! Pairs of texts, one JSON object a line.

use std::path::Path;

use nightfold::memory::config::InputConfig;
use nightfold_formats::jsonl::{JsonlError, LineProblem};
use serde::Deserialize;

use super::{InputError, lines};
use crate::error::CliError;

/// Two texts to be judged.
#[derive(Debug, Deserialize)]
pub(crate) struct TextPair {
    pub(crate) a: String,
    pub(crate) b: String,
}

/// Reads pairs, in order. Other fields of a line are skipped.
pub(crate) fn pairs(path: &Path, limits: &InputConfig) -> Result<Vec<TextPair>, CliError> {
    let mut lines = lines(path, limits)?;
    let mut pairs = Vec::new();
    while let Some(pair) = lines.next_value::<TextPair>() {
        let pair = pair.map_err(of_no_pair)?;
        for (field, text) in [("a", &pair.a), ("b", &pair.b)] {
            let (given, most) = (text.len(), limits.max_text_bytes);
            if given > most {
                return Err(
                    JsonlError::from(lines.error(LineProblem::LongText { field, given, most })).into()
                );
            }
        }
        pairs.push(pair);
    }
    if pairs.is_empty() {
        return Err(InputError::NoPairs { path: path.to_owned() }.into());
    }
    Ok(pairs)
}

fn of_no_pair(error: JsonlError) -> CliError {
    let is_no_pair = matches!(&error, JsonlError::Line(line)
        if matches!(line.problem, LineProblem::Json(_) | LineProblem::Utf8 { .. }));
    let cli = CliError::from(error);
    if is_no_pair { cli.hint("a line is {\"a\":\"one text\",\"b\":\"another\"}") } else { cli }
}
