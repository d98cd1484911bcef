//! Options for opening a store file.

use std::time::Duration;

use crate::access::Access;

/// Options for opening a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreOptions {
    /// Access to the store [[`Access::Create`]].
    pub access: Access,
    /// Longest wait for another process to finish writing, before the call fails with [`StoreError::Locked`](nightfold_memory::StoreError::Locked)
    /// [5 s].
    pub busy_timeout: Duration,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { access: Access::default(), busy_timeout: Duration::from_secs(5) }
    }
}
