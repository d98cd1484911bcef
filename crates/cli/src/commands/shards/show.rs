//! `nightfold shards show` and `end`: runs that workers share.

use nightfold_store::{DurableStore, ShardState, ShardStatus, SharedRunStatus, SharedRuns};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    args::{EndArgs, RunsArgs},
    error::{CliError, Exit, message},
    output,
    show::count,
    store,
    terminal::clean,
};

fn shared(store: &dyn DurableStore) -> Result<&dyn SharedRuns, CliError> {
    store.shared().ok_or_else(|| {
        message(Exit::Usage, "workers share runs on a server, and this store is a file")
            .hint("give --store postgres://USER@HOST/DATABASE")
    })
}

pub(super) fn run(args: &RunsArgs, verbose: bool) -> Result<(), CliError> {
    let store = store::read_only(&args.read.store)?;
    let runs = shared(store.as_ref())?.shared_runs(args.last.into())?;
    if args.read.json {
        return output::json(&runs.iter().map(RunView::of).collect::<Vec<_>>());
    }
    if runs.is_empty() {
        return output::text("no run yet: `nightfold sleep PACK --store postgres://… --apply` begins one\n");
    }
    let texts: Vec<String> = runs.iter().map(|run| status_text(run, verbose)).collect();
    output::text(&texts.join("\n"))
}

pub(super) fn end(args: &EndArgs) -> Result<(), CliError> {
    let store = store::existing(&args.write.store, args.write.wait, None)?;
    if !shared(store.as_ref())?.close_run(args.run)? {
        return Err(message(Exit::Usage, format!("there is no shared run {}", args.run))
            .hint("`nightfold shards show --last 10` lists the latest"));
    }
    output::text(&format!("run {} has ended; what it wrote is in the store\n", args.run))
}

/// A run as JSON.
#[derive(Serialize, JsonSchema)]
pub(in crate::commands) struct RunView<'a> {
    /// Number of the run.
    run: u64,
    /// Identity of the input in words.
    subject: &'a str,
    /// Seconds since the run began, to one decimal.
    seconds: f64,
    /// True if it was ended by hand.
    ended: bool,
    /// True if nights of the run were undone.
    taken_back: bool,
    /// Number of shards.
    shards: usize,
    /// Number of shards that no worker has taken.
    open: usize,
    /// Number of shards that a worker has now.
    leased: usize,
    /// Number of shards that are slept to their end.
    done: usize,
    /// Number of shards that failed.
    failed: usize,
    /// Number of nights slept.
    nights: u64,
    /// Number of nights of the run that are in force, whoever wrote them.
    written: u64,
    /// Number of nights that failed.
    failed_nights: u64,
    /// Leases that ran out, or whose worker failed.
    lost: u64,
    /// Shards that are leased or failed.
    unfinished: Vec<ShardView<'a>>,
}

/// A shard that is not done, as JSON.
#[derive(Serialize, JsonSchema)]
struct ShardView<'a> {
    /// Number of the shard, from 0.
    shard: u32,
    /// `leased`, `lost` (the lease has run out) or `failed`.
    #[schemars(extend("enum" = ["leased", "lost", "failed"]))]
    state: &'static str,
    /// Number of times that it was leased.
    turns: u64,
    /// Worker that has or had the last lease.
    worker: Option<&'a str>,
    /// Seconds that the last lease took, or takes so far, to one decimal.
    seconds: f64,
    /// Seconds until the lease runs out; negative if it has run out, `null` without a lease.
    lease_seconds: Option<f64>,
    /// Reason of the failure.
    problem: Option<&'a str>,
}

impl<'a> RunView<'a> {
    fn of(run: &'a SharedRunStatus) -> Self {
        let of_state = |state| run.shards.iter().filter(|shard| shard.state == state).count();
        let sum = |of: fn(&ShardStatus) -> u64| run.shards.iter().map(of).sum();
        let unfinished = run
            .shards
            .iter()
            .filter(|shard| shard.state == ShardState::Failed || shard.state == ShardState::Leased);
        Self {
            run: run.run,
            subject: &run.subject,
            seconds: rounded(run.seconds),
            ended: run.closed,
            taken_back: run.taken_back,
            shards: run.shards.len(),
            open: of_state(ShardState::Open),
            leased: of_state(ShardState::Leased),
            done: of_state(ShardState::Done),
            failed: of_state(ShardState::Failed),
            nights: sum(|shard| shard.outcome.nights),
            written: run.written,
            failed_nights: sum(|shard| shard.outcome.failed),
            lost: sum(|shard| shard.lost),
            unfinished: unfinished.map(ShardView::of).collect(),
        }
    }

