//! Writes results: text and JSON to standard output, files in one piece, notes to standard error.

use std::{
    fs::{self, File},
    io::{self, BufWriter, IsTerminal as _, Write},
    mem,
    path::{Path, PathBuf},
};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use tempfile::NamedTempFile;

use crate::{
    error::{CliError, Exit},
    files_in_use::{FilesInUse, Taken},
    logging::is_quiet,
    stdio::to_pipe,
    terminal::is_unsafe,
    unfinished,
};
pub(crate) use crate::{
    logging::{complain, note},
    stdio::stdout,
};

/// Writes JSON and a line end to standard output. Its type has a schema, which `nightfold schema` prints.
pub(crate) fn json(value: &(impl Serialize + JsonSchema)) -> Result<(), CliError> {
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
        write_escaped(out, fragment).map(drop)
    }
}

/// Writes a part of a JSON text with the characters escaped that could steer a terminal; returns true if there are
/// any.
fn write_escaped<W: ?Sized + Write>(out: &mut W, fragment: &str) -> io::Result<bool> {
    // Of plain ASCII nothing steers.
    if fragment.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return out.write_all(fragment.as_bytes()).map(|()| false);
    }
    let mut written = 0;
    for (at, c) in fragment.char_indices().filter(|(_, c)| is_unsafe(*c)) {
        out.write_all(&fragment.as_bytes()[written..at])?;
        for unit in c.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{unit:04x}")?;
        }
        written = at + c.len_utf8();
    }
    out.write_all(&fragment.as_bytes()[written..])?;
    Ok(written > 0)
}

/// Writer that leaves bytes as they are unless they go to a terminal. There, characters that could steer it are
/// escaped as `\uXXXX`, which in JSON is the same value, and what is no text is replaced.
pub(crate) struct HarmlessOnTerminal<W> {
    out: W,
    is_terminal: bool,
    /// Begin of a character whose other bytes have not come yet.
    held: Vec<u8>,
    /// True once a character was escaped or replaced.
    has_escaped: bool,
}

impl<W: Write> HarmlessOnTerminal<W> {
    pub(crate) fn new(out: W, is_terminal: bool) -> Self {
        Self { out, is_terminal, held: Vec::new(), has_escaped: false }
    }

    /// True once a terminal was given something else than the bytes that were written.
    pub(crate) fn has_escaped(&self) -> bool {
        self.has_escaped
    }

    fn show(&mut self, text: &str) -> io::Result<()> {
        for line in text.split_inclusive('\n') {
            let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
            self.has_escaped |= write_escaped(&mut self.out, line)?;
            self.out.write_all(end.as_bytes())?;
        }
        Ok(())
    }

    fn replace(&mut self) -> io::Result<()> {
        self.has_escaped = true;
        self.show("\u{fffd}")
    }
}

impl<W: Write> Write for HarmlessOnTerminal<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_terminal {
            return self.out.write(bytes);
        }
        let mut all = mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        let mut chunks = all.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.show(chunk.valid())?;
            let is_begun = |bytes| str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none());
            if chunks.peek().is_none() && is_begun(chunk.invalid()) {
                self.held = chunk.invalid().to_vec();
            } else if !chunk.invalid().is_empty() {
                self.replace()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !mem::take(&mut self.held).is_empty() {
            self.replace()?;
        }
        self.out.flush()
    }
}

/// Writes text for people to standard output; a quiet process writes none.
pub(crate) fn text(text: &str) -> Result<(), CliError> {
    if is_quiet() { Ok(()) } else { product(text) }
}

/// Writes what a command is there to make, such as a script, to standard output, in a quiet process too.
pub(crate) fn product(text: &str) -> Result<(), CliError> {
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
    #[error("cannot write {}: it is a database, such as a store, and no output replaces one", path.display())]
    Database { path: PathBuf },
    #[error("cannot write {}: files of this name belong to the database {}", path.display(), database.display())]
    OfADatabase { path: PathBuf, database: PathBuf },
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
            OutputError::Folder { .. } | OutputError::InUse { .. } | OutputError::OfADatabase { .. } => {
                "name another file"
            }
            OutputError::Database { .. } => "name another file; one that nobody needs can be deleted first",
            OutputError::NoFolder { .. } => "make the folder first, or name another file",
            OutputError::Protected { .. } => "make it writable, or name another file",
            OutputError::Io { .. } => {
                "see to it that the folder may be written and the disk has room; an earlier file of that name is as it was"
            }
        };
        let is_of_the_system = matches!(&error, OutputError::Io { source, .. } if !is_refusal(source));
        Self::new(if is_of_the_system { Exit::Output } else { Exit::Usage }, error).hint(hint)
    }
}

