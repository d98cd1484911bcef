//! Progress on standard error: bars on a terminal, elsewhere a line from time to time, and nothing of a quiet process.

use std::{
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use nightfold::Observer;

use crate::{logging, output};

/// Least seconds between two lines where there is no terminal.
const LINE_SECONDS: u64 = 30;

/// Lines about a task, where there is no terminal to draw a bar on.
struct ProgressLines {
    started: Instant,
    /// Seconds after the start at which the last line was told.
    told: AtomicU64,
}

impl ProgressLines {
    /// Returns the lines that stand for a bar, if it is not drawn.
    fn instead_of(bar: &ProgressBar) -> Option<Self> {
        bar.is_hidden().then(|| Self { started: Instant::now(), told: AtomicU64::new(0) })
    }

    fn tell(&self, line: impl FnOnce() -> String) {
        if is_due(&self.told, self.started.elapsed()) {
            output::note(&format!("{}\n", line()));
        }
    }
}

/// True for one of the threads that ask, once enough time has passed since the last line.
fn is_due(told: &AtomicU64, elapsed: Duration) -> bool {
    let (now, last) = (elapsed.as_secs(), told.load(Ordering::Relaxed));
    now >= last + LINE_SECONDS
        && told.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
}

/// Returns a bar that is drawn on a terminal for people alone.
fn drawn(bar: ProgressBar) -> ProgressBar {
    if logging::is_quiet() || logging::is_json() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar
}

/// Progress of a run of nights, measured in memories.
pub(crate) struct NightsBar {
    bar: ProgressBar,
    lines: Option<ProgressLines>,
    nights: AtomicUsize,
    texts: AtomicUsize,
}

impl NightsBar {
    pub(crate) fn new(memories: usize) -> Self {
        let bar = drawn(ProgressBar::new(memories as u64));
        let remaining = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            // Who writes to a terminal that is gone has nobody to tell.
            let _ =
                remaining(state).map(|remaining| write!(out, ", about {} left", HumanDuration(remaining)));
        };
        let template = "{spinner} {pos}/{len} memories {wide_bar} {msg} {elapsed}{remaining}";
        bar.set_style(style(template).with_key("remaining", remaining));
        bar.enable_steady_tick(Duration::from_millis(200));
        let lines = ProgressLines::instead_of(&bar);
        Self { bar, lines, nights: AtomicUsize::new(0), texts: AtomicUsize::new(0) }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn update(&self) {
        let [nights, texts] = [&self.nights, &self.texts].map(|n| n.load(Ordering::Relaxed));
        let Some(lines) = &self.lines else {
            return self.bar.set_message(format!("{nights} nights, {texts} vectors"));
        };
        lines.tell(|| {
            let memories = [self.bar.position(), self.bar.length().unwrap_or_default()].map(HumanCount);
            let [nights, texts] = [nights, texts].map(|n| HumanCount(n as u64));
            format!("slept {nights} nights, {} of {} memories; {texts} vectors", memories[0], memories[1])
        });
    }
}

/// Returns the remaining time, at the average speed so far. The first memories cost most, because every text
/// is new then: the estimate errs towards too long.
fn remaining(state: &ProgressState) -> Option<Duration> {
    let (done, all) = (state.pos(), state.len()?);
    (done > 0).then(|| state.elapsed().mul_f64(all.saturating_sub(done) as f64 / done as f64))
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Observer for NightsBar {
    fn on_embedded(&self, texts: usize) {
        self.texts.fetch_add(texts, Ordering::Relaxed);
        self.update();
    }

    fn on_nights(&self, nights: usize, memories: usize) {
        self.nights.fetch_add(nights, Ordering::Relaxed);
        self.bar.inc(memories as u64);
        self.update();
    }
}

/// Progress of reading; the total is known only at the end.
pub(crate) struct ReadBar {
    bar: ProgressBar,
    lines: Option<ProgressLines>,
}

impl ReadBar {
    pub(crate) fn new() -> Self {
        let bar = drawn(ProgressBar::new_spinner());
        bar.set_style(style("{spinner} {human_pos} memories read {elapsed}"));
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { lines: ProgressLines::instead_of(&bar), bar }
    }

    pub(crate) fn read(&self) {
        self.bar.inc(1);
        if let Some(lines) = &self.lines {
            lines.tell(|| format!("read {} memories", HumanCount(self.bar.position())));
        }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Progress of a file, in bytes.
pub(crate) struct BytesBar(ProgressBar);

impl BytesBar {
    pub(crate) fn new() -> Self {
        let bar = drawn(ProgressBar::new(0));
        bar.set_style(style("{spinner} {msg} {wide_bar} {bytes}/{total_bytes}"));
        Self(bar)
    }

    pub(crate) fn show(&self, what: String, done: u64, total: u64) {
        if self.0.message() != what {
            // Without a terminal there is no bar: say at least what is going on.
            if self.0.is_hidden() {
                output::note(&format!("{what}\n"));
            }
            self.0.set_message(what);
        }
        self.0.set_length(total);
        self.0.set_position(done.min(total));
    }

    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_at_most_every_half_minute() {
        let told = AtomicU64::new(0);
        let due: Vec<u64> = (0..100).filter(|seconds| is_due(&told, Duration::from_secs(*seconds))).collect();
        assert_eq!(due, [30, 60, 90]);
    }
}
