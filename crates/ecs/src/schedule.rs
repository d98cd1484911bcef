//! The schedule of a tick, and how it comes into a world.

use std::sync::Arc;

use bevy_ecs::{
    message::{Message, Messages},
    prelude::*,
    schedule::{LogLevel, ScheduleBuildSettings, ScheduleLabel, Schedules, SingleThreadedExecutor},
};
use nightfold::memory::{Embedder, MemoryStore, ValidConfig};

use crate::{
    CameToMind, ConsolidationFailed, FellAsleep, GameClock, LongTermStore, MemoryFormed, MemoryRefused,
    NightBudgets, NightConfig, NightConsolidated, NightJudge, NightLanguage, NightPool, Nights, Pace,
    Question, TextEmbedder, WokeEarly, WokeUp, question::Questions, systems,
};

/// The schedule that a game runs once a tick, after it has set [`GameClock`]: `world.run_schedule(SleepPhase)`.
#[derive(ScheduleLabel, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SleepPhase;

/// What a tick does, in this order. Systems that touch the same things in the same set must be ordered: ambiguity is an
/// error of the schedule.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SleepSystems {
    /// Memories of the tick are taken in; who sleeps is called to bed, a few at a time.
    FallAsleep,
    /// Their days are closed.
    Collect,
    /// The pool gets its work, and what it has done is taken in.
    Consolidate,
    /// Planned nights go to the store, and NPCs get to know what was written.
    Commit,
    /// Who has slept enough wakes.
    Wake,
}

/// What a world needs to sleep, beside the defaults. Everything else is a resource that can be set afterwards:
/// [`NightBudgets`], [`NightLanguage`], [`NightJudge`], [`Pace`], [`GameClock`].
pub struct SleepPorts {
    /// How NPCs sleep.
    pub config: Arc<ValidConfig>,
    /// Long-term memory.
    pub store: Arc<dyn MemoryStore>,
    /// Texts to vectors.
    pub embedder: Arc<dyn Embedder>,
    /// The threads on which nights are worked out.
    pub pool: NightPool,
}

/// Who turns over the buffers of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turns {
    /// The schedule, at the beginning of each tick.
    Schedule,
    /// The app, with those of all others.
    #[cfg(feature = "bevy_app")]
    App,
}

/// Puts the sleep phase into a world: its resources, observers, messages, and the schedule [`SleepPhase`]. To be called
/// once, before NPCs are spawned.
///
/// Messages stay for two runs of the schedule. The schedule runs on the thread that calls it.
pub fn install(world: &mut World, ports: SleepPorts) {
    let schedule = prepare(world, ports, Turns::Schedule);
    world.get_resource_or_init::<Schedules>().insert(schedule);
}

pub(crate) fn prepare(world: &mut World, ports: SleepPorts, turns: Turns) -> Schedule {
    world.insert_resource(NightConfig(ports.config));
    world.insert_resource(LongTermStore(ports.store));
    world.insert_resource(TextEmbedder(ports.embedder));
    world.insert_resource(ports.pool);
    world.init_resource::<NightLanguage>();
    world.init_resource::<NightJudge>();
    world.init_resource::<NightBudgets>();
    world.init_resource::<Pace>();
    world.init_resource::<Nights>();
    world.init_resource::<Questions>();
    world.get_resource_or_insert_with(|| GameClock { now: nightfold::memory::GameTime::ZERO });
    world.add_observer(systems::on_asleep);
    world.add_observer(systems::on_mind);

    let mut schedule = Schedule::new(SleepPhase);
    schedule.set_build_settings(ScheduleBuildSettings {
        ambiguity_detection: LogLevel::Error,
        ..ScheduleBuildSettings::default()
    });
    // A tick has microseconds of work: handing it to other threads would cost more than doing it.
    schedule.set_executor(SingleThreadedExecutor::new());
    schedule.configure_sets(
        (
            SleepSystems::FallAsleep,
            SleepSystems::Collect,
            SleepSystems::Consolidate,
            SleepSystems::Commit,
            SleepSystems::Wake,
        )
            .chain(),
    );
    schedule.add_systems((
        (systems::remember, systems::fall_asleep).chain().in_set(SleepSystems::FallAsleep),
        systems::collect.in_set(SleepSystems::Collect),
        systems::consolidate.in_set(SleepSystems::Consolidate),
        (systems::commit, systems::answer).chain().in_set(SleepSystems::Commit),
        systems::wake.in_set(SleepSystems::Wake),
    ));
    if turns == Turns::Schedule {
        turn_over(world, &mut schedule);
    }
    schedule
}

/// Turns the buffers of our messages over before anything else happens in a tick.
fn turn_over(world: &mut World, schedule: &mut Schedule) {
    fn of<M: Message>(world: &mut World, schedule: &mut Schedule) {
        world.init_resource::<Messages<M>>();
        let turn = |mut messages: ResMut<Messages<M>>| messages.update();
        schedule.add_systems(turn.before(SleepSystems::FallAsleep));
    }
    of::<MemoryFormed>(world, schedule);
    of::<MemoryRefused>(world, schedule);
    of::<FellAsleep>(world, schedule);
    of::<WokeUp>(world, schedule);
    of::<WokeEarly>(world, schedule);
    of::<NightConsolidated>(world, schedule);
    of::<ConsolidationFailed>(world, schedule);
    of::<Question>(world, schedule);
    of::<CameToMind>(world, schedule);
}
