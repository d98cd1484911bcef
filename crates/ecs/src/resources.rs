//! Resources of the sleep phase. All of them may be changed while the game runs: a night goes on with those
//! present at the beginning of its batch, later nights take the new ones.

use std::sync::Arc;

use bevy_ecs::prelude::*;
#[cfg(feature = "bevy_reflect")]
use bevy_reflect::prelude::*;
use nightfold_memory::{Embedder, GameTime, LanguageModel, MemoryStore, StanceJudge, ValidConfig};
use serde::{Deserialize, Serialize};

/// Configuration of the nights: the same as everywhere in Nightfold.
#[derive(Resource, Clone)]
pub struct NightConfig(pub Arc<ValidConfig>);

/// Long-term memory. Read and written by the pool's threads only.
#[derive(Resource, Clone)]
pub struct LongTermStore(pub Arc<dyn MemoryStore>);

/// Embedder of texts. Called by the pool's threads only. The store refuses a model other than the one it was
/// written with, and every night fails with that message.
#[derive(Resource, Clone)]
pub struct TextEmbedder(pub Arc<dyn Embedder>);

/// Language model that words syntheses and reflections; without one the rules do. In [`SleepTiming::Lockstep`] its
/// answers must be the same for the same task, as recorded ones are.
#[derive(Resource, Clone, Default)]
pub struct NightLanguage(pub Option<Arc<dyn LanguageModel>>);

/// Judge of pairs of close statements; without one the rules decide. In [`SleepTiming::Lockstep`] its verdict on a
/// pair must always be the same.
#[derive(Resource, Clone, Default)]
pub struct NightJudge(pub Option<Arc<dyn StanceJudge>>);

/// Clock of the game, set before [`SleepPhase`](crate::SleepPhase) is run; wall time is never read.
#[derive(Resource, Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(Reflect), reflect(opaque, Resource, Serialize, Deserialize))]
pub struct GameClock {
    /// Moment of this tick.
    pub now: GameTime,
}

/// Limits of a tick and of concurrent work. Defaults are in parentheses. A 0 that would stop all
/// progress is taken as 1.
#[derive(Resource, Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "bevy_reflect", derive(Reflect), reflect(Resource, Default, Serialize, Deserialize))]
pub struct NightBudgets {
    /// Number of NPCs examined per tick for the beginning of their night (16). A town of 1,000 takes 63
    /// ticks.
    pub onset_per_tick: usize,
    /// Number of NPCs per background job (32): their texts are embedded together.
    pub batch: usize,
    /// Number of ticks for which a batch waits to be full (10).
    pub batch_ticks: u64,
    /// Number of batches worked on at a time (2). At most twice the nights of these batches wait to be
    /// written; in [`SleepTiming::Lockstep`] any number of planned nights waits for its delivery time.
    pub in_flight: usize,
    /// Number of nights written in one transaction (64).
    pub write_group: usize,
    /// Number of results delivered per tick (8).
    pub results_per_tick: usize,
    /// Number of NPCs woken per tick at the end of their sleep (32).
    pub wakes_per_tick: usize,
    /// Number of questions answered at a time (64); others wait.
    pub questions: usize,
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
        }
    }
}

/// Tokens left for a language model, for all NPCs together (10000000). State, not a setting: a night's limit is taken from
/// it at its beginning, and the unused part is returned; at 0 the rules word the results. The game refills it as it
/// likes, and saves it with [`GameClock`].
#[derive(Resource, Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(Reflect), reflect(Resource, Default, Serialize, Deserialize))]
pub struct TokensLeft(pub u64);

impl Default for TokensLeft {
    fn default() -> Self {
        Self(10_000_000)
    }
}

/// Moment at which the world learns the result of a night.
#[derive(Resource, Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "bevy_reflect", derive(Reflect), reflect(Resource, Default, Serialize, Deserialize))]
pub enum SleepTiming {
    /// As soon as it is ready: no tick ever waits.
    #[default]
    AsReady,
    /// At moments of game time fixed at the beginning of the night: the same inputs give the same state at
    /// every tick, regardless of threads, as lockstep multiplayer and replays need. A tick that reaches such
    /// a moment before the work is done waits for it: choose the moments so that this is rare. At sixty game
    /// seconds per real second, 3,600 leave a minute.
    Lockstep {
        /// Game seconds from the beginning of a night to its writing; an NPC woken before that has its night
        /// finished by the rules.
        plan_seconds: u32,
        /// Game seconds from the writing of a night to its delivery; also from a question to its answer.
        write_seconds: u32,
    },
}

/// Conditions for the maintenance of long-term memory: status lines of several nights become one, old weeks are told as one text,
/// records are distilled, what has faded is forgotten, reflections are capped. It happens in an NPC's sleep, after its
/// night, on the pool's threads and behind all nights; defaults are in parentheses.
#[derive(Resource, Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "bevy_reflect", derive(Reflect), reflect(Resource, Default, Serialize, Deserialize))]
pub struct MaintenancePolicy {
    /// False to leave maintenance to `nightfold maintain` or to the game (true).
    pub enabled: bool,
    /// Number of days of game time after which an NPC is maintained again (7).
    pub every_days: u32,
    /// Number of active entries beyond which an NPC is maintained after every night (1000).
    pub max_entries: usize,
}

impl Default for MaintenancePolicy {
    fn default() -> Self {
        Self { enabled: true, every_days: 7, max_entries: 1_000 }
    }
}

impl MaintenancePolicy {
    /// Returns the number of active entries up to which nothing is to be done: 0 once its time has come, `None` if
    /// there is no maintenance. `last` is the moment of the last one, or of the first night.
    pub(crate) fn least(self, last: Option<GameTime>, now: GameTime) -> Option<usize> {
        let days = now.seconds().saturating_sub(last.unwrap_or(now).seconds()) / 86_400;
        let due = days >= i64::from(self.every_days.max(1));
        self.enabled.then_some(if due { 0 } else { self.max_entries.max(1) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maintenance_is_due_by_days_or_by_entries() {
        let at = |days: i64| GameTime::from_seconds(86_400 * days).unwrap();
        let policy = MaintenancePolicy::default();
        assert_eq!(policy.least(None, at(100)), Some(1_000), "the first night begins the count");
        assert_eq!(policy.least(Some(at(0)), at(6)), Some(1_000));
        assert_eq!(policy.least(Some(at(0)), at(7)), Some(0));
        assert_eq!(MaintenancePolicy { enabled: false, ..policy }.least(Some(at(0)), at(99)), None);
    }
}
