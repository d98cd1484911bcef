//! Copies of a store file that migrations left beside it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    error::{CliError, Exit},
    store,
};

/// The folder of a store cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the folder {} cannot be searched for copies of the store", folder.display())]
struct CopiesError {
    folder: PathBuf,
    source: io::Error,
}

/// Returns the copies beside a store file, by name: `FILE.v6.bak`, `FILE.v6.bak-2`, and half-written ones; none for a store
/// on a server.
pub(super) fn of(path: &Path) -> Result<Vec<PathBuf>, CliError> {
    if store::is_on_a_server(path) {
        return Ok(Vec::new());
    }
    let Some(name) = path.file_name() else { return Ok(Vec::new()) };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let failed = |source| CliError::new(Exit::Store, CopiesError { folder: folder.to_owned(), source });
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let other = entry.map_err(failed)?.file_name();
        let copy = path.with_file_name(&other);
        if is_copy(other.as_encoded_bytes(), name.as_encoded_bytes()) && copy.is_file() {
            found.push(copy);
        }
    }
    found.sort();
    Ok(found)
}

fn is_copy(name: &[u8], store: &[u8]) -> bool {
    let Some(rest) = name.strip_prefix(store).and_then(|rest| rest.strip_prefix(b".v")) else { return false };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && rest.get(digits..).is_some_and(|end| end.starts_with(b".bak"))
}

/// Returns the files of a store: the file itself, and those that SQLite puts beside it.
pub(super) fn of_store(path: &Path) -> Vec<PathBuf> {
    let beside = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    ["", "-wal", "-journal", "-shm"].into_iter().map(beside).filter(|path| path.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_copies_of_this_store_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let names = [
            "s.db",
            "s.db-wal",
            "s.db.v6.bak",
            "s.db.v6.bak-2",
            "s.db.v7.bak.part",
            "s.db.vx.bak",
            "t.s.db.v6.bak",
        ];
        for name in names {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        let found = of(&folder.path().join("s.db")).unwrap();
        let found: Vec<String> = found.iter().map(name).collect();
        assert_eq!(found, ["s.db.v6.bak", "s.db.v6.bak-2", "s.db.v7.bak.part"]);
        let files: Vec<String> = of_store(&folder.path().join("s.db")).iter().map(name).collect();
        assert_eq!(files, ["s.db", "s.db-wal"]);
    }
}
