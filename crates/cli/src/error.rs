//! What the user is told when something goes wrong, and with which exit code.

use std::{error::Error, fmt, io, process::ExitCode};

use nightfold::{
    Failure, NightError, SleepError,
    memory::{EmbedderError, PlanError, StoreError},
};
use nightfold_evaluate::data::DataError;
use nightfold_language::batch::BatchError;
use nightfold_store::OpenError;

use crate::{
    show::count,
    terminal::{clean, clean_lines},
};

/// Exit codes, one for each kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// A check failed.
    Check = 1,
    /// Wrong usage.
    Usage = 2,
    /// Bad input data.
    Input = 3,
    /// Model or runtime missing.
    Model = 4,
    /// The store refused.
    Store = 5,
    /// Done in part.
    Partial = 6,
    /// Ended by the user, as shells tell it.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error as the user meets it.
#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) exit: Exit,
    error: Box<dyn Error + Send + Sync>,
    hint: Option<String>,
}

impl CliError {
    pub(crate) fn new(exit: Exit, error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { exit, error: error.into(), hint: None }
    }

    /// What to do next.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.error.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    }

    pub(crate) fn print(&self) {
        eprintln!("{}", self.told());
    }

    /// The error with its causes. Hints are for who types commands.
    pub(crate) fn without_hint(&self) -> String {
        clean_lines(&chain(self.error.as_ref()))
    }

    /// What the user reads: the error with its causes, and on a second line the hint.
    pub(crate) fn told(&self) -> String {
        let mut text = format!("error: {}", self.without_hint());
        if let Some(hint) = &self.hint {
            text = format!("{text}\n hint: {}", clean(hint));
        }
        text
    }
}

/// For what calls back: an error goes through the library and comes out as it was.
impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.without_hint())
    }
}

impl Error for CliError {}

/// An error with its causes, each once.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

/// A sentence of our own as an error.
#[derive(Debug)]
struct Message(String);

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Message {}

pub(crate) fn message(exit: Exit, text: impl Into<String>) -> CliError {
    CliError::new(exit, Message(text.into()))
}

impl From<BatchError> for CliError {
    fn from(error: BatchError) -> Self {
        let hint = match &error {
            BatchError::NoBatch { .. } => "name the folder of `nightfold batch write`",
            BatchError::Folder { .. } => "name another folder",
            _ => "see to it that the folder is whole, may be written, and no other process uses it",
        };
        Self::new(Exit::Usage, error).hint(hint)
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        let hint = match &error {
            StoreError::Stale { .. } => {
                Some("plan again, by the command that saved the plan; nothing was written")
            }
            StoreError::Model { .. } => {
                Some("vectors of different models cannot be compared; use another store")
            }
            StoreError::Purged { .. } => {
                Some("`nightfold undo --npc NAME` takes back the later nights of an NPC, if there are any")
            }
            StoreError::NewerFormat { .. } => {
                Some("use the version of nightfold that wrote it, or a newer one")
            }
            StoreError::Locked(_) => Some("wait for the other process to finish, then try again"),
            _ => None,
        };
        let cli = Self::new(Exit::Store, error);
        match hint {
            Some(hint) => cli.hint(hint),
            None => cli,
        }
    }
}

impl From<OpenError> for CliError {
    fn from(error: OpenError) -> Self {
        Self::new(Exit::Store, error)
    }
}

impl From<EmbedderError> for CliError {
    fn from(error: EmbedderError) -> Self {
        Self::new(Exit::Model, error)
    }
}

impl From<DataError> for CliError {
    fn from(error: DataError) -> Self {
        let missing = matches!(error, DataError::Missing { .. });
        let cli = Self::new(Exit::Input, error);
        if missing { cli.hint("`nightfold evaluate --help` says which folders are looked into") } else { cli }
    }
}

impl From<SleepError> for CliError {
    fn from(error: SleepError) -> Self {
        match error {
            SleepError::Store(error) => error.into(),
            SleepError::Embedder(error) => error.into(),
            SleepError::Days(error) | SleepError::Taken(error) => match error.downcast::<Self>() {
                Ok(ours) => *ours,
                Err(other) => Self::new(Exit::Usage, other),
            },
            other => Self::new(Exit::Model, other),
        }
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        Self::new(Exit::Usage, error)
    }
}

impl From<serde_json::Error> for CliError {
    fn from(error: serde_json::Error) -> Self {
        if error.is_io() { Self::from(io::Error::from(error)) } else { Self::new(Exit::Input, error) }
    }
}

/// Lists the nights that did not happen; the error of the whole command when there are any. `if_stale` says what to
/// do when all of them met a store that another process wrote to meanwhile.
pub(crate) fn failures(failures: &[Failure], done: usize, if_stale: &str) -> Result<(), CliError> {
    if failures.is_empty() {
        return Ok(());
    }
    eprint!("{}", told_failures(failures));
    let refused = failures.iter().all(|f| matches!(f.error, NightError::Store(_)));
    let exit = match (done, refused) {
        (0, true) => Exit::Store,
        (0, false) => Exit::Input,
        _ => Exit::Partial,
    };
    let nights = count(failures.len() + done, "night", "nights");
    let error = message(exit, format!("{} of {nights} did not happen", failures.len()));
    let stale = failures.iter().all(|f| matches!(f.error, NightError::Store(StoreError::Stale { .. })));
    Err(if stale { error.hint(if_stale) } else { error })
}

/// The nights that did not happen, a line each.
pub(crate) fn told_failures(failures: &[Failure]) -> String {
    failures.iter().map(|failure| format!("error: {}\n", clean(&told_once(failure)))).collect()
}

/// A failure with its causes, without its own heading where the cause names the night itself.
fn told_once(failure: &Failure) -> String {
    match &failure.error {
        NightError::Store(
            StoreError::Stale { .. } | StoreError::Conflict { .. } | StoreError::Theme { .. },
        )
        | NightError::Plan(PlanError::Dangling { .. } | PlanError::NoVector { .. }) => chain(&failure.error),
        _ => chain(failure),
    }
}
