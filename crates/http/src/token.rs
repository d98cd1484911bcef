//! Secrets that a server hands out.

use std::{fmt::Write as _, io};

/// Returns 128 random bits in hexadecimal.
///
/// # Errors
/// The system gives no random numbers.
pub fn random_token() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    }))
}
