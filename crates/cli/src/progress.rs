//! Progress on standard error: bars on a terminal, elsewhere a line from time to time, and nothing of a quiet process.

use std::{
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use nightfold::Observer;

use crate::logging;

/// Least seconds between two lines where there is no terminal.
const LINE_SECONDS: u64 = 30;

/// A bar, or from time to time a line where there is no terminal to draw it on.
struct Bar {
    drawn: ProgressBar,
    started: Instant,
    /// Seconds after the start at which the last line was told.
    told: AtomicU64,
}

impl Bar {
    fn new(bar: ProgressBar, template: &str) -> Self {
        let bar = drawn(bar);
        bar.set_style(style(template));
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { drawn: bar, started: Instant::now(), told: AtomicU64::new(0) }
    }

    /// Tells a line if no bar is drawn and it is time.
    fn tell(&self, line: impl FnOnce() -> String) {
        if self.drawn.is_hidden() && is_due(&self.told, self.started.elapsed()) {
            logging::note(&format!("{}\n", line()));
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

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Progress of a run of nights, measured in memories.
pub(crate) struct NightsBar {
    bar: Bar,
    nights: AtomicUsize,
    texts: AtomicUsize,
}

impl NightsBar {
    pub(crate) fn new(memories: usize) -> Self {
        let template = "{spinner} {pos}/{len} memories {wide_bar} {msg} {elapsed}, about {eta} left";
        let bar = Bar::new(ProgressBar::new(memories as u64), template);
        Self { bar, nights: AtomicUsize::new(0), texts: AtomicUsize::new(0) }
    }

    pub(crate) fn finish(&self) {
        self.bar.drawn.finish_and_clear();
    }

    fn update(&self) {
        let [nights, texts] = [&self.nights, &self.texts].map(|n| n.load(Ordering::Relaxed));
        let bar = &self.bar.drawn;
        bar.set_message(format!("{nights} nights, {texts} vectors"));
        self.bar.tell(|| {
            let [done, all] = [bar.position(), bar.length().unwrap_or_default()].map(HumanCount);
            let [nights, texts] = [nights, texts].map(|n| HumanCount(n as u64));
            format!("slept {nights} nights, {done} of {all} memories; {texts} vectors")
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
        self.bar.drawn.inc(memories as u64);
        self.update();
    }
}

/// Progress of reading; the total is known only at the end.
pub(crate) struct ReadBar(Bar);

impl ReadBar {
    pub(crate) fn new() -> Self {
        Self(Bar::new(ProgressBar::new_spinner(), "{spinner} {human_pos} memories read {elapsed}"))
    }

    pub(crate) fn read(&self) {
        self.0.drawn.inc(1);
        self.0.tell(|| format!("read {} memories", HumanCount(self.0.drawn.position())));
    }

    pub(crate) fn finish(&self) {
        self.0.drawn.finish_and_clear();
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
                logging::note(&format!("{what}\n"));
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
