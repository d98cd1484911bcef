//! Settings of clusters, themes and budgets: `[cluster]`, `[cohesion]`, `[themes]`, `[budget]`, `[sleep]`.

use serde::{Deserialize, Serialize};

use crate::config::settings::settings;

/// Algorithm that groups a day's memories into clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClusterAlgorithm {
    /// One cluster with everything: the baseline.
    Single,
    /// k-means: every memory belongs to one of a few clusters of about the same spread.
    #[default]
    Kmeans,
    /// k-means as the library linfa has it, to compare with: its starts are drawn by lot, and it knows neither
    /// `time_weight` nor `reduce`.
    LinfaKmeans,
    /// DBSCAN: clusters are dense regions; the other memories are loose.
    Dbscan,
    /// HDBSCAN: clusters are regions of different density, as many as there are.
    Hdbscan,
    /// Average linkage, cut at a distance found from the day itself.
    Hierarchical,
}

impl ClusterAlgorithm {
    /// All algorithms, the baseline first.
    pub const ALL: [Self; 6] =
        [Self::Single, Self::Kmeans, Self::LinfaKmeans, Self::Dbscan, Self::Hdbscan, Self::Hierarchical];

    /// True if the number of clusters can be set; the other algorithms find it themselves.
    pub const fn takes_k(self) -> bool {
        matches!(self, Self::Kmeans | Self::LinfaKmeans | Self::Hierarchical)
    }

    /// Returns the name used in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Kmeans => "kmeans",
            Self::LinfaKmeans => "linfa-kmeans",
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

/// Method by which k-means chooses the number of clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ChooseK {
    /// The highest mean silhouette.
    #[default]
    Silhouette,
    /// The bend in the curve of the within-cluster sum of squares.
    Elbow,
    /// The square root of half the number of memories.
    Heuristic,
}

/// Dimension reduction of vectors before clustering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Reduce {
    /// No reduction.
    #[default]
    None,
    /// The first numbers of each vector are kept.
    Truncate,
    /// The first principal components of the day are kept. The library that computes them may round
    /// differently on another kind of processor.
    Pca,
}

settings! {
    /// `[cluster]`: grouping the memories of a day into clusters.
    pub struct ClusterConfig at cluster changed by ClusterChanges {
        /// Algorithm: `kmeans` (the default), `hierarchical`, `dbscan`, `hdbscan`, `linfa-kmeans` or `single`.
        pub algorithm: ClusterAlgorithm,
        /// Method by which k-means chooses the number of clusters: `silhouette` (the default), `elbow` or
        /// `heuristic`.
        pub choose_k: ChooseK,
        /// Minimum number of clusters of k-means.
        pub k_min: usize => 2..=1000,
        /// Growth of the maximum number of clusters with the logarithm of the day's distinct memories
        /// ([`ClusterConfig::k_max`]).
        pub k_growth: f64 => 0.5..=100.0,
        /// Number of distinct memories below which a day is one cluster.
        pub small_day: usize => 2..=100,
        /// Number of memories below which a cluster is dissolved into loose memories.
        pub min_size: usize => 1..=100,
        /// Radius of a neighbourhood in DBSCAN (eps), in cosine distance; 0 finds it from the day's own distances.
        pub eps: f64 => 0.0..=2.0,
        /// Share of the proximity of two memories that comes from the words they share, each weighted by its rarity in
        /// the day.
        pub words_weight: f64 => 0.0..=1.0,
        /// Share of the distance between two memories that comes from their difference in time.
        pub time_weight: f64 => 0.0..=1.0,
        /// Dimension reduction before clustering: `none` (the default), `truncate` or `pca`.
        pub reduce: Reduce,
        /// Number of dimensions after the reduction.
        pub dimensions: usize => 2..=4096,
        /// Maximum number of distinct memories of one NPC-night. Of a day with more the most
        /// salient are slept on, in rounds over their senders, and the others are archived unread. The similarity
        /// matrix of a night grows with the square: 4 MB for 1,000, 100 MB for 5,000, and two to three matrices at
        /// a time on each thread.
        pub max_distinct: usize => 10..=20_000,
        /// Share of the day's distinct memories that must have each content word of an unrated memory, that is no talk, for it
        /// to be one of a flood of one pattern: of those a night takes the ones that have a new word. Nine must have it at least.
        pub flood: f64 => 0.0..=1.0,
    }
}

impl ClusterConfig {
    /// Returns the maximum number of clusters of a day of `memories` distinct memories: [`ClusterConfig::k_growth`] times
    /// the natural logarithm of their number, at most half of them, and at least [`ClusterConfig::k_min`].
    pub fn k_max(&self, memories: usize) -> usize {
        let grown = self.k_growth * (memories.max(1) as f64).ln();
        (grown as usize).min(memories / 2).max(self.k_min)
    }
}

