//! Settings of reading a day: `[input]`, `[day]`, `[embed]`, `[collapse]`.

use serde::{Deserialize, Serialize};

use crate::{config::settings::settings, memory::Kind};

settings! {
    /// `[input]`: limits on input files and memories.
    pub struct InputConfig at input {
        /// Longest text of a memory, in bytes.
        pub max_text_bytes: usize => 1..=1_048_576,
        /// Longest line of a file, in bytes.
        pub max_line_bytes: usize => 1024..=16_777_216,
        /// Maximum number of actors, tags, NPC tags or sources of one memory.
        pub max_list: usize => 0..=4096,
        /// Maximum number of memories of one NPC and day, and of one call of the MCP server.
        pub max_memories: usize => 1..=1_000_000,
        /// Number of bytes of memories held while they are sorted by NPC; the rest waits in temporary files.
        pub held_bytes: u64 => 1..=1_099_511_627_776,
        /// Largest file or message that is read whole, in bytes: `nodes.json` of a Generative Agents save, files of a
        /// scenario, a message to the MCP server.
        pub max_file_bytes: usize => 1024..=1_073_741_824,
        /// Maximum number of files and folders of a Generative Agents save, of files of an inbox that one call sleeps on,
        /// the first by name, and of nights of a scenario.
        pub max_files: usize => 1..=1_000_000,
    }
}

settings! {
    /// `[day]`: clock of a day, and boundary between one day and the next.
    pub struct DayConfig at day {
        /// Seconds after midnight at which a new day begins: 14400 counts 03:00 to the day before.
        pub turns_at: i64 => 0..=86_399,
        /// Number of days after the moment of sleep, or where none is given after the memory before it, from which a
        /// memory is of another clock. It is set apart, and neither slept on nor taken for the
        /// moment of sleep. So is, where no moment is given, one after ten or more others from which it lies further than
        /// thirty times their span (at least thirty days).
        pub stray_days: i64 => 1..=6_000_000,
    }
}

/// Arithmetic in which the sentence model computes. Vectors of different arithmetic never mix: each has a model id of
/// its own, and a store keeps vectors of one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum EmbedEngine {
    /// 32-bit floating point, on every processor.
    #[default]
    Exact,
    /// 16-bit brain floating point, faster; only on processors with AMX.
    Bf16,
    /// `bf16` on processors with AMX, otherwise `exact`.
    Auto,
}

settings! {
    /// `[embed]`: turning texts into vectors.
    pub struct EmbedConfig at embed {
        /// Arithmetic in which the sentence model computes [the exact one].
        pub engine: EmbedEngine,
        /// Number of vectors that a run keeps in memory, so that no text is embedded twice; about 1.5 KiB each.
        pub cache: usize => 0..=10_000_000,
        /// Number of vectors kept in a file for later runs; about 1.7 KiB each. The
        /// oldest are removed first; with 0 none are kept.
        pub file_cache: u64 => 0..=100_000_000,
    }
}

/// Choice of the reading that is kept for a group of equally important and equally corroborated status lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum KeptReading {
    /// The first reading.
    #[default]
    Oldest,
    /// The last reading.
    Newest,
}

settings! {
    /// `[collapse]`: folding status lines that repeat with new numbers.
    pub struct CollapseConfig at collapse {
        /// Words and phrases of status lines: a line with one of them, in any case and number, and a number or a
        /// date is a status line.
        pub keywords: Vec<String> => 0..=256,
        /// Kinds of memory and entry that are folded in nights and stores [only status]; what people say or do
        /// may read like a status without being one.
        pub kinds: Vec<Kind>,
        /// True if lines whose words overlap are folded too [false].
        pub fuzzy: bool,
        /// Least Jaccard similarity of the words of two lines that `fuzzy` folds.
        pub fuzzy_similarity: f64 => 0.1..=1.0,
        /// Reading that is kept of equally important ones: `oldest` (the default) or `newest`.
        pub keep: KeptReading,
        /// True if a night folds the status lines of its day before they are embedded [true].
        pub day: bool,
    }
}
