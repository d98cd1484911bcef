//! Progress of a fetch.

/// Progress of one step for one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// Name of the file; empty while waiting.
    pub artefact: &'a str,
    /// The current step.
    pub phase: FetchPhase,
    /// Number of bytes done.
    pub done: u64,
    /// Total number of bytes.
    pub total: u64,
}

/// Step of providing a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FetchPhase {
    /// Waiting for another process that is fetching.
    Wait,
    /// Downloading from the network.
    Download,
    /// Unpacking from its wheel.
    Unpack,
    /// Converting from its published form.
    Convert,
    /// Verifying against its checksum.
    Verify,
}

/// Reporter of one file's progress.
#[derive(Clone, Copy)]
pub(super) struct StepReporter<'a> {
    pub(super) tell: &'a dyn Fn(Progress<'_>),
    pub(super) artefact: &'a str,
}

impl StepReporter<'_> {
    pub(super) fn at(&self, phase: FetchPhase, done: u64, total: u64) {
        (self.tell)(Progress { artefact: self.artefact, phase, done: done.min(total), total });
    }
}
