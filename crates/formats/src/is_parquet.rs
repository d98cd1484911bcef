//! Recognition of Parquet files, which needs no library.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _},
};

/// First bytes of every Parquet file.
const MAGIC: [u8; 4] = *b"PAR1";

/// Returns true if a file begins as Parquet does. The file is at its start afterwards. A pipe does not count
/// as Parquet, since it cannot be rewound.
///
/// Works without the feature `parquet` too, so that a program without it can say what is missing.
///
/// # Errors
/// Those of reading the file.
pub fn is_parquet(mut file: &File) -> io::Result<bool> {
    if !file.metadata()?.is_file() {
        return Ok(false);
    }
    let mut start = Vec::new();
    file.take(MAGIC.len() as u64).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start == MAGIC)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn parquet_is_recognised_and_the_file_rewound() {
        for (bytes, expected) in
            [(&b"PAR1..."[..], true), (b"PAR", false), (b"", false), (b"{\"a\":1}", false)]
        {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(bytes).unwrap();
            file.rewind().unwrap();
            assert_eq!(is_parquet(&file).unwrap(), expected);
            assert_eq!(file.stream_position().unwrap(), 0);
        }
    }
}
