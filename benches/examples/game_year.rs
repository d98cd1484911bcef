//! A year of a sleeping town in a game: memory of the process and size of the store over the nights, with maintenance in
//! sleep. `game_year FOLDER [NPCS [NIGHTS [MEMORIES]]]`; the store is written into FOLDER, vectors are toy ones.
//!
//! Every evening all NPCs fall asleep in one tick; the game ticks on until all of them are told their nights and the
//! maintenance is done, and then the next day begins.

use std::{
    env, error::Error, fs, io::Write as _, num::NonZeroUsize, path::PathBuf, sync::Arc, time::Instant,
};

use nightfold_benches::Words;
use nightfold_ecs::{
    Asleep, ConsolidationFailed, DailyMemories, GameClock, MindMaintained, NewMemory, NightConsolidated,
    NightPool, NpcMind, SleepPhase, SleepPorts, SleepQueue,
    bevy_ecs::{message::Messages, prelude::*},
    install,
    memory::{GameTime, Kind, MemoryReader, MemoryStore, NpcId, ValidConfig},
};
use nightfold_scenario::synthetic::{Xorshift, synthetic_day};
use nightfold_store::SqliteStore;

type Fallible<T> = Result<T, Box<dyn Error>>;

const DAY: i64 = 86_400;
const EVENING: i64 = 75_600;
/// Nights after which memory and store are measured.
const MEASURED: [usize; 7] = [1, 30, 90, 180, 270, 330, 365];

fn main() -> Fallible<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let folder = PathBuf::from(args.first().ok_or("usage: game_year FOLDER [NPCS [NIGHTS [MEMORIES]]]")?);
    let number = |at: usize, usual: usize| args.get(at).map_or(Ok(usual), |n| n.parse());
    let (npcs, nights, memories) = (number(1, 100)?, number(2, 365)?, number(3, 10)?);
    let path = folder.join("game_year.db");
    if path.exists() {
        fs::remove_file(&path)?;
    }
    let store = Arc::new(SqliteStore::open(&path)?);
    let config = Arc::new(ValidConfig::default());
    let ports = SleepPorts {
        config: config.clone(),
        store: store.clone() as Arc<dyn MemoryStore>,
        embedder: Arc::new(Words::new()?),
        pool: NightPool::new(NonZeroUsize::MIN)?,
    };
    let mut world = World::new();
    install(&mut world, ports);
    let mut town = Vec::new();
    for n in 0..npcs {
        let npc = NpcId::new(format!("Villager {n:03}"))?;
        let lot = Xorshift(1 + n as u64);
        // One in ten can be asked by day, and keeps an index.
        let mind =
            if n % 10 == 0 { NpcMind::new(npc.clone()).recalling() } else { NpcMind::new(npc.clone()) };
        town.push((world.spawn(mind).id(), npc, lot));
    }
    let mut out = std::io::stdout();
    writeln!(out, "{npcs} NPCs, {memories} memories a night")?;
    let (begun, mut failed, mut maintained) = (Instant::now(), 0, 0);
    for (night, number) in (0..nights).zip(0_i64..) {
        let day = DAY * number;
        for (entity, npc, lot) in &mut town {
            let mut lived = world.get_mut::<DailyMemories>(*entity).ok_or("a day")?;
            for memory in synthetic_day(lot, npc.as_str(), night, memories)? {
                let formed = NewMemory::new(
                    time(day + memory.at.seconds().rem_euclid(EVENING))?,
                    Kind::Event,
                    memory.text,
                );
                lived.remember(npc, formed, &config.input)?;
            }
            world.entity_mut(*entity).insert(Asleep::new(time(day + EVENING)?, time(day + DAY + 21_600)?));
        }
        loop {
            world.resource_mut::<GameClock>().now = time(day + EVENING)?;
            world.run_schedule(SleepPhase);
            world.resource_mut::<Messages<NightConsolidated>>().clear();
            failed += world.resource_mut::<Messages<ConsolidationFailed>>().drain().count();
            maintained += world.resource_mut::<Messages<MindMaintained>>().drain().count();
            let nights = world.resource::<SleepQueue>();
            if nights.waiting() + nights.under_way() == 0 {
                break;
            }
            std::thread::yield_now();
        }
        while world.query::<&Asleep>().iter(&world).next().is_some() {
            world.resource_mut::<GameClock>().now = time(day + DAY + 21_600)?;
            world.run_schedule(SleepPhase);
        }
        if MEASURED.contains(&(night + 1)) {
            let active: usize = town
                .iter()
                .map(|(_, npc, _)| Ok(store.active_page(npc, None, usize::MAX)?.len()))
                .sum::<Fallible<usize>>()?;
            writeln!(
                out,
                "after {:3} nights: {:.0} s, {failed} failed, {maintained} maintained, {active} active entries, {} MB resident, store {} MB",
                night + 1,
                begun.elapsed().as_secs_f64(),
                resident()? / 1_000_000,
                fs::metadata(&path)?.len() / 1_000_000,
            )?;
        }
    }
    Ok(())
}

fn time(seconds: i64) -> Fallible<GameTime> {
    Ok(GameTime::from_seconds(seconds).ok_or("a time")?)
}

/// Returns the resident memory of the process in bytes.
fn resident() -> Fallible<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(1024 * kilobytes)
}
