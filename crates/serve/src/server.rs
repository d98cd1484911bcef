//! The HTTP server: routes, access, and their answers.

mod events;

use std::{
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use axum::{
    Extension, Json, Router,
    body::Bytes,
    extract::rejection::BytesRejection,
    extract::{DefaultBodyLimit, Path, Request, State},
    http::{HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use nightfold_memory::config::HttpConfig;
use nightfold_town::{TownOptions, TownStatus};
use serde::{Serialize, de::DeserializeSeed as _};
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::{
    AccessScope, AccessToken, ServeError, answer::RequestRefused, bounds::RequestBounds,
    command_list::CommandList, metrics::Counters, session::TownSession, towns::Towns,
};

/// The document that describes the server: OpenAPI 3.1.
pub const OPENAPI: &str = include_str!("openapi.json");

/// Options of a server. Defaults are in parentheses.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// Address to listen on (the loopback address, any free port).
    pub address: SocketAddr,
    /// Folder of the stores that towns may have; without, their memory is in memory alone.
    pub stores: Option<PathBuf>,
    /// Folder with the model's files (those of the environment, the working folder and the user's cache).
    pub models: Option<PathBuf>,
    /// Most towns open at once (16).
    pub towns: usize,
    /// Most threads that plan the nights of a town, and copies of the model that all towns share (the cores of the machine).
    pub threads: usize,
    /// Largest request in bytes (64 MiB): a saved town that carries its memory may be large.
    pub request_bytes: usize,
    /// Most commands of one request (10000).
    pub commands: usize,
    /// Bounds on connections: how many, and how long their requests may take to arrive (64; 10 s and 60 s).
    pub http: HttpConfig,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            stores: None,
            models: None,
            towns: 16,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            request_bytes: 64 << 20,
            commands: 10_000,
            http: HttpConfig::default(),
        }
    }
}

/// Time that requests under way have after the server was told to stop.
const STOP_PATIENCE: Duration = Duration::from_secs(10);

/// A listening server.
pub struct TownServer {
    listener: TcpListener,
    address: SocketAddr,
    request_bytes: usize,
    http: HttpConfig,
    shared: Arc<TownServerState>,
}

/// State that all requests share.
struct TownServerState {
    towns: Towns,
    counters: Counters,
    write: AccessToken,
    read: Option<AccessToken>,
    /// Host headers of this machine, if only it may ask.
    hosts: Option<[String; 2]>,
    commands: usize,
    bounds: RequestBounds,
    /// True once the server is to stop.
    stopping: watch::Sender<bool>,
}

/// Routes and their methods, for the document's test and the router alike.
macro_rules! routes {
    ($($path:literal => $method:expr;)*) => {
        /// Paths of the routes.
        #[cfg(test)]
        const PATHS: &[&str] = &[$($path),*];

        fn routes() -> Router<Arc<TownServerState>> {
            Router::new()$(.route($path, $method))*
        }
    };
}

routes! {
    "/v1/health" => get(health);
    "/v1/openapi.json" => get(openapi);
    "/v1/metrics" => get(metrics);
    "/v1/towns" => get(list).post(open);
    "/v1/towns/{town}" => get(status).delete(close);
    "/v1/towns/{town}/commands" => post(commands);
    "/v1/towns/{town}/events" => get(events::events);
    "/v1/towns/{town}/events/stream" => get(events::stream_events);
}

