//! The keys of the configuration, section by section: meaning, default, range.

use serde::{Deserialize, Serialize};

use crate::Kind;

/// `[input]`: bounds on what is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
}

impl Default for InputConfig {
    fn default() -> Self {
        Self { max_text_bytes: 65_536, max_line_bytes: 262_144, max_list: 64, max_memories: 20_000 }
    }
}

/// `[day]`: where one day ends and the next begins.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DayConfig {
    /// Seconds after midnight at which a new day begins [0; 0 to 86399]: 14400 counts 03:00 to the day before.
    pub turns_at: i64,
}

/// `[embed]`: texts to vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbedConfig {
    /// Most tokens of one batch [512; 256 to 16384].
    pub batch_tokens: usize,
    /// How many distinct texts are handed to the embedder at once [1024; 1 to 1000000].
    pub window: usize,
    /// How many vectors a run keeps, so that no text is embedded twice [100000; 0 to 10000000]: some 1.5 KiB each.
    pub cache: usize,
}

impl Default for EmbedConfig {
    fn default() -> Self {
        Self { batch_tokens: 512, window: 1024, cache: 100_000 }
    }
}

/// Which of equally significant and equally reinforced status lines stands for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
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

/// How a day's memories are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClusterAlgorithm {
    /// Everything in one cluster: the baseline.
    Single,
    /// k-means: every memory in one of a few themes of about the same spread.
    #[default]
    Kmeans,
    /// DBSCAN: themes are where memories lie dense; the rest is loose.
    Dbscan,
    /// HDBSCAN: the same for themes of different density, as many as there are.
    Hdbscan,
    /// Average linkage, cut at a distance that the day itself gives.
    Hierarchical,
}

impl ClusterAlgorithm {
    /// All of them, the baseline first.
    pub const ALL: [Self; 5] = [Self::Single, Self::Kmeans, Self::Dbscan, Self::Hdbscan, Self::Hierarchical];

    /// Whether it can be told how many clusters to make; the others find their own number.
    pub const fn takes_k(self) -> bool {
        matches!(self, Self::Kmeans | Self::Hierarchical)
    }

    /// As it is written in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Kmeans => "kmeans",
            Self::Dbscan => "dbscan",
            Self::Hdbscan => "hdbscan",
            Self::Hierarchical => "hierarchical",
        }
    }
}

impl std::fmt::Display for ClusterAlgorithm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How k-means finds its number of clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChooseK {
    /// The highest mean silhouette.
    #[default]
    Silhouette,
    /// The bend in the curve of the within-cluster sum of squares.
    Elbow,
    /// The root of half the memories.
    Heuristic,
}

/// Whether themes are looked for in fewer dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reduce {
    /// All dimensions.
    #[default]
    None,
    /// The first numbers of each vector.
    Truncate,
    /// The first principal components of the day. The library that finds them may round otherwise on another kind of
    /// processor.
    Pca,
}

/// `[cluster]`: vectors to themes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClusterConfig {
    /// `kmeans` (the default), `hierarchical`, `dbscan`, `hdbscan` or `single`.
    pub algorithm: ClusterAlgorithm,
    /// How k-means finds its number of clusters: `silhouette` (the default), `elbow` or `heuristic`.
    pub choose_k: ChooseK,
    /// Fewest clusters of k-means [3; 2 to `k_max`].
    pub k_min: usize,
    /// Most clusters of k-means, hierarchical, and DBSCAN where its reach is not given [7; `k_min` to 1000].
    pub k_max: usize,
    /// Below this many distinct memories a day is one cluster [5; 2 to 100].
    pub small_day: usize,
    /// Smaller clusters dissolve into loose memories [2; 1 to 100].
    pub min_size: usize,
    /// Starts of k-means for each k; the best counts [10; 1 to 100].
    pub starts: usize,
    /// Most iterations of one start, and as many passes of single moves after them [100; 1 to 1000].
    pub max_iterations: usize,
    /// How many memories, itself counted, make a memory's neighbourhood dense, for DBSCAN and HDBSCAN [2; 2 to 100].
    pub min_points: usize,
    /// How far a neighbourhood of DBSCAN reaches, in cosine distance; 0 reads it off the day's own distances
    /// [0; 0 to 2].
    pub reach: f64,
    /// What share of the distance the gap in time makes [0; 0 to 1].
    pub time: f64,
    /// Whether themes are looked for in fewer dimensions: `none` (the default), `truncate` or `pca`.
    pub reduce: Reduce,
    /// In how many, where they are reduced [64; 2 to 4096].
    pub dimensions: usize,
    /// Most distinct memories of one NPC-night; the night of an NPC with more is refused, since its matrix of
    /// similarities grows with the square: 4 MB for 1,000, 100 MB for 5,000, two to three of them at a time on each
    /// thread [5000; 10 to 20000].
    pub max_distinct: usize,
}

impl Default for ClusterConfig {
    fn default() -> Self {
        Self {
            algorithm: ClusterAlgorithm::Kmeans,
            choose_k: ChooseK::Silhouette,
            k_min: 3,
            k_max: 7,
            small_day: 5,
            min_size: 2,
            starts: 10,
            max_iterations: 100,
            min_points: 2,
            reach: 0.0,
            time: 0.0,
            reduce: Reduce::None,
            dimensions: 64,
            max_distinct: 5_000,
        }
    }
}

