//! Settings of keeping, synthesis and reconciliation: `[triage]`, `[synthesis]`, `[reconcile]`, `[cap]`.

use crate::config::settings::settings;

settings! {
    /// `[triage]`: deciding whether a memory is kept, synthesized with others or pruned.
    pub struct TriageConfig at triage changed by TriageChanges {
        /// Importance from which a memory keeps its exact words [7; 1 to 10].
        pub important: u8,
        /// Importance below which a memory is pruned if its cluster is incoherent [3; 1 to 10].
        pub unimportant: u8,
        /// Cohesion below which a cluster is incoherent [0.35; −1 to 1].
        pub incoherent: f64,
        /// Least pairwise cosine of memories that are synthesized because they are similar (complete linkage)
        /// [0.8; 0 to 1].
        pub similar: f64,
        /// Least pairwise cosine of memories that are synthesized because the night is over its budget [0.5; 0 to
        /// 1].
        pub similar_over_budget: f64,
        /// Maximum number of memories in one synthesis [8; 2 to 64].
        pub max_group: usize,
        /// Cosine below which every other memory of the day must lie for a loose memory to be novel [0.5; 0 to
        /// 1].
        pub novel: f64,
    }
}

settings! {
    /// `[synthesis]`: syntheses and reflections.
    pub struct SynthesisConfig at synthesis changed by SynthesisChanges {
        /// Importance of a reflection [8; 1 to 10].
        pub reflection_importance: u8,
        /// Cosine to one of its sources, or to a known reflection, from which a reflection says nothing new and
        /// is dropped [0.95; 0 to 1].
        pub near_copy: f64,
        /// Importance below which a synthesis tells a memory without clauses beside the point [5; 1 to 11].
        pub brief_below: u8,
        /// Maximum number of characters of all memories in one synthesis together [1200; 80 to 10000].
        pub max_chars: usize,
    }
}

settings! {
    /// `[reconcile]`: comparing new memories with long-term memory.
    pub struct ReconcileConfig at reconcile changed by ReconcileChanges {
        /// Maximum number of active entries that a new memory is compared with, the closest first [3; 1 to 100].
        pub neighbours: usize,
        /// Least cosine of two entries that may be merged [0.83; 0 to 1].
        pub min_similarity: f64,
        /// Least similarity at which a statement is compared with an earlier one that it may end: the cosine, and 0.125 more
        /// for each shared word that no other statement contains [0.4; 0 to 1].
        pub rival_similarity: f64,
        /// Least cosine at which entries are merged if the judge gave no answer and the rules find no differing
        /// fact [0.93; 0 to 1].
        pub fallback_similarity: f64,
        /// Number of corroborations from which an entry that states a position has high confidence [3; 1 to 1000].
        pub high_confidence_after: u32,
    }
}

settings! {
    /// `[cap]`: limit on the reflections on one subject.
    pub struct CapConfig at cap changed by CapChanges {
        /// Maximum number of reflections that stay active, the last touched first [3; 1 to 1000].
        pub max_insights: usize,
        /// Number of leading words of an id that name the subject of a reflection [2; 1 to 8].
        pub stem_words: usize,
    }
}
