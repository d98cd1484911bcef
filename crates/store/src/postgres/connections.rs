//! Connections to the server, and transactions on them that are made again when a failure passes.

use std::{
    fmt::Write as _,
    future::Future,
    io, thread,
    time::{Duration, Instant},
};

use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime as PoolRuntime,
};
use nightfold_memory::{NpcId, StoreError};
use sha2::{Digest as _, Sha256};

use super::{
    address::Address,
    error::{OutcomeUnknown, is_of_server, is_passing, to_store_error},
    options::PostgresOptions,
    server::Waiter,
    transaction::Transaction,
};
use crate::{
    Access, OpenError,
    sql::{ChangeScope, DatabaseFault, Idempotency},
};

/// First wait before something is tried again; every further one is twice as long, up to [`LONGEST_WAIT`].
const FIRST_WAIT: Duration = Duration::from_millis(50);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Begins a transaction that writes: it takes its locks first, so every statement then reads the committed state.
const WRITING: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

/// The connections of a store.
pub(super) struct Connections {
    waiter: Waiter,
    pool: Pool,
    schema: String,
    pub(super) retry_for: Duration,
}

/// A connection with an open transaction. Unless the transaction has ended, dropping it closes the connection, which rolls back.
struct InTransaction {
    client: Option<Object>,
}

impl InTransaction {
    fn ended(mut self) {
        // Back to the pool.
        drop(self.client.take());
    }
}

impl Drop for InTransaction {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
        }
    }
}

/// Failure of a transaction.
enum TransactionFailure<E> {
    /// The work refused.
    Refused(E),
    /// The connection was lost while the transaction was committed.
    Unknown(tokio_postgres::Error),
}

impl Connections {
    pub(super) fn open(address: &Address, options: &PostgresOptions) -> Result<Self, OpenError> {
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(address.config.clone(), address.tls()?, recycling);
        let session = session(&address.schema, options);
        let begin = Hook::async_fn(move |client: &mut deadpool_postgres::ClientWrapper, _| {
            let session = session.clone();
            Box::pin(async move { client.batch_execute(&session).await.map_err(HookError::Backend) })
        });
        let pool = Pool::builder(manager)
            .max_size(options.connections.max(1))
            // A server that accepts and says nothing is one that is not there.
            .create_timeout(Some(Duration::from_secs(15)))
            .runtime(PoolRuntime::Tokio1)
            .post_create(begin)
            .build()
            .map_err(|error| OpenError::Address(error.to_string()))?;
        Ok(Self {
            waiter: Waiter::start()?,
            pool,
            schema: address.schema.clone(),
            retry_for: options.retry_for,
        })
    }

    pub(super) fn schema(&self) -> &str {
        &self.schema
    }

    /// Waits for the server.
    pub(super) fn wait<F>(&self, work: F) -> F::Output
    where
        F: Future + Send,
        F::Output: Send,
    {
        self.waiter.wait(work)
    }

    /// Number of the lock of the whole store; writers of single NPCs share it.
    fn lock_of_all(&self) -> i64 {
        self.lock("all", "")
    }

    /// Number of the lock of this name.
    pub(super) fn lock(&self, of: &str, name: &str) -> i64 {
        let mut sum = Sha256::new();
        for part in ["nightfold", &self.schema, of, name] {
            sum.update((part.len() as u64).to_le_bytes());
            sum.update(part);
        }
        let mut first = [0; 8];
        first.copy_from_slice(&sum.finalize()[..8]);
        i64::from_le_bytes(first)
    }

    /// Begins a transaction that reads one state. It holds no lock that others wait for, and its reader may take its time.
    pub(super) const READING: &str =
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0";

    /// Returns the statements that begin a transaction with this scope.
    pub(super) fn writing(&self, scope: ChangeScope<'_>) -> String {
        match scope {
            ChangeScope::Nothing => WRITING.to_owned(),
            ChangeScope::All => format!("{WRITING}; SELECT pg_advisory_xact_lock({})", self.lock_of_all()),
            ChangeScope::Npc(npc) => self.writing_npcs([npc]),
        }
    }

    /// Returns the statements that begin a transaction under an exclusive lock of a name.
    pub(super) fn writing_locked(&self, of: &str, name: &str) -> String {
        format!("{WRITING}; SELECT pg_advisory_xact_lock({})", self.lock(of, name))
    }

