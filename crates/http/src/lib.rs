//! Serves HTTP to a bounded number of connections, each of bounded patience.
//!
//! At most [`HttpConfig::connections`] are open; a further one waits until another ends. The head of a request must arrive within
//! [`HttpConfig::request_seconds`] of the moment from which the connection waits for it, and then its body within as long again. A client that
//! sends nothing, or a byte now and then, therefore holds its place for a while, and never for good.

mod body;
mod token;

use std::{io, sync::Arc, time::Duration};

use axum::{Router, body::Body, extract::Request, middleware::map_request};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use nightfold_memory::config::HttpConfig;
use tokio::{
    net::{TcpListener, TcpStream},
    select,
    sync::Semaphore,
    time::sleep,
};

use crate::body::TimedBody;
pub use token::random_token;

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
    let within = Duration::from_secs(config.request_seconds);
    let in_time =
        move |request: Request| async move { request.map(|body| Body::new(TimedBody::new(body, within))) };
    let service = TowerToHyperService::new(router.layer(map_request(in_time)));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(within).max_buf_size(MAX_HEAD_BYTES);
    let (places, open) = (Arc::new(Semaphore::new(config.connections)), GracefulShutdown::new());
    let accepting = async {
        // Nobody closes the semaphore.
        while let Ok(place) = Arc::clone(&places).acquire_owned().await {
            let stream = accept(&listener).await;
            let connection = open.watch(http.serve_connection(TokioIo::new(stream), service.clone()));
            tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::debug!(%error, "a connection ended in an error");
                }
                drop(place);
            });
        }
    };
    select! {
        () = accepting => {}
        () = stop => {}
    }
    open.shutdown().await;
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
