//! Values in few bytes: words that occur again and again are one byte, numbers have as many bytes as they need.

pub(crate) mod reason;
pub(crate) mod seen;

use std::error::Error;

use super::words;

/// Reason why bytes are not a packed value.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PackedError {
    #[error("the bytes have the form {found}; this version knows the form {known}")]
    Form { found: u8, known: u8 },
    #[error("the bytes end early, or others follow them")]
    Length,
    #[error("a word in the bytes is damaged, or of a later version")]
    Word,
    #[error("a value in the bytes is none of this version")]
    Value(#[source] Box<dyn Error + Send + Sync>),
}

impl PackedError {
    fn value(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Value(source.into())
    }
}

/// Writes a word: its place, or 0 and the length and bytes of its text.
fn write_word(bytes: &mut Vec<u8>, word: &str) {
    if let Some(place) = words::place(word) {
        write_number(bytes, place);
    } else {
        bytes.push(0);
        write_text(bytes, word);
    }
}

/// Writes a text: its length and its bytes.
fn write_text(bytes: &mut Vec<u8>, text: &str) {
    write_number(bytes, text.len() as u64);
    bytes.extend(text.as_bytes());
}

/// Writes a number in groups of seven bits, the lowest first (LEB128).
fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The rest of the bytes of a value that is being read.
struct Unpacked<'a>(&'a [u8]);

impl<'a> Unpacked<'a> {
    /// Starts behind the first byte, which tells this form from a later one.
    fn of(bytes: &'a [u8], known: u8) -> Result<Self, PackedError> {
        let mut rest = Self(bytes);
        match rest.byte()? {
            found if found == known => Ok(rest),
            found => Err(PackedError::Form { found, known }),
        }
    }

    fn word(&mut self) -> Result<&'a str, PackedError> {
        match self.number()? {
            0 => self.text(),
            place => words::at(place).ok_or(PackedError::Word),
        }
    }

    fn text(&mut self) -> Result<&'a str, PackedError> {
        let length = usize::try_from(self.number()?).map_err(|_| PackedError::Length)?;
        let (text, after) = self.0.split_at_checked(length).ok_or(PackedError::Length)?;
        self.0 = after;
        std::str::from_utf8(text).map_err(|_| PackedError::Word)
    }

    fn number(&mut self) -> Result<u64, PackedError> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(PackedError::Length)
    }

    fn byte(&mut self) -> Result<u8, PackedError> {
        let (&first, after) = self.0.split_first().ok_or(PackedError::Length)?;
        self.0 = after;
        Ok(first)
    }

    fn eight(&mut self) -> Result<[u8; 8], PackedError> {
        let (eight, after) = self.0.split_first_chunk().ok_or(PackedError::Length)?;
        self.0 = after;
        Ok(*eight)
    }

    /// Returns the value that was read, if no bytes follow it.
    fn end<T>(self, value: T) -> Result<T, PackedError> {
        if self.0.is_empty() { Ok(value) } else { Err(PackedError::Length) }
    }
}
