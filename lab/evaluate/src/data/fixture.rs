//! Small folders of data for tests.

use std::{fs, path::Path};

use tempfile::TempDir;

/// Creates a folder with these files, each a path with its content.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (file, content) in files {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).unwrap();
        fs::write(path, content).unwrap();
    }
    dir
}