/// `[cohesion]`: what makes a cluster hang together. Cohesion is the mean of its parts by these weights, of which one at
/// least must be above 0; `triage.incoherent` and `budget.reflection_cohesion` are thresholds on that mean, and belong to
/// the weights they were found with.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CohesionConfig {
    /// Weight of the mean pairwise cosine [1; 0 to 100].
    pub cosine: f64,
    /// Weight of how narrow a diagonal Gaussian is [0; 0 to 100].
    pub inverse_variance: f64,
    /// Weight of the mean silhouette [0; 0 to 100].
    pub silhouette: f64,
    /// Weight of the mean importance, in tenths [0; 0 to 100].
    pub importance: f64,
    /// Weight of how close together in time its memories are [0; 0 to 100].
    pub temporal: f64,
    /// Weight of the mean emotional intensity [0; 0 to 100].
    pub emotion: f64,
}

impl CohesionConfig {
    /// Each weight by the name of its part, in the order of the parts.
    pub fn named(&self) -> [(&'static str, f64); 6] {
        [
            ("cosine", self.cosine),
            ("inverse_variance", self.inverse_variance),
            ("silhouette", self.silhouette),
            ("importance", self.importance),
            ("temporal", self.temporal),
            ("emotion", self.emotion),
        ]
    }
}

impl Default for CohesionConfig {
    fn default() -> Self {
        Self {
            cosine: 1.0,
            inverse_variance: 0.0,
            silhouette: 0.0,
            importance: 0.0,
            temporal: 0.0,
            emotion: 0.0,
        }
    }
}

/// `[budget]`: what each theme may cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BudgetConfig {
    /// Entries left behind, as a share of distinct memories [0.5; 0.01 to 1]. Clusters share it in proportion to
    /// cohesion × summed importance; important memories are kept even beyond it.
    pub storage: f64,
    /// Entries every cluster may leave behind at least [1; 0 to 100].
    pub storage_floor: usize,
    /// What the share of a theme is multiplied by that something was kept of on an earlier night [1.25; 1 to 10].
    pub recurring: f64,
    /// An earlier night counts when an entry of it is at least this close (cosine) to the centre of the theme
    /// [0.55; 0 to 1].
    pub recurring_from: f64,
    /// Language model tokens of one NPC-night, hard [5000; 0 to 10000000].
    pub tokens: usize,
    /// How many clusters, the most cohesive first, may give reflections [3; 0 to 64].
    pub reflection_clusters: usize,
    /// How many pairs of those clusters, the most cohesive first, may give an insight that joins them [1; 0 to 10].
    pub connections: usize,
    /// Most reflections of one cluster [2; 0 to 10].
    pub reflections_per_cluster: usize,
    /// Clusters less cohesive than this give none [0.2; −1 to 1].
    pub reflection_cohesion: f64,
    /// Clusters whose mean importance is less than this give none [3.5; 1 to 10].
    pub reflection_importance: f64,
}

impl Default for BudgetConfig {
    fn default() -> Self {
        Self {
            storage: 0.5,
            storage_floor: 1,
            recurring: 1.25,
            recurring_from: 0.55,
            tokens: 5_000,
            reflection_clusters: 3,
            connections: 1,
            reflections_per_cluster: 2,
            reflection_cohesion: 0.2,
            reflection_importance: 3.5,
        }
    }
}

/// `[sleep]`: how NPCs sleep whose day does not say, and what poor sleep costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SleepConfig {
    /// From 0 (awake all night) to 1 (sound) [1; 0 to 1].
    pub quality: f64,
    /// Game hours of sleep [8; 0 to 24].
    pub hours: f64,
    /// Game hours that make a full night [8; 0.1 to 24].
    pub full_hours: f64,
    /// The share of the storage, token and reflection budgets that is left to a night without any sleep
    /// [0.5; 0 to 1].
    pub least: f64,
}

impl Default for SleepConfig {
    fn default() -> Self {
        Self { quality: 1.0, hours: 8.0, full_hours: 8.0, least: 0.5 }
    }
}

/// `[triage]`: what becomes of each memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// `[language]`: what a language model may cost, where one is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LanguageConfig {
    /// The name of the model, as its server knows it; up to 200 bytes.
    pub model: String,
    /// The environment variable that holds the key, where the server wants one; `NIGHTFOLD_LANGUAGE_KEY` by default.
    pub key_from: String,
    /// Tokens of all NPCs of a run together, hard [10000000; 0 to 1000000000000].
    pub tokens_per_run: u64,
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
            model: String::new(),
            key_from: "NIGHTFOLD_LANGUAGE_KEY".to_owned(),
            tokens_per_run: 10_000_000,
            in_flight: 4,
            temperature: 0.3,
            seconds: 60,
            retries: 3,
            give_up_after: 5,
        }
    }
}

/// `[reconcile]`: against what is known already.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReconcileConfig {
    /// How many of the nearest active entries are looked at, closest first [3; 1 to 100].
    pub neighbours: usize,
    /// Entries further than this cosine are not looked at [0.83; 0 to 1].
    pub band: f64,
    /// Said again this often, an entry's confidence is high [3; 1 to 1000].
    pub confident_at: u32,
}

impl Default for ReconcileConfig {
    fn default() -> Self {
        Self { neighbours: 3, band: 0.83, confident_at: 3 }
    }
}

/// `[cap]`: how many insights on one subject stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CapConfig {
    /// How many, the last touched first [3; 1 to 1000].
    pub most: usize,
    /// How many leading words of their ids make insights one subject [2; 1 to 8].
    pub tokens: usize,
}

impl Default for CapConfig {
    fn default() -> Self {
        Self { most: 3, tokens: 2 }
    }
}

/// `[run]`: many NPCs in one go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunConfig {
    /// How many NPCs sleep at a time, and reach the disk together [64; 1 to 4096].
    pub npcs: usize,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self { npcs: 64 }
    }
}

/// `[recall]`: what the game asks by day. Three scores as in Generative Agents (Park et al. 2023), each 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
