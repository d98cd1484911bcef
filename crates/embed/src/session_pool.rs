//! Pool of copies of a model that compute at once, each on one thread.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use crate::ModelOpenError;

/// Sessions of one model. Any number of callers may share them.
pub(crate) struct SessionPool<S> {
    sessions: Vec<Mutex<Option<S>>>,
    open: Box<dyn Fn() -> Result<S, ModelOpenError> + Send + Sync>,
}

impl<S: Send> SessionPool<S> {
    /// Opens the first of `sessions` sessions; the others are opened when so many are needed at once.
    pub(crate) fn opening(
        sessions: usize,
        open: impl Fn() -> Result<S, ModelOpenError> + Send + Sync + 'static,
    ) -> Result<Self, ModelOpenError> {
        let first = open()?;
        let sessions = std::iter::once(Some(first)).chain((1..sessions).map(|_| None));
        Ok(Self { sessions: sessions.map(Mutex::new).collect(), open: Box::new(open) })
    }

    pub(crate) fn len(&self) -> usize {
        self.sessions.len()
    }

    /// Runs work on a free session; if all are busy, waits for the preferred one.
    pub(crate) fn run<R>(
        &self,
        preferred: usize,
        work: impl FnOnce(&mut S) -> R,
    ) -> Result<R, ModelOpenError> {
        let mut session = self.take(preferred);
        let opened = match session.take() {
            Some(opened) => opened,
            None => (self.open)()?,
        };
        Ok(work(session.insert(opened)))
    }

    fn take(&self, preferred: usize) -> MutexGuard<'_, Option<S>> {
        let (before, from) = self.sessions.split_at(preferred);
        from.iter().chain(before).find_map(|session| session.try_lock().ok()).unwrap_or_else(|| {
            // A session is not left half changed by a panic: it is its library's to guard.
            self.sessions[preferred].lock().unwrap_or_else(PoisonError::into_inner)
        })
    }

    /// Runs every job on a free session, with one thread per session; returns the results in the order of the
    /// jobs.
    pub(crate) fn each<J: Sync, R: Send>(
        &self,
        jobs: &[J],
        run: impl Fn(&mut S, &J) -> R + Sync,
    ) -> Vec<Result<R, ModelOpenError>> {
        let next = AtomicUsize::new(0);
        let work = |preferred: usize| {
            let mut done = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(at) else { return done };
                done.push((at, self.run(preferred, |session| run(session, job))));
            }
        };
        let threads = self.len().min(jobs.len());
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
