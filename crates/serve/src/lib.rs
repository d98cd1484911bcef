//! Towns over HTTP: the commands and events of [`nightfold_town`] for mods, tools and back ends that speak HTTP and JSON.
//!
//! A town is a session: `POST /v1/towns` opens one, commands are posted to it, and its events are read by number or streamed. The document at
//! `/v1/openapi.json` describes it all.
//!
//! The server answers holders of a token alone, on the loopback address unless told otherwise, and refuses requests of web pages. It speaks plain
//! HTTP: on a network it belongs behind a proxy with TLS.

mod access;
mod answer;
mod bounds;
mod command_list;
mod error;
mod metrics;
mod server;
mod session;
mod towns;

pub use access::{AccessScope, AccessToken};
pub use error::ServeError;
pub use server::{OPENAPI, ServeOptions, TownServer};
