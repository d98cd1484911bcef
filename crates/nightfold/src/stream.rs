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
    BoxError, Failure, Lived, NightError, Ran, Sleep, SleepError, Step, apply::GROUP, planner::Planner,
};

/// Capacity of the channels between the parts, in batches of days or rounds of nights.
const WAITING: usize = 1;

/// NPCs that are planned together.
type Batch = Vec<Lived>;

/// Message from the planner to the writer.
enum Planned {
    /// A round: one night of each NPC that still has one.
    Wave(Vec<NpcNight>),
    /// All nights of the batch are planned.
    TownOver,
}

/// Store and number of a run that writes.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) store: &'a dyn MemoryStore,
    /// Number that the store assigned to the run.
    pub(crate) number: u64,
}

/// Plans the nights of all NPCs, and writes them if `run` is given.
pub(crate) fn run(
    ports: &Sleep<'_>,
    run: Option<Run<'_>>,
    npcs: impl Iterator<Item = Result<Lived, BoxError>> + Send,
    take: impl FnMut(NpcNight) -> Result<(), BoxError> + Send,
) -> Result<Ran, SleepError> {
    let mut planner = Planner::new(ports);
    let writer = Writer::new(ports, run, take);
    let (to_planner, towns) = mpsc::sync_channel(WAITING);
    let (to_writer, planned) = mpsc::sync_channel(WAITING);
    let (whole, read, written) = thread::scope(|scope| {
        let reader = scope.spawn(|| Reader::new(ports).all(npcs, to_planner));
        let writer = scope.spawn(|| writer.all(planned));
        // On this thread, so that the planner uses the rayon pool that the caller has chosen. Each part owns its ends
        // of the channels, so that a part which ends in an error ends the others too.
        let whole = plan(&mut planner, towns, to_writer);
        (whole, joined(reader), joined(writer))
    });
    // The writer's error comes first: it is the cause if the planner ended early.
    let mut ran = written?;
    ran.stopped = !whole?;
    ran.failures.append(&mut planner.failures);
    // A stable sort: each NPC's refused nights stay before those that failed in planning, in order of time.
    ran.failures.sort_by(|a, b| a.npc.cmp(&b.npc));
    ran.seconds.extend(planner.seconds);
    ran.seconds.insert(Step::Read.as_str(), read);
    Ok(ran)
}

fn joined<T>(part: thread::ScopedJoinHandle<'_, T>) -> T {
    part.join().unwrap_or_else(|panicked| panic::resume_unwind(panicked))
}

