//! `NumPy`'s `.npy` files of `n × dimensions` vectors, format version 1.0.
//!
//! One kind of array is enough here (`<f4`, C order, two dimensions), so this is the format's header and no more:
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use std::io::{self, Write};

use nightfold_memory::{VectorError, Vectors};

const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
/// Multiple of bytes at which the numbers start.
const ALIGNMENT: usize = 64;
/// Number of characters of a header that an error shows.
const SHOWN: usize = 200;

/// Writes vectors as an array of little-endian `f32`, row after row.
///
/// ```
/// use nightfold_formats::npy;
/// use nightfold_memory::Vectors;
///
/// let mut vectors = Vectors::with_capacity(2, 1);
/// vectors.push(&[0.6, 0.8])?;
/// let mut file = Vec::new();
/// npy::write(&mut file, &vectors)?;
/// assert_eq!(npy::read(&file)?, vectors);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of `out`.
pub fn write(mut out: impl Write, vectors: &Vectors) -> io::Result<()> {
    let shape = (vectors.len(), vectors.dimensions());
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape:?}, }}");
    // Spaces and a newline fill the header up, after the magic and the two bytes of its length.
    let length = (MAGIC.len() + 2 + header.len() + 1).next_multiple_of(ALIGNMENT) - MAGIC.len() - 2;
    header = format!("{header:<width$}\n", width = length - 1);
    out.write_all(MAGIC)?;
    out.write_all(&(length as u16).to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    for row in vectors.rows() {
        let bytes: Vec<u8> = row.iter().flat_map(|number| number.to_le_bytes()).collect();
        out.write_all(&bytes)?;
    }
    out.flush()
}

/// Reason why bytes are not a `.npy` file of vectors.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NpyError {
    /// The bytes are not in the format, or not in its version 1.0.
    #[error("not a .npy file of version 1.0")]
    Magic,
    /// Another kind of array, or a header that is not `NumPy`'s.
    #[error("the array is {0}; expected is '<f4' in C order with two dimensions")]
    Array(String),
    /// More numbers than can be counted: the header is not that of a file.
    #[error("the header tells of {rows} rows of {columns} numbers each, which no file holds")]
    Size {
        /// Rows, as the header says.
        rows: usize,
        /// Numbers in a row, as the header says.
        columns: usize,
    },
    /// More or fewer numbers than the header says.
    #[error("{found} bytes of numbers where the header says {expected}")]
    Length {
        /// Bytes, as the header says.
        expected: usize,
        /// Bytes that are there.
        found: usize,
    },
    /// Rows that are not vectors, such as empty rows.
    #[error("the rows are no vectors")]
    Row(#[from] VectorError),
}

/// Reads what [`write()`] wrote, or `NumPy`'s `save` of a two-dimensional `float32` array.
///
/// # Errors
/// [`NpyError`] if it is another kind of file or array.
pub fn read(bytes: &[u8]) -> Result<Vectors, NpyError> {
    let (length, rest) =
        bytes.strip_prefix(MAGIC).and_then(|rest| rest.split_first_chunk()).ok_or(NpyError::Magic)?;
    let (header, data) =
        rest.split_at_checked(usize::from(u16::from_le_bytes(*length))).ok_or(NpyError::Magic)?;
    let header = String::from_utf8_lossy(header);
    let (rows, dimensions) =
        shape(&header).ok_or_else(|| NpyError::Array(header.trim().chars().take(SHOWN).collect()))?;

    // Each part is counted by itself: of no rows, too, the bytes of one must be countable.
    let size = NpyError::Size { rows, columns: dimensions };
    let Some(width) = dimensions.checked_mul(size_of::<f32>()) else { return Err(size) };
    let Some(expected) = rows.checked_mul(width) else { return Err(size) };
    if data.len() != expected {
        return Err(NpyError::Length { expected, found: data.len() });
    }
    if rows > 0 && dimensions == 0 {
        return Err(VectorError::Empty.into());
    }
    // There is no more room to be made than the file has numbers.
    let mut vectors = Vectors::with_capacity(dimensions, rows);
    for row in data.chunks_exact(width.max(1)) {
        let (words, _) = row.as_chunks();
        vectors.push(&words.iter().map(|&word| f32::from_le_bytes(word)).collect::<Vec<_>>())?;
    }
    Ok(vectors)
}

