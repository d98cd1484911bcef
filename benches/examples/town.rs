//! Cost of a sleeping town for the game's thread: every NPC falls asleep in one tick, each with a day of
//! memories, and the game ticks on until all nights are delivered. `town FOLDER [NPCS [MEMORIES [THREADS]]]`;
//! the store is written into FOLDER. `--lockstep` fixes the moments of delivery, `--cheap` uses toy vectors. Meanwhile
//! the game asks one of ten NPCs that stay awake, each with a memory of today, twice a second.
//!
//! A tick is measured in wall time and in the thread's own CPU time: on a shared machine wall time includes
//! the work of other processes. The real model embeds, in one session per thread of the pool.

use std::{
    env, error::Error, fs, io::Write as _, num::NonZeroUsize, path::PathBuf, sync::Arc, time::Duration,
};

use nightfold_benches::{Words, sentence};
use nightfold_ecs::{
    Asleep, ConsolidationFailed, DailyMemories, GameClock, NewMemory, NightBudgets, NightConsolidated,
    NightPool, NpcMind, RecallAnswered, RecallQuestion, SleepPhase, SleepPorts, SleepQueue, SleepTiming,
    bevy_ecs::{message::Messages, prelude::*},
    install,
    memory::{Embedder, GameTime, Importance, Kind, MemoryStore, NpcId, ValidConfig},
};
use nightfold_embed::{MiniLm, MiniLmOptions, ModelOptions, Models};
use nightfold_scenario::synthetic::Xorshift;
use nightfold_store::SqliteStore;
use rustix::time::{ClockId, clock_gettime};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Length of a tick in a game of sixty ticks per second.
const FRAME: Duration = Duration::from_micros(16_667);
/// Game seconds per tick: sixty per real second.
const SECONDS_PER_TICK: i64 = 1;
const EVENING: i64 = 75_600;
const MORNING: i64 = EVENING + 100_000;

