//! Pairs of texts, one JSON object a line.

use std::path::Path;

use nightfold::memory::InputConfig;
use serde::Deserialize;

use super::{InputError, Lines, Problem, parse};
use crate::error::{CliError, Exit};

/// Two texts to be judged.
#[derive(Debug, Deserialize)]
pub(crate) struct TextPair {
    pub(crate) a: String,
    pub(crate) b: String,
}

/// Reads pairs, in order. What else a line holds is passed over.
pub(crate) fn pairs(path: &Path, limits: &InputConfig) -> Result<Vec<TextPair>, CliError> {
    let mut lines = Lines::open(path, limits.max_line_bytes)?;
    let mut pairs = Vec::new();
    while let Some(line) = lines.next()? {
        let pair = line.and_then(|line| {
            let pair: TextPair = parse(&line).map_err(|problem| lines.at(problem))?;
            for (field, text) in [("a", &pair.a), ("b", &pair.b)] {
                let (given, most) = (text.len(), limits.max_text_bytes);
                if given > most {
                    return Err(lines.at(Problem::LongText { field, given, most }));
                }
            }
            Ok(pair)
        });
        match pair {
            Ok(pair) => pairs.push(pair),
            Err(error @ InputError::Line { problem: Problem::Json { .. } | Problem::Utf8 { .. }, .. }) => {
                return Err(CliError::new(Exit::Input, error)
                    .hint("a line is {\"a\":\"one text\",\"b\":\"another\"}"));
            }
            Err(error) => return Err(error.into()),
        }
    }
    if pairs.is_empty() {
        return Err(InputError::NoPairs { path: path.to_owned() }.into());
    }
    Ok(pairs)
}
