//! What a day is about and what that may cost: `[cluster]`, `[cohesion]`, `[themes]`, `[budget]`, `[sleep]`.

use serde::{Deserialize, Serialize};

/// How a day's memories are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    #[serde(alias = "starts")]
    pub starts: usize,
    /// Most iterations of one start, and as many passes of single moves after them [100; 1 to 1000].
    pub max_iterations: usize,
    /// How many memories, itself counted, make a memory's neighbourhood dense, for DBSCAN and HDBSCAN [2; 2 to 100].
    pub min_points: usize,
    /// How far a neighbourhood of DBSCAN reaches, in cosine distance; 0 reads it off the day's own distances
    /// [0; 0 to 2].
    #[serde(alias = "reach")]
    pub reach: f64,
    /// What share of the distance the gap in time makes [0; 0 to 1].
    #[serde(alias = "time")]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// `[themes]`: what makes a theme of a day one of all nights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ThemesConfig {
    /// A theme of a day is one of earlier nights when their centres are at least this close (cosine) [0.6; 0 to 1].
    #[serde(alias = "same_from")]
    pub same_from: f64,
    /// Less cohesive themes of a day are not followed [0.2; −1 to 1].
    pub cohesion: f64,
    /// Themes of a day whose mean importance is less than this are not followed [2; 1 to 10].
    pub importance: f64,
    /// How many themes, the last seen first, are looked for again [64; 0 to 256].
    #[serde(alias = "most")]
    pub most: usize,
    /// An insight says how often its subject came up within so many days, tonight included [7; 1 to 31].
    pub days: u16,
}

impl Default for ThemesConfig {
    fn default() -> Self {
        Self { same_from: 0.6, cohesion: 0.2, importance: 2.0, most: 64, days: 7 }
    }
}

/// `[budget]`: what each theme may cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BudgetConfig {
    /// Entries left behind, as a share of distinct memories [0.5; 0.01 to 1]. Clusters share it in proportion to
    /// cohesion × summed importance; important memories are kept even beyond it.
    pub storage: f64,
    /// Entries every cluster may leave behind at least [1; 0 to 100]; none for small talk that the
    /// game did not rate, and, unless their theme came up on an earlier
    /// night, for single memories below `triage.unimportant`.
    pub storage_floor: usize,
    /// As far as memories come without importance, the share of `storage` that goes to what tells most, whatever its
    /// cluster [1; 0 to 1].
    pub unrated_free: f64,
    /// What the share of a theme is multiplied by that was seen on an earlier night [1.25; 1 to 10].
    pub recurring: f64,
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
            unrated_free: 1.0,
            recurring: 1.25,
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    #[serde(alias = "least")]
    pub least: f64,
}

impl Default for SleepConfig {
    fn default() -> Self {
        Self { quality: 1.0, hours: 8.0, full_hours: 8.0, least: 0.5 }
    }
}
