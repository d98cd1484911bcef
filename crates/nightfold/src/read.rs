//! Readers of memories from JSON Lines.

use std::{io::BufRead, path::Path};

use nightfold_formats::jsonl::{self, JsonlError};
use nightfold_memory::{Memory, ValidConfig};

/// Reads memories from a file of JSON Lines.
///
/// # Errors
/// [`JsonlError`] names the file, line, column and field of the first invalid memory.
pub fn read_jsonl(path: impl AsRef<Path>, config: &ValidConfig) -> Result<Vec<Memory>, JsonlError> {
    let path = path.as_ref();
    jsonl::read(path.display().to_string(), jsonl::open(path)?, &config.input)
}

/// Reads memories from JSON Lines; `name` is only used in errors.
///
/// # Errors
/// As [`read_jsonl`].
pub fn read_jsonl_from(
    name: &str,
    lines: impl BufRead,
    config: &ValidConfig,
) -> Result<Vec<Memory>, JsonlError> {
    jsonl::read(name, lines, &config.input)
}