    /// Returns the seconds that are left at the pace so far; none if there is no pace yet.
    fn seconds_left(&self, run: &SharedRunStatus) -> Option<f64> {
        let done = run.shards.iter().filter(|shard| shard.state == ShardState::Done);
        let took: f64 = done.map(|shard| shard.seconds).sum();
        let left = (self.open + self.leased) as f64;
        (self.done > 0 && self.leased > 0).then(|| took / self.done as f64 * left / self.leased as f64)
    }
}

impl<'a> ShardView<'a> {
    fn of(shard: &'a ShardStatus) -> Self {
        Self {
            shard: shard.shard,
            state: state(shard),
            turns: shard.turns,
            worker: shard.worker.as_deref(),
            seconds: rounded(shard.seconds),
            lease_seconds: shard.lease_seconds.map(rounded),
            problem: shard.outcome.problem.as_deref(),
        }
    }
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}

/// Returns the state in a word. A lease that has ended is named so: its worker is gone or stands still.
fn state(shard: &ShardStatus) -> &'static str {
    match shard.state {
        ShardState::Open => "open",
        ShardState::Leased if shard.lease_seconds.is_some_and(|left| left < 0.0) => "lost",
        ShardState::Leased => "leased",
        ShardState::Done => "done",
        ShardState::Failed => "failed",
    }
}

fn status_text(run: &SharedRunStatus, verbose: bool) -> String {
    let view = RunView::of(run);
    let ended = match (run.taken_back, run.closed) {
        (true, _) => ", nights of it were undone",
        (false, true) => ", ended",
        _ => "",
    };
    let mut text = format!(
        "run {}: {} of {} done, {} leased, {} open, {} failed{ended}\n  {}\n  {}, {} written, {} failed; began {} ago\n",
        view.run,
        view.done,
        count(view.shards, "shard", "shards"),
        view.leased,
        view.open,
        view.failed,
        clean(view.subject),
        count(view.nights, "night", "nights"),
        view.written,
        view.failed_nights,
        duration(view.seconds),
    );
    if view.lost > 0 {
        let lost = count(view.lost, "lease", "leases");
        text.push_str(&format!("  {lost} of workers that were lost or failed\n"));
    }
    if let Some(left) = view.seconds_left(run) {
        text.push_str(&format!("  about {} left\n", duration(left)));
    }
    let shown = run
        .shards
        .iter()
        .filter(|shard| verbose || matches!(shard.state, ShardState::Leased | ShardState::Failed));
    for shard in shown {
        let by = shard.worker.as_deref().map(|worker| format!(" by {}", clean(worker))).unwrap_or_default();
        let problem = shard
            .outcome
            .problem
            .as_deref()
            .map(|problem| format!(": {}", clean(problem)))
            .unwrap_or_default();
        text.push_str(&format!(
            "  shard {} {}{by}, {}{problem}\n",
            shard.shard,
            state(shard),
            duration(shard.seconds)
        ));
    }
    text
}

/// Returns a duration in its largest unit or two.
fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use nightfold_store::ShardOutcome;

    use super::*;

    fn shard(shard: u32, state: ShardState, seconds: f64, lease_seconds: Option<f64>) -> ShardStatus {
        let worker = Some(format!("box:{shard}\u{1b}[2J"));
        let problem = (state == ShardState::Failed).then(|| "Mara: no\u{1b}[1m model".to_owned());
        let outcome = ShardOutcome { nights: 10, written: 9, failed: 0, problem };
        ShardStatus {
            shard,
            state,
            turns: u64::from(shard) + 1,
            lost: u64::from(shard),
            worker,
            lease_seconds,
            seconds,
            outcome,
        }
    }

    #[test]
    fn run_is_shown_with_what_is_left_and_what_failed() {
        let shards = vec![
            shard(0, ShardState::Done, 30.0, None),
            shard(1, ShardState::Leased, 10.0, Some(50.0)),
            shard(2, ShardState::Leased, 90.0, Some(-30.0)),
            shard(3, ShardState::Failed, 4000.0, None),
        ];
        let run = SharedRunStatus {
            run: 7,
            subject: "pack abc, by day".to_owned(),
            seconds: 125.4,
            closed: false,
            taken_back: false,
            written: 36,
            shards,
        };
        insta::assert_snapshot!(status_text(&run, false));
        let json = serde_json::to_value(RunView::of(&run)).unwrap();
        assert_eq!(json["unfinished"][1]["state"], "lost");
        assert_eq!(json["lost"], 6);
    }
}
