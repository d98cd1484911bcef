//! ^C, and what else asks a process to end.

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

/// Whether the user wants the call to end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(Arc<Seen>);

#[derive(Debug, Default)]
struct Seen {
    noted: AtomicBool,
    /// There is nothing left to finish.
    over: AtomicBool,
}

impl Interrupt {
    /// Listens from now on: the first ^C is noted, the second ends the process, and so does any after the run. Once a
    /// process.
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

    /// The run has ended: who is asked something now, and presses ^C, wants to be gone.
    pub(crate) fn run_is_over(&self) {
        self.0.over.store(true, Ordering::Relaxed);
    }
}
