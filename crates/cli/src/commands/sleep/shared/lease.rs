//! A lease that is extended while its shard is slept.

use std::{
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::Scope,
    time::{Duration, Instant},
};

use nightfold::{Observer, RunStep, memory::NpcId};
use nightfold_store::{Lease, SharedRuns};

use crate::{interrupt::Interrupt, progress::NightsBar};

/// Parts of a lease after which it is extended: two words may be lost without the shard.
const PARTS: u32 = 3;

/// Times of a lease for which nothing may happen in its nights: one that hangs gives its shard up then.
const SILENT_LEASES: u32 = 30;

/// A lease, and whether this worker still has it.
pub(super) struct KeptLease {
    lease: Lease,
    time: Duration,
    lost: AtomicBool,
    /// Grows with everything that happens in the nights.
    signs: AtomicU64,
}

impl KeptLease {
    pub(super) fn new(lease: Lease, time: Duration) -> Self {
        Self { lease, time, lost: AtomicBool::new(false), signs: AtomicU64::new(0) }
    }

    pub(super) fn lease(&self) -> &Lease {
        &self.lease
    }

    /// True if another worker has the shard, or may have it.
    pub(super) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    fn note_sign(&self) {
        self.signs.fetch_add(1, Ordering::Relaxed);
    }

    /// Extends the lease on a thread of its own, until the returned value is dropped.
    pub(super) fn keep<'scope, 'env>(
        &'env self,
        scope: &'scope Scope<'scope, 'env>,
        shared: &'env dyn SharedRuns,
    ) -> Sender<()> {
        let (keeper, ended) = mpsc::channel();
        // The call that is made once more counts from here.
        let mut sure_until = Instant::now() + self.time;
        let (mut signs, mut alive_at) = (0, Instant::now());
        scope.spawn(move || {
            while ended.recv_timeout(self.time / PARTS) == Err(RecvTimeoutError::Timeout) {
                let asked = Instant::now();
                let seen = self.signs.load(Ordering::Relaxed);
                if seen != signs {
                    (signs, alive_at) = (seen, asked);
                }
                if asked - alive_at > self.time * SILENT_LEASES {
                    tracing::warn!(
                        shard = self.lease.shard,
                        "nothing happens in these nights; the lease is given up"
                    );
                    return self.lost.store(true, Ordering::Relaxed);
                }
                match shared.extend_lease(&self.lease, self.time) {
                    Ok(true) => sure_until = asked + self.time,
                    Ok(false) => return self.lost.store(true, Ordering::Relaxed),
                    Err(error) => {
                        tracing::warn!(%error, shard = self.lease.shard, "the lease was not extended");
                        if Instant::now() >= sure_until {
                            return self.lost.store(true, Ordering::Relaxed);
                        }
                    }
                }
            }
        });
        keeper
    }
}

/// Observer of a shard's nights: ends them early if the shard is lost, or the user ends the call.
pub(super) struct ShardObserver<'a> {
    bar: NightsBar,
    interrupt: &'a Interrupt,
    kept: &'a KeptLease,
}

impl<'a> ShardObserver<'a> {
    pub(super) fn new(interrupt: &'a Interrupt, kept: &'a KeptLease, memories: usize) -> Self {
        Self { bar: NightsBar::new(memories), interrupt, kept }
    }
}

impl Observer for ShardObserver<'_> {
    fn should_stop(&self) -> bool {
        self.kept.note_sign();
        self.interrupt.is_noted() || self.kept.is_lost()
    }

    fn is_cancelled(&self, _: &NpcId) -> bool {
        self.kept.note_sign();
        false
    }

    fn is_abandoned(&self) -> bool {
        self.kept.note_sign();
        false
    }

    fn on_step_begin(&self, _: RunStep) {
        self.kept.note_sign();
    }

    fn on_planned(&self, _: &NpcId, _: Duration) {
        self.kept.note_sign();
    }

    fn on_embedded(&self, texts: usize) {
        self.kept.note_sign();
        self.bar.on_embedded(texts);
    }

    fn on_nights(&self, nights: usize, memories: usize) {
        self.kept.note_sign();
        self.bar.on_nights(nights, memories);
    }
}
