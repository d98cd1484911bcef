//! `nightfold sleep PACK --apply` on a store that many workers share: each takes one shard after another.

mod lease;
mod settings;

use std::{ops::Range, thread, time::Duration};

use nightfold::{
    Failure, NightError, Sleep, StreamOutcome,
    english::Packs,
    memory::{Config, Shard, StoreError, ValidConfig, VectorReport},
};
use nightfold_formats::pack::Pack;
use nightfold_store::{
    DurableStore, JoinError, Lease, LeaseOffer, ShardCounts, ShardOutcome, ShardRelease, SharedRuns,
};
use schemars::JsonSchema;
use serde::Serialize;

use self::{
    lease::{KeptLease, ShardObserver},
    settings::{changed_keys, settings},
};
use super::summary::{NightCounts, SleepSummary};
use crate::{
    args::{Common, SleepArgs},
    days::DayBuilder,
    error::{CliError, Exit, chain, message},
    failures::failure_lines,
    input::MemoryReading,
    interrupt::Interrupt,
    judge, language, logging,
    models::embedder,
    output,
    show::count,
    store, vectors, worker,
};

/// Longest wait before a worker asks again for shards that others have.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Number of workers that may come to grief over a shard before it has failed.
const SHARD_TRIES: u32 = 5;

/// Times that a shard is slept again in which another worker wrote meanwhile.
const AGAIN: usize = 3;

/// Failed nights that a worker tells of: the shard in the store says how many there were.
const TOLD: usize = 100;

/// Work of a worker, in counts.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(in crate::commands) struct WorkerReport {
    /// Number of the run.
    run: u64,
    /// Name of the worker.
    worker: String,
    /// Shards that it has slept to their end, failed ones included.
    shards: usize,
    /// Number of nights slept.
    nights: u64,
    /// Number of nights that it wrote.
    written: u64,
    /// Number of its shards with a failed night.
    failed_shards: usize,
    /// Number of nights that failed.
    failed_nights: u64,
    /// Shards that went to another worker, or ended with the run.
    lost: usize,
    #[serde(flatten)]
    vectors: VectorReport,
}

/// Sleeps the shards of a pack, beside other workers.
pub(super) fn run(
    args: &SleepArgs,
    common: &Common,
    config: &ValidConfig,
    pack: &Pack,
    address: &std::path::Path,
    summary: &mut SleepSummary,
) -> Result<(), CliError> {
    refuse_views(args)?;
    let common = &vectors::of_a_worker(common, address);
    let interrupt = Interrupt::listen()?;
    let language = language::open(&args.language, args.record.as_ref(), config)?;
    // The cache is in the store, which is made first.
    let store = store::create(address, args.wait)?;
    let judge = judge::open(language.as_deref(), config, common)?;
    let Some(shared) = store.shared() else { return Err(not_shared()) };
    let memories = usize::try_from(pack.notes().memories()).unwrap_or(usize::MAX);
    let embedder = embedder(common, config, memories)?;
    let reading = MemoryReading::new(&args.days.memories, config, common);
    let of_run = settings(args, config, reading.model())?;
    let run = join(shared, args, pack, &of_run)?;
    summary.run = Some(run);
    logging::set_run(run);
    let own = args.days.shard.map(|shard| own_shards(shard, pack.notes().shard_count()));

    let mut worker = Worker {
        args,
        config,
        store: store.as_ref(),
        shared,
        interrupt: &interrupt,
        reading,
        pack,
        report: WorkerReport { run, worker: worker::name(), ..WorkerReport::default() },
        told: 0,
    };
    let sleep = Sleep {
        language: language.as_deref(),
        judge: judge.as_deref(),
        ..Sleep::new(config, &Packs, &embedder, store.as_ref())
    };
    let ended = worker.sleep_all(&sleep, own.as_ref());
    let Worker { mut report, .. } = worker;
    report.vectors = embedder.report();
    summary.nights = NightCounts {
        written: report.written,
        failed: report.failed_nights,
        skipped: report.nights.saturating_sub(report.written + report.failed_nights),
    };
    let ended = ended?;
    conclude(args, &report, shared.shard_counts(run)?, ended)
}

