//! Identity of a file's contents: its size and SHA-256.

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    path::Path,
    str::FromStr,
};

use serde::{Deserialize, Deserializer, de};
use sha2::{Digest, Sha256};

/// A SHA-256 checksum, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Checksum([u8; 32]);

/// Error for a text that is not a [`Checksum`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a SHA-256 checksum is 64 hexadecimal digits")]
pub struct ChecksumError;

impl Checksum {
    /// Returns the first 12 digits, enough to distinguish the files of a manifest.
    pub fn short(&self) -> String {
        self.to_string().chars().take(12).collect()
    }
}

impl FromStr for Checksum {
    type Err = ChecksumError;

    fn from_str(text: &str) -> Result<Self, ChecksumError> {
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let bytes: Option<Vec<u8>> =
            pairs.iter().map(|&[high, low]| Some((digit(high)? * 16 + digit(low)?) as u8)).collect();
        match bytes.map(TryInto::try_into) {
            Some(Ok(bytes)) if rest.is_empty() => Ok(Self(bytes)),
            _ => Err(ChecksumError),
        }
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Checksum({self})")
    }
}

impl<'de> Deserialize<'de> for Checksum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// The size and checksum of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct FileContents {
    /// Size in bytes.
    pub size: u64,
    /// Checksum of the whole file.
    pub sha256: Checksum,
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
                Ok(0) => return Ok(Self { size, sha256: Checksum(hash.finalize().into()) }),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_round_trips_through_text() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let contents = FileContents::of_copy(io::empty(), io::sink(), |_| {}).unwrap();
        assert_eq!(contents.sha256.to_string(), empty);
        assert_eq!(empty.parse(), Ok(contents.sha256));
        assert_eq!(contents.sha256.short(), "e3b0c44298fc");
        for wrong in ["", "e3b0", empty.get(1..).unwrap(), &format!("{empty}0"), &empty.replace('e', "g")] {
            assert_eq!(wrong.parse::<Checksum>(), Err(ChecksumError), "{wrong}");
        }
    }

    #[test]
    fn copy_is_complete_and_counted() {
        let bytes = vec![7; (1 << 20) + 5];
        let (mut copy, mut told) = (Vec::new(), Vec::new());
        let contents = FileContents::of_copy(&*bytes, &mut copy, |done| told.push(done)).unwrap();
        assert_eq!((copy, contents.size), (bytes, (1 << 20) + 5));
        assert_eq!(told, [1 << 20, (1 << 20) + 5]);
    }
}
