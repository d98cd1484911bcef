//! What the sleep phase works with. All of it may be changed while the game runs: a night goes on with what was there
//! when its batch was begun, later ones take what is there then.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use nightfold_memory::{Embedder, GameTime, LanguageModel, MemoryStore, StanceJudge, ValidConfig};
use serde::{Deserialize, Serialize};

/// How NPCs sleep: the same configuration as everywhere in Nightfold.
#[derive(Resource, Clone)]
pub struct NightConfig(pub Arc<ValidConfig>);

/// Long-term memory. Read and written by the pool's threads alone.
#[derive(Resource, Clone)]
pub struct LongTermStore(pub Arc<dyn MemoryStore>);

/// Texts to vectors. Called by the pool's threads alone. Another model than the one the store was written with is refused
/// by the store, and every night fails with that message.
#[derive(Resource, Clone)]
pub struct TextEmbedder(pub Arc<dyn Embedder>);

/// Words for syntheses and reflections; without it the rules find them. In [`Pace::Lockstep`] its answers must be the same
/// for the same task, as recorded ones are.
#[derive(Resource, Clone, Default)]
pub struct NightLanguage(pub Option<Arc<dyn LanguageModel>>);

/// Who says whether two close statements say the same; without it the rules do. In [`Pace::Lockstep`] it must say the same
/// of the same pair.
#[derive(Resource, Clone, Default)]
pub struct NightJudge(pub Option<Arc<dyn StanceJudge>>);

/// The game's clock. The game sets it before it runs [`SleepPhase`](crate::SleepPhase); wall time is never asked for.
#[derive(Resource, Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameClock {
    /// The moment of this tick.
    pub now: GameTime,
}

/// What a tick may do at most, what may be going on at a time, and what a language model may cost. Defaults
/// stand in parentheses. Where 0 would mean that nothing ever happens, 1 is taken.
#[derive(Resource, Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NightBudgets {
    /// How many NPCs are looked at for a night to begin, in one tick (16). A town of 1,000 takes 63 ticks.
    pub onset_per_tick: usize,
    /// How many NPCs one background job takes (32): their texts go to the embedder together.
    pub batch: usize,
    /// How many ticks a batch waits to be full (10).
    pub batch_ticks: u64,
    /// How many batches are worked on at a time (2). No more than twice as many nights as these hold wait to be written;
    /// in [`Pace::Lockstep`] planned nights wait for their moment, however many they are.
    pub in_flight: usize,
    /// How many nights are written in one transaction (64).
    pub write_group: usize,
    /// How many NPCs are told of their night in one tick (8).
    pub results_per_tick: usize,
    /// How many NPCs wake in one tick because their time has come (32).
    pub wakes_per_tick: usize,
    /// How many questions are being answered at a time (64); others wait.
    pub questions: usize,
    /// Tokens that are left for a language model, for all NPCs together (10000000). What nights may cost is taken from it
    /// when they begin, what they did not cost is given back; at 0 the rules find the words. The game fills it up when it
    /// sees fit.
    pub tokens: u64,
}

impl Default for NightBudgets {
    fn default() -> Self {
        Self {
            onset_per_tick: 16,
            batch: 32,
            batch_ticks: 10,
            in_flight: 2,
            write_group: 64,
            results_per_tick: 8,
            wakes_per_tick: 32,
            questions: 64,
            tokens: 10_000_000,
        }
    }
}

/// When the world learns what a night came to.
#[derive(Resource, Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Pace {
    /// As soon as it is worked out: no tick ever waits.
    #[default]
    AsReady,
    /// At moments of game time that are fixed when the night begins, so that the same inputs give the same state at every
    /// tick whatever threads do, for lockstep multiplayer and replays. A tick that comes to such a moment before the work
    /// is done waits for it: choose them so that it rarely does. At sixty game seconds a real one, 3,600 leave a minute.
    Lockstep {
        /// Game seconds from the beginning of a night to its writing: until then, waking early has it finished by the
        /// rules.
        plan_seconds: u32,
        /// Game seconds from its writing to the NPC's knowing; also from a question to its answer.
        write_seconds: u32,
    },
}
