//! Progress bars on standard error; none when it is no terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use nightfold::Observer;

/// How a run of nights gets on.
pub(crate) struct NightsBar(ProgressBar);

impl NightsBar {
    pub(crate) fn new(nights: usize) -> Self {
        let bar = ProgressBar::new(nights as u64);
        bar.set_style(style("{spinner} {pos}/{len} nights {wide_bar} {msg} {elapsed}"));
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Observer for NightsBar {
    fn embedded(&self, texts: usize) {
        let before: usize = self.0.message().split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        self.0.set_message(format!("{} vectors", before + texts));
    }

    fn nights(&self, nights: usize) {
        self.0.inc(nights as u64);
    }
}

/// How a file gets on, in bytes.
pub(crate) struct BytesBar(ProgressBar);

impl BytesBar {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::new(0);
        bar.set_style(style("{spinner} {msg} {wide_bar} {bytes}/{total_bytes}"));
        Self(bar)
    }

    pub(crate) fn tell(&self, what: String, done: u64, total: u64) {
        if self.0.message() != what {
            // Without a terminal there is no bar: say at least what is going on.
            if self.0.is_hidden() {
                eprintln!("{what}");
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
