//! Folders of insight files and their archive: what is listed, what is moved, what must never happen.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod archiving;
mod interrupted;
mod listing;
mod lives;
mod place;
mod refusals;
