//! Serves HTTP to a bounded number of connections, each of bounded patience.
//!
//! Whoever opens connections and sends nothing, or a byte now and then, takes handles and memory from everybody else.
//! So no more than [`HttpConfig::connections`] are open. A further one closes the one that waits longest for a
//! request; one whose request is being answered is never closed for another. The head of a request must arrive within
//! [`HttpConfig::head_seconds`], its body within [`HttpConfig::body_seconds`].

mod body;
mod connections;

use std::{io, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    http::{Request, Response},
};
use hyper::{
    body::Incoming,
    server::conn::http1,
    service::{Service as _, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use nightfold_memory::config::HttpConfig;
use tokio::{
    net::{TcpListener, TcpStream},
    pin, select,
    sync::{mpsc, watch},
    time::sleep,
};

use crate::{
    body::{TimedBody, TrackedBody},
    connections::{ConnectionSlot, HttpConnections},
};

/// Largest head of a request, in bytes.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// Wait after an error of the listener, such as having no handle left.
const AFTER_ERROR: Duration = Duration::from_secs(1);

/// Serves until `stop` ends; then requests under way are answered. It must run inside a tokio runtime.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    config: &HttpConfig,
    stop: impl Future<Output = ()>,
) {
    let connections = Arc::new(HttpConnections::new(config.connections));
    let (head, body) = (Duration::from_secs(config.head_seconds), Duration::from_secs(config.body_seconds));
    let (stopping, stops) = watch::channel(false);
    // Ends once every connection has dropped its sender.
    let (open, mut all_closed) = mpsc::channel::<()>(1);
    let accepting = async {
        loop {
            let stream = accept(&listener).await;
            let slot = connections.take().await;
            let service = TowerToHyperService::new(router.clone());
            let (stops, open) = (stops.clone(), open.clone());
            tokio::spawn(async move {
                serve_connection(stream, service, slot, head, body, stops).await;
                drop(open);
            });
        }
    };
    select! {
        () = accepting => {}
        () = stop => {}
    }
    stopping.send_replace(true);
    drop(open);
    // Nothing is ever sent.
    _ = all_closed.recv().await;
}

/// Accepts the next connection, whatever befalls others.
async fn accept(listener: &TcpListener) -> TcpStream {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            // Its client is gone already.
            Err(error) if matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) => {
            }
            Err(error) => {
                tracing::error!(%error, "a connection cannot be accepted");
                sleep(AFTER_ERROR).await;
            }
        }
    }
}

/// Serves a connection until it ends or is to be closed for another one.
async fn serve_connection(
    stream: TcpStream,
    service: TowerToHyperService<Router>,
    slot: ConnectionSlot,
    head: Duration,
    body: Duration,
    mut stops: watch::Receiver<bool>,
) {
    let slot = Arc::new(slot);
    let answering = Arc::clone(&slot);
    let answer = service_fn(move |request: Request<Incoming>| {
        let active = answering.begin_request();
        let request = request.map(|incoming| Body::new(TimedBody::new(incoming, body)));
        let response = service.call(request);
        async move {
            let response: Response<Body> = response.await?;
            // Until its last byte is taken, the connection waits for nothing.
            Ok::<_, std::convert::Infallible>(response.map(|body| TrackedBody::new(body, active)))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), answer);
    pin!(connection);
    let mut is_stopping = false;
    loop {
        select! {
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection ended in an error");
                }
                return;
            }
            () = slot.closed() => {
                tracing::debug!("a connection without a request is closed for another one");
                return;
            }
            _ = stops.wait_for(|stops| *stops), if !is_stopping => {
                is_stopping = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}
