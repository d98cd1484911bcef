//! Identity of a file's contents: its size and SHA-256.

use std::{
    fmt::{self, Write as _},
    fs::File,
    io::{self, Read},
    path::Path,
};

use serde::Deserialize;
use sha2::{Digest, Sha256};

/// The size and checksum of a file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileContents {
    /// Size in bytes.
    pub size: u64,
    /// SHA-256 of the whole file, as 64 lower-case hexadecimal digits.
    pub sha256: String,
}

impl fmt::Display for FileContents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of SHA-256 {}", self.size, self.sha256)
    }
}

impl FileContents {
    /// Reads a file to its end, reporting the number of bytes read.
    pub(super) fn of_file(path: &Path, progress: impl FnMut(u64)) -> io::Result<Self> {
        Self::of_copy(File::open(path)?, io::sink(), progress)
    }

    /// Copies to the end, reporting the number of bytes copied.
    pub(super) fn of_copy(
        mut from: impl Read,
        mut to: impl io::Write,
        mut progress: impl FnMut(u64),
    ) -> io::Result<Self> {
        let mut hash = Sha256::new();
        let mut size = 0;
        let mut buffer = vec![0; 1 << 20];
        loop {
            let read = match from.read(&mut buffer) {
                Ok(0) => return Ok(Self { size, sha256: hex(&hash.finalize()) }),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            hash.update(&buffer[..read]);
            to.write_all(&buffer[..read])?;
            size += read as u64;
            progress(size);
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copy_is_complete_and_counted() {
        let bytes = vec![7; (1 << 20) + 5];
        let (mut copy, mut told) = (Vec::new(), Vec::new());
        let contents = FileContents::of_copy(&*bytes, &mut copy, |done| told.push(done)).unwrap();
        assert_eq!((copy, contents.size), (bytes, (1 << 20) + 5));
        assert_eq!(told, [1 << 20, (1 << 20) + 5]);
        let empty = FileContents::of_copy(io::empty(), io::sink(), |_| {}).unwrap();
        assert_eq!(empty.sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