/// True if the system would refuse a path again and again, where another is to be named.
pub(crate) fn is_refusal(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
    matches!(error.kind(), InvalidFilename | NotADirectory | NotFound | PermissionDenied | ReadOnlyFilesystem)
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
    /// Checks that `path` can be written, before any work is done for it.
    pub(crate) fn prepare(path: &Path, in_use: &FilesInUse) -> Result<Self, OutputError> {
        let io = |source| OutputError::Io { path: path.to_owned(), source };
        let found = fs::metadata(path);
        let place = match found {
            Ok(found) if found.is_dir() => return Err(OutputError::Folder { path: path.to_owned() }),
            Ok(found) if !found.is_file() => {
                WriteTarget::Itself(File::options().write(true).open(path).map_err(io)?)
            }
            found => {
                let path = path.to_owned();
                match in_use.taken(&path) {
                    Some(Taken::InUse) => return Err(OutputError::InUse { path }),
                    Some(Taken::Database) => return Err(OutputError::Database { path }),
                    Some(Taken::Beside(database)) => return Err(OutputError::OfADatabase { path, database }),
                    None => {}
                }
                let permissions = found.ok().map(|found| found.permissions());
                if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
                    return Err(OutputError::Protected { path });
                }
                // Through a link, the file it leads to is replaced and not the link.
                let target = match permissions {
                    Some(_) => path.canonicalize(),
                    None => std::path::absolute(&path),
                };
                let target = target.map_err(io)?;
                let temporary = beside(&path, &target)?;
                if let Some(permissions) = permissions {
                    temporary.as_file().set_permissions(permissions).map_err(io)?;
                }
                WriteTarget::Beside { temporary, target }
            }
        };
        Ok(Self { path: path.to_owned(), place })
    }

    /// Path as the user named it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
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
            WriteTarget::Itself(file) => {
                let is_terminal = file.is_terminal();
                WriteTarget::Itself(HarmlessOnTerminal::new(BufWriter::new(file), is_terminal))
            }
            WriteTarget::Beside { temporary, target } => {
                WriteTarget::Beside { temporary: BufWriter::new(UnnamedFile(temporary)), target }
            }
        };
        UnfinishedFile { path, place }
    }
}

/// File that is being written; it appears only with [`UnfinishedFile::finish`].
pub(crate) struct UnfinishedFile {
    path: PathBuf,
    place: WriteTarget<HarmlessOnTerminal<BufWriter<File>>, BufWriter<UnnamedFile>>,
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

/// Temporary file whose errors of writing do not name it: they are those of the file that it becomes.
struct UnnamedFile(NamedTempFile);

impl Write for UnnamedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_file_mut().flush()
    }
}

fn in_place(temporary: BufWriter<UnnamedFile>, target: &Path) -> io::Result<()> {
    let UnnamedFile(temporary) = temporary.into_inner().map_err(io::IntoInnerError::into_error)?;
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
    unfinished::sweep(folder);
    unfinished::create(folder).map_err(|source| OutputError::Io { path: path.to_owned(), source })
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
    fn terminal_gets_no_control_characters_and_a_pipe_every_byte() {
        let lines = "{\"a\":\"Grüße\u{9b}2J \u{202e}🌙\"}\n{\"b\":1}\n".as_bytes();
        for size in 1..lines.len() {
            let (mut shown, mut piped) =
                (HarmlessOnTerminal::new(Vec::new(), true), HarmlessOnTerminal::new(Vec::new(), false));
            for part in lines.chunks(size) {
                shown.write_all(part).unwrap();
                piped.write_all(part).unwrap();
            }
            shown.flush().unwrap();
            assert!(shown.has_escaped() && !piped.has_escaped());
            let text = String::from_utf8(shown.out).unwrap();
            assert_eq!(text, "{\"a\":\"Grüße\\u009b2J \\u202e🌙\"}\n{\"b\":1}\n");
            assert_eq!(piped.out, lines);
        }
        let mut shown = HarmlessOnTerminal::new(Vec::new(), true);
        shown.write_all(b"PAR1\xff\x1b[2J\xe2\x82").unwrap();
        shown.flush().unwrap();
        assert_eq!(String::from_utf8(shown.out).unwrap(), "PAR1\u{fffd}\\u001b[2J\u{fffd}");
    }

    #[test]
    fn file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.json");
        fs::write(&path, "old").unwrap();
        let names = || fs::read_dir(folder.path()).unwrap().count();
        let none = FilesInUse::default();
        drop(NewFile::prepare(&path, &none).unwrap());
        let failed = NewFile::prepare(&path, &none).unwrap().finish(|out| {
            out.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert!(matches!(failed, Err(OutputError::Io { .. })));
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names()), ("old", 1));
        NewFile::prepare(&path, &none).unwrap().finish(|out| out.write_all(b"new")).unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names()), ("new", 1));
        let same = NewFile::prepare(&path, &none.and([path.as_path()]));
        assert!(matches!(same, Err(OutputError::InUse { .. })));
    }
}