/// A worker that sleeps shards.
struct Worker<'a> {
    args: &'a SleepArgs,
    config: &'a ValidConfig,
    store: &'a dyn DurableStore,
    shared: &'a dyn SharedRuns,
    interrupt: &'a Interrupt,
    reading: MemoryReading<'a>,
    pack: &'a Pack,
    report: WorkerReport,
    /// Number of failed nights that were told.
    told: usize,
}

/// Reason for which a worker takes no shard any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WorkerEnd {
    /// There is none left.
    Done,
    /// The user ended the call.
    Interrupted,
    /// The run was ended, or nights of it were undone.
    RunEnded,
}

impl Worker<'_> {
    /// Sleeps shards until there are none left, the run ends, or the user ends the call.
    fn sleep_all(&mut self, sleep: &Sleep<'_>, own: Option<&Range<u32>>) -> Result<WorkerEnd, CliError> {
        let lease_time = Duration::from_secs(self.config.run.lease_seconds);
        while !self.interrupt.is_noted() {
            let (run, worker) = (self.report.run, &self.report.worker);
            match self.shared.lease_shard(run, worker, own.cloned(), lease_time, SHARD_TRIES)? {
                LeaseOffer::Shard(lease) => self.sleep_shard(sleep, lease, lease_time)?,
                LeaseOffer::Wait(left) => {
                    thread::sleep(left.clamp(Duration::from_millis(100), LONGEST_WAIT));
                }
                LeaseOffer::Nothing => return Ok(WorkerEnd::Done),
                LeaseOffer::Ended => return Ok(WorkerEnd::RunEnded),
            }
        }
        Ok(WorkerEnd::Interrupted)
    }

    /// Sleeps a shard and notes its outcome.
    fn sleep_shard(&mut self, sleep: &Sleep<'_>, lease: Lease, lease_time: Duration) -> Result<(), CliError> {
        let kept = KeptLease::new(lease, lease_time);
        let begun = std::time::Instant::now();
        let slept = thread::scope(|scope| {
            let keeper = kept.keep(scope, self.shared);
            let slept = self.sleep_nights(sleep, &kept);
            drop(keeper);
            slept
        });
        let slept = match slept {
            Ok(slept) => slept,
            // The shard itself cannot be read: no worker will.
            Err(error) if error.exit == Exit::Input => {
                let problem = Some(error.without_hint());
                self.shared.end_lease(&lease, &ShardOutcome { problem, ..ShardOutcome::default() })?;
                self.report.shards += 1;
                self.report.failed_shards += 1;
                output::complain(&format!("shard {}: {}\n", lease.shard, error.without_hint()));
                return Ok(());
            }
            // Nights of it may have been written by others, or not at all: the next question for a shard tells.
            Err(error) if error.is_of_an_ended_run() => {
                self.report.lost += 1;
                return Ok(());
            }
            Err(error) => {
                // Another worker may fare better. If this one cannot say so either, the lease runs out.
                let why = error.without_hint();
                let why =
                    if error.is_of_the_way() { ShardRelease::Away(why) } else { ShardRelease::Failed(why) };
                if let Err(silent) = self.shared.give_back(&lease, &why) {
                    tracing::warn!(error = %silent, shard = lease.shard, "the shard could not be given back");
                }
                return Err(error);
            }
        };
        self.report.written += slept.written as u64;
        if slept.stopped && !kept.is_lost() {
            return Ok(self.shared.give_back(&lease, &ShardRelease::Stopped)?);
        }
        let outcome = ShardOutcome {
            nights: slept.report.nights as u64 + slept.failures.len() as u64,
            written: slept.written as u64,
            failed: slept.failures.len() as u64,
            problem: slept.failures.first().map(|failure| chain(failure)),
        };
        if kept.is_lost() || !self.shared.end_lease(&lease, &outcome)? {
            self.report.lost += 1;
            output::note(&format!("shard {}: the lease was lost\n", lease.shard));
            return Ok(());
        }
        self.report.shards += 1;
        self.report.nights += outcome.nights;
        self.report.failed_nights += outcome.failed;
        self.report.failed_shards += usize::from(outcome.failed > 0);
        let told = slept.failures.iter().take(TOLD.saturating_sub(self.told));
        output::complain(&failure_lines(told));
        self.told += slept.failures.len();
        if self.args.json {
            return Ok(());
        }
        let nights = count(outcome.nights, "night", "nights");
        output::text(&format!(
            "shard {} of {}: {nights}, {} written, {:.1} s\n",
            lease.shard,
            self.pack.notes().shard_count(),
            outcome.written,
            begun.elapsed().as_secs_f64()
        ))
    }

    /// Sleeps the nights of a shard, and those again that another worker has changed meanwhile.
    fn sleep_nights(&mut self, sleep: &Sleep<'_>, kept: &KeptLease) -> Result<StreamOutcome, CliError> {
        // Each shard has its part of the tokens of the run, however often it is slept.
        let mut config = Config::clone(self.config);
        config.language.tokens_per_run /= u64::from(self.pack.notes().shard_count());
        let (mut written, mut again) = (0, 0);
        loop {
            let checked = config.clone().check().map_err(|error| CliError::new(Exit::Usage, error))?;
            let mut slept = self.sleep_once(&Sleep { config: &checked, ..*sleep }, kept)?;
            written += slept.written;
            let of_others = slept.failures.iter().any(is_of_another_worker);
            if again == AGAIN || slept.stopped || !of_others {
                slept.written = written;
                return Ok(slept);
            }
            again += 1;
            let spent = u64::try_from(slept.report.tokens.spent).unwrap_or(u64::MAX);
            config.language.tokens_per_run = config.language.tokens_per_run.saturating_sub(spent);
        }
    }

    fn sleep_once(&mut self, sleep: &Sleep<'_>, kept: &KeptLease) -> Result<StreamOutcome, CliError> {
        let (shard, days) = (kept.lease().shard, &self.args.days);
        let mut builder = DayBuilder::new(days.until, self.config);
        self.reading.shards(self.pack, shard..shard + 1, &mut |memory| Ok(builder.take(memory)?))?;
        let lived = builder.finish_empty_too(days.by_day)?;
        let observer = ShardObserver::new(self.interrupt, kept, lived.memories);
        let sleep = Sleep { observer: &observer, ..*sleep };
        Ok(sleep.apply_each_in_run(self.store, self.report.run, lived.each(self.config), |_| Ok(()))?)
    }
}

