//! Settings of keeping, synthesis and reconciliation: `[triage]`, `[synthesis]`, `[reconcile]`, `[cap]`.

use crate::config::settings::settings;

settings! {
    /// `[triage]`: deciding whether a memory is kept, synthesized with others or pruned.
    pub struct TriageConfig at triage changed by TriageChanges {
        /// Importance from which a memory keeps its exact words.
        pub important: u8 => 1..=10,
        /// Importance below which a loose memory is pruned.
        pub unimportant: u8 => 1..=10,
        /// Least pairwise cosine of memories that are synthesized because they are similar (complete linkage).
        pub similar: f64 => 0.0..=1.0,
        /// Least pairwise cosine of memories that are synthesized because the night is over its budget.
        pub similar_over_budget: f64 => 0.0..=1.0,
        /// Maximum number of memories in one synthesis.
        pub max_group: usize => 2..=64,
    }
}

settings! {
    /// `[synthesis]`: syntheses and reflections.
    pub struct SynthesisConfig at synthesis changed by SynthesisChanges {
        /// Importance of a reflection.
        pub reflection_importance: u8 => 1..=10,
        /// Cosine to one of its sources, or to a known reflection, from which a reflection says nothing new and
        /// is dropped.
        pub near_copy: f64 => 0.0..=1.0,
        /// Maximum number of characters of all memories in one synthesis together.
        pub max_chars: usize => 80..=10_000,
    }
}

settings! {
    /// `[reconcile]`: comparing new memories with long-term memory.
    pub struct ReconcileConfig at reconcile changed by ReconcileChanges {
        /// Maximum number of active entries that a new memory is compared with, the closest first.
        pub neighbours: usize => 1..=100,
        /// Least cosine of two entries that may be merged.
        pub min_similarity: f64 => 0.0..=1.0,
        /// Least similarity at which a statement is compared with an earlier one that it may end: the cosine, and 0.125 more
        /// for each shared word that no other statement contains.
        pub rival_similarity: f64 => 0.0..=1.0,
        /// Least cosine at which entries are merged if the judge gave no answer and the rules find no differing
        /// fact.
        pub fallback_similarity: f64 => 0.0..=1.0,
        /// Number of corroborations from which an entry that states a position has high confidence.
        pub high_confidence_after: u32 => 1..=1000,
    }
}

settings! {
    /// `[cap]`: limit on the reflections on one subject.
    pub struct CapConfig at cap changed by CapChanges {
        /// Maximum number of reflections that stay active, the last touched first.
        pub max_insights: usize => 1..=1000,
        /// Number of leading words of an id that name the subject of a reflection.
        pub stem_words: usize => 1..=8,
    }
}
