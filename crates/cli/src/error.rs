//! Errors as the user reads them, each with its exit code.

use std::{error::Error, fmt, io, process::ExitCode};

use nightfold::{
    RecallError, RunError,
    memory::{EmbedderError, StoreError, UnknownPack},
};
use nightfold_formats::grouped::SpillError;
use nightfold_store::OpenError;

use crate::{
    stdio::{BrokenPipe, StdoutError},
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
    /// Refused by the store.
    Store = 5,
    /// Part of the work was done, part failed.
    Partial = 6,
    /// An output could not be written, such as on a full disk.
    Output = 7,
    /// Ended by the user; the code that shells give to SIGINT.
    Interrupted = 130,
    /// Standard output was closed before all was written; the code that shells give to SIGPIPE.
    BrokenPipe = 141,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Error as the user reads it.
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

    /// Returns the error with this text that `source` caused.
    pub(crate) fn caused(
        exit: Exit,
        text: impl Into<String>,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self::new(exit, PlainError { text: text.into(), source: Some(source.into()) })
    }

    /// Adds a hint on what to do next.
    #[must_use]
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        self.maybe_hint(Some(hint))
    }

    /// Adds a hint, if there is one.
    #[must_use]
    pub(crate) fn maybe_hint(mut self, hint: Option<impl Into<String>>) -> Self {
        self.hint = hint.map(Into::into);
        self
    }

    /// True if the run that nights were to be written to has ended.
    pub(crate) fn is_of_an_ended_run(&self) -> bool {
        self.store_error().is_some_and(|error| matches!(error, StoreError::RunEnded { .. }))
    }

    /// True if the store or the input was not reached, or the store or a disk of this machine could not be written: nothing is
    /// wrong with the nights.
    pub(crate) fn is_of_the_way(&self) -> bool {
        match self.store_error() {
            Some(error) => matches!(error, StoreError::Backend(_) | StoreError::Locked(_)),
            None => matches!(self.exit, Exit::Output | Exit::Store),
        }
    }

    /// Returns the error of the store that caused this one, if one did.
    fn store_error(&self) -> Option<&StoreError> {
        let mut cause: Option<&(dyn Error + 'static)> = Some(self.error.as_ref());
        while let Some(error) = cause {
            if let Some(found) = error.downcast_ref() {
                return Some(found);
            }
            cause = error.source();
        }
        None
    }

    /// True if standard output was closed by its reader, so that no message is needed.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        is_broken_pipe(self.error.as_ref())
    }

    /// Returns the error with its causes, without the hint, which is for people who type commands.
    pub(crate) fn without_hint(&self) -> String {
        clean_lines(&chain(self.error.as_ref()))
    }

    /// Returns the message for the user: the error with its causes, and on a second line the hint.
    pub(crate) fn message(&self) -> String {
        let mut text = format!("error: {}", self.without_hint());
        if let Some(hint) = &self.hint {
            text = format!("{text}\n hint: {}", clean(hint));
        }
        text
    }
}

/// Lets an error pass through callbacks of the library and come out unchanged.
impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.without_hint())
    }
}

impl Error for CliError {}

