//! Schedule of a tick, and its installation in a world.

use std::sync::Arc;

use bevy_ecs::{
    message::{Message, Messages},
    prelude::*,
    schedule::{LogLevel, ScheduleBuildSettings, ScheduleLabel, Schedules, SingleThreadedExecutor},
};
use nightfold::memory::{Embedder, MemoryStore, ValidConfig};

use crate::{
    ConsolidationFailed, FellAsleep, GameClock, LongTermStore, MaintenancePolicy, MemoryFormed,
    MemoryRefused, MindMaintained, MindRefused, NightBudgets, NightConfig, NightConsolidated, NightJudge,
    NightLanguage, NightPool, NpcDirectory, RecallAnswered, RecallQuestion, SleepQueue, SleepTiming,
    TextEmbedder, TokensLeft, WokeUp, recall::Questions, systems,
};

/// Schedule that the game runs once per tick, after setting [`GameClock`]: `world.run_schedule(SleepPhase)`.
#[derive(ScheduleLabel, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SleepPhase;

/// Steps of a tick, in this order. Systems that touch the same data in the same set must be ordered:
/// ambiguity is an error of the schedule.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SleepSystems {
    /// Adds the memories of the tick to the days and admits a few sleeping NPCs to their night.
    FallAsleep,
    /// Closes the days of admitted NPCs.
    Collect,
    /// Hands work to the pool and takes in its results.
    Consolidate,
    /// Writes planned nights to the store and delivers written ones to their NPCs.
    Commit,
    /// Wakes NPCs at the end of their sleep.
    Wake,
}

/// Ports that a world needs to sleep. All else is a resource with a default that can be set afterwards:
/// [`NightBudgets`], [`TokensLeft`], [`NightLanguage`], [`NightJudge`], [`SleepTiming`], [`GameClock`].
pub struct SleepPorts {
    /// Configuration of the nights.
    pub config: Arc<ValidConfig>,
    /// Long-term memory.
    pub store: Arc<dyn MemoryStore>,
    /// Embedder of texts.
    pub embedder: Arc<dyn Embedder>,
    /// Threads that work out the nights.
    pub pool: NightPool,
}

/// Owner of the update of message buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageRotation {
    /// The schedule, at the beginning of each tick.
    Schedule,
    /// The app, with all other message buffers.
    #[cfg(feature = "bevy_app")]
    App,
}

/// Installs the sleep phase in a world: its resources, observers, messages, and the schedule [`SleepPhase`].
/// To be called once, before NPCs are spawned.
///
/// Messages stay for two runs of the schedule. The schedule runs on the thread that calls it.
pub fn install(world: &mut World, ports: SleepPorts) {
    ports.insert(world);
    let schedule = prepare(world, MessageRotation::Schedule);
    world.get_resource_or_init::<Schedules>().insert(schedule);
}

impl SleepPorts {
    /// Puts the ports into a world in which the sleep phase is installed without them
    /// (`SleepPlugin::later`), for instance when a loading screen has opened the model.
    pub fn insert(self, world: &mut World) {
        world.insert_resource(NightConfig(self.config));
        world.insert_resource(LongTermStore(self.store));
        world.insert_resource(TextEmbedder(self.embedder));
        world.insert_resource(self.pool);
    }
}

pub(crate) fn prepare(world: &mut World, rotation: MessageRotation) -> Schedule {
    world.init_resource::<NightLanguage>();
    world.init_resource::<NightJudge>();
    world.init_resource::<NightBudgets>();
    world.init_resource::<TokensLeft>();
    world.init_resource::<SleepTiming>();
    world.init_resource::<MaintenancePolicy>();
    world.init_resource::<SleepQueue>();
    world.init_resource::<NpcDirectory>();
    world.init_resource::<Questions>();
    world.get_resource_or_insert_with(|| GameClock { now: nightfold::memory::GameTime::ZERO });
    world.add_observer(systems::on_asleep_despawn);
    world.add_observer(systems::on_asleep_discard);
    world.add_observer(systems::on_asleep);
    world.add_observer(systems::on_asleep_remove);
    world.add_observer(systems::on_mind);
    world.add_observer(systems::on_mind_discard);

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
        (systems::remember, systems::notice_woken, systems::fall_asleep)
            .chain()
            .in_set(SleepSystems::FallAsleep),
        systems::collect.in_set(SleepSystems::Collect),
        (systems::ask, systems::consolidate).chain().in_set(SleepSystems::Consolidate),
        (systems::commit, systems::answer).chain().in_set(SleepSystems::Commit),
        systems::wake.in_set(SleepSystems::Wake),
    ));
    if rotation == MessageRotation::Schedule {
        rotate_messages(world, &mut schedule);
    }
    schedule
}

/// Updates the message buffers before all other systems of a tick.
fn rotate_messages(world: &mut World, schedule: &mut Schedule) {
    fn of<M: Message>(world: &mut World, schedule: &mut Schedule) {
        world.init_resource::<Messages<M>>();
        let turn = |mut messages: ResMut<Messages<M>>| messages.update();
        schedule.add_systems(turn.before(SleepSystems::FallAsleep));
    }
    of::<MemoryFormed>(world, schedule);
    of::<MemoryRefused>(world, schedule);
    of::<FellAsleep>(world, schedule);
    of::<WokeUp>(world, schedule);
    of::<MindRefused>(world, schedule);
    of::<NightConsolidated>(world, schedule);
    of::<ConsolidationFailed>(world, schedule);
    of::<MindMaintained>(world, schedule);
    of::<RecallQuestion>(world, schedule);
    of::<RecallAnswered>(world, schedule);
}
