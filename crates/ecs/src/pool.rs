//! Threads that compute the nights, separate from the threads of the game.

use std::{
    num::NonZeroUsize,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, Sender},
    },
};

use bevy_ecs::prelude::*;
use bevy_tasks::{TaskPool, TaskPoolBuilder};

use crate::{PoolError, job::JobReport};

/// Kind of a job; each kind has threads of its own, so that none waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Planning of nights: seconds of work that nobody waits for.
    Nights,
    /// Writing of planned nights, and dropping of what is large.
    Writes,
    /// Questions by day, whose answers a player waits for.
    Answers,
    /// Preparation of NPCs for questions: indices, and vectors of the day's memories.
    Days,
}

impl Lane {
    const ALL: [Self; 4] = [Self::Nights, Self::Writes, Self::Answers, Self::Days];

    fn thread_name(self) -> &'static str {
        match self {
            Self::Nights => "night",
            Self::Writes => "night-writes",
            Self::Answers => "night-answers",
            Self::Days => "night-days",
        }
    }
}

/// Pool of the nights. One thread works on one batch from its first to its last step; work that a step
/// spreads over threads stays on that thread. A pool of its own keeps the nights from blocking the game, and
/// the game from blocking the nights.
///
/// Three further threads, idle most of the time, write the planned nights, answer questions, and make NPCs ready to be
/// asked: none of them waits for a night that is being planned. Dropping the pool, for instance with its world, gives up the nights that
/// are being planned, and waits for those that are being written.
#[derive(Resource)]
pub struct NightPool {
    /// Threads of each [`Lane`], in its order.
    lanes: [Arc<TaskPool>; 4],
    reports: Sender<JobReport>,
    inbox: Mutex<Receiver<JobReport>>,
    stop: StopFlag,
}

/// Tells jobs that nobody needs their result.
#[derive(Debug, Clone, Default)]
pub(crate) struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl NightPool {
    /// Creates a pool whose nights are planned by `threads` threads. One thread leaves a small machine to the game; nights are not
    /// urgent.
    ///
    /// # Errors
    /// [`PoolError`] if a thread cannot be started.
    pub fn new(threads: NonZeroUsize) -> Result<Self, PoolError> {
        let lane = |lane: Lane| start(lane, if lane == Lane::Nights { threads } else { NonZeroUsize::MIN });
        let [nights, writes, answers, days] = Lane::ALL.map(lane);
        let lanes = [nights?, writes?, answers?, days?];
        let (reports, inbox) = mpsc::channel();
        Ok(Self { lanes, reports, inbox: Mutex::new(inbox), stop: StopFlag::default() })
    }

    /// Runs a job and queues its report. A job that has not begun when the pool is dropped or reset is never
    /// run; one that has can ask its flag.
    pub(crate) fn run(&self, lane: Lane, job: impl FnOnce(&StopFlag) -> JobReport + Send + 'static) {
        let (reports, stop) = (self.reports.clone(), self.stop.clone());
        let work = async move {
            if !stop.is_set() {
                // The receiver is gone if another game was loaded meanwhile.
                let _ = reports.send(job(&stop));
            }
        };
        self.lane(lane).spawn(work).detach();
    }

    /// Drops a large value on a thread of the pool: freeing the days and vectors of many NPCs takes longer
    /// than a tick has.
    pub(crate) fn discard(&self, dropped: impl Send + 'static) {
        self.lane(Lane::Writes).spawn(async move { drop(dropped) }).detach();
    }

    fn lane(&self, lane: Lane) -> &TaskPool {
        &self.lanes[lane as usize]
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

    /// Detaches all running jobs: their reports are dropped, and nights that are being planned are given up.
    pub(crate) fn reset(&mut self) {
        self.stop.0.store(true, Ordering::Relaxed);
        let (reports, inbox) = mpsc::channel();
        (self.reports, self.inbox, self.stop) = (reports, Mutex::new(inbox), StopFlag::default());
    }
}

impl Drop for NightPool {
    fn drop(&mut self) {
        // Dropping a lane joins its threads.
        self.stop.0.store(true, Ordering::Relaxed);
    }
}

/// Starts the threads of a lane.
fn start(lane: Lane, threads: NonZeroUsize) -> Result<Arc<TaskPool>, PoolError> {
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
        .thread_name(lane.thread_name().to_owned())
        .on_thread_spawn(prepare)
        .build();
    for (thread, outcome) in (1..=threads.get()).zip(&prepared) {
        outcome.map_err(|source| PoolError { thread, threads, source })?;
    }
    Ok(Arc::new(tasks))
}