    /// Returns the statements that begin a transaction on these NPCs. Locks are taken in one order, so that no two wait for each
    /// other.
    pub(super) fn writing_npcs<'a>(&self, npcs: impl IntoIterator<Item = &'a NpcId>) -> String {
        let mut locks: Vec<i64> = npcs.into_iter().map(|npc| self.lock("npc", npc.as_str())).collect();
        locks.sort_unstable();
        locks.dedup();
        let mut begin = format!("{WRITING}; SELECT pg_advisory_xact_lock_shared({})", self.lock_of_all());
        if !locks.is_empty() {
            begin.push_str("; SELECT count(pg_advisory_xact_lock(key)) FROM (SELECT unnest('{");
            for (index, lock) in locks.iter().enumerate() {
                // Writing to a String cannot fail.
                let _ = write!(begin, "{}{lock}", if index > 0 { "," } else { "" });
            }
            begin.push_str("}'::bigint[]) AS key) AS keys");
        }
        begin
    }

    /// Runs work in a transaction, and again after failures that pass. `unknown` is true for work whose transaction may
    /// have been committed before.
    pub(super) fn run<T>(
        &self,
        begin: &str,
        idempotency: Idempotency,
        work: impl Fn(&Transaction<'_>, bool) -> Result<T, DatabaseFault>,
    ) -> Result<T, StoreError> {
        let (mut failing_since, mut wait, mut unknown) = (None, FIRST_WAIT, false);
        loop {
            let failed = match self.attempt(begin, |db| work(db, unknown).map_err(StoreError::from)) {
                Ok(done) => return Ok(done),
                Err(TransactionFailure::Unknown(error)) => {
                    unknown = true;
                    to_store_error(error)
                }
                Err(TransactionFailure::Refused(error)) => error,
            };
            let since = failing_since.get_or_insert_with(Instant::now);
            let given_up = !is_passing(&failed) || since.elapsed() + wait > self.retry_for;
            if unknown && (given_up || idempotency == Idempotency::NotIdempotent) {
                return Err(StoreError::backend(OutcomeUnknown(failed)));
            }
            if given_up {
                return Err(failed);
            }
            thread::sleep(wait);
            wait = (2 * wait).min(LONGEST_WAIT);
        }
    }

    /// Runs a statement that must not be in a transaction.
    pub(super) fn run_alone(&self, sql: &str) -> Result<(), StoreError> {
        let client = self.client()?;
        self.wait(client.batch_execute(sql)).map_err(to_store_error)
    }

    /// Runs work in a transaction, once.
    pub(super) fn run_once<T, E: From<StoreError>>(
        &self,
        begin: &str,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.attempt(begin, work).map_err(|failure| match failure {
            TransactionFailure::Refused(error) => error,
            TransactionFailure::Unknown(error) => {
                StoreError::backend(OutcomeUnknown(to_store_error(error))).into()
            }
        })
    }

    fn client(&self) -> Result<Object, StoreError> {
        self.wait(self.pool.get()).map_err(|error| match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                to_store_error(error)
            }
            PoolError::Timeout(_) => StoreError::backend(io::Error::from(io::ErrorKind::TimedOut)),
            other => StoreError::backend(other),
        })
    }

    fn attempt<T, E: From<StoreError>>(
        &self,
        begin: &str,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, TransactionFailure<E>> {
        let refused = |error: StoreError| TransactionFailure::Refused(error.into());
        // The beginning waits for locks too: where that fails, the transaction must not go back to the pool.
        let begun = InTransaction { client: Some(self.client().map_err(refused)?) };
        let Some(client) = &begun.client else { unreachable!("it holds its connection until the end") };
        self.wait(client.batch_execute(begin)).map_err(|error| refused(to_store_error(error)))?;
        let done = match work(&Transaction { waiter: &self.waiter, client }) {
            Ok(done) => done,
            Err(error) => {
                // Where this fails, so did the connection; it is dropped, and the server rolls back by itself.
                if self.wait(client.batch_execute("ROLLBACK")).is_ok() {
                    begun.ended();
                }
                return Err(TransactionFailure::Refused(error));
            }
        };
        match self.wait(client.batch_execute("COMMIT")) {
            Ok(()) => {
                begun.ended();
                Ok(done)
            }
            // The server refused to commit: nothing is written.
            Err(error) if error.code().is_some_and(is_of_server) => Err(refused(to_store_error(error))),
            Err(error) => Err(TransactionFailure::Unknown(error)),
        }
    }
}

/// Returns the first statements of every connection. Idle transactions end before lock waiters time out.
fn session(schema: &str, options: &PostgresOptions) -> String {
    // PostgreSQL takes 0 for no limit, and no more than fits into 31 bits.
    let lock_timeout = options.lock_timeout.as_millis().clamp(1, i32::MAX as u128);
    let read_only = if options.access == Access::ReadOnly { "on" } else { "off" };
    format!(
        "SET search_path TO \"{schema}\"; SET lock_timeout = {}; SET idle_in_transaction_session_timeout = {}; \
         SET default_transaction_read_only = {read_only}; SET client_min_messages = warning",
        lock_timeout,
        (lock_timeout * 2 / 3).max(1)
    )
}
