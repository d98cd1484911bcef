//! Listing a folder of insights.

use std::{ffi::OsStr, io, path::Path, time::SystemTime};

use super::{ARCHIVE, EntryKind, FolderError, InsightFolder, MAX_FILES};

/// An insight file as it was listed. Its name is a single path component without control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsightFile {
    name: String,
    touched: SystemTime,
}

impl InsightFile {
    /// Name of the file: `affect-substrate-3.md`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Id of the insight, the name without its last extension: `affect-substrate-3`. Two files that differ
    /// only in the extension have the same id.
    pub fn id(&self) -> &str {
        Path::new(&self.name).file_stem().and_then(OsStr::to_str).unwrap_or(&self.name)
    }

    /// Time of the last write to the content (mtime), at the precision of the file system.
    pub fn touched(&self) -> SystemTime {
        self.touched
    }
}

/// Contents of a folder of insights.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// The insight files, by name.
    pub insights: Vec<InsightFile>,
    /// Entries that are not insight files, by name. The archive and names that begin with a dot are left out.
    pub skipped: Vec<SkippedEntry>,
}

/// An entry of the folder that is not an insight file. It is never changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedEntry {
    /// The name; characters that cannot be shown are replaced by `\u{fffd}`.
    pub name: String,
    /// Reason why it is not an insight file.
    pub reason: SkipReason,
}

/// Reason why an entry is not an insight file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkipReason {
    /// The entry is not a regular file.
    #[error("it is {0}, not a file")]
    NotAFile(EntryKind),
    /// The name is not UTF-8.
    #[error("its name is not UTF-8")]
    NotUtf8,
    /// The beginning of the file contains a zero byte, as in a database or an image.
    #[error("it is no text")]
    NotText,
    /// The file cannot be read.
    #[error("it cannot be read")]
    Unreadable,
    /// The name holds a control character: a line break, an escape.
    #[error("its name holds control characters")]
    ControlCharacter,
}

impl InsightFolder {
    /// Lists the regular files directly in the folder, and the skipped entries.
    ///
    /// # Errors
    /// [`FolderError::Read`], [`FolderError::TooMany`].
    pub fn list(&self) -> Result<Listing, FolderError> {
        self.list_at_most(MAX_FILES)
    }

    fn list_at_most(&self, most: usize) -> Result<Listing, FolderError> {
        let mut listing = Listing::default();
        for name in Self::names(&self.dir, &self.path, most)? {
            if name == ARCHIVE || name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let plain = match name.to_str() {
                None => Err(SkipReason::NotUtf8),
                Some(text) if text.contains(char::is_control) => Err(SkipReason::ControlCharacter),
                Some(text) => Ok(text.to_owned()),
            };
            let found = match plain {
                Err(why) => Err(why),
                Ok(plain) => match self.dir.look(&name) {
                    Ok(Some(seen)) if seen.kind == EntryKind::File => match self.dir.begins_as_text(&name) {
                        Ok(true) => Ok(InsightFile { name: plain, touched: seen.touched }),
                        Ok(false) => Err(SkipReason::NotText),
                        Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                        Err(_) => Err(SkipReason::Unreadable),
                    },
                    Ok(Some(seen)) => Err(SkipReason::NotAFile(seen.kind)),
                    // Gone since the names were read.
                    Ok(None) => continue,
                    Err(source) => return Err(FolderError::Read { path: self.path_of(name), source }),
                },
            };
            match found {
                Ok(insight) => listing.insights.push(insight),
                Err(why) => {
                    let name = name.to_string_lossy().replace(char::is_control, "\u{fffd}");
                    listing.skipped.push(SkippedEntry { name, reason: why });
                }
            }
        }
        // Sorted by the shown names: the original names may sort differently.
        listing.skipped.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listing)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn too_many_names_are_refused() {
        let place = tempfile::tempdir().unwrap();
        (0..3).for_each(|n| fs::write(place.path().join(format!("a-b-{n}.md")), "").unwrap());
        let folder = InsightFolder::open(place.path()).unwrap();
        assert_eq!(folder.list_at_most(3).unwrap().insights.len(), 3);
        let refused = folder.list_at_most(2).unwrap_err();
        assert!(matches!(refused, FolderError::TooMany { most: 2, .. }), "{refused}");
    }

    #[test]
    fn id_is_the_name_without_its_last_extension() {
        let id =
            |name: &str| InsightFile { name: name.into(), touched: SystemTime::UNIX_EPOCH }.id().to_owned();
        assert_eq!(id("affect-substrate-3.md"), "affect-substrate-3");
        assert_eq!(id("affect-substrate-v1.2.md"), "affect-substrate-v1.2");
        assert_eq!(id("affect-substrate"), "affect-substrate");
        assert_eq!(id("a b\\c.md"), "a b\\c");
        assert_eq!(id("affect."), "affect");
    }
}
