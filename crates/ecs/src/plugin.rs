//! Sleep phase as a plugin of `bevy_app`.

use std::sync::{Mutex, PoisonError};

use bevy_app::{App, Plugin};
use bevy_ecs::{intern::Interned, prelude::*, schedule::ScheduleLabel};

use crate::{
    ConsolidationFailed, FellAsleep, MemoryFormed, MemoryRefused, MindMaintained, MindRefused,
    NightConsolidated, NightPool, RecallAnswered, RecallQuestion, SleepPhase, SleepPorts, WokeUp,
    schedule::{MessageRotation, prepare},
};

/// Plugin that runs [`SleepPhase`] in a schedule of the app: `FixedUpdate` for a fixed game clock, which
/// lockstep requires. The app updates the message buffers together with its other message buffers. The game
/// sets [`GameClock`](crate::GameClock) in an earlier schedule, or in the same one before [`RunSleepPhase`].
pub struct SleepPlugin {
    ports: Mutex<Option<SleepPorts>>,
    schedule: Interned<dyn ScheduleLabel>,
}

/// System set in which the plugin runs [`SleepPhase`].
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RunSleepPhase;

impl SleepPlugin {
    /// Creates the plugin for a schedule of the app.
    #[expect(clippy::needless_pass_by_value, reason = "labels are handed over by value throughout bevy")]
    pub fn new(ports: SleepPorts, schedule: impl ScheduleLabel) -> Self {
        Self { ports: Mutex::new(Some(ports)), schedule: schedule.intern() }
    }

    /// Creates the plugin without ports: its messages and components can be used at once, and NPCs sleep as soon as the
    /// game has put the ports into the world ([`SleepPorts::insert`]).
    #[expect(clippy::needless_pass_by_value, reason = "labels are handed over by value throughout bevy")]
    pub fn later(schedule: impl ScheduleLabel) -> Self {
        Self { ports: Mutex::new(None), schedule: schedule.intern() }
    }
}

impl Plugin for SleepPlugin {
    fn build(&self, app: &mut App) {
        if let Some(ports) = self.ports.lock().unwrap_or_else(PoisonError::into_inner).take() {
            ports.insert(app.world_mut());
        }
        app.add_message::<MemoryFormed>()
            .add_message::<MemoryRefused>()
            .add_message::<FellAsleep>()
            .add_message::<WokeUp>()
            .add_message::<MindRefused>()
            .add_message::<NightConsolidated>()
            .add_message::<ConsolidationFailed>()
            .add_message::<MindMaintained>()
            .add_message::<RecallQuestion>()
            .add_message::<RecallAnswered>();
        #[cfg(feature = "bevy_reflect")]
        app.register_type::<crate::Asleep>()
            .register_type::<crate::DailyMemories>()
            .register_type::<crate::GameClock>()
            .register_type::<crate::MaintenancePolicy>()
            .register_type::<crate::NightBudgets>()
            .register_type::<crate::NpcMind>()
            .register_type::<crate::NpcTags>()
            .register_type::<crate::SleepTiming>()
            .register_type::<crate::TokensLeft>();
        let schedule = prepare(app.world_mut(), MessageRotation::App);
        app.add_schedule(schedule);
        let run = |world: &mut World| {
            if world.contains_resource::<NightPool>() {
                world.run_schedule(SleepPhase);
            }
        };
        app.add_systems(self.schedule, run.in_set(RunSleepPhase));
    }
}
