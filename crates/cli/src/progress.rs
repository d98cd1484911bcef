//! Progress on standard error: on a terminal a line that is drawn anew, elsewhere a line from time to time, and nothing of a quiet process.

use std::{
    io::{self, IsTerminal as _},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use nightfold::Observer;

use crate::{logging, stdio, terminal::shortened};

/// Least milliseconds between two drawings on a terminal.
const DRAWN_EVERY: u64 = 100;

/// Least milliseconds between two lines where there is no terminal.
const TOLD_EVERY: u64 = 30_000;

/// State of a task, told while it goes on.
struct ProgressLine {
    is_drawn: bool,
    started: Instant,
    /// Milliseconds after the start at which the line was told last.
    told: AtomicU64,
}

impl ProgressLine {
    fn new() -> Self {
        let is_drawn = io::stderr().is_terminal() && !logging::is_quiet() && !logging::is_json();
        Self { is_drawn, started: Instant::now(), told: AtomicU64::new(0) }
    }

    /// Tells the line that `line` makes of the time so far, if it is due.
    fn tell(&self, line: impl FnOnce(Duration) -> String) {
        let elapsed = self.started.elapsed();
        if !is_due(&self.told, elapsed, if self.is_drawn { DRAWN_EVERY } else { TOLD_EVERY }) {
            return;
        }
        let line = line(elapsed);
        if self.is_drawn {
            // One column less than there are, so that the cursor stays in the line.
            stdio::to_stderr(format!("\r{}\x1b[K", shortened(&line, textwrap::termwidth() - 1)).as_bytes());
        } else {
            logging::note(&format!("{line}\n"));
        }
    }
}

/// Takes the line away from the terminal.
impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.is_drawn {
            stdio::to_stderr(b"\r\x1b[K");
        }
    }
}

/// True for one of the threads that ask, once enough milliseconds have passed since the last line.
fn is_due(told: &AtomicU64, elapsed: Duration, every: u64) -> bool {
    let (now, last) = (elapsed.as_millis() as u64, told.load(Ordering::Relaxed));
    now >= last + every && told.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
}

/// Returns a number with its thousands apart.
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns the remaining time, at the average speed so far. The first memories cost most, because every text
/// is new then: the estimate errs towards too long.
fn remaining(elapsed: Duration, done: usize, all: usize) -> String {
    if done == 0 || done >= all {
        return String::new();
    }
    let seconds = elapsed.as_secs_f64() * (all - done) as f64 / done as f64;
    match seconds.round() as u64 {
        left @ 0..90 => format!("; about {left} s left"),
        left @ 90..5_400 => format!("; about {} min left", (left + 30) / 60),
        left => format!("; about {} h left", (left + 1_800) / 3_600),
    }
}

/// Progress of a run of nights, measured in memories.
pub(crate) struct NightsBar {
    line: ProgressLine,
    all: usize,
    memories: AtomicUsize,
    nights: AtomicUsize,
    texts: AtomicUsize,
}

impl NightsBar {
    pub(crate) fn new(memories: usize) -> Self {
        let [done, nights, texts] = [(); 3].map(|()| AtomicUsize::new(0));
        Self { line: ProgressLine::new(), all: memories, memories: done, nights, texts }
    }

    fn update(&self) {
        self.line.tell(|elapsed| {
            let [done, nights, texts] =
                [&self.memories, &self.nights, &self.texts].map(|n| n.load(Ordering::Relaxed));
            format!(
                "slept {} nights, {} of {} memories; {} vectors{}",
                grouped(nights),
                grouped(done),
                grouped(self.all),
                grouped(texts),
                remaining(elapsed, done, self.all)
            )
        });
    }
}

impl Observer for NightsBar {
    fn on_embedded(&self, texts: usize) {
        self.texts.fetch_add(texts, Ordering::Relaxed);
        self.update();
    }

    fn on_nights(&self, nights: usize, memories: usize) {
        self.nights.fetch_add(nights, Ordering::Relaxed);
        self.memories.fetch_add(memories, Ordering::Relaxed);
        self.update();
    }
}

/// Progress of reading; the total is known only at the end.
pub(crate) struct ReadBar {
    line: ProgressLine,
    memories: AtomicUsize,
}

impl ReadBar {
    pub(crate) fn new() -> Self {
        Self { line: ProgressLine::new(), memories: AtomicUsize::new(0) }
    }

    pub(crate) fn read(&self) {
        let read = self.memories.fetch_add(1, Ordering::Relaxed) + 1;
        self.line.tell(|_| format!("read {} memories", grouped(read)));
    }
}

/// Progress of a file, in bytes.
pub(crate) struct BytesBar {
    line: ProgressLine,
    /// Name of the file, told once where there is no terminal.
    what: Mutex<String>,
}

impl BytesBar {
    pub(crate) fn new() -> Self {
        Self { line: ProgressLine::new(), what: Mutex::default() }
    }

    pub(crate) fn show(&self, what: String, done: u64, total: u64) {
        let mut last = self.what.lock().unwrap_or_else(PoisonError::into_inner);
        if *last != what {
            if !self.line.is_drawn {
                logging::note(&format!("{what}\n"));
            }
            *last = what;
        }
        if self.line.is_drawn {
            self.line.tell(|_| format!("{last} {} of {} MB", done.min(total) / 1_000_000, total / 1_000_000));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_at_most_every_half_minute() {
        let told = AtomicU64::new(0);
        let due: Vec<u64> =
            (0..100).filter(|seconds| is_due(&told, Duration::from_secs(*seconds), TOLD_EVERY)).collect();
        assert_eq!(due, [30, 60, 90]);
    }

    #[test]
    fn thousands_are_apart_and_the_remaining_time_is_in_a_readable_unit() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        let left = |all| remaining(Duration::from_secs(10), 10, all);
        assert_eq!(left(10), "");
        assert_eq!(left(50), "; about 40 s left");
        assert_eq!(left(310), "; about 5 min left");
        assert_eq!(left(7_210), "; about 2 h left");
    }
}
