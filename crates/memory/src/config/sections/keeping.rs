//! What is kept and in which words: `[triage]`, `[synthesis]`, `[reconcile]`, `[cap]`.

use serde::{Deserialize, Serialize};

/// `[triage]`: what becomes of each memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TriageConfig {
    /// From this importance on a memory's words are never lost [7; 1 to 10].
    pub important: u8,
    /// Below this importance a memory of an incoherent cluster is pruned [3; 1 to 10].
    pub unimportant: u8,
    /// Clusters less cohesive than this are incoherent [0.35; −1 to 1].
    pub incoherent: f64,
    /// Memories are similar from this cosine on, each to each (complete linkage) [0.8; 0 to 1].
    pub similar: f64,
    /// The same for what is told together because its cluster is over budget [0.6; 0 to 1].
    pub similar_over_budget: f64,
    /// Most memories told in one synthesis [8; 2 to 64].
    pub max_group: usize,
    /// A loose memory is novel when no other of the day is closer than this cosine [0.5; 0 to 1].
    pub novel: f64,
}

impl Default for TriageConfig {
    fn default() -> Self {
        Self {
            important: 7,
            unimportant: 3,
            incoherent: 0.35,
            similar: 0.8,
            similar_over_budget: 0.6,
            max_group: 8,
            novel: 0.5,
        }
    }
}

/// `[synthesis]`: syntheses and reflections.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SynthesisConfig {
    /// Importance of a reflection [8; 1 to 10].
    pub reflection_importance: u8,
    /// A reflection as close as this to one of its sources, or to one already known, says nothing new and is
    /// dropped [0.95; 0 to 1].
    pub near_copy: f64,
    /// Most characters of the memories told in one synthesis, together [800; 80 to 10000].
    pub max_chars: usize,
}

impl Default for SynthesisConfig {
    fn default() -> Self {
        Self { reflection_importance: 8, near_copy: 0.95, max_chars: 800 }
    }
}

/// `[reconcile]`: against what is known already.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ReconcileConfig {
    /// How many of the nearest active entries are looked at, closest first [3; 1 to 100].
    pub neighbours: usize,
    /// Entries further than this cosine are not looked at [0.83; 0 to 1].
    #[serde(alias = "band")]
    pub band: f64,
    /// Further away, but at least this close, entries are still looked at for a claim that cannot hold beside a new one
    /// [0.5; 0 to 1; from `band` up none is].
    #[serde(alias = "claims")]
    pub claims: f64,
    /// Where a judge was asked and does not answer, entries are merged from this cosine on, if the rules find no different
    /// fact [0.93; 0 to 1].
    #[serde(alias = "fail_safe")]
    pub fail_safe: f64,
    /// Said again this often, an entry's confidence is high [3; 1 to 1000].
    #[serde(alias = "confident_at")]
    pub confident_at: u32,
    /// Number of archived statements that a night is compared with, of those that share most words with its day: said again
    /// they are active again, and what excludes them supersedes them [16; 0 to 256; 0: none].
    pub archived: usize,
}

impl Default for ReconcileConfig {
    fn default() -> Self {
        Self { neighbours: 3, band: 0.83, claims: 0.5, fail_safe: 0.93, confident_at: 3, archived: 16 }
    }
}

/// `[cap]`: how many insights on one subject stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CapConfig {
    /// How many, the last touched first [3; 1 to 1000].
    #[serde(alias = "most")]
    pub most: usize,
    /// How many leading words of their ids make insights one subject [2; 1 to 8].
    #[serde(alias = "tokens")]
    pub tokens: usize,
}

impl Default for CapConfig {
    fn default() -> Self {
        Self { most: 3, tokens: 2 }
    }
}