impl TownServer {
    /// Listens. The first token may do everything; holders of the second may only read.
    ///
    /// # Errors
    /// [`ServeError::Listen`] and [`ServeError::Stores`].
    pub fn open(
        options: ServeOptions,
        write: AccessToken,
        read: Option<AccessToken>,
    ) -> Result<Self, ServeError> {
        if let Some(path) = options.stores.as_ref().filter(|path| !path.is_dir()) {
            return Err(ServeError::Stores { path: path.clone() });
        }
        let failed = |source| ServeError::Listen { address: options.address, source };
        let listener = TcpListener::bind(options.address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        // A site may point its name at this machine: DNS rebinding.
        let port = address.port();
        let named = |host: &str| if port == 80 { host.to_owned() } else { format!("{host}:{port}") };
        let own = match address {
            SocketAddr::V4(address) => address.ip().to_string(),
            SocketAddr::V6(address) => format!("[{}]", address.ip()),
        };
        let hosts = address.ip().is_loopback().then(|| [named(&own), named("localhost")]);
        let (request_bytes, commands, http) = (options.request_bytes, options.commands, options.http.clone());
        let bounds = RequestBounds::new(http.connections, request_bytes);
        let shared = TownServerState {
            bounds,
            towns: Towns::new(options),
            counters: Counters::default(),
            write,
            read,
            hosts,
            commands,
            stopping: watch::Sender::new(false),
        };
        Ok(Self { listener, address, request_bytes, http, shared: Arc::new(shared) })
    }

    /// Address of the server.
    pub fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Serves until `stop` ends; then requests under way are answered, streams end, and towns are closed: their nights that are being
    /// written are written.
    ///
    /// # Errors
    /// [`ServeError::Serve`] if connections can no longer be accepted.
    pub async fn serve(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), ServeError> {
        let listener = tokio::net::TcpListener::from_std(self.listener).map_err(ServeError::Serve)?;
        let shared = self.shared;
        let router = routes()
            .fallback(|| async {
                RequestRefused::new(
                    StatusCode::NOT_FOUND,
                    "no_route",
                    "no such address; see /v1/openapi.json",
                )
            })
            .method_not_allowed_fallback(|| async {
                let message = "this address has no such method; see /v1/openapi.json";
                RequestRefused::new(StatusCode::METHOD_NOT_ALLOWED, "method", message)
            })
            .layer(DefaultBodyLimit::max(self.request_bytes))
            .layer(from_fn_with_state(Arc::clone(&shared), guard))
            .with_state(Arc::clone(&shared));
        let ending = Arc::clone(&shared);
        let stop = async move {
            stop.await;
            ending.stopping.send_replace(true);
        };
        let mut stopping = shared.stopping.subscribe();
        // A connection that is never finished holds nobody up for longer.
        let patience = async move {
            // The sender lives as long as the server.
            _ = stopping.wait_for(|stopping| *stopping).await;
            tokio::time::sleep(STOP_PATIENCE).await;
        };
        tokio::select! {
            () = nightfold_http::serve(listener, router, &self.http, stop) => {}
            () = patience => {}
        }
        let closed = tokio::task::spawn_blocking(move || shared.towns.close_all()).await;
        closed.map_err(|error| ServeError::Serve(io::Error::other(error)))
    }
}

/// Refuses requests without a token, of web pages, and to another host name than this machine's own.
async fn guard(State(shared): State<Arc<TownServerState>>, mut request: Request, next: Next) -> Response {
    let refused = |status, code, why: &str| RequestRefused::new(status, code, why).into_response();
    let headers = request.headers();
    let text = |name: HeaderName| headers.get(name).map(HeaderValue::as_bytes);
    let given: Vec<&[u8]> = headers.get_all(header::HOST).iter().map(HeaderValue::as_bytes).collect();
    if let Some(hosts) = &shared.hosts
        && !hosts.iter().any(|own| given == [own.as_bytes()])
    {
        return refused(StatusCode::FORBIDDEN, "host", "this server answers to its own address alone");
    }
    if text(header::ORIGIN).is_some() {
        return refused(StatusCode::FORBIDDEN, "origin", "this server answers programs, not web pages");
    }
    let shown = text(header::AUTHORIZATION).unwrap_or_default();
    let scope = if shared.write.is_shown(shown) {
        AccessScope::Write
    } else if shared.read.as_ref().is_some_and(|read| read.is_shown(shown))
        || request.uri().path() == "/v1/health"
    {
        AccessScope::Read
    } else {
        let mut response = refused(
            StatusCode::UNAUTHORIZED,
            "token",
            "show the server's token: Authorization: Bearer TOKEN",
        );
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return response;
    };
    if scope < AccessScope::Write && may_only_write(&request) {
        return RequestRefused::read_only().into_response();
    }
    // The places are held until the request is answered.
    let _places = if request.method() == Method::POST {
        match shared.bounds.body(scope, length_of(&request)) {
            Ok(places) => Some(places),
            Err(refused) => return refused.into_response(),
        }
    } else {
        None
    };
    request.extensions_mut().insert(scope);
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// True for requests that need the right to write, whatever their body says: they are refused before it is read.
fn may_only_write(request: &Request) -> bool {
    let opens = request.method() == Method::POST && request.uri().path() == "/v1/towns";
    opens || request.method() == Method::DELETE
}

/// Length of the body that a request states.
fn length_of(request: &Request) -> Option<usize> {
    request.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

async fn health() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], r#"{"status":"ok"}"#)
}

async fn openapi() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI)
}

