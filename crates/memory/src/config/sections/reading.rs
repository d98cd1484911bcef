//! Settings of reading a day: `[input]`, `[day]`, `[embed]`, `[collapse]`.

use serde::{Deserialize, Serialize};

use crate::{config::settings::settings, memory::Kind};

settings! {
    /// `[input]`: limits on input files and memories.
    pub struct InputConfig at input {
        /// Longest text of a memory, in bytes [65536; 1 to 1048576].
        pub max_text_bytes: usize,
        /// Longest line of a file, in bytes [262144; 1024 to 16777216].
        pub max_line_bytes: usize,
        /// Maximum number of actors, tags, NPC tags or sources of one memory [64; 0 to 4096].
        pub max_list: usize,
        /// Maximum number of memories of one NPC and day [20000; 1 to 1000000].
        pub max_memories: usize,
        /// Number of bytes of memories held while they are sorted by NPC; the rest waits in temporary files
        /// [268435456; 1 to 1099511627776].
        pub held_bytes: u64,
        /// Largest `nodes.json` of a Generative Agents save, in bytes [67108864; 1024 to 1073741824].
        pub max_save_bytes: usize,
        /// Maximum number of files and folders in a Generative Agents save [10000; 1 to 1000000].
        pub max_save_files: usize,
        /// Maximum number of files of an inbox that one call sleeps on, the first by name [10000; 1 to 1000000].
        pub max_inbox_files: usize,
    }
}

settings! {
    /// `[day]`: clock of a day, and boundary between one day and the next.
    pub struct DayConfig at day {
        /// Seconds after midnight at which a new day begins [0; 0 to 86399]: 14400 counts 03:00 to the day before.
        pub turns_at: i64,
        /// Number of days after the moment of sleep, or where none is given after the memory before it, from which a
        /// memory is of another clock [3650; 1 to 6000000]. It is set apart, and neither slept on nor taken for the
        /// moment of sleep.
        pub stray_days: i64,
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
    /// 16-bit brain floating point, about three times as fast; only on processors with AMX.
    Bf16,
    /// `bf16` on processors with AMX, otherwise `exact`.
    Auto,
}

settings! {
    /// `[embed]`: turning texts into vectors.
    pub struct EmbedConfig at embed {
        /// Arithmetic in which the sentence model computes [the exact one].
        pub engine: EmbedEngine,
        /// Number of distinct texts handed to the embedder at once [1024; 1 to 1000000].
        pub window: usize,
        /// Number of vectors that a run keeps in memory, so that no text is embedded twice [100000; 0 to
        /// 10000000]; about 1.5 KiB each.
        pub cache: usize,
        /// Number of vectors kept in a file for later runs [400000; 0 to 100000000]; about 1.7 KiB each. The
        /// oldest are removed first; with 0 none are kept.
        pub file_cache: u64,
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
        /// date is a status line [18 of machines, 9 of games; at most 256 of at most 64 bytes].
        pub keywords: Vec<String>,
        /// Kinds of memory and entry that are folded in nights and stores [only status]; what people say or do
        /// may read like a status without being one.
        pub kinds: Vec<Kind>,
        /// True if lines whose words overlap are folded too [false].
        pub fuzzy: bool,
        /// Least Jaccard similarity of the words of two lines that `fuzzy` folds [0.78; 0.1 to 1].
        pub fuzzy_similarity: f64,
        /// Minimum number of words shared by two lines that `fuzzy` folds [4; 1 to 100].
        pub fuzzy_shared: usize,
        /// Reading that is kept of equally important ones: `oldest` (the default) or `newest`.
        pub keep: KeptReading,
        /// Maximum number of folded groups that a report shows as samples [20; 0 to 1000].
        pub max_samples: usize,
        /// True if a night folds the status lines of its day before they are embedded [true].
        pub day: bool,
        /// Number of entries of long-term memory read at a time [500; 1 to 100000].
        pub page: usize,
    }
}