fn main() -> Fallible<()> {
    let (flags, args): (Vec<String>, Vec<String>) = env::args().skip(1).partition(|a| a.starts_with("--"));
    let usage = "usage: town FOLDER [NPCS [MEMORIES [THREADS]]] [--lockstep] [--cheap]";
    let folder = PathBuf::from(args.first().ok_or(usage)?);
    let number = |at: usize, usual: usize| args.get(at).map_or(Ok(usual), |n| n.parse());
    let (npcs, memories, threads) = (number(1, 1_000)?, number(2, 50)?, number(3, 1)?);
    let threads = NonZeroUsize::new(threads).ok_or("THREADS is at least 1")?;
    let has = |flag: &str| flags.iter().any(|f| f == flag);

    let path = folder.join("town.db");
    if path.exists() {
        fs::remove_file(&path)?;
    }
    let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path)?);
    let embedder: Arc<dyn Embedder> =
        if has("--cheap") { Arc::new(Words::new()?) } else { Arc::new(real(threads)?) };
    let mut world = World::new();
    let (config, pool) = (Arc::new(ValidConfig::default()), NightPool::new(threads)?);
    install(&mut world, SleepPorts { config: config.clone(), store: store.clone(), embedder, pool });
    if has("--lockstep") {
        // The nights of this town take some four minutes here, 14,400 ticks: no tick has to wait for them.
        world.insert_resource(SleepTiming::Lockstep { plan_seconds: 18_000, write_seconds: 600 });
    }
    idle(&mut world, &config)?;

    let mut draw = Xorshift(42);
    let mut town = Vec::with_capacity(npcs);
    for n in 0..npcs {
        let npc = NpcId::new(format!("Villager {n:04}"))?;
        let mut day = DailyMemories::default();
        for (m, minutes) in (0..memories).zip(1..) {
            let at = EVENING - 100_000 + 60 * minutes;
            let at = GameTime::from_seconds(at).ok_or("a time")?;
            let memory = NewMemory::new(at, Kind::Event, sentence(&mut draw, n, m));
            let importance = Importance::new(1 + draw.below(9) as u8)?;
            let memory = memory.with(|m| m.importance = Some(importance));
            day.remember(&npc, memory, &config.input)?;
        }
        town.push(world.spawn((NpcMind::new(npc), day)).id());
    }
    let mut talk = Talk::begin(&mut world, &config)?;
    let begun = (std::time::Instant::now(), own_time());
    let asleep = Asleep::new(time(EVENING)?, time(MORNING)?);
    town.iter().for_each(|npc| _ = world.entity_mut(*npc).insert(asleep.clone()));
    let put_to_bed = (begun.0.elapsed(), own_time().saturating_sub(begun.1));

    let mut ticks = Ticks::default();
    let (mut told, mut failed, mut last) = (0, 0, 0);
    let all = std::time::Instant::now();
    let mut now = EVENING;
    while told + failed < npcs {
        ticks.run(&mut world, now)?;
        talk.go_on(&mut world);
        told += world.resource_mut::<Messages<NightConsolidated>>().drain().count();
        failed += world.resource_mut::<Messages<ConsolidationFailed>>().drain().count();
        if told / 100 > last {
            last = told / 100;
            writeln!(std::io::stderr(), "{told} nights after {:.0} s", all.elapsed().as_secs_f64())?;
        }
        now += SECONDS_PER_TICK;
        // An answer is looked for every millisecond, so that its time is not that of a frame.
        let frame = if talk.is_waiting() { FRAME / 16 } else { FRAME };
        std::thread::sleep(frame.saturating_sub(ticks.last));
    }
    let mut out = std::io::stdout();
    let seconds = all.elapsed().as_secs_f64();
    writeln!(
        out,
        "{npcs} NPCs x {memories} memories, {threads} threads: {told} nights told, {failed} failed, {seconds:.1} s"
    )?;
    let of = |d: Duration| d.as_secs_f64() * 1e3;
    writeln!(out, "put to bed by the game: {:.2} ms wall, {:.2} ms CPU", of(put_to_bed.0), of(put_to_bed.1))?;
    ticks.report("ticks of the night", &mut out)?;
    talk.report(&mut out)?;
    let nights = world.resource::<SleepQueue>();
    writeln!(
        out,
        "under way at the end: {}; in the store: {} nights",
        nights.under_way(),
        store.nights(None)?.len()
    )?;
    writeln!(out, "budgets: {:?}", world.resource::<NightBudgets>())?;
    Ok(())
}

/// Measures ticks without work, with 10,000 NPCs awake.
fn idle(world: &mut World, config: &ValidConfig) -> Fallible<()> {
    let mut awake = Vec::new();
    for n in 0..10_000 {
        let npc = NpcId::new(format!("Awake {n:05}"))?;
        let mut day = DailyMemories::default();
        day.remember(&npc, NewMemory::new(GameTime::ZERO, Kind::Event, "I woke up"), &config.input)?;
        awake.push(world.spawn((NpcMind::new(npc), day)).id());
    }
    let mut ticks = Ticks::default();
    for now in 0..10_000 {
        ticks.run(world, now)?;
    }
    ticks.report("idle ticks, 10,000 NPCs awake", &mut std::io::stdout())?;
    awake.into_iter().for_each(|npc| _ = world.despawn(npc));
    Ok(())
}

/// Questions to NPCs that stay awake.
struct Talk {
    awake: Vec<Entity>,
    ticks: usize,
    /// Moment of each question, by its ticket.
    asked: Vec<std::time::Instant>,
    took: Vec<Duration>,
    empty: usize,
}

impl Talk {
    /// Number of ticks between two questions.
    const PAUSE: usize = 30;

