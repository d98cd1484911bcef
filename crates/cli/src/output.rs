//! Writes results: text and JSON to standard output, files in one piece, notes to standard error.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use tempfile::NamedTempFile;

pub(crate) use crate::stdio::{note, stdout};
use crate::{
    error::{CliError, Exit},
    stdio::to_pipe,
    terminal::is_unsafe,
};

/// Writes JSON and a line end to standard output.
pub(crate) fn json(value: &impl Serialize) -> Result<(), CliError> {
    let mut out = BufWriter::new(stdout());
    value.serialize(&mut Serializer::with_formatter(&mut out, EscapingFormatter))?;
    writeln!(out)?;
    Ok(out.flush()?)
}

/// Returns a value as JSON in which terminal control is escaped.
pub(crate) fn harmless_json(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut bytes, EscapingFormatter))?;
    Ok(bytes)
}

/// Formatter of compact JSON that escapes characters that could steer a terminal as `\uXXXX`: the same value,
/// read as JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EscapingFormatter;

impl Formatter for EscapingFormatter {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        // Of plain ASCII nothing steers.
        if fragment.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return out.write_all(fragment.as_bytes());
        }
        let mut written = 0;
        for (at, c) in fragment.char_indices().filter(|(_, c)| is_unsafe(*c)) {
            out.write_all(&fragment.as_bytes()[written..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            written = at + c.len_utf8();
        }
        out.write_all(&fragment.as_bytes()[written..])
    }
}

/// Writes text to standard output.
pub(crate) fn text(text: &str) -> Result<(), CliError> {
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Error of writing a file. An earlier file of that name stays as it was.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OutputError {
    #[error("cannot write {}: it is a folder", path.display())]
    Folder { path: PathBuf },
    #[error("cannot write {}: the folder {} does not exist", path.display(), folder.display())]
    NoFolder { path: PathBuf, folder: PathBuf },
    #[error("cannot write {}: it is write-protected", path.display())]
    Protected { path: PathBuf },
    #[error("cannot write {}: this call reads or writes that file already", path.display())]
    InUse { path: PathBuf },
    #[error("cannot write {}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl OutputError {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

impl From<OutputError> for CliError {
    fn from(error: OutputError) -> Self {
        let hint = match &error {
            OutputError::Folder { .. } | OutputError::InUse { .. } => "name another file",
            OutputError::NoFolder { .. } => "make the folder first, or name another file",
            OutputError::Protected { .. } => "make it writable, or name another file",
            OutputError::Io { .. } => "see to it that the folder may be written and the disk has room",
        };
        Self::new(Exit::Usage, error).hint(hint)
    }
}

/// File under construction: put in place whole by [`NewFile::finish`], or not at all.
pub(crate) struct NewFile {
    /// Path as the user named it.
    path: PathBuf,
    place: WriteTarget,
}

enum WriteTarget<F = File, T = NamedTempFile> {
    /// A temporary file in the target's folder, which is renamed to the target.
    Beside { temporary: T, target: PathBuf },
    /// A device or a pipe, which is written to directly.
    Itself(F),
}

impl NewFile {
    /// Checks that `path` can be written, before any work is done for it. `in_use` names the other files of
    /// this call.
    pub(crate) fn prepare<'a>(
        path: &Path,
        in_use: impl IntoIterator<Item = &'a Path>,
    ) -> Result<Self, OutputError> {
        let io = |source| OutputError::Io { path: path.to_owned(), source };
        let place = match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(OutputError::Folder { path: path.to_owned() }),
            Ok(found) if !found.is_file() => {
                WriteTarget::Itself(File::options().write(true).open(path).map_err(io)?)
            }
            Ok(found) if found.permissions().readonly() => {
                return Err(OutputError::Protected { path: path.to_owned() });
            }
            Ok(found) => {
                // Through a link, the file it leads to is replaced and not the link.
                let target = path.canonicalize().map_err(io)?;
                if in_use.into_iter().any(|other| other.canonicalize().is_ok_and(|other| other == target)) {
                    return Err(OutputError::InUse { path: path.to_owned() });
                }
                let temporary = beside(path, &target)?;
                temporary.as_file().set_permissions(found.permissions()).map_err(io)?;
                WriteTarget::Beside { temporary, target }
            }
            Err(_) => {
                let target = std::path::absolute(path).map_err(io)?;
                if in_use.into_iter().any(|o| std::path::absolute(o).is_ok_and(|other| other == target)) {
                    return Err(OutputError::InUse { path: path.to_owned() });
                }
                WriteTarget::Beside { temporary: beside(path, &target)?, target }
            }
        };
        Ok(Self { path: path.to_owned(), place })
    }

    /// Writes the file and puts it in place.
    pub(crate) fn finish(
        self,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        let mut file = self.begin();
        match write(&mut file) {
            Ok(()) => file.finish(),
            Err(source) => Err(OutputError::io(file.path(), source)),
        }
    }

    /// Opens the file for writing piece by piece.
    pub(crate) fn begin(self) -> UnfinishedFile {
        let Self { path, place } = self;
        let place = match place {
            WriteTarget::Itself(file) => WriteTarget::Itself(BufWriter::new(file)),
            WriteTarget::Beside { temporary, target } => {
                WriteTarget::Beside { temporary: BufWriter::new(temporary), target }
            }
        };
        UnfinishedFile { path, place }
    }
}

