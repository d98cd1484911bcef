//! Counts in the text format of Prometheus.

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
};

use nightfold_town::TownStatus;

/// Counts since the server started.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) commands: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) events: AtomicU64,
    pub(crate) nights: AtomicU64,
}

/// Name, help and value of a count of a town.
type Gauge = (&'static str, &'static str, fn(&TownStatus) -> u64);

impl Counters {
    pub(crate) fn add(counter: &AtomicU64, n: usize) {
        counter.fetch_add(n as u64, Ordering::Relaxed);
    }

    /// Writes the counters, and the counts of each town by its id.
    pub(crate) fn text(&self, towns: &[(String, TownStatus)]) -> String {
        let mut text = String::new();
        let totals = [
            ("nightfold_commands_total", "Commands carried out.", &self.commands),
            ("nightfold_refused_total", "Commands refused.", &self.refused),
            ("nightfold_events_total", "Events told.", &self.events),
            ("nightfold_nights_total", "Nights written.", &self.nights),
        ];
        // Writing to a String cannot fail.
        for (name, help, counter) in totals {
            let value = counter.load(Ordering::Relaxed);
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} counter\n{name} {value}");
        }
        let _ = writeln!(
            text,
            "# HELP nightfold_towns Open towns.\n# TYPE nightfold_towns gauge\nnightfold_towns {}",
            towns.len()
        );
        let gauges: [Gauge; 5] = [
            ("nightfold_npcs", "NPCs of a town.", |s| s.npcs as u64),
            ("nightfold_nights_waiting", "Sleeping NPCs that wait for their night.", |s| s.waiting as u64),
            ("nightfold_nights_under_way", "Nights under way.", |s| s.under_way as u64),
            ("nightfold_questions_open", "Questions without an answer.", |s| s.questions as u64),
            ("nightfold_tokens_left", "Tokens left for language models.", |s| s.tokens),
        ];
        for (name, help, value) in gauges {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge");
            for (id, status) in towns {
                let _ = writeln!(text, "{name}{{town=\"{id}\"}} {}", value(status));
            }
        }
        text
    }
}