/// True if another worker wrote to the NPC between the plan and its writing.
fn is_of_another_worker(failure: &Failure) -> bool {
    matches!(
        failure.error,
        NightError::Store(StoreError::Stale { .. } | StoreError::Conflict { .. } | StoreError::Theme { .. })
            | NightError::Blocked { .. }
    )
}

/// Returns the shards of a pack that a worker begins with: its part of them, in which those of its own shard are.
fn own_shards(own: Shard, shards: u32) -> Range<u32> {
    // At most `shards`.
    let place = |index: u32| (u64::from(index) * u64::from(shards) / u64::from(own.count())) as u32;
    place(own.index())..place(own.index() + 1)
}

/// Refuses what shows nights: a worker shows shards.
fn refuse_views(args: &SleepArgs) -> Result<(), CliError> {
    if !args.then.is_empty() {
        let text = "--then follows the nights of one call, and these are slept by several workers";
        return Err(message(Exit::Usage, text)
            .hint("when the run is done: `nightfold maintain --apply`, `nightfold purge --apply`"));
    }
    let views =
        [("--plan", args.plan.is_some()), ("--report", args.report.is_some()), ("--markdown", args.markdown)];
    match views.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((view, _)) => Err(message(
            Exit::Usage,
            format!("{view} shows the nights of one call, and these are slept by several workers"),
        )
        .hint("leave it out, or choose NPCs with --npc, whose nights this call then sleeps alone")),
    }
}

