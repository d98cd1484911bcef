//! Tests of the client against a server that misbehaves on command.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod desk;
mod formats;
mod limits;
mod retries;
mod secrets;

#[path = "../support/server.rs"]
mod server;
