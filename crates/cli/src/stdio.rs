//! Standard output and standard error, whose readers may hang up.

use std::io::{self, Write};

/// Standard output, whose reader may hang up at any time, as in `nightfold list | head`. All output of the
/// program goes through here: writing then fails with [`BrokenPipe`], which ends the program silently.
#[derive(Debug)]
pub(crate) struct Stdout(io::Stdout);

pub(crate) fn stdout() -> Stdout {
    Stdout(io::stdout())
}

/// Error of writing to standard output, or another pipe, whose reader has hung up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nobody reads the output any more")]
pub(crate) struct BrokenPipe;

impl From<BrokenPipe> for io::Error {
    fn from(error: BrokenPipe) -> Self {
        Self::new(io::ErrorKind::BrokenPipe, error)
    }
}

/// Error of writing to standard output, such as to a file on a full disk.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to standard output")]
pub(crate) struct StdoutError(#[source] io::Error);

fn to_stdout<T>(done: io::Result<T>) -> io::Result<T> {
    done.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => BrokenPipe.into(),
        // Whoever writes tries again.
        io::ErrorKind::Interrupted => error,
        kind => io::Error::new(kind, StdoutError(error)),
    })
}

/// Returns the result of writing to a pipe, with [`BrokenPipe`] for a broken pipe.
pub(crate) fn to_pipe<T>(done: io::Result<T>) -> io::Result<T> {
    done.map_err(|error| if error.kind() == io::ErrorKind::BrokenPipe { BrokenPipe.into() } else { error })
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        to_stdout(self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        to_stdout(self.0.flush())
    }
}

/// Writes to standard error. Failures are ignored, since there is no other place to report them; `eprintln!` would
/// panic.
pub(crate) fn to_stderr(bytes: &[u8]) {
    let _ = io::stderr().lock().write_all(bytes);
}
