//! Results of `nightfold bench`, as a table and as data.

use std::{collections::BTreeMap, time::Duration};

use nightfold::memory::{VectorReport, rounded};
use nightfold_scenario::synthetic::SyntheticTown;
use schemars::JsonSchema;
use serde::Serialize;

use super::meter::{Measurements, peak_bytes};
use crate::show::{TextTable, count};

/// Results of all rounds.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::commands) struct BenchReport {
    /// Number of NPCs.
    npcs: usize,
    /// Number of memories of each NPC.
    memories: usize,
    /// Share of memories that repeat another.
    repeat_share: f64,
    /// Seed of the days.
    seed: u64,
    /// Number of threads of the steps other than embedding.
    threads: usize,
    /// The round with an empty cache of vectors, then the one with a full cache.
    pub(super) rounds: Vec<BenchRound>,
    /// Wall time of the first round divided by that of the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_to_again: Option<f64>,
}

/// Results of one round of all nights.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BenchRound {
    /// `first` or `again`.
    name: &'static str,
    /// Number of nights.
    nights: usize,
    /// Wall time from the first night's start to the last one's end; days are made meanwhile, as the step
    /// `read`.
    seconds: f64,
    /// Processor time of all threads, if the system reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_seconds: Option<f64>,
    /// Nights by wall time.
    nights_per_second: f64,
    /// Time of one NPC's night: the steps done for this night alone, on one thread, and its share of the
    /// steps shared with the nights planned together with it.
    night_ms: Percentiles,
    /// Time of an answer to a question about what an NPC lived, asked after the nights; its vector is at hand if another round
    /// has asked it.
    question_ms: Percentiles,
    /// Wall time of each step in seconds, by name; steps go on side by side.
    steps: BTreeMap<&'static str, f64>,
    /// Wall time in seconds that the products of matrices of the embedded texts take at the rate that ONNX Runtime reaches with
    /// 32-bit matrices on all threads, measured after the round: the least that exact embedding can take. Absent if nothing
    /// was embedded.
    #[serde(skip_serializing_if = "Option::is_none")]
    products_seconds: Option<f64>,
    /// Sources of the vectors.
    vectors: VectorReport,
    /// Peak memory of the process by the end of the round.
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_bytes: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Percentiles {
    /// Median.
    p50: f64,
    /// Value that 99 of 100 do not exceed.
    p99: f64,
}

impl Percentiles {
    fn of(sorted: &[Duration]) -> Self {
        Self { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) }
    }
}

/// Names of the steps in run order.
const STEPS: [&str; 8] = ["read", "past", "collapse", "embed", "triage", "synthesize", "reconcile", "commit"];

impl BenchReport {
    pub(super) fn of(town: &SyntheticTown) -> Self {
        let SyntheticTown { npcs, memories, repeat_share, seed } = *town;
        let threads = rayon::current_num_threads();
        Self { npcs, memories, repeat_share, seed, threads, rounds: Vec::new(), first_to_again: None }
    }

    /// Compares the rounds.
    pub(super) fn compare(&mut self) {
        if let [first, again] = self.rounds.as_slice() {
            self.first_to_again = Some(rounded(first.seconds / again.seconds.max(f64::MIN_POSITIVE)));
        }
    }

