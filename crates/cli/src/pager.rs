//! Pager for a text that is longer than the screen.

use std::{
    env,
    io::{self, IsTerminal as _, Write},
    process::{Child, ChildStdin, Command, Stdio},
};

use crate::{
    error::CliError,
    logging::has_pager,
    stdio::{stdout, to_pipe},
};

/// Options of `less` unless the environment has others: it ends by itself if all fits on the screen, shows colours, and
/// leaves what it showed.
const LESS: &str = "FRX";

/// Lets `write` write to a pager if standard output is a terminal, else to standard output. The pager is the program
/// of `NIGHTFOLD_PAGER` or `PAGER`, or else `less`; an empty value, `cat` and `--no-pager` mean none.
pub(crate) fn paged(write: impl FnOnce(&mut dyn Write) -> Result<(), CliError>) -> Result<(), CliError> {
    let Some((mut pager, pipe)) = start() else { return write(&mut stdout()) };
    let mut pipe = PagerPipe(pipe);
    let written = write(&mut pipe);
    drop(pipe);
    // It ends when its user has read enough; how is of no interest.
    let _ = pager.wait();
    match written {
        Err(error) if error.is_broken_pipe() => Ok(()),
        done => done,
    }
}

/// Starts the pager; none if there is no use for one, or none can be started.
fn start() -> Option<(Child, ChildStdin)> {
    if !has_pager() || !io::stdout().is_terminal() {
        return None;
    }
    let named = ["NIGHTFOLD_PAGER", "PAGER"].iter().find_map(|name| env::var(name).ok());
    let command = named.unwrap_or_else(|| "less".to_owned());
    let mut words = command.split_whitespace();
    let program = words.next().filter(|program| *program != "cat")?;
    let mut pager = Command::new(program);
    pager.args(words).stdin(Stdio::piped());
    if env::var_os("LESS").is_none() {
        pager.env("LESS", LESS);
    }
    let mut pager = pager.spawn().ok()?;
    let pipe = pager.stdin.take()?;
    Some((pager, pipe))
}

/// Input of a pager, which may end before all is written.
struct PagerPipe(ChildStdin);

impl Write for PagerPipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        to_pipe(self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        to_pipe(self.0.flush())
    }
}
