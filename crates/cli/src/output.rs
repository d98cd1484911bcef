//! Writing results: JSON to standard output, files in one piece.

use std::{
    fs,
    io::{self, BufWriter, Write},
    path::Path,
};

use serde::Serialize;

use crate::error::{CliError, Exit, message};

/// Writes JSON and a line end to standard output.
pub(crate) fn json(value: &impl Serialize) -> Result<(), CliError> {
    let mut out = BufWriter::new(io::stdout().lock());
    serde_json::to_writer(&mut out, value)?;
    writeln!(out)?;
    Ok(out.flush()?)
}

/// Writes text to standard output.
pub(crate) fn text(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Puts a file in place whole, or not at all.
pub(crate) fn file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), CliError> {
    let attempt = || -> io::Result<()> {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if path.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        }
        let mut temporary = tempfile::Builder::new().prefix(".nightfold-").tempfile_in(folder)?;
        let mut out = BufWriter::new(temporary.as_file_mut());
        write(&mut out)?;
        out.flush()?;
        drop(out);
        temporary.as_file().sync_all()?;
        share(path, temporary.as_file())?;
        temporary.persist(path).map_err(|e| e.error)?;
        Ok(())
    };
    attempt().map_err(|e| message(Exit::Usage, format!("cannot write {}: {e}", path.display())))
}

/// Temporary files are for their owner alone: give the file the rights it had, or those any new file gets.
#[cfg(unix)]
fn share(path: &Path, file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).map_or(0o644, |m| m.permissions().mode());
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn share(_path: &Path, _file: &fs::File) -> io::Result<()> {
    Ok(())
}