settings! {
    /// `[cohesion]`: weights of the parts of a cluster's cohesion, which is their weighted mean; at least one
    /// weight must be above 0. Cohesion decides what a theme may keep and spend.
    #[derive(Copy)]
    pub struct CohesionConfig at cohesion changed by CohesionChanges {
        /// Weight of the mean pairwise proximity, by which clusters are formed.
        pub proximity: f64 => 0.0..=100.0,
        /// Weight of the narrowness of a diagonal Gaussian (inverse variance).
        pub inverse_variance: f64 => 0.0..=100.0,
        /// Weight of the mean silhouette.
        pub silhouette: f64 => 0.0..=100.0,
        /// Weight of the mean importance, divided by 10.
        pub importance: f64 => 0.0..=100.0,
        /// Weight of the closeness in time of the memories.
        pub temporal: f64 => 0.0..=100.0,
        /// Weight of the mean emotional intensity.
        pub emotion: f64 => 0.0..=100.0,
    }
}

impl CohesionConfig {
    /// Returns each weight with the name of its part, in a fixed order.
    pub fn named(&self) -> [(&'static str, f64); 6] {
        [
            ("proximity", self.proximity),
            ("inverse_variance", self.inverse_variance),
            ("silhouette", self.silhouette),
            ("importance", self.importance),
            ("temporal", self.temporal),
            ("emotion", self.emotion),
        ]
    }
}

settings! {
    /// `[themes]`: which clusters of a day are themes, and following themes over the nights. Memories in no theme are loose.
    pub struct ThemesConfig at themes changed by ThemesChanges {
        /// Least cosine of the centres of a cluster and a theme at which the cluster continues the theme.
        pub match_similarity: f64 => 0.0..=1.0,
        /// Mean proximity to the other members of a cluster below which a memory is loose.
        pub proximity: f64 => -1.0..=1.0,
        /// Mean importance below which a cluster is no theme.
        pub importance: f64 => 1.0..=10.0,
        /// Maximum number of themes of a day, those of the largest cohesion times size.
        pub most: usize => 1..=1000,
    }
}

settings! {
    /// `[budget]`: limits on what a night may keep and spend.
    pub struct BudgetConfig at budget changed by BudgetChanges {
        /// Number of entries kept, as a share of the distinct memories without unrated talk. Important memories are
        /// kept even beyond it.
        pub storage: f64 => 0.01..=1.0,
        /// Share of the characters of unrated talk that a night may keep: the memories that are worth most for their length,
        /// whole, whatever their number.
        pub text: f64 => 0.01..=1.0,
        /// Number of entries that a night may keep at least, and of unrated talk, however short the day.
        /// Unless it is 0, there is room for at least one entry beside the important ones.
        pub min_kept: usize => 0..=1000,
        /// Number of condensed memories that a night keeps beside what the budgets of the others allow, the most salient
        /// first. A memory is condensed if it is no talk and as long as `budget.condensed_chars`: a paragraph, such as another
        /// program's summary of a conversation. A synthesis never takes its place.
        pub condensed: usize => 0..=1000,
        /// Number of characters from which a memory that is no talk is condensed.
        pub condensed_chars: usize => 1..=1_000_000,
        /// Share of the room that themes divide in proportion to cohesion times size; the most salient memories of the
        /// night have the rest, in a theme or not. What is important and every theme's first entries come before.
        pub cohesion_weight: f64 => 0.0..=1.0,
        /// Number of entries of every theme that come before those of others.
        pub storage_floor: usize => 0..=100,
        /// Factor on the cohesion of a theme that was seen on an earlier night, for its share of the room.
        pub recurring: f64 => 1.0..=10.0,
        /// Maximum number of language model tokens of one NPC-night, a hard limit.
        pub tokens: usize => 0..=10_000_000,
        /// Maximum number of themes that may yield reflections, the most cohesive first.
        pub reflection_clusters: usize => 0..=64,
        /// Maximum number of pairs of reflecting themes, the most cohesive first, that may yield a reflection
        /// connecting both themes.
        pub connections: usize => 0..=10,
        /// Maximum number of reflections of one theme.
        pub reflections_per_cluster: usize => 0..=10,
        /// Maximum number of reflections of a night that conclude something from the memories of the day and of
        /// earlier nights.
        pub conclusions: usize => 0..=10,
        /// Mean importance below which a theme yields no reflections.
        pub reflection_importance: f64 => 1.0..=10.0,
    }
}

settings! {
    /// `[sleep]`: sleep of NPCs whose day does not state it, and the cost of poor sleep.
    pub struct SleepConfig at sleep changed by SleepChanges {
        /// Quality of sleep, from 0 (awake all night) to 1 (sound).
        pub quality: f64 => 0.0..=1.0,
        /// Length of sleep in game hours.
        pub hours: f64 => 0.0..=24.0,
        /// Share of the storage, token and reflection budgets that is left after a night without any sleep.
        pub min_share: f64 => 0.0..=1.0,
    }
}