/// True if the error is [`BrokenPipe`] or was caused by it, through any library.
fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    // An error of the system gives the cause of its inner error as its own, and so leaves that one out.
    let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    let cause = inner.map(|inner| inner as &(dyn Error + 'static)).or_else(|| error.source());
    error.is::<BrokenPipe>() || cause.is_some_and(is_broken_pipe)
}

/// Returns an error with its causes, each once.
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

/// Error of a sentence, and of its cause.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
struct PlainError {
    text: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// Returns the error that is only a sentence.
pub(crate) fn message(exit: Exit, text: impl Into<String>) -> CliError {
    CliError::new(exit, PlainError { text: text.into(), source: None })
}

/// Hint for a store that another process writes to.
const LOCKED: &str = "another process writes to it: run the same call again, and let it wait longer with --wait 5m; \
                      what is written is skipped";

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
            StoreError::RunEnded { .. } => {
                Some("`nightfold shards show` shows it; the same command begins another run")
            }
            StoreError::NoSavePoint { .. } => Some("`nightfold rewind --store FILE` lists those there are"),
            StoreError::Unreachable { .. } => {
                Some("`nightfold rewind --npc NAME` rewinds the others one by one; nothing was changed")
            }
            StoreError::NewerFormat { .. } => {
                Some("use the version of nightfold that wrote it, or a newer one")
            }
            StoreError::Displaced { .. } => Some(
                "what this call wrote is not there: put the file back that was opened, or restore a backup, and run the \
                 same call again; what is written is skipped",
            ),
            StoreError::Locked(_) => Some(LOCKED),
            StoreError::Damaged { .. } => {
                Some("`nightfold check --store FILE` names all that is damaged; restore a backup")
            }
            _ => None,
        };
        Self::new(Exit::Store, error).maybe_hint(hint)
    }
}

impl From<UnknownPack> for CliError {
    fn from(error: UnknownPack) -> Self {
        Self::new(Exit::Usage, error)
    }
}

impl From<OpenError> for CliError {
    fn from(error: OpenError) -> Self {
        let hint = match &error {
            OpenError::NotAFile(_) | OpenError::Folder(_) => {
                Some("name a file; one that is not there is made by `--apply`")
            }
            OpenError::NotADatabase(_) => Some("name the file that `sleep … --store FILE --apply` made"),
            OpenError::Refused { source: StoreError::Locked(_), .. } => Some(LOCKED),
            _ => None,
        };
        Self::new(Exit::Store, error).maybe_hint(hint)
    }
}

impl From<SpillError> for CliError {
    fn from(error: SpillError) -> Self {
        Self::new(Exit::Output, error)
            .hint("make room there, name another folder in TMPDIR, or raise input.held_bytes")
    }
}

impl From<EmbedderError> for CliError {
    fn from(error: EmbedderError) -> Self {
        Self::new(Exit::Model, error)
    }
}

impl From<RunError> for CliError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Store(error) => error.into(),
            RunError::Embedder(error) => error.into(),
            RunError::Pack(error) => error.into(),
            RunError::Days(error) | RunError::Taken(error) => match error.downcast::<Self>() {
                Ok(ours) => *ours,
                Err(other) => Self::new(Exit::Usage, other),
            },
            other => Self::new(Exit::Model, other),
        }
    }
}

impl From<RecallError> for CliError {
    fn from(error: RecallError) -> Self {
        match error {
            RecallError::Store(error) => error.into(),
            RecallError::Embedder(error) => error.into(),
            RecallError::Pack(error) => error.into(),
            other => Self::new(Exit::Usage, other),
        }
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        let is_of_stdout = error.get_ref().is_some_and(<dyn Error + Send + Sync>::is::<StdoutError>);
        let cli = Self::new(Exit::Output, error);
        if is_of_stdout {
            cli.hint("make room there; what this command stores, or saves in files, it has")
        } else {
            cli
        }
    }
}

impl From<serde_json::Error> for CliError {
    fn from(error: serde_json::Error) -> Self {
        if error.is_io() { Self::from(io::Error::from(error)) } else { Self::new(Exit::Input, error) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_output_is_recognised_through_every_library() {
        let broken = || io::Error::from(BrokenPipe);
        for error in [
            CliError::from(broken()),
            CliError::new(Exit::Usage, BrokenPipe),
            CliError::from(serde_json::Error::io(broken())),
            CliError::from(io::Error::other(io::Error::other(broken()))),
        ] {
            assert!(error.is_broken_pipe(), "{error:?}");
        }
        // A server that hangs up is another matter.
        let pipe = || io::Error::from(io::ErrorKind::BrokenPipe);
        for error in [CliError::from(pipe()), CliError::from(io::Error::other(pipe()))] {
            assert!(!error.is_broken_pipe(), "{error:?}");
        }
    }
}