async fn metrics(State(shared): State<Arc<TownServerState>>) -> Response {
    let text = run_blocking(move || {
        let towns: Vec<(String, TownStatus)> =
            shared.towns.all().into_iter().map(|(id, session)| (id, session.status())).collect();
        Ok(shared.counters.text(&towns))
    });
    match text.await {
        Ok(text) => ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response(),
        Err(refused) => refused.into_response(),
    }
}

/// An open town with its counts.
#[derive(Serialize)]
struct Listed {
    town: String,
    status: TownStatus,
}

async fn list(State(shared): State<Arc<TownServerState>>) -> Result<Json<Vec<Listed>>, RequestRefused> {
    let listed = |(town, session): (String, Arc<TownSession>)| Listed { town, status: session.status() };
    run_blocking(move || Ok(shared.towns.all().into_iter().map(listed).collect())).await.map(Json)
}

/// The id of a town.
#[derive(Serialize)]
struct Opened {
    town: String,
}

async fn open(
    State(shared): State<Arc<TownServerState>>,
    Extension(scope): Extension<AccessScope>,
    body: Result<Bytes, BytesRejection>,
) -> Result<(StatusCode, Json<Opened>), RequestRefused> {
    may_write(scope)?;
    let body = body.map_err(|error| RequestRefused::of_framework(error.status(), error.body_text()))?;
    let options: TownOptions =
        serde_json::from_slice(&body).map_err(|error| RequestRefused::from(&error.into()))?;
    let town = run_blocking(move || shared.towns.open(options)).await?;
    Ok((StatusCode::CREATED, Json(Opened { town })))
}

async fn status(
    State(shared): State<Arc<TownServerState>>,
    Path(town): Path<String>,
) -> Result<Json<Listed>, RequestRefused> {
    let session = shared.towns.get(&town)?;
    run_blocking(move || Ok(Listed { town, status: session.status() })).await.map(Json)
}

async fn close(
    State(shared): State<Arc<TownServerState>>,
    Extension(scope): Extension<AccessScope>,
    Path(town): Path<String>,
) -> Result<StatusCode, RequestRefused> {
    may_write(scope)?;
    run_blocking(move || shared.towns.close(&town)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Result of a command in a list.
#[derive(Serialize)]
#[serde(untagged)]
enum CommandResult {
    Carried { reply: Box<RawValue> },
    Refused(RequestRefused),
}

/// Carries one command out, or a list of them.
async fn commands(
    State(shared): State<Arc<TownServerState>>,
    Extension(scope): Extension<AccessScope>,
    Path(town): Path<String>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, RequestRefused> {
    let body = body.map_err(|error| RequestRefused::of_framework(error.status(), error.body_text()))?;
    let session = shared.towns.get(&town)?;
    run_blocking(move || {
        let is_list = body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
        let unreadable = |error: serde_json::Error| RequestRefused::from(&error.into());
        if !is_list {
            let command: &RawValue = serde_json::from_slice(&body).map_err(unreadable)?;
            let reply = session.turn(scope, &shared.counters)?.carry_out(command)?;
            return Ok(Json(reply).into_response());
        }
        let mut read = serde_json::Deserializer::from_slice(&body);
        let commands = CommandList { most: shared.commands }.deserialize(&mut read).map_err(unreadable)?;
        read.end().map_err(unreadable)?;
        let Some(commands) = commands else {
            let message =
                format!("more commands in one request than the {} that are allowed", shared.commands);
            return Err(RequestRefused::new(StatusCode::PAYLOAD_TOO_LARGE, "commands", message));
        };
        let mut turn = session.turn(scope, &shared.counters)?;
        let mut carry = |command| match turn.carry_out(command) {
            Ok(reply) => CommandResult::Carried { reply },
            Err(refused) => CommandResult::Refused(refused),
        };
        let results: Vec<CommandResult> = commands.into_iter().map(&mut carry).collect();
        Ok(Json(results).into_response())
    })
    .await
}

fn may_write(scope: AccessScope) -> Result<(), RequestRefused> {
    if scope < AccessScope::Write {
        return Err(RequestRefused::read_only());
    }
    Ok(())
}

/// Does work on another thread, so that a long night holds no other request up and a panic ends nothing but itself.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RequestRefused> + Send + 'static,
) -> Result<T, RequestRefused> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(RequestRefused::unexpected(error.to_string())))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_document_has_every_route_and_no_other() {
        let document: serde_json::Value = serde_json::from_str(OPENAPI).unwrap();
        let described: BTreeSet<&str> =
            document["paths"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(described, PATHS.iter().copied().collect());
    }
}
