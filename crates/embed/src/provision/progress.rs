//! How far a fetch has come.

/// How far one step of providing one file has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The name of the file; empty while waiting.
    pub artefact: &'a str,
    /// What is being done to it.
    pub phase: Phase,
    /// How many bytes are done.
    pub done: u64,
    /// Of how many.
    pub total: u64,
}

/// The steps of providing a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Another process is fetching.
    Wait,
    /// From the network.
    Download,
    /// Out of the wheel it was downloaded in.
    Unpack,
    /// From its published form.
    Convert,
    /// Against its checksum.
    Verify,
}

/// Tells how one step for one file goes on.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub(super) tell: &'a dyn Fn(Progress<'_>),
    pub(super) artefact: &'a str,
}

impl Step<'_> {
    pub(super) fn at(&self, phase: Phase, done: u64, total: u64) {
        (self.tell)(Progress { artefact: self.artefact, phase, done: done.min(total), total });
    }
}
