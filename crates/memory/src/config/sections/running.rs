//! Settings of running and recalling: `[language]`, `[run]`, `[recall]`.

use crate::config::settings::settings;

settings! {
    /// `[language]`: language pack of the texts, and the language model with its limits.
    pub struct LanguageConfig at language {
        /// Name of the language pack that reads and writes texts, or `auto` to choose by the language of an NPC's
        /// day.
        pub pack: String => 1..=64,
        /// Name of the model, as its server knows it; up to 200 bytes.
        pub model: String => 0..=200,
        /// Maximum number of tokens of all NPCs of a run together, a hard limit.
        pub tokens_per_run: u64 => 0..=1_000_000_000_000,
        /// Maximum number of requests in flight at a time.
        pub in_flight: usize => 1..=256,
        /// Randomness (temperature) of answers.
        pub temperature: f64 => 0.0..=2.0,
        /// Number of seconds to wait for one answer.
        pub seconds: u64 => 1..=3600,
        /// Number of retries of a request that got no answer.
        pub retries: u32 => 0..=10,
    }
}

settings! {
    /// `[run]`: many NPCs in one run.
    pub struct RunConfig at run {
        /// Maximum number of NPCs that sleep together and are written to disk together.
        pub npcs: usize => 1..=4096,
        /// Number of memories from which no further NPC joins those that sleep together.
        pub memories: usize => 1..=10_000_000,
        /// Seconds for which a worker has a shard of a shared run without a word from it.
        pub lease_seconds: u64 => 5..=86_400,
    }
}

settings! {
    /// `[recall]`: ranking of entries when the game asks for memories, by three scores of 0 to 1 as in Generative
    /// Agents (Park et al. 2023).
    pub struct RecallConfig at recall changed by RecallChanges {
        /// Maximum number of entries returned.
        pub limit: usize => 1..=1000,
        /// Weight of relevance.
        pub relevance: f64 => 0.0..=100.0,
        /// Share of words in relevance; the cosine to the question has the rest.
        pub words: f64 => 0.0..=1.0,
        /// Relevance that the best entry needs for anything to come to mind; the others need half of it.
        pub min_relevance: f64 => 0.0..=1.0,
        /// True if archived entries may come faintly to mind.
        pub faint: bool,
        /// Relevance that a faint entry lacks to an active one that answers as well.
        pub faint_margin: f64 => 0.0..=1.0,
        /// Maximum number of recalled faint entries that a night brings back to the active set, the last recalled first.
        pub faint_kept: usize => 0..=64,
        /// Weight of recency.
        pub recency: f64 => 0.0..=100.0,
        /// Weight of importance.
        pub importance: f64 => 0.0..=100.0,
        /// Number of game hours in which recency halves.
        pub half_life_hours: f64 => 1.0..=1_000_000.0,
        /// Cosine from which two entries are about one subject, so that the newer one tells its state if a question asks
        /// how things are now.
        pub same_subject: f64 => 0.0..=1.0,
        /// Relevance that the newer one may lack to the older one and still go before it; at 0 it must be at least as
        /// relevant.
        pub newer_margin: f64 => 0.0..=1.0,
        /// Share of its score that an entry keeps if the question is about a part of it that no longer holds.
        pub ended_share: f64 => 0.0..=1.0,
        /// Number of entries, the best ones, among which newer ones go before older ones and lived ones before reflections.
        pub window: usize => 1..=1000,
    }
}
