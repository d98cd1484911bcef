//! Refusal of irregular files where a file is to be read.

use std::path::{Path, PathBuf};

use nightfold_formats::irregular_file::irregular_kind;

use crate::error::{CliError, Exit};

/// Error of a path that leads to something else than a file.
#[derive(Debug, thiserror::Error)]
#[error("{} is {kind}, not a file", path.display())]
struct NotAFile {
    path: PathBuf,
    kind: &'static str,
}

/// Refuses a folder, a pipe, a socket or a device, before it is opened: a pipe would be waited for, and a device may
/// never end.
///
/// # Errors
/// With this exit code and hint.
pub(crate) fn refuse(path: &Path, exit: Exit, hint: &str) -> Result<(), CliError> {
    irregular_kind(path)
        .map_or(Ok(()), |kind| Err(CliError::new(exit, NotAFile { path: path.to_owned(), kind }).hint(hint)))
}
