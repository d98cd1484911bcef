//! Errors as the user reads them, each with its exit code.

use std::{error::Error, fmt, io, process::ExitCode};

use nightfold::{
    Failure, NightError, RunError,
    memory::{EmbedderError, PlanError, StoreError, UnknownPack},
};
use nightfold_formats::grouped::SpillError;
use nightfold_store::OpenError;

use crate::{
    input::InputError,
    logging,
    plural::count,
    stdio::{HungUp, StdoutError},
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
    HungUp = 141,
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

    /// Adds a hint on what to do next.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// True if the run that nights were to be written to has ended.
    pub(crate) fn is_of_an_ended_run(&self) -> bool {
        self.store_error().is_some_and(|error| matches!(error, StoreError::RunEnded { .. }))
    }

    /// True if the store or the input was not reached, or the store or a disk of this machine could not be written: nothing is
    /// wrong with the nights.
    pub(crate) fn is_of_the_way(&self) -> bool {
        let of_input = self.error.downcast_ref().is_some_and(InputError::is_of_the_way);
        of_input
            || self.exit == Exit::Output
            || matches!(self.store_error(), Some(StoreError::Backend(_) | StoreError::Locked(_)))
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
    pub(crate) fn is_hung_up(&self) -> bool {
        is_hung_up(self.error.as_ref())
    }

    pub(crate) fn print(&self) {
        logging::complain(&format!("{}\n", self.message()));
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

/// True if the error is [`HungUp`] or was caused by it, through any library.
fn is_hung_up(error: &(dyn Error + 'static)) -> bool {
    // An error of the system gives the cause of its inner error as its own, and so leaves that one out.
    let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    let cause = inner.map(|inner| inner as &(dyn Error + 'static)).or_else(|| error.source());
    error.is::<HungUp>() || cause.is_some_and(is_hung_up)
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

/// Error that is only a sentence.
#[derive(Debug)]
struct PlainError(String);

impl fmt::Display for PlainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for PlainError {}

pub(crate) fn message(exit: Exit, text: impl Into<String>) -> CliError {
    CliError::new(exit, PlainError(text.into()))
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
                Some("`nightfold run status` shows it; the same command begins another run")
            }
            StoreError::NoSavePoint { .. } => {
                Some("`nightfold save-point --store FILE` lists those there are")
            }
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
        let cli = Self::new(Exit::Store, error);
        match hint {
            Some(hint) => cli.hint(hint),
            None => cli,
        }
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
            OpenError::NotAFile { .. } | OpenError::Folder { .. } => {
                Some("name a file; one that is not there is made by `--apply`")
            }
            OpenError::Refused { source: StoreError::Locked(_), .. } => Some(LOCKED),
            _ => None,
        };
        let cli = Self::new(Exit::Store, error);
        match hint {
            Some(hint) => cli.hint(hint),
            None => cli,
        }
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

/// Prints the nights that failed, and returns the error of the whole command if there are any. `if_stale` is
/// the hint if all of them failed because another process had written to the store meanwhile.
pub(crate) fn failures<'a>(
    failures: impl IntoIterator<Item = &'a Failure>,
    done: usize,
    if_stale: &str,
) -> Result<(), CliError> {
    let failures: Vec<&Failure> = failures.into_iter().collect();
    if failures.is_empty() {
        return Ok(());
    }
    logging::complain(&failure_lines(failures.iter().copied()));
    let refused = failures.iter().all(|f| matches!(f.error, NightError::Store(_)));
    // Nothing is wrong with the input where a fault of the program is to blame.
    let panicked = failures.iter().any(|f| matches!(f.error, NightError::Panicked { .. }));
    let exit = match (done, refused) {
        (0, true) => Exit::Store,
        (0, false) if !panicked => Exit::Input,
        _ => Exit::Partial,
    };
    let nights = count(failures.len() + done, "night", "nights");
    let error = message(exit, format!("{} of {nights} did not happen", failures.len()));
    let stale = failures.iter().all(|f| matches!(f.error, NightError::Store(StoreError::Stale { .. })));
    Err(if stale { error.hint(if_stale) } else { error })
}

/// Returns the failed nights, one per line.
pub(crate) fn failure_lines<'a>(failures: impl IntoIterator<Item = &'a Failure>) -> String {
    failures.into_iter().map(|failure| format!("error: {}\n", clean(&failure_text(failure)))).collect()
}

/// Returns a failure with its causes, without its own heading where the cause names the night itself.
fn failure_text(failure: &Failure) -> String {
    match &failure.error {
        NightError::Store(
            StoreError::Stale { .. } | StoreError::Conflict { .. } | StoreError::Theme { .. },
        )
        | NightError::Plan(
            PlanError::Dangling { .. } | PlanError::NoVector { .. } | PlanError::Unsound { .. },
        )
        | NightError::BeforeLatestNight { .. } => chain(&failure.error),
        _ => chain(failure),
    }
}

#[cfg(test)]
mod tests {
    use nightfold::memory::{NightLabel, NpcId};

    use super::*;

    fn panicked(npc: &str) -> Failure {
        let message = "byte 7 is inside \u{1b}[2J\u{202e}\u{e9}".to_owned();
        let error = NightError::Panicked { step: "the step `synthesize`", message };
        Failure { npc: NpcId::new(npc).unwrap(), night: NightLabel::new("day-3").unwrap(), error }
    }

    #[test]
    fn panic_is_printed_with_its_night_and_without_terminal_control() {
        let text = failure_lines(&[panicked("Ida")]);
        assert!(
            text.starts_with("error: night day-3 of Ida: the step `synthesize` panicked: byte 7"),
            "{text}"
        );
        assert!(text.contains("please report this with the NPC, the night and its memories"), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']) && text.ends_with('\n'), "{text:?}");
    }

    #[test]
    fn panicked_nights_exit_with_partial_failure() {
        for done in [0, 5] {
            let error = failures(&[panicked("Ida"), panicked("Tom")], done, "").unwrap_err();
            assert_eq!(error.exit, Exit::Partial);
        }
    }

    #[test]
    fn closed_output_is_recognised_through_every_library() {
        let hung_up = || io::Error::from(HungUp);
        for error in [
            CliError::from(hung_up()),
            CliError::new(Exit::Usage, HungUp),
            CliError::from(serde_json::Error::io(hung_up())),
            CliError::from(io::Error::other(io::Error::other(hung_up()))),
        ] {
            assert!(error.is_hung_up(), "{error:?}");
        }
        // A server that hangs up is another matter.
        let pipe = || io::Error::from(io::ErrorKind::BrokenPipe);
        for error in [CliError::from(pipe()), CliError::from(io::Error::other(pipe()))] {
            assert!(!error.is_hung_up(), "{error:?}");
        }
    }
}
