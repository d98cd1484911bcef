//! Printing of panics: a cleaned line each, and a backtrace at most once.

use std::{
    backtrace::{Backtrace, BacktraceStatus},
    io::{self, Write},
    panic::{self, PanicHookInfo},
    sync::atomic::{AtomicBool, Ordering},
};

use nightfold::catches_panic;

use crate::terminal::{clean, clean_lines};

/// Sets the panic hook of the program. The message of a panic may hold what players wrote, so nothing of it reaches the
/// terminal as it is. Panics that become failures of single nights are listed with these: only the first is told where
/// it happened.
pub(crate) fn set_hook() {
    static WAS_TOLD: AtomicBool = AtomicBool::new(false);
    panic::set_hook(Box::new(|info| {
        let first = !WAS_TOLD.swap(true, Ordering::Relaxed);
        if first || !catches_panic() {
            tell(&line(info));
        }
        if first {
            let backtrace = Backtrace::capture();
            if backtrace.status() == BacktraceStatus::Captured {
                tell(&clean_lines(&backtrace.to_string()));
            }
        }
    }));
}

/// Within a panic there is nobody left to tell of a standard error that is closed.
fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

fn line(info: &PanicHookInfo<'_>) -> String {
    let message = info.payload_as_str().unwrap_or("without words");
    let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    clean(&format!("panic at {place}: {message}")).into_owned()
}
