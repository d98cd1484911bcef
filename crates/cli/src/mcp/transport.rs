//! rmcp's transport of a message a line, which ends when all calls are answered, or when the client reads no more.

use std::{future::poll_fn, io, pin::pin, sync::Arc, task::Poll};

use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::{Transport, async_rw::AsyncRwTransport},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::{Mutex, Semaphore, watch},
};

use super::state::MAX_CALLS;

/// Messages of a client.
pub(super) struct PatientTransport<R: AsyncRead, W: AsyncWrite> {
    lines: AsyncRwTransport<RoleServer, R, W>,
    /// Places of the calls at work.
    calls: Arc<Semaphore>,
    /// Held while an answer is written.
    sending: Arc<Mutex<()>>,
    /// True once the client reads no more.
    hung_up: watch::Sender<bool>,
}

impl<R, W> PatientTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Reads lines of at most `most` bytes; of a longer one standard error tells, and the next is read.
    pub(super) fn new(input: R, output: W, most: usize, calls: Arc<Semaphore>) -> Self {
        let lines = AsyncRwTransport::new(input, output).with_max_line_length(most);
        Self { lines, calls, sending: Arc::default(), hung_up: watch::Sender::new(false) }
    }

    /// Returns the flag that the client reads no more; it is read after the session.
    pub(super) fn hung_up(&self) -> watch::Receiver<bool> {
        self.hung_up.subscribe()
    }

    /// Returns the next message; none at the end, and none as soon as the client has hung up.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        let mut hung_up = self.hung_up.subscribe();
        let mut hung_up = pin!(hung_up.wait_for(|hung_up| *hung_up));
        let mut next = pin!(self.lines.receive());
        poll_fn(|context| match hung_up.as_mut().poll(context) {
            Poll::Ready(_) => Poll::Ready(None),
            Poll::Pending => next.as_mut().poll(context),
        })
        .await
    }
}

impl<R, W> Transport<RoleServer> for PatientTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (sent, sending, hung_up) =
            (self.lines.send(message), Arc::clone(&self.sending), self.hung_up.clone());
        async move {
            let _sending = sending.lock().await;
            unless_hung_up(sent.await, &hung_up)
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        // No more requests are read from a client that reads no answers.
        drop(self.sending.lock().await);
        let message = self.next().await;
        if message.is_none() && !*self.hung_up.borrow() {
            // Calls that were just read take their place first; a client that asks and hangs up is answered, however long a night takes.
            tokio::task::yield_now().await;
            // Nobody closes it, so that this fails only where there is nothing to wait for.
            drop(self.calls.acquire_many(MAX_CALLS).await);
        }
        message
    }

    async fn close(&mut self) -> io::Result<()> {
        unless_hung_up(self.lines.close().await, &self.hung_up)
    }
}

/// Notes that the client has hung up, if it has; the session then ends by itself, without an error.
fn unless_hung_up(sent: io::Result<()>, hung_up: &watch::Sender<bool>) -> io::Result<()> {
    match sent {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            hung_up.send_replace(true);
            Ok(())
        }
        sent => sent,
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::JsonRpcMessage;

    use super::*;

    fn run<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    fn calls() -> Arc<Semaphore> {
        Arc::new(Semaphore::new(MAX_CALLS as usize))
    }

    #[test]
    fn too_long_line_is_skipped_and_the_next_received() {
        let input = format!("{}\n{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}\n", "x".repeat(200));
        run(async {
            let mut lines = PatientTransport::new(input.as_bytes(), Vec::new(), 128, calls());
            assert!(matches!(lines.receive().await, Some(JsonRpcMessage::Request(_))));
            assert!(lines.receive().await.is_none());
        });
    }
}
