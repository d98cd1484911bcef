//! The plugin in an app: a night from evening to morning, with message buffers updated by the app.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::{Arc, Mutex};

use bevy_app::{App, FixedUpdate, Update};
use bevy_ecs::{prelude::*, schedule::ScheduleLabel};
use nightfold_ecs::{
    Asleep, GameClock, NightConsolidated, RunSleepPhase, SleepPlugin, SleepPorts,
    memory::{MemoryReader, ValidConfig},
};
use nightfold_store::SqliteStore;
use support::{
    at,
    night::{Toy, npc},
    pool, spawn,
};

#[derive(Resource, Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

fn app(store: Arc<SqliteStore>, schedule: impl ScheduleLabel) -> App {
    let ports = SleepPorts {
        config: Arc::new(ValidConfig::default()),
        store,
        embedder: Arc::new(Toy::new()),
        pool: pool(1),
    };
    let mut app = App::new();
    app.add_plugins(SleepPlugin::new(ports, schedule));
    app
}

#[test]
fn plugin_delivers_a_night_exactly_once() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let mut app = app(store.clone(), Update);
    let told = Told::default();
    app.insert_resource(told.clone());
    let tell = |mut nights: MessageReader<NightConsolidated>, told: Res<Told>| {
        told.0.lock().unwrap().extend(nights.read().map(|night| night.npc.to_string()));
    };
    let clock = |mut clock: ResMut<GameClock>| clock.now = at(1_000);
    app.add_systems(Update, (clock.before(RunSleepPhase), tell.after(RunSleepPhase)));
    let ann = spawn(app.world_mut(), "Ann", &["Joss owes Tom silver", "Wren sang about the storm"]);
    app.world_mut().entity_mut(ann).insert(Asleep::new(at(900), at(1_000)));
    while told.0.lock().unwrap().is_empty() {
        app.update();
        std::thread::yield_now();
    }
    (0..5).for_each(|_| app.update());
    assert_eq!(*told.0.lock().unwrap(), ["Ann"]);
    assert_eq!(store.nights(Some(&npc("Ann"))).unwrap().len(), 1);
    assert!(app.world().get::<Asleep>(ann).is_none());
}

#[test]
fn plugin_runs_in_the_given_schedule_only() {
    let mut app = app(Arc::new(SqliteStore::in_memory().unwrap()), FixedUpdate);
    let ann = spawn(app.world_mut(), "Ann", &["Joss owes Tom silver"]);
    app.world_mut().entity_mut(ann).insert(Asleep::new(at(0), at(0)));
    app.update();
    assert!(app.world().get::<Asleep>(ann).is_some(), "nothing happens outside it");
    app.world_mut().run_schedule(FixedUpdate);
    assert!(app.world().get::<Asleep>(ann).is_none());
}

#[test]
fn ports_may_come_after_the_plugin() {
    let mut app = App::new();
    app.add_plugins(SleepPlugin::later(Update));
    let read = |mut nights: MessageReader<NightConsolidated>| _ = nights.read().count();
    app.add_systems(Update, read);
    let ann = spawn(app.world_mut(), "Ann", &["Joss owes Tom silver"]);
    app.world_mut().entity_mut(ann).insert(Asleep::new(at(0), at(0)));
    app.update();
    assert!(app.world().get::<Asleep>(ann).is_some(), "nobody sleeps without ports");
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let (config, embedder) = (Arc::new(ValidConfig::default()), Arc::new(Toy::new()));
    SleepPorts { config, store: store.clone(), embedder, pool: pool(1) }.insert(app.world_mut());
    while store.nights(None).unwrap().is_empty() {
        app.update();
        std::thread::yield_now();
    }
    assert!(app.world().get::<Asleep>(ann).is_none());
}
