//! Folders for readers that read files.

use std::{fs, path::Path};

/// Calls `read` with a folder that holds these files; others may be left of earlier calls of the thread.
pub(crate) fn with_files<T>(files: &[(&str, &[u8])], read: impl FnOnce(&Path) -> T) -> T {
    thread_local! {
        static FOLDER: tempfile::TempDir = tempfile::tempdir().unwrap();
    }
    FOLDER.with(|folder| {
        let folder = folder.path();
        for (name, bytes) in files {
            let path = folder.join(name);
            if fs::write(&path, bytes).is_err() {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, bytes).unwrap();
            }
        }
        read(folder)
    })
}
