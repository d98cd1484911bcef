//! Panics as errors, so that a step that panics fails only its own night.

use std::{
    any::Any,
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Maximum number of characters of a panic's message that are kept.
const MAX_CHARS: usize = 200;

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Calls `work` and returns the message of its panic, up to 200 characters, as an error. Values that `work` was
/// changing must not be used after a panic. The process's panic hook is left alone and called as ever; with
/// `panic = "abort"` the process ends, and nothing is caught.
///
/// ```
/// use nightfold::catch_panic;
///
/// assert_eq!(catch_panic(|| 6 * 7), Ok(42));
/// ```
///
/// # Errors
/// The message of the panic. It may contain text that players wrote.
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let before = IS_GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(before);
    done.map_err(|panic| message(&*panic))
}

/// Returns true while this thread runs inside [`catch_panic`], so that a panic hook need not report the panic.
pub fn catches_panic() -> bool {
    IS_GUARDED.get()
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without words");
    text.chars().take(MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caught_panic_returns_its_truncated_message() {
        let long = "\u{e9}".repeat(1_000);
        assert_eq!(catch_panic(|| panic!("{long}")), Err::<(), _>("\u{e9}".repeat(MAX_CHARS)));
        assert_eq!(catch_panic(|| panic!("words")), Err::<(), _>("words".to_owned()));
        assert_eq!(catch_panic(|| std::panic::panic_any(1)), Err::<(), _>("without words".to_owned()));
        assert!(!catches_panic() && catch_panic(catches_panic) == Ok(true));
    }
}
