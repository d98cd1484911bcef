//! The store in a PostgreSQL database.

mod address;
mod connections;
mod error;
mod options;
mod record_cache;
mod rewrite;
mod schema;
mod server;
mod shared_run;
mod statement;
mod text;
mod transaction;

use std::fmt;

use nightfold_memory::{NpcNight, Outcome, StoreError};

use self::{address::Address, connections::Connections};
pub use self::{error::OutcomeUnknown, options::PostgresOptions};
use crate::{
    OpenError,
    sql::{ChangeScope, Database, DatabaseFault, Idempotency, apply, durable_store, params, query_value},
};

/// Long-term memory in a schema of a PostgreSQL database, for many machines at once.
///
/// The tables and what they mean are those of the store in SQLite, and an export of one fills the other. Every NPC-night is
/// written in one transaction with a fence: it holds the NPC's lock, and is written only if the NPC still has the version
/// that the night was planned against. A night that is delivered twice, at once or by a worker that was thought dead, is
/// therefore written once.
///
/// Calls wait for the server, and are tried again after failures that pass. A change that could do harm if it were made
/// twice, such as undoing a night, is not repeated when the connection is lost while it is being committed; the error then
/// says so.
pub struct PostgresStore {
    connections: Connections,
    place: String,
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").field("place", &self.place).finish_non_exhaustive()
    }
}

impl PostgresStore {
    /// Opens a store for reading and writing, and creates it if there is none.
    ///
    /// The address is `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with any of
    ///
    /// - `schema`: schema of the tables, of `a` to `z`, `0` to `9` and `_` \[`nightfold`\];
    /// - `sslmode`: `disable`, `prefer`, `require`; where there is TLS, the certificate and the name of the server are always
    ///   checked \[`prefer`\];
    /// - `sslrootcert`: a file of certificates, one of which the server's must be signed with \[the usual authorities\];
    /// - any other that [`tokio_postgres::Config`] has.
    ///
    /// # Errors
    /// [`OpenError`], which never shows the password.
    pub fn open(address: &str) -> Result<Self, OpenError> {
        Self::open_with(address, &PostgresOptions::default())
    }

    /// Opens a store with the given options. A role that may read and write the tables, and change none, opens with
    /// [`Access::Existing`](crate::Access::Existing) or [`Access::Create`](crate::Access::Create) what another has made.
    ///
    /// # Errors
    /// [`OpenError`], which never shows the password.
    pub fn open_with(address: &str, options: &PostgresOptions) -> Result<Self, OpenError> {
        let mut address = Address::parse(address)?;
        if let (None, Some(password)) = (address.config.get_password(), &options.password) {
            address.config.password(password);
        }
        let store = Self { connections: Connections::open(&address, options)?, place: address.place() };
        schema::prepare(&store.connections, &store.place, options.access)?;
        Ok(store)
    }

    fn read<T>(&self, ask: impl Fn(&dyn Database) -> Result<T, DatabaseFault>) -> Result<T, StoreError> {
        self.connections.run(Connections::READING, Idempotency::Idempotent, |db, _| ask(db))
    }

    fn read_once<T, E: From<StoreError>>(
        &self,
        ask: impl FnOnce(&dyn Database) -> Result<T, E>,
    ) -> Result<T, E> {
        self.connections.run_once(Connections::READING, |db| ask(db))
    }

    fn write<T>(
        &self,
        scope: ChangeScope<'_>,
        idempotency: Idempotency,
        change: impl Fn(&dyn Database) -> Result<T, DatabaseFault>,
    ) -> Result<T, StoreError> {
        self.connections.run(&self.connections.writing(scope), idempotency, |db, _| change(db))
    }

    fn write_once<T, E: From<StoreError>>(
        &self,
        change: impl FnOnce(&dyn Database) -> Result<T, E>,
    ) -> Result<T, E> {
        self.connections.run_once(&self.connections.writing(ChangeScope::All), |db| change(db))
    }

    fn apply_nights(
        &self,
        run: u64,
        nights: &[NpcNight],
        versions: &[u64],
    ) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
        let begin = self.connections.writing_npcs(nights.iter().map(|night| &night.npc));
        self.connections.run(&begin, Idempotency::Idempotent, |db, unknown| {
            // Undoing holds the lock of all: a worker that knows nothing of it writes nothing after it.
            let ended = "SELECT EXISTS (SELECT 1 FROM shared_run WHERE run = ?1 AND (closed OR taken_back))";
            if query_value::<bool>(db, ended, &params![run], "state of a run")? {
                return Err(DatabaseFault::Lost(StoreError::RunEnded { run }));
            }
            apply::apply_nights(db, run, nights, versions, unknown)
        })
    }
}

durable_store!(PostgresStore, shared = |store| store);