/// Returns rows and columns, if the header is of the one kind that is read.
fn shape(header: &str) -> Option<(usize, usize)> {
    if !header.contains("'descr': '<f4'") || !header.contains("'fortran_order': False") {
        return None;
    }
    let (_, shape) = header.split_once("'shape': (")?;
    let (shape, _) = shape.split_once(')')?;
    let (rows, columns) = shape.split_once(',')?;
    Some((rows.trim().parse().ok()?, columns.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vectors() -> Vectors {
        let mut vectors = Vectors::with_capacity(3, 2);
        vectors.push(&[0.6, -0.0, 0.8]).unwrap();
        vectors.push(&[0.0, 1.0, f32::MIN_POSITIVE]).unwrap();
        vectors
    }

    fn written() -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut bytes, &vectors()).unwrap();
        bytes
    }

    #[test]
    fn npy_header_equals_that_of_numpy() {
        let bytes = written();
        assert_eq!(&bytes[..10], b"\x93NUMPY\x01\x00\x76\x00");
        let header = std::str::from_utf8(&bytes[10..128]).unwrap();
        assert_eq!(header.trim_end(), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
        assert!(header.ends_with(" \n"));
        assert_eq!(bytes.len(), 128 + 2 * 3 * 4);
        assert_eq!(bytes[128..132], 0.6_f32.to_le_bytes());
    }

    #[test]
    fn vectors_round_trip_bit_for_bit() {
        assert_eq!(read(&written()), Ok(vectors()));
        let none = Vectors::with_capacity(384, 0);
        let mut bytes = Vec::new();
        write(&mut bytes, &none).unwrap();
        assert_eq!(read(&bytes), Ok(none));
    }

    #[test]
    fn foreign_or_truncated_file_is_refused() {
        assert_eq!(read(b"PK\x03\x04"), Err(NpyError::Magic));
        let bytes = written();
        assert_eq!(read(&bytes[..bytes.len() - 1]), Err(NpyError::Length { expected: 24, found: 23 }));
        let doubles = String::from_utf8_lossy(&bytes[..128]).replace("<f4", "<f8");
        assert_eq!(shape(&doubles), None);
    }

    /// A file with this header, in its place and with its length, before these numbers.
    fn with_header(header: &str, data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(header.len()).unwrap();
        [MAGIC, &length.to_le_bytes(), header.as_bytes(), data].concat()
    }

    fn of_shape(shape: &str, data: &[u8]) -> Result<Vectors, NpyError> {
        read(&with_header(
            &format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape}), }}\n"),
            data,
        ))
    }

    #[test]
    fn impossible_shape_is_refused() {
        let max = usize::MAX;
        let size = |rows, columns| Err(NpyError::Size { rows, columns });
        assert_eq!(of_shape(&format!("0, {max}"), b""), size(0, max));
        assert_eq!(of_shape("0, 4611686018427387904", b""), size(0, 1 << 62));
        assert_eq!(of_shape(&format!("{max}, {max}"), b""), size(max, max));
        assert_eq!(of_shape(&format!("{max}, 1"), b"0123"), size(max, 1));
        assert_eq!(of_shape("1, 4611686018427387904", b"0123"), size(1, 1 << 62));
        let error = of_shape("0, 4611686018427387904", b"").unwrap_err().to_string();
        assert_eq!(
            error,
            "the header tells of 0 rows of 4611686018427387904 numbers each, which no file holds"
        );

        let length = |expected, found| Err(NpyError::Length { expected, found });
        assert_eq!(of_shape("1099511627776, 384", b""), length((1 << 40) * 384 * 4, 0));
        assert_eq!(of_shape("0, 384", b"0123"), length(0, 4));
        assert_eq!(of_shape("9, 0", b""), Err(NpyError::Row(VectorError::Empty)));
        assert_eq!(of_shape(&format!("{max}, 0"), b""), Err(NpyError::Row(VectorError::Empty)));
        for shape in ["-1, 3", "1, -3", "1e3, 2", "18446744073709551616, 1", "3", "3,", "1, 2, 3", ", ", ""] {
            assert!(matches!(of_shape(shape, b""), Err(NpyError::Array(_))), "({shape})");
        }
    }

    #[test]
    fn header_beyond_the_file_is_refused_and_long_one_truncated() {
        assert_eq!(read(b"\x93NUMPY\x01\x00"), Err(NpyError::Magic));
        assert_eq!(read(b"\x93NUMPY\x01\x00\xff\xff{'descr'"), Err(NpyError::Magic));
        let long = read(&with_header(&"x".repeat(usize::from(u16::MAX)), b""));
        assert_eq!(long, Err(NpyError::Array("x".repeat(SHOWN))));
    }

    /// Numbers as a header may have them: few, many, more than fit, and none at all.
    fn dimension() -> impl Strategy<Value = String> {
        prop_oneof![
            (0_usize..5).prop_map(|n| n.to_string()),
            any::<u64>().prop_map(|n| n.to_string()),
            (0_u32..70).prop_map(|bits| (1_u128 << bits).to_string()),
            any::<i64>().prop_map(|n| n.to_string()),
            "[ 0-9a-z_,.+-]{0,8}",
        ]
    }

    /// Checks that reading ends, and that what was read is what the file holds and no more.
    fn is_read_or_refused(bytes: &[u8]) -> Result<(), TestCaseError> {
        let Ok(vectors) = read(bytes) else { return Ok(()) };
        prop_assert!(size_of_val(vectors.as_slice()) <= bytes.len());
        let mut again = Vec::new();
        write(&mut again, &vectors)?;
        prop_assert_eq!(read(&again), Ok(vectors));
        Ok(())
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            is_read_or_refused(&bytes)?;
            is_read_or_refused(&[MAGIC, &bytes].concat())?;
        }

        #[test]
        fn any_shape_is_read_or_refused(
            rows in dimension(), columns in dimension(), data in proptest::collection::vec(any::<u8>(), 0..40)
        ) {
            let header =
                format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
            is_read_or_refused(&with_header(&header, &data))?;
            is_read_or_refused(&with_header(&header, b""))?;
        }

        #[test]
        fn any_changed_file_is_read_or_refused(at in 0_usize..152, byte in any::<u8>(), cut in 0_usize..153) {
            let mut bytes = written();
            bytes[at] = byte;
            bytes.truncate(cut);
            is_read_or_refused(&bytes)?;
        }
    }
}
