//! Runs that many workers share: which shards are slept, and by whom.

use std::{ops::Range, time::Duration};

use nightfold_memory::StoreError;
use serde::Deserialize;

/// Input and settings of a shared run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedRunKey<'a> {
    /// Identity of the input, such as of a pack with its days.
    pub subject: &'a str,
    /// Settings that the nights depend on; workers with other settings are refused.
    pub settings: &'a str,
    /// Number of shards of the input.
    pub shards: u32,
}

/// Lease of a shard by a worker.
///
/// A lease ends by itself if its worker does not extend it, and the shard then goes to another worker. Nights that two workers
/// write are safe: the store writes each once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// Number of the run.
    pub run: u64,
    /// Index of the shard.
    pub shard: u32,
    /// Number of times that the shard was leased.
    pub turn: u64,
}

/// Answer to a worker that asks for a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseOffer {
    /// A shard to sleep.
    Shard(Lease),
    /// Other workers have all remaining shards; the first of their leases ends after this time.
    Wait(Duration),
    /// Every shard is done or failed.
    Nothing,
    /// The run has ended, by hand or because nights of it were undone.
    Ended,
}

/// Outcome of a shard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShardOutcome {
    /// Number of nights that were planned.
    pub nights: u64,
    /// Number of nights that this lease has written; all others were in the store already or changed nothing.
    pub written: u64,
    /// Number of nights that failed. The shard has failed if there are any, or if there is a problem.
    pub failed: u64,
    /// Reason of the failure.
    pub problem: Option<String>,
}

/// State of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShardState {
    /// No worker has it.
    Open,
    /// A worker has it.
    Leased,
    /// It is slept.
    Done,
    /// It has nights that could not be slept.
    Failed,
}

/// A shard of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardStatus {
    /// Index of the shard.
    pub shard: u32,
    /// Its state.
    pub state: ShardState,
    /// Number of times that it was leased.
    pub turns: u64,
    /// Number of leases that ran out, or whose worker failed.
    pub lost: u64,
    /// Worker that has or had the last lease.
    pub worker: Option<String>,
    /// Seconds until the lease ends, negative if it has ended; none if nobody has it.
    pub lease_seconds: Option<f64>,
    /// Seconds that the last lease took, or takes so far.
    pub seconds: f64,
    /// Its outcome, once it is done or failed.
    pub outcome: ShardOutcome,
}

/// Progress of a run, as its workers have noted it.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedRunStatus {
    /// Number of the run and of its nights.
    pub run: u64,
    /// Identity of the input.
    pub subject: String,
    /// Seconds since it began.
    pub seconds: f64,
    /// True if it was ended by hand.
    pub closed: bool,
    /// True if nights of it were undone; workers then begin another run.
    pub taken_back: bool,
    /// Number of nights of the run in force.
    pub written: u64,
    /// Its shards, by index.
    pub shards: Vec<ShardStatus>,
}

/// Number of shards of a run by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShardCounts {
    /// Shards that no worker has.
    pub open: u64,
    /// Shards that a worker has.
    pub leased: u64,
    /// Shards that are slept.
    pub done: u64,
    /// Shards with nights that could not be slept.
    pub failed: u64,
}

/// Reason for giving a shard back before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShardRelease {
    /// The worker was told to stop.
    Stopped,
    /// The store or the shard was not reached, for this reason. It does not count as a try, but the shard is leased after others.
    Away(String),
    /// The worker failed, for this reason. It counts as a try, since the shard may be the cause.
    Failed(String),
}

/// Failure to join a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JoinError {
    /// Workers with other settings sleep the same input.
    #[error("run {run} sleeps the same input with other settings")]
    OtherSettings {
        /// Number of the run.
        run: u64,
        /// Settings of the run.
        settings: String,
    },
    /// The run was begun with another number of shards.
    #[error("run {run} has {there} shards, and the input has {given}")]
    OtherShards {
        /// Number of the run.
        run: u64,
        /// Number of shards of the run.
        there: u32,
        /// Number of shards of the input.
        given: u32,
    },
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A store that many workers share, with their shared runs.
///
/// The list of a run's shards saves work and decides nothing: the store itself knows which nights are written, so a shard that
/// is slept twice is written once.
pub trait SharedRuns: Sync {
    /// Returns the number of the run of an input, and begins one if there is none. `again` reopens its failed shards.
    ///
    /// # Errors
    /// [`JoinError`].
    fn join_run(&self, key: &SharedRunKey<'_>, again: bool) -> Result<u64, JoinError>;

    /// Leases the next shard to a worker for a time: an open one of `own`, then any open one, the fewest tries first, then one
    /// with an expired lease. A shard that was leased `tries` times without an outcome has failed.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read or written.
    fn lease_shard(
        &self,
        run: u64,
        worker: &str,
        own: Option<Range<u32>>,
        lease: Duration,
        tries: u32,
    ) -> Result<LeaseOffer, StoreError>;

    /// Extends a lease to this time from now. Returns false if another worker has the shard, or the run has ended.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read or written.
    fn extend_lease(&self, lease: &Lease, by: Duration) -> Result<bool, StoreError>;

    /// Notes the outcome of a shard. Returns false, and notes nothing, if another worker has the lease.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read or written.
    fn end_lease(&self, lease: &Lease, outcome: &ShardOutcome) -> Result<bool, StoreError>;

    /// Gives an unfinished shard back, so that another worker takes it at once. Does nothing if another worker has the lease.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read or written.
    fn give_back(&self, lease: &Lease, why: &ShardRelease) -> Result<(), StoreError>;

    /// Counts the shards of a run.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn shard_counts(&self, run: u64) -> Result<ShardCounts, StoreError>;

    /// Ends a run: no shard of it is leased any more. Returns false if there is no such run.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read or written.
    fn close_run(&self, run: u64) -> Result<bool, StoreError>;

    /// Returns the latest runs, the newest first.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn shared_runs(&self, most: usize) -> Result<Vec<SharedRunStatus>, StoreError>;
}
