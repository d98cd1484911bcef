//! Use from games on the whole of bevy: types by reflection, counts among the diagnostics.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;

use bevy_app::{App, TaskPoolPlugin, Update};
use bevy_diagnostic::{DiagnosticPath, DiagnosticsPlugin, DiagnosticsStore};
use bevy_ecs::{prelude::*, reflect::AppTypeRegistry};
use bevy_reflect::{
    TypePath,
    serde::{TypedReflectDeserializer, TypedReflectSerializer},
};
use nightfold_ecs::{
    Asleep, DailyMemories, NightBudgets, NpcMind, NpcTags, SleepDiagnosticsPlugin, SleepPlugin, SleepPorts,
    SleepQueue, memory::ValidConfig,
};
use nightfold_store::SqliteStore;
use serde::de::DeserializeSeed;
use support::{at, night::Toy, pool, spawn};

fn app() -> App {
    let ports = SleepPorts {
        config: Arc::new(ValidConfig::default()),
        store: Arc::new(SqliteStore::in_memory().unwrap()),
        embedder: Arc::new(Toy::new()),
        pool: pool(1),
    };
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), SleepPlugin::new(ports, Update)));
    app
}

/// Writes a component by reflection and reads it into an entity of another game, as saved scenes do.
fn reloaded<T: Component + TypePath + Clone>(game: &App, npc: Entity, loaded: &mut App, into: Entity) -> T {
    let registry = game.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let registration = registry.get_with_type_path(T::type_path()).expect("a registered type");
    let component = registration.data::<ReflectComponent>().unwrap();
    let value = component.reflect(game.world().entity(npc)).unwrap();
    let json = serde_json::to_string(&TypedReflectSerializer::new(value, &registry)).unwrap();
    let mut reader = serde_json::Deserializer::from_str(&json);
    let read = TypedReflectDeserializer::new(registration, &registry).deserialize(&mut reader).unwrap();
    component.insert(&mut loaded.world_mut().entity_mut(into), &*read, &registry);
    loaded.world().get::<T>(into).unwrap().clone()
}

#[test]
fn components_are_saved_by_reflection() {
    let (mut game, mut loaded) = (app(), app());
    let ann = spawn(game.world_mut(), "Ann", &["Joss owes Tom silver"]);
    let tags = NpcTags(vec!["smith".into()]);
    let asleep = Asleep::new(at(5_000), at(9_000)).with_quality(0.5).unwrap();
    game.world_mut().entity_mut(ann).insert((asleep.clone(), tags.clone()));
    let day = game.world().get::<DailyMemories>(ann).unwrap().clone();

    let into = loaded.world_mut().spawn_empty().id();
    assert_eq!(reloaded::<DailyMemories>(&game, ann, &mut loaded, into), day);
    assert_eq!(reloaded::<Asleep>(&game, ann, &mut loaded, into), asleep);
    assert_eq!(reloaded::<NpcTags>(&game, ann, &mut loaded, into), tags);
    assert_eq!(reloaded::<NpcMind>(&game, ann, &mut loaded, into).npc().as_str(), "Ann");
    assert_eq!(loaded.world().resource::<SleepQueue>().waiting(), 1, "it sleeps on in the loaded game");
}

#[test]
fn settings_can_be_shown_and_changed_by_reflection() {
    let app = app();
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    for path in ["NightBudgets", "TokensLeft", "SleepTiming", "MaintenancePolicy", "GameClock"] {
        let registration = registry.get_with_short_type_path(path).expect(path);
        assert!(registration.data::<ReflectResource>().is_some(), "{path}");
    }
}

#[test]
fn diagnostics_count_the_sleep_phase() {
    let mut app = app();
    app.add_plugins((DiagnosticsPlugin, SleepDiagnosticsPlugin));
    for name in ["Ann", "Ben"] {
        let npc = spawn(app.world_mut(), name, &["Joss owes Tom silver"]);
        app.world_mut().entity_mut(npc).insert(Asleep::new(at(0), at(90_000)));
    }
    app.world_mut().resource_mut::<NightBudgets>().onset_per_tick = 1;
    app.update();
    let value = |app: &App, path: &DiagnosticPath| {
        app.world().resource::<DiagnosticsStore>().get(path).unwrap().value()
    };
    assert_eq!(value(&app, &SleepDiagnosticsPlugin::NPCS), Some(2.0));
    assert_eq!(value(&app, &SleepDiagnosticsPlugin::WAITING), Some(1.0));
    assert_eq!(value(&app, &SleepDiagnosticsPlugin::UNDER_WAY), Some(1.0));
    assert_eq!(value(&app, &SleepDiagnosticsPlugin::TOKENS_LEFT), Some(10_000_000.0));
}
