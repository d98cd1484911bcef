//! A run as a pipeline of three concurrent parts: reading days, planning nights, writing nights and passing them on.
//! The channels between the parts are bounded, so memory use does not grow with the number of NPCs.

use std::{
    collections::BTreeMap,
    mem, panic,
    sync::mpsc::{self, Receiver, SyncSender},
    thread,
    time::Instant,
};

use nightfold_memory::{MemoryStore, NightLabel, NpcId, NpcNight, Outcome};

use crate::{
    BoxError, Failure, NightError, NpcDays, RunError, RunStep, Sleep, StreamOutcome, apply::NIGHTS_PER_WRITE,
    planner::Planner,
};

/// Capacity of the channels between the parts, in batches of days or rounds of nights.
const CHANNEL_CAPACITY: usize = 1;

/// NPCs that are planned together.
type Batch = Vec<NpcDays>;

/// Message from the planner to the writer.
enum PlannerMessage {
    /// A round: one night of each NPC that still has one.
    Round(Vec<NpcNight>),
    /// All nights of the batch are planned.
    BatchDone,
}

/// Store and number of a run that writes.
#[derive(Clone, Copy)]
pub(crate) struct RunTarget<'a> {
    pub(crate) store: &'a dyn MemoryStore,
    /// Number that the store assigned to the run.
    pub(crate) number: u64,
}

/// Plans the nights of all NPCs, and writes them if `run` is given.
pub(crate) fn run(
    ports: &Sleep<'_>,
    run: Option<RunTarget<'_>>,
    npcs: impl Iterator<Item = Result<NpcDays, BoxError>> + Send,
    take: impl FnMut(NpcNight) -> Result<(), BoxError> + Send,
) -> Result<StreamOutcome, RunError> {
    let mut planner = Planner::new(ports);
    let writer = NightWriter::new(ports, run, take);
    let (to_planner, batches) = mpsc::sync_channel(CHANNEL_CAPACITY);
    let (to_writer, planned) = mpsc::sync_channel(CHANNEL_CAPACITY);
    let (whole, read, written) = thread::scope(|scope| {
        let reader = scope.spawn(|| BatchReader::new(ports).send_batches(npcs, to_planner));
        let writer = scope.spawn(|| writer.write_all(planned));
        // On this thread, so that the planner uses the rayon pool that the caller has chosen. Each part owns its ends
        // of the channels, so that a part which ends in an error ends the others too.
        let whole = plan_batches(&mut planner, batches, to_writer);
        (whole, joined(reader), joined(writer))
    });
    // The writer's error comes first: it is the cause if the planner ended early.
    let mut ran = written?;
    ran.stopped = !whole?;
    // Nights that failed after they had asked have no report of their own.
    ran.report.tokens.spent = ran.report.tokens.spent.max(planner.tokens_spent());
    ran.failures.append(&mut planner.failures);
    // A stable sort: each NPC's refused nights stay before those that failed in planning, in order of time.
    ran.failures.sort_by(|a, b| a.npc.cmp(&b.npc));
    ran.seconds.extend(planner.seconds);
    ran.seconds.insert(RunStep::Read.as_str(), read);
    Ok(ran)
}

fn joined<T>(part: thread::ScopedJoinHandle<'_, T>) -> T {
    part.join().unwrap_or_else(|panicked| panic::resume_unwind(panicked))
}

