//! Pool of copies of a model that compute at once, each on one thread.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Sessions of one model. Any number of callers may share them.
pub(crate) struct SessionPool<S>(Vec<Mutex<S>>);

impl<S: Send> SessionPool<S> {
    pub(crate) fn new(sessions: impl IntoIterator<Item = S>) -> Self {
        Self(sessions.into_iter().map(Mutex::new).collect())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns a free session; if all are busy, waits for the preferred one.
    pub(crate) fn take(&self, preferred: usize) -> MutexGuard<'_, S> {
        let (before, from) = self.0.split_at(preferred);
        from.iter().chain(before).find_map(|session| session.try_lock().ok()).unwrap_or_else(|| {
            // A session is not left half changed by a panic: it is its library's to guard.
            self.0[preferred].lock().unwrap_or_else(PoisonError::into_inner)
        })
    }

    /// Runs every job on a free session, with one thread per session; returns the results in the order of the
    /// jobs.
    pub(crate) fn each<J: Sync, R: Send>(&self, jobs: &[J], run: impl Fn(&mut S, &J) -> R + Sync) -> Vec<R> {
        let next = AtomicUsize::new(0);
        let work = |preferred: usize| {
            let mut done = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(at) else { return done };
                done.push((at, run(&mut self.take(preferred), job)));
            }
        };
        let threads = self.0.len().min(jobs.len());
        let mut done = if threads <= 1 {
            work(0)
        } else {
            thread::scope(|scope| {
                let work = &work;
                let threads: Vec<_> = (0..threads).map(|at| scope.spawn(move || work(at))).collect();
                let joined =
                    threads.into_iter().map(|t| t.join().unwrap_or_else(|p| std::panic::resume_unwind(p)));
                joined.flatten().collect()
            })
        };
        done.sort_by_key(|(at, _)| *at);
        done.into_iter().map(|(_, result)| result).collect()
    }
}
