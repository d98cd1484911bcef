//! Tests of folders of insight files and their archive: listing, moving, and operations that must never
//! happen.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod archiving;
mod interrupted;
mod listing;
mod lives;
mod place;
mod refusals;
