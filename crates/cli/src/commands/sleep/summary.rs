//! `--summary-json` and `--metrics`: the figures of a call, for programs that watch it.

use std::{fmt::Write as _, fs::File, io::Read as _, path::Path, time::Instant};

use jiff::Timestamp;
use nightfold::{StreamOutcome, memory::NpcNight};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    args::SleepArgs,
    error::{CliError, Exit},
    files_in_use::FilesInUse,
    output::{self, NewFile},
    show::EndedOnNight,
    store,
};

/// Name of the moment of the last success, which is carried from one file of metrics to the next.
const LAST_SUCCESS: &str = "nightfold_sleep_last_success_timestamp_seconds";

/// Number of important entries that ended and are named.
const NAMED: usize = 100;

/// Bytes of an earlier file of metrics that are read.
const READ: u64 = 1 << 16;

/// Figures of a call of `sleep`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(in crate::commands) struct SleepSummary {
    /// Number of the run in the store; `null` if nothing was to be written, or it failed before.
    pub(super) run: Option<u64>,
    /// True if the nights were to be written.
    applied: bool,
    /// Nights of the call.
    pub(super) nights: NightCounts,
    /// Number of NPCs with a night.
    npcs: u64,
    /// Number of memories read.
    memories: u64,
    /// Changed entries.
    entries: EntryCounts,
    /// Names of the first hundred of `entries.important_ended`.
    important_ended: Vec<EndedOnNight>,
    /// Tokens that a language model was paid with.
    tokens: u64,
    /// Files of the inbox.
    pub(super) files: FileCounts,
    /// Figures of the store after the call; `null` without one.
    store: Option<StoreCounts>,
    /// Wall-clock seconds of the call.
    seconds: f64,
    /// Exit code of the call.
    exit_code: u8,
}

/// Nights of a call.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct NightCounts {
    /// Number of nights written to the store.
    pub(super) written: u64,
    /// Number of nights that failed.
    pub(super) failed: u64,
    /// Nights that change nothing, such as those that were slept on before.
    pub(super) skipped: u64,
}

/// Entries that a call changed.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct EntryCounts {
    /// Number of memories pruned.
    pruned: u64,
    /// Number of memories synthesized.
    chunked: u64,
    /// Number of reflections added.
    reflections: u64,
    /// Number of important memories and entries that were superseded or lost a position.
    important_ended: u64,
}

/// Files of an inbox.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct FileCounts {
    /// Number of files moved to the folder of `--done`.
    pub(super) moved: u64,
    /// Number of files left in the inbox.
    pub(super) left: u64,
}

/// Figures of a store.
#[derive(Debug, Serialize, JsonSchema)]
struct StoreCounts {
    /// Number of NPCs with a night in force.
    npcs: u64,
    /// Number of active entries.
    active: u64,
    /// Number of archived entries.
    archived: u64,
    /// Size of the store.
    bytes: u64,
}

impl SleepSummary {
    /// Returns the summary of a call that has done nothing yet.
    pub(super) fn new(applied: bool) -> Self {
        Self { applied, ..Self::default() }
    }

    /// Takes the figures of a run of which `changing` nights change something.
    pub(super) fn take(&mut self, ran: &StreamOutcome, changing: usize) {
        let (report, counts) = (&ran.report, &ran.report.counts);
        self.nights = NightCounts {
            written: ran.written as u64,
            failed: ran.failures.len() as u64,
            skipped: report.nights.saturating_sub(changing) as u64,
        };
        (self.npcs, self.memories) = (report.npcs as u64, counts.memories as u64);
        self.entries = EntryCounts {
            pruned: counts.pruned as u64,
            chunked: counts.chunked as u64,
            reflections: counts.reflections as u64,
            important_ended: report.important_ended as u64,
        };
        self.tokens = report.tokens.spent as u64;
    }

    /// Names what was important and ended on a night.
    pub(super) fn name_ended(&mut self, night: &NpcNight) {
        let room = NAMED.saturating_sub(self.important_ended.len());
        self.important_ended.extend(EndedOnNight::of(night).take(room));
    }

    /// Returns the figures as Prometheus has them.
    fn metrics(&self, now: u64, last_success: Option<u64>) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let mut add = |name: &str, help: &str, values: &[(&str, String)]| {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge");
            for (labels, value) in values {
                let _ = writeln!(text, "{name}{labels} {value}");
            }
        };
        let mut one = |name: &str, help: &str, value: String| add(name, help, &[("", value)]);
        one("nightfold_sleep_last_run_timestamp_seconds", "End of the last call.", now.to_string());
        if let Some(last) = last_success {
            one(LAST_SUCCESS, "End of the last call without an error.", last.to_string());
        }
        one("nightfold_sleep_exit_code", "Exit code of the last call.", self.exit_code.to_string());
        one("nightfold_sleep_duration_seconds", "Duration of the last call.", format!("{:.3}", self.seconds));
        one("nightfold_sleep_npcs", "NPCs of the last call.", self.npcs.to_string());
        one("nightfold_sleep_memories", "Memories slept on in the last call.", self.memories.to_string());
        one("nightfold_sleep_tokens", "Tokens spent in the last call.", self.tokens.to_string());
        let NightCounts { written, failed, skipped } = &self.nights;
        add(
            "nightfold_sleep_nights",
            "Nights of the last call.",
            &[
                ("{outcome=\"written\"}", written.to_string()),
                ("{outcome=\"failed\"}", failed.to_string()),
                ("{outcome=\"skipped\"}", skipped.to_string()),
            ],
        );
        let EntryCounts { pruned, chunked, reflections, important_ended } = &self.entries;
        add(
            "nightfold_sleep_entries",
            "Entries that the last call changed.",
            &[
                ("{change=\"pruned\"}", pruned.to_string()),
                ("{change=\"chunked\"}", chunked.to_string()),
                ("{change=\"reflections\"}", reflections.to_string()),
                ("{change=\"important_ended\"}", important_ended.to_string()),
            ],
        );
        add(
            "nightfold_sleep_inbox_files",
            "Files of the inbox in the last call.",
            &[
                ("{outcome=\"moved\"}", self.files.moved.to_string()),
                ("{outcome=\"left\"}", self.files.left.to_string()),
            ],
        );
        if let Some(store) = &self.store {
            add("nightfold_store_npcs", "NPCs of the store.", &[("", store.npcs.to_string())]);
            add(
                "nightfold_store_entries",
                "Entries of the store.",
                &[
                    ("{state=\"active\"}", store.active.to_string()),
                    ("{state=\"archived\"}", store.archived.to_string()),
                ],
            );
            add("nightfold_store_bytes", "Size of the store and its log.", &[("", store.bytes.to_string())]);
        }
        text
    }
}