/// Plans batch after batch; returns true if all nights were planned.
#[expect(clippy::needless_pass_by_value, reason = "the channels end with who uses them")]
fn plan(
    planner: &mut Planner<'_>,
    towns: Receiver<Result<Batch, SleepError>>,
    to_writer: SyncSender<Planned>,
) -> Result<bool, SleepError> {
    for town in towns {
        let whole = planner.town(town?, &mut |nights| to_writer.send(Planned::Wave(nights)).is_ok())?;
        if to_writer.send(Planned::TownOver).is_err() || !whole {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads NPCs and groups them into batches.
struct Reader<'a> {
    ports: &'a Sleep<'a>,
    last: Option<NpcId>,
    seconds: f64,
}

impl<'a> Reader<'a> {
    fn new(ports: &'a Sleep<'a>) -> Self {
        Self { ports, last: None, seconds: 0.0 }
    }

    /// Sends batches until there are no more NPCs, or the planner has ended; returns the seconds that reading took.
    #[expect(clippy::needless_pass_by_value, reason = "the channel ends with who uses it")]
    fn all(
        mut self,
        npcs: impl Iterator<Item = Result<Lived, BoxError>>,
        towns: SyncSender<Result<Batch, SleepError>>,
    ) -> f64 {
        let mut npcs = npcs.fuse();
        loop {
            self.ports.observer.begins(Step::Read);
            let begun = Instant::now();
            let town = self.town(&mut npcs);
            self.seconds += begun.elapsed().as_secs_f64();
            self.ports.observer.ends(Step::Read);
            let last = town.as_ref().map_or(true, Vec::is_empty);
            let nobody_else = matches!(&town, Ok(town) if town.is_empty());
            if nobody_else || towns.send(town).is_err() || last {
                return self.seconds;
            }
        }
    }

    /// Reads the next batch: up to `run.npcs` NPCs, or up to the NPC whose memories reach `run.memories`.
    fn town(
        &mut self,
        npcs: &mut impl Iterator<Item = Result<Lived, BoxError>>,
    ) -> Result<Batch, SleepError> {
        let most = &self.ports.config.run;
        let (mut town, mut memories) = (Batch::new(), 0);
        while town.len() < most.npcs && memories < most.memories {
            let Some((npc, days)) = npcs.next().transpose().map_err(SleepError::Days)? else { break };
            if let Some(last) = self.last.take().filter(|last| npc <= *last) {
                return Err(SleepError::Order { npc, last });
            }
            self.last = Some(npc.clone());
            memories += days.iter().map(|day| day.memories.len()).sum::<usize>();
            town.push((npc, days));
        }
        Ok(town)
    }
}

/// Writes nights, if the run writes, and passes them on.
struct Writer<'a, T> {
    ports: &'a Sleep<'a>,
    /// Store that the nights are written to, if the run writes.
    run: Option<Run<'a>>,
    take: T,
    /// Nights of the current batch that succeeded so far.
    town: Vec<NpcNight>,
    /// Refused night of each NPC that has one; later nights of the NPC depend on it and are not written.
    refused: BTreeMap<NpcId, NightLabel>,
    seconds: f64,
    ran: Ran,
}

impl<'a, T: FnMut(NpcNight) -> Result<(), BoxError>> Writer<'a, T> {
    fn new(ports: &'a Sleep<'a>, run: Option<Run<'a>>, take: T) -> Self {
        let (town, refused) = (Vec::new(), BTreeMap::new());
        Self { ports, run, take, town, refused, seconds: 0.0, ran: Ran::default() }
    }

    fn all(mut self, planned: Receiver<Planned>) -> Result<Ran, SleepError> {
        for planned in planned {
            match planned {
                Planned::Wave(nights) => {
                    self.ports.observer.begins(Step::Commit);
                    let begun = Instant::now();
                    let committed = self.commit(nights);
                    self.seconds += begun.elapsed().as_secs_f64();
                    self.ports.observer.ends(Step::Commit);
                    committed?;
                }
                Planned::TownOver => self.hand_on()?,
            }
        }
        self.ran.seconds.insert(Step::Commit.as_str(), self.seconds);
        Ok(self.ran)
    }

    fn commit(&mut self, nights: Vec<NpcNight>) -> Result<(), SleepError> {
        let slept_on = |night: &NpcNight| night.report.memories + night.report.input.already_slept_on;
        let (count, memories) = (nights.len(), nights.iter().map(slept_on).sum());
        match self.run {
            Some(run) => self.write(run, nights)?,
            None => self.town.extend(nights),
        }
        self.ports.observer.nights(count, memories);
        Ok(())
    }

    fn write(&mut self, run: Run<'_>, nights: Vec<NpcNight>) -> Result<(), SleepError> {
        let mut nights = self.without_blocked(nights).into_iter().peekable();
        while nights.peek().is_some() {
            let group: Vec<NpcNight> = nights.by_ref().take(GROUP).collect();
            let outcomes = run.store.apply(run.number, &group)?;
            for (night, outcome) in group.into_iter().zip(outcomes) {
                match outcome {
                    Ok(outcome) => {
                        self.ran.written += usize::from(matches!(outcome, Outcome::Applied { .. }));
                        self.town.push(night);
                    }
                    Err(error) => {
                        self.refused.insert(night.npc.clone(), night.night.clone());
                        self.fails(night, error.into());
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
                Some(earlier) => self.fails(night, NightError::Waits { earlier }),
                None => fine.push(night),
            }
        }
        fine
    }

    fn fails(&mut self, night: NpcNight, error: NightError) {
        self.ran.failures.push(Failure { npc: night.npc, night: night.night, error });
    }

    /// Passes on the nights of the batch, sorted by NPC and then by time.
    fn hand_on(&mut self) -> Result<(), SleepError> {
        self.refused.clear();
        let mut nights = mem::take(&mut self.town);
        nights.sort_by(|a, b| (&a.npc, a.at, &a.night).cmp(&(&b.npc, b.at, &b.night)));
        let npcs = nights.chunk_by(|a, b| a.npc == b.npc).count();
        self.ran.report.add(npcs, nights.iter().map(|night| &night.report));
        nights.into_iter().try_for_each(&mut self.take).map_err(SleepError::Taken)
    }
}