    pub(super) fn render(&self) -> String {
        let mut out = format!(
            "{} of {}, {:.0} % of them repeats of the day; seed {}, {}\n",
            count(self.npcs, "NPC", "NPCs"),
            count(self.memories, "memory", "memories"),
            self.repeat_share * 100.0,
            self.seed,
            count(self.threads, "thread", "threads")
        );
        let mut table = TextTable::new(["", "first round", "again, vectors at hand"]);
        let mut row = |name: &str, cell: &dyn Fn(&BenchRound) -> Option<String>| {
            let cells = self.rounds.iter().map(|round| cell(round).unwrap_or_else(|| "-".to_owned()));
            table.row(std::iter::once(name.to_owned()).chain(cells));
        };
        row("nights/s", &|r| Some(format!("{:.1}", r.nights_per_second)));
        row("a night, p50", &|r| Some(format!("{:.2} ms", r.night_ms.p50)));
        row("a night, p99", &|r| Some(format!("{:.2} ms", r.night_ms.p99)));
        row("a question, p50", &|r| Some(format!("{:.2} ms", r.question_ms.p50)));
        row("a question, p99", &|r| Some(format!("{:.2} ms", r.question_ms.p99)));
        row("all nights", &|r| {
            let cpu = r.cpu_seconds.map_or(String::new(), |cpu| format!(", {cpu:.2} CPU"));
            Some(format!("{:.2} s{cpu}", r.seconds))
        });
        for step in STEPS {
            row(&format!("  {step}"), &|r| r.steps.get(step).map(|seconds| format!("{seconds:.2} s")));
        }
        let of_products = |r: &BenchRound, taken: f64| {
            r.products_seconds.map(|least| format!("{:.0} %", 100.0 * least / taken.max(f64::MIN_POSITIVE)))
        };
        row("of the 32-bit rate, embed", &|r| of_products(r, r.steps.get("embed").copied()?));
        row("  all nights", &|r| of_products(r, r.seconds));
        row("distinct texts", &|r| Some(r.vectors.texts.to_string()));
        row("  from the cache", &|r| Some(r.vectors.cached.to_string()));
        row("  embedded", &|r| Some(r.vectors.embedded.to_string()));
        row("peak memory so far", &|r| r.peak_bytes.map(|b| format!("{:.0} MB", b as f64 / 1e6)));
        out.push_str(&table.render());
        if let Some(ratio) = self.first_to_again {
            out.push_str(&format!("the first round took {ratio:.1} times as long as the second\n"));
        }
        out.push_str(
            "a night: its own steps on one thread, and its share of what the nights of its batch did together; read (the \
             days are made) and commit go on beside the others. In seconds on the wall, and of all processors together \
             (CPU). The model is opened by the first text that is embedded. 32-bit rate: what of the time the products of \
             matrices of the embedded texts would take, if nothing else were done.\n",
        );
        out
    }
}

impl BenchRound {
    pub(super) fn of(
        name: &'static str,
        (seconds, cpu): (Duration, Option<Duration>),
        measured: Measurements,
        questions: &[Duration],
        vectors: VectorReport,
        products: Option<Duration>,
    ) -> Self {
        let Measurements { steps, nights, .. } = measured;
        let seconds_of = |time: Duration| rounded(time.as_secs_f64());
        Self {
            name,
            nights: nights.len(),
            seconds: seconds_of(seconds),
            cpu_seconds: cpu.map(seconds_of),
            nights_per_second: rounded(nights.len() as f64 / seconds.as_secs_f64().max(f64::MIN_POSITIVE)),
            night_ms: Percentiles::of(&nights),
            question_ms: Percentiles::of(questions),
            steps: steps.into_iter().map(|(step, time)| (step, seconds_of(time))).collect(),
            products_seconds: products.map(seconds_of),
            vectors,
            peak_bytes: peak_bytes(),
        }
    }
}

/// Returns the percentile at `share` (nearest rank), in milliseconds.
fn percentile(sorted: &[Duration], share: f64) -> f64 {
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.max(1) - 1).map_or(0.0, |night| rounded(night.as_secs_f64() * 1e3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let nights: Vec<Duration> = (1..=200).map(Duration::from_millis).collect();
        let both = |nights: &[Duration]| [0.5, 0.99].map(|share| percentile(nights, share).to_string());
        assert_eq!(both(&nights), ["100", "198"]);
        assert_eq!(both(&nights[..1]), ["1", "1"]);
        assert_eq!(both(&[]), ["0", "0"]);
    }
}
