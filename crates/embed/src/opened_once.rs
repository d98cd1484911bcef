//! Value that is opened at its first use.

use std::sync::{Mutex, OnceLock, PoisonError};

/// Value that is opened by the first thread that needs it; others wait. A failure is returned, and the next use tries again.
#[derive(Debug)]
pub(crate) struct OpenedOnce<T> {
    opened: OnceLock<T>,
    /// Held while the value is opened.
    opening: Mutex<()>,
}

impl<T> OpenedOnce<T> {
    /// Creates a value that is not opened yet.
    pub(crate) fn new() -> Self {
        Self { opened: OnceLock::new(), opening: Mutex::new(()) }
    }

    /// Returns the value if it was opened.
    pub(crate) fn get(&self) -> Option<&T> {
        self.opened.get()
    }

    /// Returns the value, which `open` opens if it is not open yet.
    pub(crate) fn get_or_open<E>(&self, open: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        if let Some(value) = self.opened.get() {
            return Ok(value);
        }
        // Nothing is half done under the lock that a panic could leave behind.
        let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = self.opened.get() {
            return Ok(value);
        }
        let value = open()?;
        Ok(self.opened.get_or_init(|| value))
    }
}
