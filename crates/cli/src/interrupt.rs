//! ^C, and what else asks a process to end.

use std::{
    process,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::error::{CliError, Exit};

/// Whether the user wants the call to end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on: the first ^C is noted, the second ends the process. Once a process.
    pub(crate) fn listen() -> Result<Self, CliError> {
        let noted = Self::default();
        let note = noted.clone();
        ctrlc::set_handler(move || {
            if note.0.swap(true, Ordering::Relaxed) {
                process::exit(Exit::Interrupted as i32);
            }
            eprintln!("\nfinishing the nights that are going on; ^C once more ends at once");
        })
        .map_err(|error| CliError::new(Exit::Usage, error))?;
        Ok(noted)
    }

    pub(crate) fn is_noted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