fn not_shared() -> CliError {
    message(Exit::Usage, "this store is one that workers on other machines cannot reach")
}

fn join(shared: &dyn SharedRuns, args: &SleepArgs, pack: &Pack, settings: &str) -> Result<u64, CliError> {
    let subject = settings::subject(args, pack);
    let key =
        nightfold_store::SharedRunKey { subject: &subject, settings, shards: pack.notes().shard_count() };
    shared.join_run(&key, args.resume).map_err(|error| match error {
        JoinError::OtherSettings { run, settings: theirs } => {
            let keys = changed_keys(&theirs, settings).join(", ");
            let text = format!("run {run} sleeps this pack with other settings: {keys}");
            message(Exit::Usage, text).hint(format!(
                "give every worker the same; `nightfold shards end {run}` ends that run, and this call then begins another"
            ))
        }
        JoinError::Store(error) => error.into(),
        other => CliError::new(Exit::Usage, other),
    })
}

/// Prints what this worker did and where the run stands. The call fails with what this worker failed at, or if there was nothing left
/// for it and shards of others have failed.
fn conclude(
    args: &SleepArgs,
    report: &WorkerReport,
    counts: ShardCounts,
    ended: WorkerEnd,
) -> Result<(), CliError> {
    let ShardCounts { open, leased, done, failed } = counts;
    if args.json {
        output::json(report)?;
    } else {
        let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        output::text(&format!(
            "run {}: {done} of {} done{failed}; {} slept by this worker, {} written\n",
            report.run,
            count(open + leased + done + counts.failed, "shard", "shards"),
            count(report.shards, "shard", "shards"),
            count(report.written, "night", "nights"),
        ))?;
    }
    let run = report.run;
    let advice = "`nightfold shards show` says why; the same command with --resume sleeps them again";
    match ended {
        WorkerEnd::RunEnded => {
            let text = format!(
                "run {run} has ended: by `nightfold shards end`, or because nights of it were undone"
            );
            return Err(message(Exit::Partial, text).hint("the same command begins another run"));
        }
        WorkerEnd::Interrupted if open + leased > 0 => {
            return Err(message(Exit::Interrupted, "stopped: other workers take the shards that are left")
                .hint("the same command goes on"));
        }
        WorkerEnd::Interrupted | WorkerEnd::Done => {}
    }
    if report.failed_shards > 0 {
        let text = format!("{} of run {run} failed here", count(report.failed_shards, "shard", "shards"));
        return Err(message(Exit::Partial, text).hint(advice));
    }
    if failed == 0 {
        return Ok(());
    }
    let text = format!("{} of other workers failed", count(failed, "shard", "shards"));
    // Who slept shards has done its part; who found none must not call a run well that is not.
    if report.shards == 0 {
        return Err(message(Exit::Partial, text).hint(advice));
    }
    output::note(&format!("note: {text}; {advice}\n"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_parts_of_a_pack_cover_it_once_whatever_the_numbers() {
        for (count, shards) in [(1, 7), (3, 6), (4, 6), (6, 4), (7, 1), (u32::MAX, 3)] {
            let ends = [0, count / 2, count - 1].map(|index| Shard::new(index, count).expect("a shard"));
            let parts = ends.map(|own| own_shards(own, shards));
            assert_eq!((parts[0].start, parts[2].end), (0, shards));
            if count == 3 {
                assert_eq!(parts.map(|part| (part.start, part.end)), [(0, 2), (2, 4), (4, 6)]);
            }
        }
        // Where they divide each other they are the shards that the worker's own is made of.
        let own = Shard::new(1, 3).expect("a shard");
        assert_eq!(Some(own_shards(own, 6)), own.parts(6));
    }
}
