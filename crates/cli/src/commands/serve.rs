//! `nightfold serve`: towns over HTTP.

use std::{
    env,
    net::SocketAddr,
    process,
    sync::{Mutex, PoisonError},
};

use nightfold_serve::{AccessToken, ServeError, ServeOptions, TownServer};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::oneshot;

use crate::{
    args::{Common, ServeArgs},
    config,
    error::{CliError, Exit, message},
    models, output,
};

/// Variable with the token that may do everything.
const TOKEN: &str = "NIGHTFOLD_SERVE_TOKEN";
/// Variable with the token that may only read.
const READ_TOKEN: &str = "NIGHTFOLD_SERVE_READ_TOKEN";

impl From<ServeError> for CliError {
    fn from(error: ServeError) -> Self {
        let hint = match &error {
            ServeError::Listen { .. } => Some("name another port with --port, or none for any that is free"),
            ServeError::ShortToken { .. } => {
                Some("set a longer one; without NIGHTFOLD_SERVE_TOKEN one is made and printed")
            }
            ServeError::Stores { .. } => Some("make the folder first"),
            _ => None,
        };
        Self::new(Exit::Usage, error).maybe_hint(hint)
    }
}

/// JSON output: address and token of the server.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Listening<'a> {
    /// Address of the server: `http://HOST:PORT`.
    address: &'a str,
    /// Token that was made for this call; none if the environment has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
}

pub(crate) fn run(args: &ServeArgs, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    // What is missing is fetched now, with progress: a town fetches nothing.
    models::files(common, &config)?;
    let usual = ServeOptions::default();
    let options = ServeOptions {
        address: SocketAddr::new(args.host, args.port.unwrap_or_default()),
        stores: args.stores.clone(),
        models: common.models.clone(),
        towns: args.towns.into(),
        threads: common.threads.map_or(usual.threads, usize::from),
        request_bytes: args.request_bytes as usize,
        http: config.http.clone(),
        ..usual
    };
    let (write, made) = match token_of(TOKEN)? {
        Some(token) => (token, None),
        None => AccessToken::random().map(|(token, text)| (token, Some(text)))?,
    };
    let read = token_of(READ_TOKEN)?;
    let stop = stop_signal()?;
    let server = TownServer::open(options, write, read)?;
    let (address, token) = (server.address(), made.as_deref());
    if args.json {
        output::json(&Listening { address: &address, token })?;
    } else {
        let token = token.map_or_else(|| format!("token from {TOKEN}"), |token| format!("token {token}"));
        output::product(&format!(
            "{address}\n{token}\n{address}/v1/openapi.json describes it; Ctrl-C ends it, and what is being written is written\n"
        ))?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let stopped = async {
        // The handler holds the sender as long as the process lives.
        _ = stop.await;
    };
    Ok(runtime.block_on(server.serve(stopped))?)
}

/// Returns the token of a variable, if it is set.
fn token_of(variable: &str) -> Result<Option<AccessToken>, CliError> {
    match env::var(variable) {
        Ok(token) => Ok(Some(AccessToken::new(&token)?)),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => Err(message(Exit::Usage, format!("{variable} is not UTF-8"))),
    }
}

/// Returns a receiver of the first signal to end; the second ends the process at once.
fn stop_signal() -> Result<oneshot::Receiver<()>, CliError> {
    let (stop, stopped) = oneshot::channel();
    let stop = Mutex::new(Some(stop));
    ctrlc::set_handler(move || match stop.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(stop) => _ = stop.send(()),
        None => process::exit(Exit::Interrupted as i32),
    })
    .map_err(|error| CliError::new(Exit::Usage, error))?;
    Ok(stopped)
}
