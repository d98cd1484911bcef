//! Options with which a town is opened.

use std::path::PathBuf;

use nightfold_ecs::{
    MaintenancePolicy, NightBudgets, SleepTiming,
    memory::{Config, GameTime, ModelId},
};
use serde::Deserialize;

/// Options of a town, as JSON; defaults are in parentheses.
///
/// ```
/// use nightfold_town::TownOptions;
///
/// let options: TownOptions = serde_json::from_str(
///     r#"{"store": {"file": "town.db"}, "threads": 2, "config": {"budget": {"storage": 0.3}}}"#,
/// )?;
/// assert_eq!(options.threads, 2);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TownOptions {
    /// Place of long-term memory: `"memory"`, or `{"file": PATH}` (`"memory"`).
    pub store: StorePlace,
    /// Source of vectors: `"minilm"`, or `{"host": {"model": "NAME@VERSION", "dimensions": N}}` if the host computes them itself
    /// (`"minilm"`).
    pub embedder: EmbedderChoice,
    /// Folder with the model's files (those of the environment, the working folder and the user's cache). Nothing is ever
    /// fetched: `nightfold models fetch` does.
    pub models: Option<PathBuf>,
    /// Configuration of the nights: the sections of `nightfold.toml` (their defaults).
    pub config: Config,
    /// Number of threads that plan nights (1). Three more, idle most of the time, write, answer, and make NPCs ready to be
    /// asked. With 0 there are none, and the host computes in [`Town::step`](crate::Town::step).
    pub threads: usize,
    /// Moment at which the town learns the result of a night (`"as_ready"`); `{"lockstep": {"plan_seconds": N, "write_seconds": N}}` for
    /// games that must be the same on every machine.
    pub timing: SleepTiming,
    /// Limits of a tick and of concurrent work (those of [`NightBudgets`]; a batch of one NPC without threads).
    pub budgets: Option<NightBudgets>,
    /// Conditions for the maintenance of long-term memory (those of [`MaintenancePolicy`]).
    pub maintenance: MaintenancePolicy,
    /// Tokens left for language models (10000000).
    pub tokens: u64,
    /// Game time at the beginning (0).
    pub now: GameTime,
    /// Number of unread events from which no tick is run (100000).
    pub max_events: usize,
}

impl Default for TownOptions {
    fn default() -> Self {
        Self {
            store: StorePlace::default(),
            embedder: EmbedderChoice::default(),
            models: None,
            config: Config::default(),
            threads: 1,
            timing: SleepTiming::default(),
            budgets: None,
            maintenance: MaintenancePolicy::default(),
            tokens: 10_000_000,
            now: GameTime::ZERO,
            max_events: 100_000,
        }
    }
}

/// Place of long-term memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StorePlace {
    /// In this process alone; a saved game can carry it.
    #[default]
    Memory,
    /// In a SQLite file, which is created if it does not exist.
    File(PathBuf),
}

/// Source of vectors.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmbedderChoice {
    /// all-MiniLM-L6-v2, computed by the town.
    #[default]
    Minilm,
    /// The host, which is asked by [`TownEvent::VectorsWanted`](crate::TownEvent::VectorsWanted).
    Host(HostModel),
}

/// Model of a host that computes vectors itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostModel {
    /// Name and version, `NAME@VERSION`. A store takes vectors of one model only.
    pub model: ModelId,
    /// Numbers of a vector, 2 to 8192.
    pub dimensions: usize,
}
