//! Work on a file that is not trusted, by a library that panics if a file contradicts itself.

use std::{
    any::Any,
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

use super::ParquetProblem;

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Does the work. A panic becomes a problem of the file and is not printed; the data that was worked on must not be used
/// after that.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, ParquetProblem> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let told = panic::take_hook();
        panic::set_hook(Box::new(move |what| {
            if !IS_GUARDED.get() {
                told(what);
            }
        }));
    });
    let before = IS_GUARDED.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(before);
    done.map_err(|panic| ParquetProblem::Contradiction(words(&*panic)))
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("it cannot be read").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panic_while_reading_columns_becomes_an_error() {
        assert_eq!(guarded(|| 1).unwrap(), 1);
        let problem = guarded(|| panic!("level {} of 2", 3)).unwrap_err();
        assert_eq!(problem.to_string(), "the columns contradict themselves: level 3 of 2");
        assert!(!IS_GUARDED.get());
    }
}
