//! The driver of nights, through the public interface. One program, as each further one is compiled and linked
//! anew; `panicking` stands alone, as it replaces the hook of panics, and so does `hostile_servers`, which waits by the clock.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod any_text;
mod asking;
mod clock;
mod distilling;
mod driver;
mod examples;
mod failing;
mod history;
mod injections;
mod judging;
mod maintenance;
mod profiles;
mod recalling;
mod streaming;
#[path = "../support/mod.rs"]
mod support;
