//! Waiting for the server from threads that are not of its runtime.

use std::{future::Future, io, thread};

use tokio::runtime::{Builder, Handle, Runtime};

/// Runtime of the connections.
pub(super) struct Waiter {
    /// None after the end only: a runtime must not be dropped where others wait for it.
    runtime: Option<Runtime>,
}

impl Drop for Waiter {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Waiter {
    pub(super) fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("nightfold-postgres")
            .enable_all()
            .build()?;
        Ok(Self { runtime: Some(runtime) })
    }

    /// Waits for the server.
    pub(super) fn wait<F>(&self, work: F) -> F::Output
    where
        F: Future + Send,
        F::Output: Send,
    {
        let Some(runtime) = &self.runtime else { unreachable!("the runtime ends with its owner") };
        if Handle::try_current().is_err() {
            return runtime.block_on(work);
        }
        // A thread that runs other futures must not wait for one; a thread beside it may.
        thread::scope(|scope| scope.spawn(|| runtime.block_on(work)).join())
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}
