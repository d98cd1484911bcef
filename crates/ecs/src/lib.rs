#![doc = include_str!("../README.md")]
//! # In forty lines
#![doc = concat!("```no_run\n", include_str!("../examples/minimal.rs"), "```")]

mod changes;
mod checkpoint;
mod components;
mod directory;
mod error;
mod job;
mod messages;
mod new_memory;
mod nights;
#[cfg(feature = "bevy_app")]
mod plugin;
mod pool;
mod recall;
mod resources;
mod schedule;
mod state_hash;
mod systems;
mod today;

pub use bevy_ecs;
pub use nightfold::{consolidate::RecallFilter, memory};

pub use changes::{MindChange, Statement};
pub use checkpoint::{CHECKPOINT_FORMAT, Checkpoint, restore, save};
pub use components::{Asleep, Consolidating, DailyMemories, NpcMind, NpcTags};
pub use directory::NpcDirectory;
pub use error::{CheckpointError, MemoryError, MindError, NightFailure, Panicked, PoolError, QuestionError};
pub use messages::{
    ConsolidationFailed, FellAsleep, MemoryFormed, MemoryRefused, MindMaintained, MindRefused,
    NightConsolidated, NightProgress, NightSummary, WakeReason, WokeUp,
};
pub use new_memory::NewMemory;
pub use nights::Nights;
#[cfg(feature = "bevy_app")]
pub use plugin::{RunSleepPhase, SleepPlugin};
pub use pool::NightPool;
pub use recall::{RecallAnswered, RecallQuestion, RecalledEntry};
pub use resources::{
    GameClock, LongTermStore, MaintenancePolicy, NightBudgets, NightConfig, NightJudge, NightLanguage, Pace,
    TextEmbedder,
};
pub use schedule::{SleepPhase, SleepPorts, SleepSystems, install};
pub use state_hash::state_hash;

/// Names that most games import: `use nightfold_ecs::prelude::*`.
pub mod prelude {
    pub use crate::{
        Asleep, Consolidating, ConsolidationFailed, DailyMemories, FellAsleep, GameClock, MemoryFormed,
        MemoryRefused, MindChange, NewMemory, NightConsolidated, NightPool, Nights, NpcDirectory, NpcMind,
        NpcTags, RecallAnswered, RecallFilter, RecallQuestion, SleepPhase, SleepPorts, SleepSystems, WokeUp,
        memory::{GameTime, Importance, Kind, NpcId},
    };
    #[cfg(feature = "bevy_app")]
    pub use crate::{RunSleepPhase, SleepPlugin};
}
