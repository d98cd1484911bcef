//! The threads on which nights are worked out, apart from the game's own.

use std::{
    num::NonZeroUsize,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
};

use bevy_ecs::prelude::*;
use bevy_tasks::{TaskPool, TaskPoolBuilder};

use crate::{PoolError, job::Report};

/// The pool of the nights. One thread works on one batch, from its first to its last step; what the steps spread over
/// threads of their own stays on that one. A pool of its own keeps the nights from standing in the game's way, and the game
/// from standing in theirs.
#[derive(Resource)]
pub struct NightPool {
    tasks: Arc<TaskPool>,
    reports: Sender<Report>,
    inbox: Mutex<Receiver<Report>>,
}

impl NightPool {
    /// A pool of so many threads. One leaves a small machine to the game; nights are not urgent.
    ///
    /// # Errors
    /// [`PoolError`] when a thread cannot be prepared.
    pub fn new(threads: NonZeroUsize) -> Result<Self, PoolError> {
        let (ready, prepared) = mpsc::channel();
        let ready = Mutex::new(ready);
        // The steps of a night spread over the current rayon pool. On these threads that is the thread itself: the global
        // pool would take every core from the game.
        let prepare = move || {
            let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            let ready = ready.lock().unwrap_or_else(PoisonError::into_inner);
            // Nobody listens any more when another thread failed before.
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

    /// Has a job done that reports.
    pub(crate) fn run(&self, job: impl FnOnce() -> Report + Send + 'static) {
        let reports = self.reports.clone();
        let work = async move {
            // Nobody listens any more when another game was loaded meanwhile.
            let _ = reports.send(job());
        };
        self.tasks.spawn(work).detach();
    }

    /// Drops something large elsewhere: freeing a town's days and vectors takes longer than a tick has.
    pub(crate) fn discard(&self, rubbish: impl Send + 'static) {
        self.tasks.spawn(async move { drop(rubbish) }).detach();
    }

    /// A report, if there is one.
    pub(crate) fn look(&mut self) -> Option<Report> {
        self.inbox.get_mut().unwrap_or_else(PoisonError::into_inner).try_recv().ok()
    }

    /// The next report, waiting for it. To be called only while a job is running.
    pub(crate) fn wait(&mut self) -> Option<Report> {
        // The pool holds a sender itself: this cannot come to an end without a report.
        self.inbox.get_mut().unwrap_or_else(PoisonError::into_inner).recv().ok()
    }

    /// Forgets what is being worked on: its reports go nowhere.
    pub(crate) fn renew(&mut self) {
        let (reports, inbox) = mpsc::channel();
        (self.reports, self.inbox) = (reports, Mutex::new(inbox));
    }
}
