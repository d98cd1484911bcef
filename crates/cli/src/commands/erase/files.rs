//! Files of this program beside the store: recorded answers, plans, reports and exports.

use std::{
    fs::{self, File, TryLockError},
    io::{self, BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
};

use nightfold::memory::PersonNames;
use nightfold_language::recorded::MAX_RECORD_BYTES;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::check::{self, NameSearch};
use crate::{
    error::{CliError, Exit},
    files_in_use::FilesInUse,
    output::{self, NewFile},
    terminal::clean,
};

/// Reason why a file is left as it is.
#[derive(Debug, thiserror::Error)]
enum FileError {
    #[error("{} cannot be read or changed", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is no saved plan, report page or export of this program", path.display())]
    Foreign { path: PathBuf },
    #[error("{}, line {line}: it is no recorded answer", path.display())]
    NoRecord { path: PathBuf, line: usize },
    #[error("another process is recording to {}", path.display())]
    Locked { path: PathBuf },
}

impl From<FileError> for CliError {
    fn from(error: FileError) -> Self {
        let hint = match &error {
            FileError::Io { .. } => "see to it that it is a file, and may be read and written",
            FileError::Foreign { .. } => "delete it yourself, if the person is in it",
            FileError::NoRecord { .. } => "recordings are written by `--record FILE`",
            FileError::Locked { .. } => "wait until the run has ended, then erase again",
        };
        Self::new(Exit::Usage, error).hint(hint)
    }
}

fn failed(path: &Path) -> impl Fn(io::Error) -> FileError {
    move |source| FileError::Io { path: path.to_owned(), source }
}

/// A plan, a report page or an export.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OwnFile {
    /// Path as it was given.
    pub(super) path: PathBuf,
    /// True if it names the person.
    #[serde(skip)]
    pub(super) named: bool,
}

/// Beginnings of the files that this program writes.
const PLAN: &[u8] = br#"{"format":"#;
const EXPORT: &[u8] = br#"{"format":"nightfold-store","#;
const PAGE: &[u8] = b"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\"";

/// True if a file is not there, which is said.
pub(super) fn is_gone(path: &Path) -> bool {
    let is_gone = path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    if is_gone {
        output::note(&format!("note: {} is not there\n", clean(&path.display().to_string())));
    }
    is_gone
}

/// Looks at a file, which must be one that this program wrote.
pub(super) fn own(path: &Path, person: &PersonNames) -> Result<OwnFile, CliError> {
    let mut head = Vec::new();
    let file = File::open(path).map_err(failed(path))?;
    file.take(256).read_to_end(&mut head).map_err(failed(path))?;
    let is_plan = head.strip_prefix(PLAN).is_some_and(|rest| {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0 && rest.get(digits..).is_some_and(|rest| rest.starts_with(br#","nights":["#))
    });
    if !is_plan && !head.starts_with(EXPORT) && !head.starts_with(PAGE) {
        return Err(FileError::Foreign { path: path.to_owned() }.into());
    }
    let mut named = false;
    let search = NameSearch::in_files(person)?;
    check::each_window(path, &mut |bytes| named |= search.is_in(bytes)).map_err(failed(path))?;
    Ok(OwnFile { path: path.to_owned(), named })
}

/// A file of recorded answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Recording {
    /// Path as it was given.
    pub(super) path: PathBuf,
    /// Number of lines that name the person.
    pub(super) lines: usize,
}

/// Counts the lines of a file of recorded answers that name the person.
pub(super) fn recording(path: &Path, person: &PersonNames) -> Result<Recording, CliError> {
    let mut lines = 0;
    let mut file = File::open(path).map_err(failed(path))?;
    each_line(&mut file, path, &mut |line| {
        lines += usize::from(is_named(line, person));
        Ok(())
    })?;
    Ok(Recording { path: path.to_owned(), lines })
}

impl Recording {
    /// Writes the file anew without the lines that name the person.
    pub(super) fn remove_lines(&self, person: &PersonNames) -> Result<(), CliError> {
        let path = &self.path;
        let mut file = File::open(path).map_err(failed(path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FileError::Locked { path: path.clone() }.into()),
            Err(TryLockError::Error(source)) => return Err(failed(path)(source).into()),
        }
        let mut out = NewFile::prepare(path, &FilesInUse::default())?.begin();
        each_line(&mut file, path, &mut |line| {
            if is_named(line, person) { Ok(()) } else { out.write_all(line) }
        })?;
        Ok(out.finish()?)
    }
}

/// Passes each line of a file to `take`, with its newline.
fn each_line(
    file: &mut File,
    path: &Path,
    take: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> Result<(), FileError> {
    let mut input = BufReader::new(file);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        // One byte for the newline, and one that shows that a line is too long.
        let most = MAX_RECORD_BYTES as u64 + 2;
        let read = (&mut input).take(most).read_until(b'\n', &mut line).map_err(failed(path))?;
        if read == 0 {
            break;
        }
        if read as u64 == most || !line.starts_with(PLAN) {
            return Err(FileError::NoRecord { path: path.to_owned(), line: number });
        }
        take(&line).map_err(failed(path))?;
    }
    Ok(())
}

fn is_named(line: &[u8], person: &PersonNames) -> bool {
    match serde_json::from_slice::<Value>(line) {
        Ok(value) => check::names_in_value(&value, person, &[]),
        // Half a line, of a run that was cut short.
        Err(_) => person.are_in(&String::from_utf8_lossy(line)),
    }
}

/// Deletes a file; one that is gone already is no error.
pub(super) fn delete(path: &Path) -> Result<(), CliError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(path)(error).into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recording_loses_only_lines_that_name_the_person() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answers.jsonl");
        let line = |text: &str| format!("{{\"format\":1,\"key\":\"k\",\"answers\":[\"{text}\"]}}\n");
        let (kept, gone) = (line("Mara swept."), line("J\\u00fcrgen swept."));
        fs::write(&path, format!("{kept}{gone}{kept}")).unwrap();
        let person = PersonNames::new(["J\u{fc}rgen"]).unwrap();
        let found = recording(&path, &person).unwrap();
        assert_eq!(found.lines, 1);
        found.remove_lines(&person).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{kept}{kept}"));
        fs::write(&path, "a letter to J\u{fc}rgen\n").unwrap();
        assert!(
            recording(&path, &person).unwrap_err().message().contains("line 1: it is no recorded answer")
        );
    }

    #[test]
    fn foreign_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("letter.txt");
        let person = PersonNames::new(["Conan"]).unwrap();
        fs::write(&path, "Dear Conan").unwrap();
        assert!(own(&path, &person).unwrap_err().message().contains("no saved plan"));
        fs::write(&path, r#"{"format":1,"nights":[{"npc":"Mara","text":"CONAN came"}]}"#).unwrap();
        assert!(own(&path, &person).unwrap().named);
        fs::write(&path, r#"{"format":1,"nights":[]}"#).unwrap();
        assert!(!own(&path, &person).unwrap().named);
    }
}
