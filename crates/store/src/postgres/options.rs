//! Options for opening a store in PostgreSQL.

use std::{fmt, time::Duration};

use crate::access::Access;

/// Options for opening a store in PostgreSQL.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresOptions {
    /// Access to the store [[`Access::Create`]].
    pub access: Access,
    /// Most connections that are open at once \[4\].
    pub connections: usize,
    /// Longest wait for others who write the same NPC, before the call fails with [`StoreError::Locked`](nightfold_memory::StoreError::Locked) [30 s]. A worker that
    /// stands still within a transaction for two thirds of it loses the transaction.
    pub lock_timeout: Duration,
    /// Longest time for which a call is tried again after a lost connection or a restart of the server [30 s].
    pub retry_for: Duration,
    /// Password, where the address has none.
    pub password: Option<String>,
}

/// Without the password.
impl fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { access, connections, lock_timeout, retry_for, password } = self;
        f.debug_struct("PostgresOptions")
            .field("access", access)
            .field("connections", connections)
            .field("lock_timeout", lock_timeout)
            .field("retry_for", retry_for)
            .field("password", &password.as_ref().map(|_| "…"))
            .finish()
    }
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            access: Access::default(),
            connections: 4,
            lock_timeout: Duration::from_secs(30),
            retry_for: Duration::from_secs(30),
            password: None,
        }
    }
}
