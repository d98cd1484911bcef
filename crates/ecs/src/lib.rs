#![doc = include_str!("../README.md")]
//! # In forty lines
#![doc = concat!("```no_run\n", include_str!("../examples/minimal.rs"), "```")]

mod changes;
mod checkpoint;
mod components;
#[cfg(feature = "bevy_diagnostic")]
mod diagnostics;
mod directory;
mod error;
mod job;
mod messages;
mod new_memory;
mod nights;
#[cfg(feature = "bevy_app")]
mod plugin;
mod pool;
mod ports;
mod question;
mod recall;
mod resources;
mod saved;
mod schedule;
mod state_hash;
mod systems;
mod today;
mod workers;
mod world_api;

pub use bevy_ecs;
pub use nightfold::{consolidate::RecallFilter, memory};

pub use changes::{MindChange, Statement};
pub use checkpoint::{restore, save};
pub use components::{Asleep, Consolidating, DailyMemories, NpcMind, NpcTags};
#[cfg(feature = "bevy_diagnostic")]
pub use diagnostics::SleepDiagnosticsPlugin;
pub use directory::NpcDirectory;
pub use error::{CheckpointError, MemoryError, MindError, NightFailure, Panicked, PoolError, QuestionError};
pub use messages::{
    ConsolidationFailed, FellAsleep, MemoryFormed, MemoryRefused, MindMaintained, MindRefused,
    NightConsolidated, NightProgress, NightSummary, WakeReason, WokeUp,
};
pub use new_memory::NewMemory;
pub use nights::SleepQueue;
#[cfg(feature = "bevy_app")]
pub use plugin::{RunSleepPhase, SleepPlugin};
pub use pool::NightPool;
pub use question::{RecallAnswered, RecallQuestion, RecalledEntry};
pub use resources::{
    GameClock, LongTermStore, MaintenancePolicy, NightBudgets, NightConfig, NightJudge, NightLanguage,
    SleepTiming, TextEmbedder, TokensLeft,
};
pub use saved::{CHECKPOINT_FORMAT, Checkpoint};
pub use schedule::{SleepPhase, SleepPorts, SleepSystems, install};
pub use state_hash::state_hash;
pub use world_api::{reload, remember};

/// Names that most games import: `use nightfold_ecs::prelude::*`.
pub mod prelude {
    pub use crate::{
        Asleep, Consolidating, ConsolidationFailed, DailyMemories, FellAsleep, GameClock, MemoryFormed,
        MemoryRefused, MindChange, NewMemory, NightConsolidated, NightPool, NpcDirectory, NpcMind, NpcTags,
        RecallAnswered, RecallFilter, RecallQuestion, SleepPhase, SleepPorts, SleepQueue, SleepSystems,
        WokeUp,
        memory::{GameTime, Importance, Kind, NpcId},
    };
    #[cfg(feature = "bevy_app")]
    pub use crate::{RunSleepPhase, SleepPlugin};
}
