//! `NumPy`'s `.npy` files of `n × dimensions` vectors, format version 1.0.
//!
//! One kind of array is enough here (`<f4`, C order, two dimensions), so this is the format's header and no more:
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use std::io::{self, Write};

use nightfold_memory::{VectorError, Vectors};

const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
/// The numbers start at a multiple of this.
const ALIGNMENT: usize = 64;

/// Writes vectors as an array of little-endian `f32`, row after row.
///
/// ```
/// use nightfold_embed::npy;
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

/// Why bytes are no `.npy` file of vectors.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NpyError {
    /// Not the format, or not version 1.0 of it.
    #[error("not a .npy file of version 1.0")]
    Magic,
    /// Another kind of array, or a header that is not `NumPy`'s.
    #[error("the array is {0}; expected is '<f4' in C order with two dimensions")]
    Array(String),
    /// More or fewer numbers than the header says.
    #[error("{found} bytes of numbers where the header says {expected}")]
    Length {
        /// As the header says.
        expected: usize,
        /// As they are.
        found: usize,
    },
    /// A row does not fit.
    #[error("the rows are no vectors")]
    Row(#[from] VectorError),
}

/// Reads what [`write()`] wrote, or `NumPy`'s `save` of a two-dimensional `float32` array.
///
/// # Errors
/// [`NpyError`] when it is another kind of file or array.
pub fn read(bytes: &[u8]) -> Result<Vectors, NpyError> {
    let (length, rest) =
        bytes.strip_prefix(MAGIC).and_then(|rest| rest.split_first_chunk()).ok_or(NpyError::Magic)?;
    let (header, data) =
        rest.split_at_checked(usize::from(u16::from_le_bytes(*length))).ok_or(NpyError::Magic)?;
    let header = String::from_utf8_lossy(header);
    let (rows, dimensions) = shape(&header).ok_or_else(|| NpyError::Array(header.trim().to_owned()))?;

    let expected = rows.saturating_mul(dimensions).saturating_mul(size_of::<f32>());
    if data.len() != expected {
        return Err(NpyError::Length { expected, found: data.len() });
    }
    let mut vectors = Vectors::with_capacity(dimensions, rows);
    for row in data.chunks_exact((dimensions * size_of::<f32>()).max(1)) {
        let (words, _) = row.as_chunks();
        vectors.push(&words.iter().map(|&word| f32::from_le_bytes(word)).collect::<Vec<_>>())?;
    }
    Ok(vectors)
}

/// Rows and columns, when the header is of the one kind that is read.
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
    fn the_header_is_numpys_own() {
        let bytes = written();
        assert_eq!(&bytes[..10], b"\x93NUMPY\x01\x00\x76\x00");
        let header = std::str::from_utf8(&bytes[10..128]).unwrap();
        assert_eq!(header.trim_end(), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
        assert!(header.ends_with(" \n"));
        assert_eq!(bytes.len(), 128 + 2 * 3 * 4);
        assert_eq!(bytes[128..132], 0.6_f32.to_le_bytes());
    }

    #[test]
    fn vectors_come_back_bit_for_bit() {
        assert_eq!(read(&written()), Ok(vectors()));
        let none = Vectors::with_capacity(384, 0);
        let mut bytes = Vec::new();
        write(&mut bytes, &none).unwrap();
        assert_eq!(read(&bytes), Ok(none));
    }

    #[test]
    fn another_file_is_refused() {
        assert_eq!(read(b"PK\x03\x04"), Err(NpyError::Magic));
        let bytes = written();
        assert_eq!(read(&bytes[..bytes.len() - 1]), Err(NpyError::Length { expected: 24, found: 23 }));
        let doubles = String::from_utf8_lossy(&bytes[..128]).replace("<f4", "<f8");
        assert_eq!(shape(&doubles), None);
    }
}
