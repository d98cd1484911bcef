//! Tokens: who may read, and who may write.

use sha2::{Digest, Sha256};

use crate::ServeError;

/// Secret that a request shows: `Authorization: Bearer TOKEN`. Kept as a digest, and never printed.
#[derive(Clone)]
pub struct AccessToken([u8; 32]);

/// Rights of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessScope {
    /// Reads: counts, events, entries, plans that are not applied.
    Read,
    /// Everything.
    Write,
}

/// Fewest characters of a token.
const MIN_TOKEN: usize = 16;

impl AccessToken {
    /// Takes a token of at least 16 characters.
    ///
    /// # Errors
    /// [`ServeError::ShortToken`].
    pub fn new(token: &str) -> Result<Self, ServeError> {
        if token.len() < MIN_TOKEN {
            return Err(ServeError::ShortToken { given: token.len(), least: MIN_TOKEN });
        }
        Ok(Self(Sha256::digest(token.as_bytes()).into()))
    }

    /// Makes a token of 128 random bits; returns it with its text.
    ///
    /// # Errors
    /// [`ServeError::Random`] if the system gives no random numbers.
    pub fn random() -> Result<(Self, String), ServeError> {
        let text = nightfold_http::random_token().map_err(ServeError::Random)?;
        Ok((Self::new(&text)?, text))
    }

    /// True if a request shows this token. Digests are compared, so that the time says nothing of the token.
    pub(crate) fn is_shown(&self, authorization: &[u8]) -> bool {
        authorization
            .strip_prefix(b"Bearer ")
            .is_some_and(|shown| <[u8; 32]>::from(Sha256::digest(shown)) == self.0)
    }
}