/// Plans batch after batch; returns true if all nights were planned.
#[expect(clippy::needless_pass_by_value, reason = "the channels end with who uses them")]
fn plan_batches(
    planner: &mut Planner<'_>,
    batches: Receiver<Result<Batch, RunError>>,
    to_writer: SyncSender<PlannerMessage>,
) -> Result<bool, RunError> {
    for batch in batches {
        let whole = planner
            .plan_batch(batch?, &mut |nights| to_writer.send(PlannerMessage::Round(nights)).is_ok())?;
        if to_writer.send(PlannerMessage::BatchDone).is_err() || !whole {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads NPCs and groups them into batches.
struct BatchReader<'a> {
    ports: &'a Sleep<'a>,
    last: Option<NpcId>,
    seconds: f64,
}

impl<'a> BatchReader<'a> {
    fn new(ports: &'a Sleep<'a>) -> Self {
        Self { ports, last: None, seconds: 0.0 }
    }

    /// Sends batches until there are no more NPCs, or the planner has ended; returns the seconds that reading took.
    #[expect(clippy::needless_pass_by_value, reason = "the channel ends with who uses it")]
    fn send_batches(
        mut self,
        npcs: impl Iterator<Item = Result<NpcDays, BoxError>>,
        batches: SyncSender<Result<Batch, RunError>>,
    ) -> f64 {
        let mut npcs = npcs.fuse();
        loop {
            self.ports.observer.on_step_begin(RunStep::Read);
            let begun = Instant::now();
            let batch = self.next_batch(&mut npcs);
            self.seconds += begun.elapsed().as_secs_f64();
            self.ports.observer.on_step_end(RunStep::Read);
            let last = batch.as_ref().map_or(true, Vec::is_empty);
            let nobody_else = matches!(&batch, Ok(batch) if batch.is_empty());
            if nobody_else || batches.send(batch).is_err() || last {
                return self.seconds;
            }
        }
    }

    /// Reads the next batch: up to `run.npcs` NPCs, or up to the NPC whose memories reach `run.memories`.
    fn next_batch(
        &mut self,
        npcs: &mut impl Iterator<Item = Result<NpcDays, BoxError>>,
    ) -> Result<Batch, RunError> {
        let most = &self.ports.config.run;
        let (mut batch, mut memories) = (Batch::new(), 0);
        while batch.len() < most.npcs && memories < most.memories {
            let Some((npc, days)) = npcs.next().transpose().map_err(RunError::Days)? else { break };
            if let Some(last) = self.last.take().filter(|last| npc <= *last) {
                return Err(RunError::Order { npc, last });
            }
            self.last = Some(npc.clone());
            memories += days.iter().map(|day| day.memories.len()).sum::<usize>();
            batch.push((npc, days));
        }
        Ok(batch)
    }
}

/// Writes nights, if the run writes, and passes them on.
struct NightWriter<'a, T> {
    ports: &'a Sleep<'a>,
    /// Store that the nights are written to, if the run writes.
    run: Option<RunTarget<'a>>,
    take: T,
    /// Nights of the current batch that succeeded so far.
    batch: Vec<NpcNight>,
    /// Refused night of each NPC that has one; later nights of the NPC depend on it and are not written.
    refused: BTreeMap<NpcId, NightLabel>,
    seconds: f64,
    outcome: StreamOutcome,
}

impl<'a, T: FnMut(NpcNight) -> Result<(), BoxError>> NightWriter<'a, T> {
    fn new(ports: &'a Sleep<'a>, run: Option<RunTarget<'a>>, take: T) -> Self {
        let (batch, refused) = (Vec::new(), BTreeMap::new());
        Self { ports, run, take, batch, refused, seconds: 0.0, outcome: StreamOutcome::default() }
    }

    fn write_all(mut self, planned: Receiver<PlannerMessage>) -> Result<StreamOutcome, RunError> {
        for planned in planned {
            match planned {
                PlannerMessage::Round(nights) => {
                    self.ports.observer.on_step_begin(RunStep::Commit);
                    let begun = Instant::now();
                    let committed = self.commit(nights);
                    self.seconds += begun.elapsed().as_secs_f64();
                    self.ports.observer.on_step_end(RunStep::Commit);
                    committed?;
                }
                PlannerMessage::BatchDone => self.deliver_batch()?,
            }
        }
        self.outcome.seconds.insert(RunStep::Commit.as_str(), self.seconds);
        Ok(self.outcome)
    }

    fn commit(&mut self, nights: Vec<NpcNight>) -> Result<(), RunError> {
        let read = |night: &NpcNight| {
            let input = &night.report.input;
            night.report.counts.memories + input.already_slept_on + input.stray_times
        };
        let (count, memories) = (nights.len(), nights.iter().map(read).sum());
        match self.run {
            Some(run) => self.write(run, nights)?,
            None => self.batch.extend(nights),
        }
        self.ports.observer.on_nights(count, memories);
        Ok(())
    }

    fn write(&mut self, run: RunTarget<'_>, nights: Vec<NpcNight>) -> Result<(), RunError> {
        let mut nights = self.without_blocked(nights).into_iter().peekable();
        while nights.peek().is_some() {
            let group: Vec<NpcNight> = nights.by_ref().take(NIGHTS_PER_WRITE).collect();
            let outcomes = run.store.apply(run.number, &group)?;
            for (night, outcome) in group.into_iter().zip(outcomes) {
                match outcome {
                    Ok(outcome) => {
                        self.outcome.written += usize::from(matches!(outcome, Outcome::Applied { .. }));
                        self.batch.push(night);
                    }
                    Err(error) => {
                        self.refused.insert(night.npc.clone(), night.night.clone());
                        self.record_failure(night, error.into());
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the nights that depend on no refused night; records the others as failures.
    fn without_blocked(&mut self, nights: Vec<NpcNight>) -> Vec<NpcNight> {
        let mut fine = Vec::with_capacity(nights.len());
        for night in nights {
            match self.refused.get(&night.npc).cloned() {
                Some(earlier) => self.record_failure(night, NightError::Blocked { earlier }),
                None => fine.push(night),
            }
        }
        fine
    }

    fn record_failure(&mut self, night: NpcNight, error: NightError) {
        self.outcome.failures.push(Failure { npc: night.npc, night: night.night, error });
    }

    /// Passes on the nights of the batch, sorted by NPC and then by time.
    fn deliver_batch(&mut self) -> Result<(), RunError> {
        self.refused.clear();
        let mut nights = mem::take(&mut self.batch);
        nights.sort_by(|a, b| (&a.npc, a.at, &a.night).cmp(&(&b.npc, b.at, &b.night)));
        let npcs = nights.chunk_by(|a, b| a.npc == b.npc).count();
        self.outcome.report.add(npcs, nights.iter().map(|night| &night.report));
        nights.into_iter().try_for_each(&mut self.take).map_err(RunError::Taken)
    }
}
