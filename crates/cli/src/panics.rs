//! Printing of panics: a cleaned line each, and a backtrace at most once.

use std::{
    backtrace::{Backtrace, BacktraceStatus},
    panic::{self, PanicHookInfo},
    sync::atomic::{AtomicBool, Ordering},
};

use nightfold::catches_panic;

use crate::{
    logging,
    terminal::{clean, clean_lines},
};

/// Sets the panic hook of the program. The message of a panic may hold what players wrote, so it is cleaned
/// before it reaches the terminal. Panics that become failures of single nights are listed with these: only
/// the first is printed with its place.
pub(crate) fn set_hook() {
    static WAS_PRINTED: AtomicBool = AtomicBool::new(false);
    panic::set_hook(Box::new(|info| {
        let first = !WAS_PRINTED.swap(true, Ordering::Relaxed);
        if first || !catches_panic() {
            print(&line(info));
        }
        if first {
            let backtrace = Backtrace::capture();
            if backtrace.status() == BacktraceStatus::Captured {
                print(&clean_lines(&backtrace.to_string()));
            }
        }
    }));
}

fn print(line: &str) {
    logging::complain(&format!("{line}\n"));
}

fn line(info: &PanicHookInfo<'_>) -> String {
    let message = info.payload_as_str().unwrap_or("without words");
    let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    clean(&format!("panic at {place}: {message}")).into_owned()
}