    /// Spawns the NPCs that stay awake. Each has a memory of today.
    fn begin(world: &mut World, config: &ValidConfig) -> Fallible<Self> {
        let mut awake = Vec::new();
        for n in 0..10 {
            let npc = NpcId::new(format!("Watchman {n}"))?;
            let mut day = DailyMemories::default();
            let text = format!("The bridge at Stonewater fell at hour {n}");
            day.remember(&npc, NewMemory::new(GameTime::ZERO, Kind::Event, text), &config.input)?;
            awake.push(world.spawn((NpcMind::new(npc).recalling(), day)).id());
        }
        Ok(Self { awake, ticks: 0, asked: Vec::new(), took: Vec::new(), empty: 0 })
    }

    /// Takes answers in and asks, after a tick. A question is put as a tick begins, at the earliest.
    fn go_on(&mut self, world: &mut World) {
        for answer in world.resource_mut::<Messages<RecallAnswered>>().drain() {
            self.took.push(self.asked[answer.ticket as usize].elapsed());
            self.empty += usize::from(!answer.memories.is_ok_and(|found| !found.is_empty()));
        }
        if self.ticks.is_multiple_of(Self::PAUSE) {
            let ticket = self.asked.len();
            let entity = self.awake[ticket % self.awake.len()];
            let question = RecallQuestion::new(entity, "Can I cross the bridge at Stonewater?");
            world.write_message(question.with_ticket(ticket as u64));
            self.asked.push(std::time::Instant::now());
        }
        self.ticks += 1;
    }

    fn is_waiting(&self) -> bool {
        self.took.len() < self.asked.len()
    }

    fn report(mut self, out: &mut impl std::io::Write) -> Fallible<()> {
        self.took.sort();
        let of = |share: f64| {
            let at = (self.took.len() as f64 * share) as usize;
            self.took.get(at.min(self.took.len().saturating_sub(1))).map_or(0.0, |d| d.as_secs_f64() * 1e3)
        };
        let (asked, took, empty) = (self.asked.len(), self.took.len(), self.empty);
        let (p50, p99, worst) = (of(0.5), of(0.99), of(1.0));
        writeln!(
            out,
            "questions: {asked} asked, {took} answered, {empty} without a memory; from the call to the answer p50 {p50:.1} ms, p99 {p99:.1} ms, worst {worst:.1} ms"
        )?;
        Ok(())
    }
}

#[derive(Default)]
struct Ticks {
    wall: Vec<Duration>,
    cpu: Vec<Duration>,
    last: Duration,
}

impl Ticks {
    fn run(&mut self, world: &mut World, now: i64) -> Fallible<()> {
        world.resource_mut::<GameClock>().now = time(now)?;
        let (wall, own) = (std::time::Instant::now(), own_time());
        world.run_schedule(SleepPhase);
        self.last = wall.elapsed();
        self.wall.push(self.last);
        self.cpu.push(own_time().saturating_sub(own));
        Ok(())
    }

    fn report(mut self, what: &str, out: &mut impl std::io::Write) -> Fallible<()> {
        for (clock, times) in [("wall", &mut self.wall), ("CPU", &mut self.cpu)] {
            times.sort_unstable();
            let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6;
            let (median, p99, worst) = (at(0.5), at(0.99), at(1.0));
            let over = times.iter().filter(|time| **time > Duration::from_millis(4)).count();
            let count = times.len();
            writeln!(
                out,
                "{what} ({count}), us {clock}: median {median:.1}, p99 {p99:.1}, worst {worst:.1}; {over} over 4 ms"
            )?;
        }
        Ok(())
    }
}

/// Returns the CPU time of this thread.
fn own_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs() as u32)
}

fn time(seconds: i64) -> Fallible<GameTime> {
    Ok(GameTime::from_seconds(seconds).ok_or("a time")?)
}

fn real(threads: NonZeroUsize) -> Fallible<MiniLm> {
    let files = Models::new(ModelOptions::from_env()).provide(&|_| {})?;
    Ok(MiniLm::open(&files, MiniLmOptions { sessions: threads, reserved: 1, ..MiniLmOptions::default() })?)
}
