//! A game on `bevy_app` to copy from: a loading screen, a day, a night, a lie that is found out, questions by day, and a
//! save that is loaded. `cargo run --release -p nightfold-ecs --features bevy_app --example tavern`
#![expect(clippy::needless_pass_by_value, reason = "systems take what bevy hands them")]

use std::{
    error::Error,
    io::Write as _,
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError, mpsc},
    time::Duration,
};

use bevy_app::{App, Startup, Update};
use bevy_ecs::prelude::*;
use nightfold_ecs::{
    Checkpoint, bevy_ecs,
    memory::{Embedder, SavePointName, ValidConfig},
    prelude::*,
    restore,
};
use nightfold_embed::{MiniLm, MiniLmOptions, ModelOptions, Models};
use nightfold_store::SqliteStore;
use serde::{Deserialize, Serialize};

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// Opened model, once the thread of the loading screen has it.
#[derive(Resource)]
struct Loading(Mutex<mpsc::Receiver<Result<MiniLm, String>>>);

/// The town is in the world: the game has left its loading screen.
#[derive(Resource)]
struct InGame;

/// Components of one NPC in a saved game.
#[derive(Serialize, Deserialize)]
struct SavedNpc(NpcMind, DailyMemories, Option<Asleep>);

/// A saved game. The state of the store is a save point of it: nobody remembers what came after the save.
#[derive(Serialize, Deserialize)]
struct SavedGame(GameClock, Vec<SavedNpc>, Checkpoint);

fn main() -> Result<(), Box<dyn Error>> {
    let mut app = App::new();
    app.add_plugins(SleepPlugin::later(Update))
        .insert_resource(GameClock { now: at(6 * HOUR) })
        .add_systems(Startup, open_model)
        .add_systems(
            Update,
            (
                finish_loading.run_if(not(resource_exists::<InGame>)),
                (tick_clock, live, go_to_bed, ask).chain().run_if(resource_exists::<InGame>),
            )
                .before(RunSleepPhase),
        )
        .add_observer(tell_night)
        .add_observer(tell_answer);
    while app.world().resource::<GameClock>().now < at(2 * DAY + 12 * HOUR) {
        app.update();
        if app.world().resource::<GameClock>().now == at(DAY + 23 * HOUR) {
            let saved = save(app.world_mut())?;
            say(&format!("saved in the middle of the second night: {} bytes", saved.len()));
            load(app.world_mut(), &saved)?;
        }
        // A frame; nights, answers and the loading screen go on meanwhile.
        std::thread::sleep(Duration::from_millis(16));
    }
    Ok(())
}

/// Opens the model on a thread of its own: it may have to be fetched first.
fn open_model(mut commands: Commands) {
    let (opened, model) = mpsc::channel();
    std::thread::spawn(move || {
        let open = || -> Result<MiniLm, Box<dyn Error>> {
            let files = Models::new(ModelOptions::from_env()).provide(&|_| {})?;
            let one = NonZeroUsize::MIN;
            Ok(MiniLm::open(
                &files,
                MiniLmOptions { sessions: one, reserved: 1, ..MiniLmOptions::default() },
            )?)
        };
        // The game may be gone.
        let _ = opened.send(open().map_err(|error| error.to_string()));
    });
    commands.insert_resource(Loading(Mutex::new(model)));
    say("loading …");
}

/// Leaves the loading screen: the ports go into the world, and the town is spawned.
fn finish_loading(world: &mut World) {
    let ready = world.resource::<Loading>().0.lock().unwrap_or_else(PoisonError::into_inner).try_recv();
    let Ok(opened) = ready else { return };
    let (embedder, pool) = match (opened, NightPool::new(NonZeroUsize::MIN)) {
        (Ok(model), Ok(pool)) => (Arc::new(model) as Arc<dyn Embedder>, pool),
        (Err(error), _) => return say(&format!("no model: {error}")),
        (_, Err(error)) => return say(&format!("no threads: {error}")),
    };
    let store = match SqliteStore::in_memory() {
        Ok(store) => Arc::new(store),
        Err(error) => return say(&format!("no store: {error}")),
    };
    let config = Arc::new(ValidConfig::default());
    SleepPorts { config, store, embedder, pool }.insert(world);
    for name in ["Mara", "Tom"] {
        if let Ok(npc) = NpcId::new(name) {
            world.spawn(NpcMind::new(npc).recalling());
        }
    }
    world.insert_resource(InGame);
    say("the tavern opens");
}

