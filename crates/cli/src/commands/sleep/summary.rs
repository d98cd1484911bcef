//! `--summary-json` and `--metrics`: the figures of a call, for programs that watch it.

use std::{collections::BTreeMap, fs::File, io::Read as _, path::Path, time::Instant};

use jiff::Timestamp;
use nightfold::{
    StreamOutcome,
    memory::{GameTime, NpcId, NpcNight},
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::{
    args::SleepArgs,
    error::{CliError, Exit},
    escape::harmless_json,
    files_in_use::FilesInUse,
    output::NewFile,
    show::{EndedOnNight, count},
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
    /// Number of memories that were set apart and not slept on: their times are of another clock.
    pub(super) set_apart: u64,
    /// NPCs with such memories, each with the moment of sleep that they do not fit.
    #[serde(skip)]
    pub(super) strays: BTreeMap<NpcId, GameTime>,
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

    /// Takes the figures of a run; `changing` of its nights change something.
    pub(super) fn take(&mut self, ran: &StreamOutcome, changing: usize) {
        let (report, counts) = (&ran.report, &ran.report.counts);
        self.nights = NightCounts {
            written: ran.written as u64,
            failed: ran.failures.len() as u64,
            skipped: report.nights.saturating_sub(changing) as u64,
        };
        (self.npcs, self.memories) = (report.npcs as u64, counts.memories as u64);
        self.set_apart = report.input.stray_times as u64;
        self.entries = EntryCounts {
            pruned: counts.pruned as u64,
            chunked: counts.chunked as u64,
            reflections: counts.reflections as u64,
            important_ended: report.important_ended as u64,
        };
        self.tokens = report.tokens.spent as u64;
    }

    /// Names what was important and ended on a night, and the NPC of memories that were set apart.
    pub(super) fn note(&mut self, night: &NpcNight) {
        if night.report.input.stray_times > 0 {
            let (npc, memories) = (&night.npc, night.report.input.stray_times);
            tracing::warn!(%npc, night = %night.night, memories, "times of another clock: set apart, and not slept on");
            self.strays.insert(npc.clone(), night.at);
        }
        let room = NAMED.saturating_sub(self.important_ended.len());
        self.important_ended.extend(EndedOnNight::of(night).take(room));
    }

    /// Returns a line about the files of the inbox.
    pub(super) fn inbox_line(&self) -> String {
        let FileCounts { moved, left } = self.files;
        format!("inbox: {} moved, {left} left\n", count(moved as usize, "file", "files"))
    }

    /// Returns the figures as Prometheus has them: each number as a gauge, and those of a group with their name as label.
    fn metrics(&self, now: u64, last_success: Option<u64>) -> Result<String, serde_json::Error> {
        let mut text = String::new();
        let mut gauge = |name: &str, values: &[(String, &Value)]| {
            text.push_str(&format!("# TYPE {name} gauge\n"));
            values.iter().for_each(|(label, value)| text.push_str(&format!("{name}{label} {value}\n")));
        };
        gauge("nightfold_sleep_last_run_timestamp_seconds", &[(String::new(), &now.into())]);
        if let Some(last) = last_success {
            gauge(LAST_SUCCESS, &[(String::new(), &last.into())]);
        }
        for (name, value) in serde_json::to_value(self)?.as_object().into_iter().flatten() {
            let name = format!("nightfold_sleep_{name}");
            match value {
                Value::Number(_) => gauge(&name, &[(String::new(), value)]),
                Value::Object(group) => {
                    let labelled = |(key, value)| (format!("{{of=\"{key}\"}}"), value);
                    gauge(&name, &group.iter().map(labelled).collect::<Vec<_>>());
                }
                _ => {}
            }
        }
        Ok(text)
    }
}

/// Files of the figures of a call, checked to be writable before anything is done.
pub(super) struct SummaryFiles {
    json: Option<NewFile>,
    metrics: Option<NewFile>,
    /// Time of the last success, taken from the old metrics file.
    last_success: Option<u64>,
    started: Instant,
}

impl SummaryFiles {
    pub(super) fn prepare(args: &SleepArgs, in_use: &FilesInUse) -> Result<Self, CliError> {
        let in_use = in_use.clone().and(args.plan.as_ref()).and(args.report.as_ref());
        let json = args
            .summary_json
            .as_deref()
            .map(|path| NewFile::prepare(path, &in_use))
            .transpose()?
            .map(|file| file.announced("summary", ""));
        let in_use = in_use.and(args.summary_json.as_ref());
        let metrics = args
            .metrics
            .as_deref()
            .map(|path| NewFile::prepare(path, &in_use))
            .transpose()?
            .map(|file| file.announced("metrics", ""));
        let last_success = args.metrics.as_deref().and_then(last_success);
        Ok(Self { json, metrics, last_success, started: Instant::now() })
    }

    /// Writes the files of a call that ended so, with the figures of its store.
    pub(super) fn write(
        self,
        mut summary: SleepSummary,
        store: Option<&Path>,
        ended: &Result<(), CliError>,
    ) -> Result<(), CliError> {
        if self.json.is_none() && self.metrics.is_none() {
            return Ok(());
        }
        summary.exit_code = match ended {
            Ok(()) => 0,
            Err(error) if error.is_broken_pipe() => Exit::BrokenPipe as u8,
            Err(error) => error.exit as u8,
        };
        summary.seconds = (self.started.elapsed().as_secs_f64() * 1e3).round() / 1e3;
        let counted = store_counts(store).map(|counts| summary.store = counts);
        if let Some(file) = self.json {
            let mut bytes = harmless_json(&summary)?;
            bytes.push(b'\n');
            file.finish(|out| out.write_all(&bytes))?;
        }
        if let Some(file) = self.metrics {
            let now = u64::try_from(Timestamp::now().as_second()).unwrap_or_default();
            let last = if summary.exit_code == 0 { Some(now) } else { self.last_success };
            let metrics = summary.metrics(now, last)?;
            file.finish(|out| out.write_all(metrics.as_bytes()))?;
        }
        counted
    }
}

/// Returns the time of the last success, as an earlier file of metrics has it.
fn last_success(path: &Path) -> Option<u64> {
    let mut text = String::new();
    // A pipe or a device has no earlier call.
    let file = path.is_file().then(|| File::open(path).ok()).flatten()?;
    file.take(READ).read_to_string(&mut text).ok()?;
    text.lines().find_map(|line| line.strip_prefix(LAST_SUCCESS)?.trim().parse().ok())
}

fn store_counts(store: Option<&Path>) -> Result<Option<StoreCounts>, CliError> {
    let Some(store) = store.map(store::if_there).transpose()?.flatten() else { return Ok(None) };
    let stats = store.stats(0)?;
    let bytes = stats.size.bytes + stats.size.log_bytes.unwrap_or_default();
    Ok(Some(StoreCounts { npcs: stats.npcs, active: stats.active, archived: stats.archived, bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_is_a_number_of_a_gauge() {
        let text = SleepSummary::default().metrics(200, Some(200)).unwrap();
        assert!(text.contains("\nnightfold_sleep_nights{of=\"written\"} 0\n"), "{text}");
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (name, value) = line.rsplit_once(' ').unwrap();
            let name = name.split('{').next().unwrap();
            assert!(name.starts_with("nightfold_") && value.parse::<f64>().is_ok(), "{line}");
            assert!(text.contains(&format!("# TYPE {name} gauge\n")));
        }
    }
}
