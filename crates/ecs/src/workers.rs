//! Threads of one kind of job.

use std::{
    collections::VecDeque,
    num::NonZeroUsize,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::PoolError;

/// Job of a pool.
pub(crate) type Job = Box<dyn FnOnce() + Send>;

/// Threads that take jobs from one queue, in order. Each thread is a rayon pool of its own, so that the steps of a night, which spread
/// over the current pool, stay on it: the global pool would take every core from the game.
pub(crate) struct Workers {
    queue: Arc<Mutex<VecDeque<Job>>>,
    threads: Vec<ThreadPool>,
    running: Arc<Running>,
}

/// Tells jobs that nobody needs their result.
#[derive(Debug, Clone, Default)]
pub(crate) struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Number of threads that have not ended.
#[derive(Default)]
struct Running {
    count: Mutex<usize>,
    fewer: Condvar,
}

impl Workers {
    /// Starts the threads.
    pub(crate) fn start(name: &'static str, threads: NonZeroUsize) -> Result<Self, PoolError> {
        let mut workers = Self { queue: Arc::default(), threads: Vec::new(), running: Arc::default() };
        for thread in 1..=threads.get() {
            let running = Arc::clone(&workers.running);
            let ended = move |_| {
                *running.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
                running.fewer.notify_all();
            };
            let built = ThreadPoolBuilder::new()
                .num_threads(1)
                .thread_name(move |_| name.to_owned())
                .exit_handler(ended)
                // Jobs catch the panics of foreign code; a value whose drop panics is left.
                .panic_handler(|_| tracing::error!("a job of the night's pool panicked"))
                .build()
                .map_err(|source| PoolError { thread, threads, source })?;
            *workers.running.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            workers.threads.push(built);
        }
        Ok(workers)
    }

    /// Queues a job; the first thread that is free takes it.
    pub(crate) fn spawn(&self, job: Job) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).push_back(job);
        for thread in &self.threads {
            let queue = Arc::clone(&self.queue);
            thread.spawn(move || {
                // Taken by another thread, it is not there any more.
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                if let Some(job) = next {
                    job();
                }
            });
        }
    }
}

impl Drop for Workers {
    /// Drops the jobs that have not begun, and waits for the others.
    fn drop(&mut self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.threads.clear();
        let mut count = self.running.count.lock().unwrap_or_else(PoisonError::into_inner);
        while *count > 0 {
            count = self.running.fewer.wait(count).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{atomic::AtomicUsize, mpsc},
        time::Duration,
    };

    use super::*;

    #[test]
    fn a_free_thread_takes_the_next_job_and_dropping_waits_for_those_begun() {
        let workers = Workers::start("test", NonZeroUsize::new(2).unwrap()).unwrap();
        let (go, wait) = mpsc::channel::<()>();
        let (said, done) = mpsc::channel();
        workers.spawn(Box::new(move || _ = wait.recv()));
        for number in 0..5 {
            let said = said.clone();
            workers.spawn(Box::new(move || said.send(number).unwrap()));
        }
        let order: Vec<i32> = done.iter().take(5).collect();
        assert_eq!(order, [0, 1, 2, 3, 4], "the other thread does them all, in order");
        let count = Arc::new(AtomicUsize::new(0));
        let slow = Arc::clone(&count);
        let (began, begun) = mpsc::channel();
        workers.spawn(Box::new(move || {
            began.send(()).unwrap();
            std::thread::sleep(Duration::from_millis(50));
            slow.fetch_add(1, Ordering::SeqCst);
        }));
        begun.recv().unwrap();
        drop(go);
        drop(workers);
        assert_eq!(count.load(Ordering::SeqCst), 1);
        assert_eq!(Arc::strong_count(&count), 1, "nothing is left of the threads");
    }
}
