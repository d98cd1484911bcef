//! Refusal of irregular files where a file is to be read.

use std::path::Path;

use nightfold_formats::irregular_file::irregular_kind;

use crate::error::{CliError, Exit, message};

/// Refuses a folder, a pipe, a socket or a device, before it is opened: a pipe would be waited for, and a device may
/// never end.
///
/// # Errors
/// With this exit code and hint.
pub(crate) fn refuse(path: &Path, exit: Exit, hint: &str) -> Result<(), CliError> {
    let refused = |kind| message(exit, format!("{} is {kind}, not a file", path.display())).hint(hint);
    irregular_kind(path).map_or(Ok(()), |kind| Err(refused(kind)))
}
