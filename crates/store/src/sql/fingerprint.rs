//! Comparison of a stored text with its fingerprint, so that damage on the disk is not taken for a memory.

use nightfold_memory::{Fingerprint, GameTime, MemoryId, StoreError};

/// Reason why a stored text or time is damaged.
#[derive(Debug, thiserror::Error)]
#[error("it was stored with the fingerprint {stored}, and has {found} now")]
struct Changed {
    stored: Fingerprint,
    found: Fingerprint,
}

/// Checks that the text and the time of a memory are those that were written.
///
/// # Errors
/// [`StoreError::Damaged`] names the memory.
pub(crate) fn verify(id: &MemoryId, text: &str, at: GameTime, stored: Fingerprint) -> Result<(), StoreError> {
    let found = Fingerprint::of(text, at);
    if found == stored {
        return Ok(());
    }
    Err(StoreError::Damaged {
        what: "text or time",
        id: id.to_string(),
        source: Box::new(Changed { stored, found }),
    })
}
