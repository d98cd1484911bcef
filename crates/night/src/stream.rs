//! A run in three parts side by side: days are read, nights planned, nights written and handed on. The parts hold each
//! other back, so that a run needs no more memory for many NPCs than for few.

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

/// How many towns, or waves of nights, wait between two parts.
const WAITING: usize = 1;

/// NPCs that sleep together.
type Town = Vec<Lived>;

/// What the planner tells the writer.
enum Planned {
    /// One night of each NPC that still has one.
    Wave(Vec<NpcNight>),
    /// These NPCs have slept all their nights.
    TownOver,
}

/// A run that writes.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) store: &'a dyn MemoryStore,
    /// The number that the store gave it.
    pub(crate) number: u64,
}

/// Runs the nights of all NPCs, and writes them if `run` says where.
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
        // On this thread: the planner spreads its work over the pool that the caller has chosen. Channels go with
        // their users, so that a part which ends in an error ends the others.
        let whole = plan(&mut planner, towns, to_writer);
        (whole, joined(reader), joined(writer))
    });
    // A writer that fails is what ended the planner.
    let mut ran = written?;
    ran.stopped = !whole?;
    ran.failures.append(&mut planner.failures);
    // Stable: what failed in being planned comes after what was refused, and an NPC's nights stay in order.
    ran.failures.sort_by(|a, b| a.npc.cmp(&b.npc));
    ran.seconds.extend(planner.seconds);
    ran.seconds.insert(Step::Read.as_str(), read);
    Ok(ran)
}

fn joined<T>(part: thread::ScopedJoinHandle<'_, T>) -> T {
    part.join().unwrap_or_else(|panicked| panic::resume_unwind(panicked))
}

/// Plans town after town; gives whether all were slept.
#[expect(clippy::needless_pass_by_value, reason = "the channels end with who uses them")]
fn plan(
    planner: &mut Planner<'_>,
    towns: Receiver<Result<Town, SleepError>>,
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

/// Puts NPCs together as they come.
struct Reader<'a> {
    ports: &'a Sleep<'a>,
    last: Option<NpcId>,
    seconds: f64,
}

impl<'a> Reader<'a> {
    fn new(ports: &'a Sleep<'a>) -> Self {
        Self { ports, last: None, seconds: 0.0 }
    }

    /// Sends towns until there are no more NPCs, or nobody listens; gives the seconds that reading took.
    #[expect(clippy::needless_pass_by_value, reason = "the channel ends with who uses it")]
    fn all(
        mut self,
        npcs: impl Iterator<Item = Result<Lived, BoxError>>,
        towns: SyncSender<Result<Town, SleepError>>,
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

    /// The next town: up to `run.npcs` NPCs, or up to `run.memories` memories and the NPC that goes beyond them.
    fn town(&mut self, npcs: &mut impl Iterator<Item = Result<Lived, BoxError>>) -> Result<Town, SleepError> {
        let most = &self.ports.config.run;
        let (mut town, mut memories) = (Town::new(), 0);
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

/// Writes nights, if the run writes, and hands them on.
struct Writer<'a, T> {
    ports: &'a Sleep<'a>,
    /// Where nights are written, if the run writes.
    run: Option<Run<'a>>,
    take: T,
    /// The nights of the town so far that happened.
    town: Vec<NpcNight>,
    /// Whose night the store refused: later ones rest on one that did not happen.
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
        let mut nights = self.without_waiting(nights).into_iter().peekable();
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

    /// The nights that rest on none that was refused.
    fn without_waiting(&mut self, nights: Vec<NpcNight>) -> Vec<NpcNight> {
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

    /// Waves gave one night of each NPC; they are handed on NPC by NPC.
    fn hand_on(&mut self) -> Result<(), SleepError> {
        self.refused.clear();
        let mut nights = mem::take(&mut self.town);
        nights.sort_by(|a, b| (&a.npc, a.at, &a.night).cmp(&(&b.npc, b.at, &b.night)));
        let npcs = nights.chunk_by(|a, b| a.npc == b.npc).count();
        self.ran.report.add(npcs, nights.iter().map(|night| &night.report));
        nights.into_iter().try_for_each(&mut self.take).map_err(SleepError::Taken)
    }
}