/// File that is being written; it appears only with [`UnfinishedFile::finish`].
pub(crate) struct UnfinishedFile {
    path: PathBuf,
    place: WriteTarget<BufWriter<File>, BufWriter<NamedTempFile>>,
}

impl UnfinishedFile {
    /// Puts the file in place.
    pub(crate) fn finish(self) -> Result<(), OutputError> {
        let Self { path, place } = self;
        let done = match place {
            WriteTarget::Itself(mut out) => to_pipe(out.flush()),
            WriteTarget::Beside { temporary, target } => in_place(temporary, &target),
        };
        done.map_err(|source| OutputError::Io { path, source })
    }

    /// Path as the user named it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Write for UnfinishedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.place {
            WriteTarget::Itself(out) => to_pipe(out.write(bytes)),
            WriteTarget::Beside { temporary, .. } => temporary.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.place {
            WriteTarget::Itself(out) => to_pipe(out.flush()),
            WriteTarget::Beside { temporary, .. } => temporary.flush(),
        }
    }
}

fn in_place(temporary: BufWriter<NamedTempFile>, target: &Path) -> io::Result<()> {
    let temporary = temporary.into_inner().map_err(io::IntoInnerError::into_error)?;
    temporary.as_file().sync_all()?;
    temporary.persist(target).map(drop).map_err(|e| e.error)
}

/// Makes a temporary file in the folder of `target`, with the permissions of any new file. Errors name
/// `path`.
fn beside(path: &Path, target: &Path) -> Result<NamedTempFile, OutputError> {
    let folder = target.parent().unwrap_or(target);
    if !folder.is_dir() {
        return Err(OutputError::NoFolder { path: path.to_owned(), folder: folder.to_owned() });
    }
    tempfile::Builder::new()
        .prefix(".nightfold-")
        // Made by ourselves: errors of `tempfile` would name the temporary file.
        .make_in(folder, |temporary| File::create_new(temporary))
        .map_err(|source| OutputError::Io { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_control_is_escaped_and_the_value_stays() {
        let value =
            serde_json::json!({"a\u{9b}b": "\u{1b}[2J \u{202e}x\u{200b}\u{e0041}\u{7f} Grüße 🌙 \"q\"\n"});
        let text = String::from_utf8(harmless_json(&value).unwrap()).unwrap();
        assert_eq!(text, r#"{"a\u009bb":"\u001b[2J \u202ex\u200b\udb40\udc41\u007f Grüße 🌙 \"q\"\n"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.json");
        fs::write(&path, "old").unwrap();
        let names = || fs::read_dir(folder.path()).unwrap().count();
        drop(NewFile::prepare(&path, []).unwrap());
        let failed = NewFile::prepare(&path, []).unwrap().finish(|out| {
            out.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert!(matches!(failed, Err(OutputError::Io { .. })));
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names()), ("old", 1));
        NewFile::prepare(&path, []).unwrap().finish(|out| out.write_all(b"new")).unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names()), ("new", 1));
        let same = NewFile::prepare(&path, [path.as_path()]);
        assert!(matches!(same, Err(OutputError::InUse { .. })));
    }
}