fn tick_clock(mut clock: ResMut<GameClock>) {
    clock.now = at(clock.now.seconds() + 10 * 60);
}

/// On the first day both hear a claim; on the second day Mara learns that it was a lie.
fn live(clock: Res<GameClock>, npcs: Query<(Entity, &NpcMind)>, mut formed: MessageWriter<MemoryFormed>) {
    let (text, who) = match clock.now.seconds() {
        now if now == 12 * HOUR => ("Joss owes Tom 14 silver for the axle", ""),
        now if now == DAY + 11 * HOUR => ("Joss does not owe Tom 14 silver for the axle", "Mara"),
        now if now == DAY + 15 * HOUR => ("I mended the sign over the door", "Tom"),
        _ => return,
    };
    for (entity, _) in npcs.iter().filter(|(_, mind)| who.is_empty() || mind.npc().as_str() == who) {
        let heard = NewMemory::new(clock.now, Kind::Chat, text).with(|m| m.actors = vec!["Wren".to_owned()]);
        formed.write(MemoryFormed { entity, memory: heard });
    }
}

fn go_to_bed(
    clock: Res<GameClock>,
    awake: Query<Entity, (With<NpcMind>, Without<Asleep>)>,
    mut commands: Commands,
) {
    if clock.now.seconds() % DAY == 22 * HOUR {
        let until = at(clock.now.seconds() + 8 * HOUR);
        awake.iter().for_each(|npc| _ = commands.entity(npc).insert(Asleep::new(clock.now, until)));
    }
}

/// Everybody is asked at noon, of today and of the days before.
fn ask(
    clock: Res<GameClock>,
    npcs: Query<Entity, With<NpcMind>>,
    mut questions: MessageWriter<RecallQuestion>,
) {
    if clock.now.seconds() % DAY == 11 * HOUR + 30 * 60 {
        questions.write_batch(npcs.iter().map(|npc| RecallQuestion::new(npc, "Does Joss owe Tom silver?")));
    }
}

fn tell_night(night: On<NightConsolidated>) {
    for change in &night.summary.changes {
        match change {
            MindChange::Learnt { statement, .. } => {
                say(&format!("{} has learnt: {:?}", night.npc, statement.text));
            }
            MindChange::BeliefChanged { old, new, told_by, .. } => say(&format!(
                "{} believed {:?}, and now {:?}, from {told_by:?}",
                night.npc, old.text, new.text
            )),
            _ => {}
        }
    }
}

fn tell_answer(answer: On<RecallAnswered>, minds: Query<&NpcMind>) {
    let Ok(mind) = minds.get(answer.entity) else { return };
    match &answer.memories {
        Ok(found) => match found.first() {
            Some(best) => say(&format!("{}: {:?} (today: {})", mind.npc(), best.text, best.today)),
            None => say(&format!("{} shrugs", mind.npc())),
        },
        Err(error) => say(&format!("{} cannot answer: {error}", mind.npc())),
    }
}

fn save(world: &mut World) -> Result<String, Box<dyn Error>> {
    let mut npcs = world.query::<(&NpcMind, &DailyMemories, Option<&Asleep>)>();
    let npcs =
        npcs.iter(world).map(|(mind, day, asleep)| SavedNpc(mind.clone(), day.clone(), asleep.cloned()));
    let (npcs, nights) = (npcs.collect(), nightfold_ecs::save(world, &SavePointName::new("slot 1")?)?);
    Ok(serde_json::to_string(&SavedGame(*world.resource::<GameClock>(), npcs, nights))?)
}

fn load(world: &mut World, saved: &str) -> Result<(), Box<dyn Error>> {
    let SavedGame(clock, npcs, nights) = serde_json::from_str(saved)?;
    let old: Vec<Entity> = world.query_filtered::<Entity, With<NpcMind>>().iter(world).collect();
    old.into_iter().for_each(|npc| _ = world.despawn(npc));
    world.insert_resource(clock);
    for SavedNpc(mind, day, asleep) in npcs {
        let mut npc = world.spawn((mind, day));
        asleep.into_iter().for_each(|asleep| _ = npc.insert(asleep));
    }
    Ok(restore(world, nights)?)
}

fn at(seconds: i64) -> GameTime {
    GameTime::from_seconds(seconds).unwrap_or(GameTime::ZERO)
}

/// Writes a line. Texts of memories are quoted by `{:?}`, which escapes what a terminal would obey.
fn say(line: &str) {
    // Nobody reads on if the output is closed.
    let _ = writeln!(std::io::stdout(), "{line}");
}
