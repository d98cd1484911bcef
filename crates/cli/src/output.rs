//! Writes results: text and JSON to standard output, files in one piece, notes to standard error.

use std::{
    fs::{self, File},
    io::{self, BufWriter, IsTerminal as _, Write},
    path::{Path, PathBuf},
};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::ser::Serializer;
use tempfile::NamedTempFile;

use crate::{
    error::{CliError, Exit, message},
    escape::{EscapingFormatter, TerminalSafeWriter},
    files_in_use::{FilesInUse, OutputConflict},
    logging::is_quiet,
    pager::paged,
    stdio::to_pipe,
    terminal::clean,
    unfinished,
};
pub(crate) use crate::{
    logging::{complain, note},
    stdio::stdout,
};

/// Hint for a path that cannot be written to.
const ANOTHER: &str = "name another file";

/// Writes JSON and a line end to standard output. Its type has a schema, which `nightfold generate schema` prints.
pub(crate) fn json(value: &(impl Serialize + JsonSchema)) -> Result<(), CliError> {
    let mut out = BufWriter::new(stdout());
    value.serialize(&mut Serializer::with_formatter(&mut out, EscapingFormatter))?;
    writeln!(out)?;
    Ok(out.flush()?)
}

/// Writes text for people to standard output; a quiet process writes none.
pub(crate) fn text(text: &str) -> Result<(), CliError> {
    if is_quiet() { Ok(()) } else { product(text) }
}

/// Writes a text that may be long to standard output, on a terminal through the pager; a quiet process writes none.
pub(crate) fn long_text(text: &str) -> Result<(), CliError> {
    if is_quiet() { Ok(()) } else { paged(|out| Ok(out.write_all(text.as_bytes())?)) }
}

/// Writes what a command is there to make, such as a script, to standard output, in a quiet process too.
pub(crate) fn product(text: &str) -> Result<(), CliError> {
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Returns the error of a file that could not be written. An earlier file of that name stays as it was.
pub(crate) fn write_error(path: &Path, source: io::Error) -> CliError {
    let exit = if is_refusal(&source) { Exit::Usage } else { Exit::Output };
    CliError::caused(exit, format!("cannot write {}", path.display()), source).hint(
        "see to it that the folder may be written and the disk has room; an earlier file of that name is as it was",
    )
}

fn refused(path: &Path, why: &str, hint: &str) -> CliError {
    message(Exit::Usage, format!("cannot write {}: {why}", path.display())).hint(hint)
}

/// True if the system would refuse a path again and again, where another is to be named.
pub(crate) fn is_refusal(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
    matches!(error.kind(), InvalidFilename | NotADirectory | NotFound | PermissionDenied | ReadOnlyFilesystem)
}

/// File under construction: put in place whole by [`NewFile::finish`] or [`NewFile::close`], or not at all.
pub(crate) struct NewFile {
    /// Words before and after the path in the note that the file is written; none for no note.
    note: Option<[&'static str; 2]>,
    /// Path as the user named it.
    path: PathBuf,
    place: WriteTarget,
}

enum WriteTarget {
    /// A temporary file in the target's folder, which is renamed to the target.
    Beside { temporary: BufWriter<UnnamedFile>, target: PathBuf },
    /// A device or a pipe, which is written to directly.
    Itself(TerminalSafeWriter<BufWriter<File>>),
}

impl NewFile {
    /// Checks that `path` can be written, before any work is done for it.
    pub(crate) fn prepare(path: &Path, in_use: &FilesInUse) -> Result<Self, CliError> {
        let failed = |source| write_error(path, source);
        let found = fs::metadata(path);
        let place = match found {
            Ok(found) if found.is_dir() => return Err(refused(path, "it is a folder", ANOTHER)),
            Ok(found) if !found.is_file() => {
                let file = File::options().write(true).open(path).map_err(failed)?;
                let is_terminal = file.is_terminal();
                WriteTarget::Itself(TerminalSafeWriter::new(BufWriter::new(file), is_terminal))
            }
            found => {
                match in_use.conflict(path) {
                    Some(conflict @ OutputConflict::Database) => {
                        let hint = "name another file; one that nobody needs can be deleted first";
                        return Err(refused(path, &conflict.to_string(), hint));
                    }
                    Some(conflict) => return Err(refused(path, &conflict.to_string(), ANOTHER)),
                    None => {}
                }
                let permissions = found.ok().map(|found| found.permissions());
                if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
                    let hint = "make it writable, or name another file";
                    return Err(refused(path, "it is write-protected", hint));
                }
                // Through a link, the file it leads to is replaced and not the link.
                let target = match permissions {
                    Some(_) => path.canonicalize(),
                    None => std::path::absolute(path),
                };
                let target = target.map_err(failed)?;
                let folder = target.parent().unwrap_or(&target);
                if !folder.is_dir() {
                    let why = format!("the folder {} does not exist", folder.display());
                    return Err(refused(path, &why, "make the folder first, or name another file"));
                }
                unfinished::sweep(folder);
                let temporary = unfinished::create(folder).map_err(failed)?;
                if let Some(permissions) = permissions {
                    temporary.as_file().set_permissions(permissions).map_err(failed)?;
                }
                WriteTarget::Beside { temporary: BufWriter::new(UnnamedFile(temporary)), target }
            }
        };
        Ok(Self { note: None, path: path.to_owned(), place })
    }

    /// Lets a note say that the file is written: `what: path`, and `how` to go on.
    #[must_use]
    pub(crate) fn announced(mut self, what: &'static str, how: &'static str) -> Self {
        self.note = Some([what, how]);
        self
    }

    /// Path as the user named it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file and puts it in place.
    pub(crate) fn finish(
        mut self,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<(), CliError> {
        write(&mut self).map_err(|source| write_error(&self.path, source))?;
        self.close()
    }

    /// Puts the file in place, once all of it is written.
    pub(crate) fn close(self) -> Result<(), CliError> {
        let Self { note: announced, path, place } = self;
        match place {
            WriteTarget::Itself(mut out) => {
                to_pipe(out.flush()).map_err(|source| write_error(&path, source))?;
            }
            WriteTarget::Beside { temporary, target } => {
                in_place(temporary, &target).map_err(|source| write_error(&path, source))?;
                if let Some([what, how]) = announced {
                    note(&format!("{what}: {}{how}\n", clean(&path.display().to_string())));
                }
            }
        }
        Ok(())
    }
}

impl Write for NewFile {
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
