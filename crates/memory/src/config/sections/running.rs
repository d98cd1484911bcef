//! What a run asks of others, and a game of a run: `[language]`, `[run]`, `[recall]`.

use serde::{Deserialize, Serialize};

/// `[language]`: what a language model may cost, where one is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LanguageConfig {
    /// Name of the language pack that reads and words texts, or `auto`: by the language that an NPC's day is in [auto; 1
    /// to 64 bytes].
    pub pack: String,
    /// The name of the model, as its server knows it; up to 200 bytes.
    pub model: String,
    /// The environment variable that holds the key, where the server wants one; `NIGHTFOLD_LANGUAGE_KEY` by default.
    pub key_from: String,
    /// Tokens of all NPCs of a run together, hard [10000000; 0 to 1000000000000].
    pub tokens_per_run: u64,
    /// Most memories that a question about a theme shows, the most important ones [20; 2 to 200].
    pub memories: usize,
    /// How many questions are put at a time [4; 1 to 256].
    pub in_flight: usize,
    /// How random answers are [0.3; 0 to 2].
    pub temperature: f64,
    /// Seconds to wait for one answer [60; 1 to 3600].
    pub seconds: u64,
    /// How often an answer that did not come is asked for again [3; 0 to 10].
    pub retries: u32,
    /// After so many answers in a row that did not come, nothing more is asked in this run [5; 1 to 1000].
    pub give_up_after: usize,
}

impl Default for LanguageConfig {
    fn default() -> Self {
        Self {
            pack: "auto".to_owned(),
            model: String::new(),
            key_from: "NIGHTFOLD_LANGUAGE_KEY".to_owned(),
            tokens_per_run: 10_000_000,
            memories: 20,
            in_flight: 4,
            temperature: 0.3,
            seconds: 60,
            retries: 3,
            give_up_after: 5,
        }
    }
}

/// `[run]`: many NPCs in one go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RunConfig {
    /// How many NPCs sleep at a time, and reach the disk together [64; 1 to 4096].
    pub npcs: usize,
    /// At how many memories no further NPC joins those [50000; 1 to 10000000].
    pub memories: usize,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self { npcs: 64, memories: 50_000 }
    }
}

/// `[graph]`: how much of an entry's provenance is drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct GraphConfig {
    /// How many steps away from the entry, each way [6; 1 to 1000].
    pub depth: usize,
    /// Most entries, itself counted [150; 1 to 10000].
    pub entries: usize,
    /// How many characters of each text [100; 1 to 1000].
    pub text: usize,
}

impl Default for GraphConfig {
    fn default() -> Self {
        Self { depth: 6, entries: 150, text: 100 }
    }
}

/// `[transfer]`: bounds on what `import` reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TransferConfig {
    /// Longest line of an exported file, in bytes [16777216; 65536 to 268435456]: a night's log line and an entry
    /// with its texts lie far below.
    pub max_line_bytes: usize,
    /// Most lines of an exported file, or rows of a Parquet file [100000000; 1 to 10000000000].
    pub max_lines: u64,
    /// Most bytes of a group of rows of a Parquet file [268435456; 65536 to 4294967296]: so much is held in memory.
    pub max_group_bytes: u64,
}

impl Default for TransferConfig {
    fn default() -> Self {
        Self { max_line_bytes: 16 << 20, max_lines: 100_000_000, max_group_bytes: 256 << 20 }
    }
}

/// `[replay]`: bounds on scenarios, and how they are watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ReplayConfig {
    /// Largest `scenario.toml`, in bytes [1048576; 1024 to 67108864].
    pub max_scenario_bytes: u64,
    /// Largest file of a day, in bytes [67108864; 1024 to 1073741824].
    pub max_day_bytes: u64,
    /// Most nights of a scenario [4000; 1 to 1000000].
    pub max_nights: usize,
    /// Milliseconds without a change after which `--watch` runs again [200; 10 to 60000].
    #[serde(alias = "quiet_ms")]
    pub quiet_ms: u64,
}

impl Default for ReplayConfig {
    fn default() -> Self {
        Self { max_scenario_bytes: 1 << 20, max_day_bytes: 64 << 20, max_nights: 4_000, quiet_ms: 200 }
    }
}

/// `[recall]`: what the game asks by day. Three scores as in Generative Agents (Park et al. 2023), each 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RecallConfig {
    /// How many entries are given [10; 1 to 1000].
    pub limit: usize,
    /// Weight of the cosine to the query [1; 0 to 100].
    pub relevance: f64,
    /// Weight of recency [0.5; 0 to 100].
    pub recency: f64,
    /// Weight of importance [0.5; 0 to 100].
    pub importance: f64,
    /// Recency halves in this many game hours [168; 1 to 1000000].
    pub half_life_hours: f64,
}

impl Default for RecallConfig {
    fn default() -> Self {
        Self { limit: 10, relevance: 1.0, recency: 0.5, importance: 0.5, half_life_hours: 168.0 }
    }
}
