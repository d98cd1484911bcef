//! Progress bars on standard error; none if standard error is not a terminal.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use nightfold::Observer;

use crate::output;

/// Progress of a run of nights, measured in memories.
pub(crate) struct NightsBar {
    bar: ProgressBar,
    nights: AtomicUsize,
    texts: AtomicUsize,
}

impl NightsBar {
    pub(crate) fn new(memories: usize) -> Self {
        let bar = ProgressBar::new(memories as u64);
        let remaining = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            // Who writes to a terminal that is gone has nobody to tell.
            let _ =
                remaining(state).map(|remaining| write!(out, ", about {} left", HumanDuration(remaining)));
        };
        let template = "{spinner} {pos}/{len} memories {wide_bar} {msg} {elapsed}{remaining}";
        bar.set_style(style(template).with_key("remaining", remaining));
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, nights: AtomicUsize::new(0), texts: AtomicUsize::new(0) }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn update(&self) {
        let [nights, texts] = [&self.nights, &self.texts].map(|n| n.load(Ordering::Relaxed));
        self.bar.set_message(format!("{nights} nights, {texts} vectors"));
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
pub(crate) struct ReadBar(ProgressBar);

impl ReadBar {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        bar.set_style(style("{spinner} {human_pos} memories read {elapsed}"));
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    pub(crate) fn read(&self) {
        self.0.inc(1);
    }

    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Progress of a file, in bytes.
pub(crate) struct BytesBar(ProgressBar);

impl BytesBar {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::new(0);
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
