//! What went wrong underneath, as [`StoreError`]s.

use nightfold_memory::{NpcNight, StoreError};

/// A failure below the store.
pub(crate) fn backend(error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::Backend(Box::new(error))
}

/// The versions that nights make, which are their fingerprints too; told before any of them is written.
///
/// # Errors
/// [`StoreError::Backend`] when a night cannot be written as JSON.
pub(crate) fn versions(nights: &[NpcNight]) -> Result<Vec<u64>, StoreError> {
    nights.iter().map(NpcNight::next_version).collect::<Result<_, _>>().map_err(backend)
}
