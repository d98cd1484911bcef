//! ^C and other signals that ask a process to end.

use std::{
    process,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    error::{CliError, Exit},
    output,
};

/// Flag that the user wants the call to end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(Arc<InterruptFlags>);

#[derive(Debug, Default)]
struct InterruptFlags {
    noted: AtomicBool,
    /// True if nothing is left to finish.
    over: AtomicBool,
}

impl Interrupt {
    /// Starts to listen: the first ^C is noted, the second ends the process, and so does any after the run.
    /// May be called once in a process.
    pub(crate) fn listen() -> Result<Self, CliError> {
        let noted = Self::default();
        let note = noted.clone();
        ctrlc::set_handler(move || {
            if note.0.noted.swap(true, Ordering::Relaxed) || note.0.over.load(Ordering::Relaxed) {
                process::exit(Exit::Interrupted as i32);
            }
            output::note("\nfinishing the nights that are going on; ^C once more ends at once\n");
        })
        .map_err(|error| CliError::new(Exit::Usage, error))?;
        Ok(noted)
    }

    pub(crate) fn is_noted(&self) -> bool {
        self.0.noted.load(Ordering::Relaxed)
    }

    /// Notes that the run has ended: a ^C at a prompt after it ends the process at once.
    pub(crate) fn run_is_over(&self) {
        self.0.over.store(true, Ordering::Relaxed);
    }
}
