//! What is read of a day, and what of it repeats: `[input]`, `[day]`, `[embed]`, `[collapse]`.

use serde::{Deserialize, Serialize};

use crate::Kind;

/// `[input]`: bounds on what is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct InputConfig {
    /// Longest text of a memory, in bytes [65536; 1 to 1048576].
    pub max_text_bytes: usize,
    /// Longest line of a file, in bytes [262144; 1024 to 16777216].
    pub max_line_bytes: usize,
    /// Most actors, tags and sources of one memory, each [64; 0 to 4096].
    pub max_list: usize,
    /// Most memories of one NPC and day [20000; 1 to 1000000].
    pub max_memories: usize,
    /// How many bytes of memories are held while they are put in order of their NPCs [268435456; 1 to 1099511627776]; what
    /// goes beyond waits in temporary files.
    pub held_bytes: u64,
    /// Largest `nodes.json` of a save folder, in bytes [67108864; 1024 to 1073741824].
    pub max_save_bytes: usize,
    /// Most files and folders in a save folder [10000; 1 to 1000000].
    pub max_save_files: usize,
}

impl Default for InputConfig {
    fn default() -> Self {
        Self {
            max_text_bytes: 65_536,
            max_line_bytes: 262_144,
            max_list: 64,
            max_memories: 20_000,
            held_bytes: 256 << 20,
            max_save_bytes: 64 << 20,
            max_save_files: 10_000,
        }
    }
}

/// `[day]`: where one day ends and the next begins.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DayConfig {
    /// Seconds after midnight at which a new day begins [0; 0 to 86399]: 14400 counts 03:00 to the day before.
    pub turns_at: i64,
}

/// `[embed]`: texts to vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EmbedConfig {
    /// Most tokens of one batch [512; 256 to 16384].
    pub batch_tokens: usize,
    /// How many distinct texts are handed to the embedder at once [1024; 1 to 1000000].
    pub window: usize,
    /// How many vectors a run keeps, so that no text is embedded twice [100000; 0 to 10000000]: some 1.5 KiB each.
    pub cache: usize,
    /// How many vectors are kept for later runs [400000; 0 to 100000000]: some 1.7 KiB of the file each. The oldest
    /// give way; with 0 none are kept.
    pub file_cache: u64,
}

impl Default for EmbedConfig {
    fn default() -> Self {
        Self { batch_tokens: 512, window: 1024, cache: 100_000, file_cache: 400_000 }
    }
}

/// Which of equally significant and equally reinforced status lines stands for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum KeptReading {
    /// The first observation.
    #[default]
    Oldest,
    /// The last reading.
    Newest,
}

/// `[collapse]`: status lines that repeat with new numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CollapseConfig {
    /// A line is operational when it has one of these words or phrases, in any case and number, and a number or a date
    /// [18 of machines, 9 of games; at most 256 of at most 64 bytes].
    pub keywords: Vec<String>,
    /// Which kinds of memory and entry are folded by nights and in stores: what people say or do may read like a status
    /// and be none [only status].
    pub kinds: Vec<Kind>,
    /// Whether lines with overlapping words are joined too [false].
    pub fuzzy: bool,
    /// How much of their words, together, two lines must share for that [0.78; 0.1 to 1].
    pub fuzzy_similarity: f64,
    /// How many words at least [4; 1 to 100].
    pub fuzzy_shared: usize,
    /// Whether lines of one template are joined too [false].
    pub template: bool,
    /// Which of equals stands for the others: `oldest` (the default) or `newest`.
    pub keep: KeptReading,
    /// Most groups a report shows as samples [20; 0 to 1000].
    pub max_samples: usize,
    /// Whether a night collapses the status lines of its day, before they are embedded [true].
    pub day: bool,
    /// How many entries of long-term memory are read at once [500; 1 to 100000].
    pub page: usize,
}

impl Default for CollapseConfig {
    fn default() -> Self {
        const KEYWORDS: [&str; 27] = [
            "status",
            "snapshot",
            "health",
            "metric",
            "count",
            "queue",
            "uptime",
            "latency",
            "ticket",
            "alert",
            "cron",
            "heartbeat",
            "service",
            "gateway",
            "dashboard",
            "api",
            "provider",
            "model",
            "patrol",
            "shift",
            "stock",
            "guard post",
            "inventory",
            "tally",
            "roster",
            "supplies",
            "watch report",
        ];
        Self {
            keywords: KEYWORDS.map(str::to_owned).to_vec(),
            kinds: vec![Kind::Status],
            fuzzy: false,
            fuzzy_similarity: 0.78,
            fuzzy_shared: 4,
            template: false,
            keep: KeptReading::Oldest,
            max_samples: 20,
            day: true,
            page: 500,
        }
    }
}