/// Files of the figures of a call, checked to be writable before anything is done.
pub(super) struct SummaryFiles {
    json: Option<NewFile>,
    metrics: Option<NewFile>,
    /// Moment of the last success, by the metrics that are replaced.
    last_success: Option<u64>,
}

impl SummaryFiles {
    pub(super) fn prepare(args: &SleepArgs, in_use: &FilesInUse) -> Result<Self, CliError> {
        let in_use = in_use.clone().and(args.plan.as_ref()).and(args.report.as_ref());
        let json = args.summary_json.as_deref().map(|path| NewFile::prepare(path, &in_use)).transpose()?;
        let in_use = in_use.and(args.summary_json.as_ref());
        let metrics = args.metrics.as_deref().map(|path| NewFile::prepare(path, &in_use)).transpose()?;
        Ok(Self { json, metrics, last_success: args.metrics.as_deref().and_then(last_success) })
    }

    /// Writes the files of a call that ended so, and returns its end. An error of the call itself comes first.
    pub(super) fn write(
        self,
        mut summary: SleepSummary,
        (args, started): (&SleepArgs, Instant),
        ended: Result<(), CliError>,
    ) -> Result<(), CliError> {
        if self.json.is_none() && self.metrics.is_none() {
            return ended;
        }
        summary.exit_code = match &ended {
            Ok(()) => 0,
            Err(error) if error.is_hung_up() => Exit::HungUp as u8,
            Err(error) => error.exit as u8,
        };
        summary.seconds = (started.elapsed().as_secs_f64() * 1e3).round() / 1e3;
        let counted = store_counts(args).map(|counts| summary.store = counts);
        let written = self.write_files(&summary);
        match (ended, written) {
            (Ok(()), written) => written.and(counted),
            (ended, written) => {
                // Told as well; the exit code is that of the call.
                written.err().iter().for_each(CliError::print);
                ended
            }
        }
    }

    fn write_files(self, summary: &SleepSummary) -> Result<(), CliError> {
        if let Some(file) = self.json {
            let mut bytes = output::harmless_json(summary)?;
            bytes.push(b'\n');
            file.finish(|out| out.write_all(&bytes))?;
        }
        if let Some(file) = self.metrics {
            let now = u64::try_from(Timestamp::now().as_second()).unwrap_or_default();
            let last = if summary.exit_code == 0 { Some(now) } else { self.last_success };
            file.finish(|out| out.write_all(summary.metrics(now, last).as_bytes()))?;
        }
        Ok(())
    }
}

/// Returns the moment of the last success, as an earlier file of metrics has it.
fn last_success(path: &Path) -> Option<u64> {
    let mut text = String::new();
    // A pipe or a device has no earlier call.
    let file = path.is_file().then(|| File::open(path).ok()).flatten()?;
    file.take(READ).read_to_string(&mut text).ok()?;
    text.lines().find_map(|line| line.strip_prefix(LAST_SUCCESS)?.trim().parse().ok())
}

fn store_counts(args: &SleepArgs) -> Result<Option<StoreCounts>, CliError> {
    let Some(store) = args.store.as_deref().map(store::if_there).transpose()?.flatten() else {
        return Ok(None);
    };
    let stats = store.stats(0)?;
    let bytes = stats.size.bytes + stats.size.log_bytes.unwrap_or_default();
    Ok(Some(StoreCounts { npcs: stats.npcs, active: stats.active, archived: stats.archived, bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_success_is_kept_by_calls_that_fail() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nightfold.prom");
        assert_eq!(last_success(&path), None);
        let summary = SleepSummary { exit_code: 5, ..SleepSummary::default() };
        std::fs::write(&path, summary.metrics(200, Some(100))).unwrap();
        assert_eq!(last_success(&path), Some(100));
        assert!(!summary.metrics(200, None).contains("success"), "a success that never was has no moment");
    }

    #[test]
    fn every_figure_has_its_help_and_its_type() {
        let text = SleepSummary::default().metrics(200, Some(200));
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (name, value) = line.rsplit_once(' ').unwrap();
            let name = name.split('{').next().unwrap();
            assert!(name.starts_with("nightfold_") && value.parse::<f64>().is_ok(), "{line}");
            assert!(
                text.contains(&format!("# HELP {name} ")) && text.contains(&format!("# TYPE {name} gauge\n"))
            );
        }
    }
}
