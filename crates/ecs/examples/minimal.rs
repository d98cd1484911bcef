//! One NPC forms memories, sleeps, and has a summary of its night. `cargo run --release -p nightfold-ecs --example minimal`

use std::{error::Error, io::Write as _, num::NonZeroUsize, sync::Arc};

use bevy_ecs::{message::Messages, prelude::*};
use nightfold_ecs::memory::{GameTime, Kind, NpcId, ValidConfig};
use nightfold_ecs::{
    Asleep, GameClock, MemoryFormed, NewMemory, NightConsolidated, NightPool, NpcMind, SleepPhase,
    SleepPorts, install,
};
use nightfold_embed::{MiniLm, MiniLmOptions, ModelOptions, Models};
use nightfold_store::SqliteStore;

fn main() -> Result<(), Box<dyn Error>> {
    let files =
        Models::new(ModelOptions::from_env()).provide(&|p| eprint!("\r{:?} {}  ", p.phase, p.artefact))?;
    let ports = SleepPorts {
        config: Arc::new(ValidConfig::default()),
        store: Arc::new(SqliteStore::in_memory()?),
        embedder: Arc::new(MiniLm::open(&files, MiniLmOptions::default())?),
        pool: NightPool::new(NonZeroUsize::MIN)?,
    };
    let mut world = World::new();
    install(&mut world, ports);
    let entity = world.spawn(NpcMind::new(NpcId::new("Mara")?)).id();

    let at = |hour: i64| GameTime::from_seconds(3600 * hour).unwrap_or(GameTime::ZERO);
    for (hour, text) in
        [(8, "I swept the common room"), (9, "Joss owes Tom for an axle"), (20, "Joss paid Tom")]
    {
        world.write_message(MemoryFormed { entity, memory: NewMemory::new(at(hour), Kind::Event, text) });
    }
    world.run_schedule(SleepPhase); // A tick by day.
    world.resource_mut::<GameClock>().now = at(22);
    world.entity_mut(entity).insert(Asleep::new(at(22), at(30)));
    loop {
        world.run_schedule(SleepPhase); // Ticks by night: the game goes on meanwhile.
        if let Some(night) = world.resource_mut::<Messages<NightConsolidated>>().drain().next() {
            writeln!(std::io::stdout(), "{}: {:#?}", night.npc, night.summary)?;
            return Ok(());
        }
    }
}
