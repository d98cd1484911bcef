//! Settings of running and recalling: `[language]`, `[run]`, `[replay]`, `[recall]`.

use crate::config::settings::settings;

settings! {
    /// `[language]`: language pack of the texts, and the language model with its limits.
    pub struct LanguageConfig at language {
        /// Name of the language pack that reads and writes texts, or `auto` to choose by the language of an NPC's
        /// day [auto; 1 to 64 bytes].
        pub pack: String,
        /// Name of the model, as its server knows it; up to 200 bytes.
        pub model: String,
        /// Maximum number of tokens of all NPCs of a run together, a hard limit [10000000; 0 to 1000000000000].
        pub tokens_per_run: u64,
        /// Maximum number of memories shown in a request about one cluster, the most important first [20; 2 to
        /// 200].
        pub memories: usize,
        /// Maximum number of requests in flight at a time [4; 1 to 256].
        pub in_flight: usize,
        /// Randomness (temperature) of answers [0.3; 0 to 2].
        pub temperature: f64,
        /// Number of seconds to wait for one answer [60; 1 to 3600].
        pub seconds: u64,
        /// Number of retries of a request that got no answer [3; 0 to 10].
        pub retries: u32,
    }
}

settings! {
    /// `[run]`: many NPCs in one run.
    pub struct RunConfig at run {
        /// Maximum number of NPCs that sleep together and are written to disk together [64; 1 to 4096].
        pub npcs: usize,
        /// Number of memories from which no further NPC joins those that sleep together [50000; 1 to 10000000].
        pub memories: usize,
        /// Seconds for which a worker has a shard of a shared run without a word from it [60; 5 to 86400].
        pub lease_seconds: u64,
        /// Number of workers that may come to grief over a shard before it has failed [5; 1 to 1000].
        pub shard_tries: u32,
    }
}

settings! {
    /// `[replay]`: limits on scenarios.
    pub struct ReplayConfig at replay {
        /// Largest `scenario.toml` or file of a day, in bytes [67108864; 1024 to 1073741824].
        pub max_file_bytes: u64,
        /// Maximum number of nights of a scenario [4000; 1 to 1000000].
        pub max_nights: usize,
    }
}

settings! {
    /// `[recall]`: ranking of entries when the game asks for memories, by three scores of 0 to 1 as in Generative
    /// Agents (Park et al. 2023).
    pub struct RecallConfig at recall changed by RecallChanges {
        /// Maximum number of entries returned [10; 1 to 1000].
        pub limit: usize,
        /// Weight of relevance [1; 0 to 100].
        pub relevance: f64,
        /// Share of words in relevance; the cosine to the question has the rest [0.4; 0 to 1].
        pub words: f64,
        /// Relevance below which an entry does not come to mind [0.25; 0 to 1].
        pub min_relevance: f64,
        /// Weight of recency [0.1; 0 to 100].
        pub recency: f64,
        /// Weight of importance [0.1; 0 to 100].
        pub importance: f64,
        /// Number of game hours in which recency halves [168; 1 to 1000000].
        pub half_life_hours: f64,
    }
}
