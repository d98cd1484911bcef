//! Threads that compute the nights, separate from the threads of the game.

use std::{
    num::NonZeroUsize,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
};

use bevy_ecs::prelude::*;
use bevy_tasks::{TaskPool, TaskPoolBuilder};

use crate::{PoolError, job::JobReport};

/// Pool of the nights. One thread works on one batch from its first to its last step; work that a step
/// spreads over threads stays on that thread. A pool of its own keeps the nights from blocking the game, and
/// the game from blocking the nights.
#[derive(Resource)]
pub struct NightPool {
    tasks: Arc<TaskPool>,
    reports: Sender<JobReport>,
    inbox: Mutex<Receiver<JobReport>>,
}

impl NightPool {
    /// Creates a pool of `threads` threads. One thread leaves a small machine to the game; nights are not
    /// urgent.
    ///
    /// # Errors
    /// [`PoolError`] if a thread cannot be started.
    pub fn new(threads: NonZeroUsize) -> Result<Self, PoolError> {
        let (ready, prepared) = mpsc::channel();
        let ready = Mutex::new(ready);
        // The steps of a night spread over the current rayon pool. On these threads that is the thread itself: the global
        // pool would take every core from the game.
        let prepare = move || {
            let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            let ready = ready.lock().unwrap_or_else(PoisonError::into_inner);
            // The receiver is gone if another thread failed before.
            let _ = ready.send(alone.map(drop));
        };
        let tasks = TaskPoolBuilder::new()
            .num_threads(threads.get())
            .thread_name("night".to_owned())
            .on_thread_spawn(prepare)
            .build();
        for (thread, outcome) in (1..=threads.get()).zip(&prepared) {
            outcome.map_err(|source| PoolError { thread, threads, source })?;
        }
        let (reports, inbox) = mpsc::channel();
        Ok(Self { tasks: Arc::new(tasks), reports, inbox: Mutex::new(inbox) })
    }

    /// Runs a job and queues its report.
    pub(crate) fn run(&self, job: impl FnOnce() -> JobReport + Send + 'static) {
        let reports = self.reports.clone();
        let work = async move {
            // The receiver is gone if another game was loaded meanwhile.
            let _ = reports.send(job());
        };
        self.tasks.spawn(work).detach();
    }

    /// Drops a large value on a thread of the pool: freeing the days and vectors of many NPCs takes longer
    /// than a tick has.
    pub(crate) fn discard(&self, dropped: impl Send + 'static) {
        self.tasks.spawn(async move { drop(dropped) }).detach();
    }

    /// Returns a report, if there is one.
    pub(crate) fn try_receive(&mut self) -> Option<JobReport> {
        self.inbox.get_mut().unwrap_or_else(PoisonError::into_inner).try_recv().ok()
    }

    /// Waits for the next report. Must only be called while a job is running.
    pub(crate) fn receive(&mut self) -> Option<JobReport> {
        // The pool holds a sender itself, so the channel cannot be closed.
        self.inbox.get_mut().unwrap_or_else(PoisonError::into_inner).recv().ok()
    }

    /// Detaches all running jobs: their reports are dropped.
    pub(crate) fn reset(&mut self) {
        let (reports, inbox) = mpsc::channel();
        (self.reports, self.inbox) = (reports, Mutex::new(inbox));
    }
}
