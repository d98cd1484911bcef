#![doc = include_str!("../README.md")]
//!
//! # In forty lines
//!
#![doc = concat!("```no_run\n", include_str!("../examples/minimal.rs"), "```")]

mod checkpoint;
mod components;
mod error;
mod job;
mod lived;
mod lockstep;
mod messages;
mod nights;
#[cfg(feature = "bevy_app")]
mod plugin;
mod pool;
mod question;
mod resources;
mod schedule;
mod systems;

pub use bevy_ecs;
pub use nightfold::memory;

pub use checkpoint::{CHECKPOINT_FORMAT, Checkpoint, restore};
pub use components::{Asleep, Consolidating, DailyMemories, Mind};
pub use error::{MemoryError, NightFailure, Panicked, PoolError, QuestionError, RestoreError};
pub use lived::Lived;
pub use lockstep::state_hash;
pub use messages::{
    ConsolidationFailed, FellAsleep, Insight, MemoryFormed, MemoryRefused, NightConsolidated, NightSummary,
    WokeEarly, WokeUp,
};
pub use nights::Nights;
#[cfg(feature = "bevy_app")]
pub use plugin::{RunSleepPhase, SleepPlugin};
pub use pool::NightPool;
pub use question::{CameToMind, Question, Remembered};
pub use resources::{
    GameClock, LongTermStore, NightBudgets, NightConfig, NightJudge, NightLanguage, Pace, TextEmbedder,
};
pub use schedule::{SleepPhase, SleepPorts, SleepSystems, install};
