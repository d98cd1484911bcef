//! Every reader of bytes from outside, by the public functions of its crate.
//!
//! A reader takes any bytes and returns, or panics: if the code under it does, or if what was accepted breaks a rule that must hold
//! of it. Accepted input is within its bounds, is the same when it is written and read again, and a second reading tells the
//! same as the first. The fuzz targets call these readers, and so does a test of this crate, with the kept corpora and with changed
//! copies of them.
//!
//! Two readers have no public function of their own and are tested where they are: messages of MCP by the whole program
//! (`fuzzed_calls_neither_end_the_server_nor_write_nor_leave_the_scope`), and addresses of PostgreSQL by their module's tests, since
//! opening one connects to it.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a reader tells of a fault by panicking")]

mod days;
mod language;
mod models;
mod scratch;
mod seeds;
mod settings;
mod stores;
mod towns;

pub use self::{
    days::{memories, names, nodes, rows},
    language::{answers, chat, record},
    models::{cached, grammar, npy},
    seeds::seeds,
    settings::{config, outcome, scenario},
    stores::{export, plan, store},
    towns::{serve, town},
};

/// A reader with its name, which is that of its fuzz target and of the folder of its corpus.
#[derive(Debug, Clone, Copy)]
pub struct Reader {
    /// Name of the fuzz target.
    pub name: &'static str,
    /// Function that reads.
    pub read: fn(&[u8]),
}

macro_rules! readers {
    ($($name:ident)*) => {
        /// All readers, by name.
        pub const READERS: &[Reader] = &[$(Reader { name: stringify!($name), read: $name }),*];
    };
}

readers! {
    answers cached chat config export grammar memories names nodes npy outcome plan record rows scenario serve store town
}
