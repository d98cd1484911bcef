//! Threads that compute the nights, separate from the threads of the game; or the steps in which the game computes them.

use std::{
    cell::Cell,
    collections::VecDeque,
    num::NonZeroUsize,
    sync::{
        Mutex, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
};

use bevy_ecs::prelude::*;

use crate::{
    PoolError,
    job::JobReport,
    workers::{Job, StopFlag, Workers},
};

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
    /// Order in which a pool without threads takes its jobs: a player waits for answers, memory for writes.
    const BY_URGENCY: [Self; 4] = [Self::Answers, Self::Writes, Self::Days, Self::Nights];

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
    runners: Runners,
    reports: Sender<JobReport>,
    inbox: Mutex<Receiver<JobReport>>,
    stop: StopFlag,
}

/// Runners of the jobs of each [`Lane`], in its order.
enum Runners {
    Threads([Workers; 4]),
    /// Jobs that wait for [`NightPool::step`].
    Steps(Mutex<[VecDeque<Job>; 4]>),
}

impl NightPool {
    /// Creates a pool whose nights are planned by `threads` threads. One thread leaves a small machine to the game; nights are not
    /// urgent.
    ///
    /// # Errors
    /// [`PoolError`] if a thread cannot be started.
    pub fn new(threads: NonZeroUsize) -> Result<Self, PoolError> {
        let lane = |lane: Lane| {
            Workers::start(lane.thread_name(), if lane == Lane::Nights { threads } else { NonZeroUsize::MIN })
        };
        let [nights, writes, answers, days] = Lane::ALL.map(lane);
        Ok(Self::of(Runners::Threads([nights?, writes?, answers?, days?])))
    }

    /// Creates a pool without threads: the game computes the nights itself, in [steps](NightPool::step). For platforms and
    /// games that allow no further threads.
    ///
    /// In lockstep, a tick that reaches the moment of a night before a step has computed it computes it itself.
    pub fn without_threads() -> Self {
        Self::of(Runners::Steps(Mutex::default()))
    }

    fn of(runners: Runners) -> Self {
        let (reports, inbox) = mpsc::channel();
        Self { runners, reports, inbox: Mutex::new(inbox), stop: StopFlag::default() }
    }

    /// Runs waiting jobs of a pool [without threads](NightPool::without_threads) as long as `goes_on` says so, the urgent ones first:
    /// answers, writes, then nights. Returns true if more of them wait. A job is never interrupted: the longest is the
    /// night of a [batch](crate::NightBudgets::batch), some 5 ms for each memory of an NPC with the model, so that a batch of one NPC
    /// suits. Does nothing in a pool with threads.
    ///
    /// The calling thread becomes the only thread of its rayon pool, on which it works from then on.
    pub fn step(&self, mut goes_on: impl FnMut() -> bool) -> bool {
        let Runners::Steps(jobs) = &self.runners else { return false };
        while goes_on() {
            if !run_next(jobs) {
                return false;
            }
        }
        jobs.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|lane| !lane.is_empty())
    }

    /// Runs a job and queues its report. A job that has not begun when the pool is dropped or reset is never
    /// run; one that has can ask its flag.
    pub(crate) fn run(&self, lane: Lane, job: impl FnOnce(&StopFlag) -> JobReport + Send + 'static) {
        let (reports, stop) = (self.reports.clone(), self.stop.clone());
        self.spawn(lane, move || {
            if !stop.is_set() {
                // The receiver is gone if another game was loaded meanwhile.
                let _ = reports.send(job(&stop));
            }
        });
    }

    /// Drops a large value on a thread of the pool: freeing the days and vectors of many NPCs takes longer
    /// than a tick has.
    pub(crate) fn discard(&self, dropped: impl Send + 'static) {
        self.spawn(Lane::Writes, move || drop(dropped));
    }

    fn spawn(&self, lane: Lane, job: impl FnOnce() + Send + 'static) {
        match &self.runners {
            Runners::Threads(lanes) => lanes[lane as usize].spawn(Box::new(job)),
            Runners::Steps(jobs) => {
                jobs.lock().unwrap_or_else(PoisonError::into_inner)[lane as usize].push_back(Box::new(job));
            }
        }
    }

    /// Returns a report, if there is one.
    pub(crate) fn try_receive(&mut self) -> Option<JobReport> {
        self.inbox.get_mut().unwrap_or_else(PoisonError::into_inner).try_recv().ok()
    }

    /// Waits for the next report. Must only be called while a job is running.
    pub(crate) fn receive(&mut self) -> Option<JobReport> {
        if let Runners::Steps(jobs) = &self.runners {
            let inbox = self.inbox.get_mut().unwrap_or_else(PoisonError::into_inner);
            loop {
                if let Ok(report) = inbox.try_recv() {
                    return Some(report);
                }
                if !run_next(jobs) {
                    return None;
                }
            }
        }
        // The pool holds a sender itself, so the channel cannot be closed.
        self.inbox.get_mut().unwrap_or_else(PoisonError::into_inner).recv().ok()
    }

    /// Detaches all running jobs: their reports are dropped, and nights that are being planned are given up.
    pub(crate) fn reset(&mut self) {
        self.stop.set();
        let (reports, inbox) = mpsc::channel();
        (self.reports, self.inbox, self.stop) = (reports, Mutex::new(inbox), StopFlag::default());
    }
}

impl Drop for NightPool {
    fn drop(&mut self) {
        // Dropping a lane waits for its threads.
        self.stop.set();
    }
}

/// Runs the most urgent job, if there is one. Returns true if there was.
fn run_next(jobs: &Mutex<[VecDeque<Job>; 4]>) -> bool {
    let next = {
        let mut lanes = jobs.lock().unwrap_or_else(PoisonError::into_inner);
        Lane::BY_URGENCY.into_iter().find_map(|lane| lanes[lane as usize].pop_front())
    };
    let Some(job) = next else { return false };
    thread_local! {
        static PREPARED: Cell<bool> = const { Cell::new(false) };
    }
    if !PREPARED.replace(true) {
        // Fails on a thread of a rayon pool, over which the steps then spread.
        let _ = alone();
    }
    job();
    true
}

/// Makes the current thread the only one of its rayon pool, as the threads of [`Workers`] are.
fn alone() -> Result<(), rayon::ThreadPoolBuildError> {
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().map(drop)
}
