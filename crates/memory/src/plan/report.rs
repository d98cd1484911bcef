//! Reports: the counts of a night and of a run.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{InputCounts, JudgeReport, input_counts::is_zero};
use crate::{
    config::{CohesionConfig, ProfileName},
    id::MemoryId,
    plan::{Change, Rule},
    ports::LanguagePack,
};

/// Parts of a cluster's cohesion; each is higher for a more cohesive cluster.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CohesionParts {
    /// Mean pairwise proximity, −1 to 1.
    pub proximity: f64,
    /// Narrowness of a Gaussian with one variance per dimension, 0 to 1.
    pub inverse_variance: f64,
    /// Mean silhouette of its members, −1 to 1.
    pub silhouette: f64,
    /// Mean importance divided by 10, 0.1 to 1.
    pub importance: f64,
    /// One minus the mean gap between two of its memories as a share of the day's span, 0 to 1.
    pub temporal: f64,
    /// Mean emotional intensity, 0 to 1; a memory without an emotion counts as 0.
    pub emotion: f64,
}

impl CohesionParts {
    /// Returns each part with its name, in a fixed order.
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

    /// Returns the weighted mean of the parts; 0 if all weights are 0.
    pub fn weighted_mean(&self, weights: &CohesionConfig) -> f64 {
        let weights = weights.named().map(|(_, weight)| weight);
        let total: f64 = weights.iter().sum();
        let sum: f64 = self.named().iter().zip(weights).map(|((_, part), weight)| part * weight).sum();
        if total > 0.0 { sum / total } else { 0.0 }
    }

    /// Returns the parts rounded to four decimals, as in reports.
    #[must_use]
    pub fn rounded(&self) -> Self {
        Self {
            proximity: rounded(self.proximity),
            inverse_variance: rounded(self.inverse_variance),
            silhouette: rounded(self.silhouette),
            importance: rounded(self.importance),
            temporal: rounded(self.temporal),
            emotion: rounded(self.emotion),
        }
    }
}

/// Name of a language pack. The default, `english`, is used for plans that name none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct PackName(String);

impl PackName {
    /// Returns the name of a pack.
    pub fn of(pack: &dyn LanguagePack) -> Self {
        Self(pack.name().to_owned())
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for PackName {
    fn default() -> Self {
        Self("english".to_owned())
    }
}

/// Returns the default of [`NightReport::share_of_night`] for plans that do not state it.
fn whole_night() -> f64 {
    1.0
}

/// Rounds a measured value to four decimals, as in reports; never −0.
pub fn rounded(x: f64) -> f64 {
    (x * 1e4).round() / 1e4 + 0.0
}

/// One cluster of a night.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClusterReport {
    /// Most distinctive words of the cluster.
    pub name: String,
    /// Number of distinct memories in it.
    pub size: usize,
    /// Ids of its distinct memories, in order of time; of folded status lines only the kept one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemoryId>,
    /// Cohesion: the mean of the parts, weighted by [`NightReport::cohesion_weights`].
    pub cohesion: f64,
    /// Parts of the cohesion.
    #[serde(default)]
    pub cohesion_parts: CohesionParts,
    /// Number of earlier nights on which its theme was seen; its budget is raised if there are any.
    #[serde(default)]
    pub recurred: usize,
    /// Number of entries that it may keep.
    pub storage_budget: usize,
    /// Number of entries that it keeps.
    pub kept: usize,
    /// Share of the token ledger, in tokens.
    pub token_budget: usize,
    /// Maximum number of its reflections.
    pub reflection_slots: usize,
}

/// Language model tokens: estimated and spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenReport {
    /// Tokens in the ledger of the NPC-night.
    pub budget: usize,
    /// Tokens that all its tasks would cost with a language model.
    pub estimate: usize,
    /// Tokens that were spent.
    pub spent: usize,
}

/// Counts of the requests to a language model, and of its answers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LanguageReport {
    /// Name of the model.
    pub model: String,
    /// Number of tasks.
    pub tasks: usize,
    /// Number of tasks whose answer was accepted; an empty one counts if a reflection was asked for.
    pub answered: usize,
    /// Number of requests, second tries included.
    pub calls: usize,
    /// Number of tasks left to the rules because they could have cost more tokens than were left.
    pub unaffordable: usize,
    /// Number of tasks left to the rules because the NPC woke or the model had been silent for too long.
    pub unasked: usize,
    /// Number of unanswered requests, by kind of failure.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failures: BTreeMap<String, usize>,
    /// Number of rejected answers, by fault.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub faults: BTreeMap<String, usize>,
}

impl LanguageReport {
    /// Adds the counts of another night.
    pub fn add(&mut self, other: &Self) {
        self.model.clone_from(&other.model);
        self.tasks += other.tasks;
        self.answered += other.answered;
        self.calls += other.calls;
        self.unaffordable += other.unaffordable;
        self.unasked += other.unasked;
        for (mine, theirs) in [(&mut self.failures, &other.failures), (&mut self.faults, &other.faults)] {
            theirs.iter().for_each(|(kind, n)| *mine.entry(kind.clone()).or_default() += n);
        }
    }
}

/// Sources of the vectors of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VectorReport {
    /// Number of distinct texts that needed a vector.
    pub texts: usize,
    /// Number of texts whose vector was cached by an earlier call.
    pub cached: usize,
    /// Number of texts that were embedded.
    pub embedded: usize,
    /// Number of embedded texts whose cached vector was damaged.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub damaged: usize,
}

/// Counts of memories and entries, of one night or of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    /// Number of memories read, repeats and blanks included, without those known from an earlier night.
    pub memories: usize,
    /// Number of distinct texts among them, without blanks.
    pub distinct: usize,
    /// Number of status lines folded into another one: distinct texts of the day on a night, older entries in
    /// maintenance.
    #[serde(default)]
    pub collapsed: usize,
    /// Number of entries kept: stored memories and syntheses.
    pub kept: usize,
    /// Number of distinct memories stored in their own words.
    pub stored: usize,
    /// Number of distinct memories pruned.
    pub pruned: usize,
    /// Number of inversions: memories pruned for lack of room although one at least two points less important
    /// was kept in its own words.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub inversions: usize,
    /// Length in characters of the unrated talk that need not be kept, which [`BudgetConfig::text`] limits.
    ///
    /// [`BudgetConfig::text`]: crate::config::BudgetConfig::text
    #[serde(default, skip_serializing_if = "is_zero")]
    pub talk_chars: usize,
    /// Number of its characters that stay.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub talk_chars_kept: usize,
    /// Number of distinct memories synthesized.
    pub chunked: usize,
    /// Number of syntheses.
    pub syntheses: usize,
    /// Number of distinct memories that only corroborated an entry.
    pub corroborated: usize,
    /// Number of older entries superseded.
    pub superseded: usize,
    /// Number of entries found contested.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub contested: usize,
    /// Number of positions of entries that ended.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ended: usize,
    /// Number of late statements: each is older than a known entry that contradicts it, and therefore
    /// supersedes nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub late: usize,
    /// Number of archived entries restored, because memories of the day repeat them or a person asked for it;
    /// not part of [`Counts::kept`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub restored: usize,
    /// Number of reflections archived because there are enough newer ones on the same subject.
    #[serde(default)]
    pub capped: usize,
    /// Number of older entries forgotten.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub forgotten: usize,
    /// Number of reflections added.
    pub reflections: usize,
}

impl Counts {
    /// Returns the counts with everything counted anew that the changes of a plan tell.
    #[must_use]
    pub fn with_changes(self, changes: &[Change]) -> Self {
        let of = |verb: &'static str| changes.iter().filter(move |c| c.verb() == verb);
        let count = |verb| of(verb).count();
        let sources = |verb| of(verb).map(|c| c.sources().len()).sum();
        // A statement of the day that a later one supersedes is stored beside it.
        let stored: BTreeSet<&MemoryId> = of("store").map(Change::id).collect();
        let outdated = of("supersede").filter(|c| stored.contains(c.id())).count();
        Self {
            kept: stored.len() + count("chunk") - outdated,
            stored: stored.len(),
            pruned: of("prune").filter(|c| c.reason().rule != Rule::Blank).count(),
            chunked: sources("chunk"),
            syntheses: count("chunk"),
            corroborated: sources("corroborate"),
            superseded: count("supersede"),
            contested: count("contest"),
            ended: count("end"),
            restored: count("restore"),
            capped: changes.iter().filter(|c| c.reason().rule == Rule::Capped).count(),
            forgotten: count("forget"),
            reflections: count("reflect"),
            ..self
        }
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.memories += other.memories;
        self.distinct += other.distinct;
        self.collapsed += other.collapsed;
        self.kept += other.kept;
        self.stored += other.stored;
        self.pruned += other.pruned;
        self.inversions += other.inversions;
        self.talk_chars += other.talk_chars;
        self.talk_chars_kept += other.talk_chars_kept;
        self.chunked += other.chunked;
        self.syntheses += other.syntheses;
        self.corroborated += other.corroborated;
        self.superseded += other.superseded;
        self.contested += other.contested;
        self.ended += other.ended;
        self.late += other.late;
        self.restored += other.restored;
        self.capped += other.capped;
        self.forgotten += other.forgotten;
        self.reflections += other.reflections;
    }
}

impl Counts {
    /// Returns the reduction of distinct memories: 1 − kept / distinct.
    pub fn reduction(&self) -> f64 {
        reduction(self.kept, self.distinct)
    }

    /// Returns the reduction of all memories: 1 − kept / memories.
    pub fn raw_reduction(&self) -> f64 {
        reduction(self.kept, self.memories)
    }
}

/// Something important that ended on a night.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportantEnded {
    /// Id of the memory or entry.
    pub id: MemoryId,
    /// Words that no longer hold: the superseded text, or the position that ended.
    pub text: String,
}

/// Report of one NPC's night.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NightReport {
    /// Profile of the configuration that applied to the NPC; `None` for the configuration of all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileName>,
    /// Language pack that read the memories and wrote the texts of the night.
    #[serde(default, skip_serializing_if = "PackName::is_default")]
    pub pack: PackName,
    /// Counts of memories and entries.
    #[serde(flatten)]
    pub counts: Counts,
    /// Number of distinct memories in no cluster.
    pub loose: usize,
    /// Clusters of the day, the most cohesive first.
    pub clusters: Vec<ClusterReport>,
    /// Weights of the parts of cohesion.
    #[serde(default)]
    pub cohesion_weights: CohesionConfig,
    /// Share of its budgets that the night had, 0 to 1: less if sleep was poor or short.
    #[serde(default = "whole_night")]
    pub share_of_night: f64,
    /// Reduction of distinct memories: 1 − kept / distinct.
    pub reduction: f64,
    /// Reduction of all memories: 1 − kept / memories.
    pub raw_reduction: f64,
    /// Number of distinct texts of at least `triage.important` that are verbatim in a kept or corroborated
    /// entry.
    pub important_kept: usize,
    /// Number of distinct texts of at least `triage.important`.
    pub important: usize,
    /// Memories and entries of at least `triage.important` that were superseded or lost a position; no reflections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub important_ended: Vec<ImportantEnded>,
    /// Number of entries that the night could keep.
    pub storage_budget: usize,
    /// Language model tokens: estimated and spent.
    pub tokens: TokenReport,
    /// Counts of the language model, if one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<LanguageReport>,
    /// Counts of the stance judge, if one other than the rules was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeReport>,
    /// Counts of unusual input.
    pub input: InputCounts,
    /// Notes for the reader, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Sums over a run. Times and sources of vectors are measured by the driver and never saved in a plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunReport {
    /// Number of NPCs with at least one night.
    pub npcs: usize,
    /// Number of NPC-nights.
    pub nights: usize,
    /// Number of NPC-nights read with a language pack other than `english`, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub packs: BTreeMap<PackName, usize>,
    /// Number of NPC-nights to which a profile applied, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub profiles: BTreeMap<ProfileName, usize>,
    /// Sums of [`NightReport::counts`].
    #[serde(flatten)]
    pub counts: Counts,
    /// Number of all [`NightReport::clusters`].
    pub clusters: usize,
    /// Reduction of distinct memories: 1 − kept / distinct.
    pub reduction: f64,
    /// Reduction of all memories: 1 − kept / memories.
    pub raw_reduction: f64,
    /// Sum of [`NightReport::important_kept`].
    pub important_kept: usize,
    /// Sum of [`NightReport::important`].
    pub important: usize,
    /// Number of all [`NightReport::important_ended`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub important_ended: usize,
    /// Sum of [`NightReport::tokens`].
    pub tokens: TokenReport,
    /// Sum of [`NightReport::language`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<LanguageReport>,
    /// Sum of [`NightReport::judge`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeReport>,
    /// Sum of [`NightReport::input`].
    pub input: InputCounts,
    /// Wall-clock seconds by step, if they were measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub seconds: BTreeMap<String, f64>,
    /// Sources of the vectors, if they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors: Option<VectorReport>,
}

/// Returns the share of `total` that is removed if `kept` remain; 0 for a total of 0.
pub(crate) fn reduction(kept: usize, total: usize) -> f64 {
    if total == 0 { 0.0 } else { rounded(1.0 - kept as f64 / total as f64) }
}

impl NightReport {
    /// Returns the report of a maintenance plan, which belongs to no day.
    pub fn of_maintenance(changes: &[Change]) -> Self {
        let told = |c: &&Change| c.reason().rule == Rule::Abstracted;
        let sources = |c: &Change| c.sources().len();
        let collapses = changes.iter().filter(|c| c.verb() == "collapse");
        let counts = Counts {
            collapsed: collapses.filter(|c| !told(c)).map(sources).sum(),
            chunked: changes.iter().filter(told).map(sources).sum(),
            kept: 0,
            ..Counts::default().with_changes(changes)
        };
        Self { counts, share_of_night: whole_night(), ..Self::default() }
    }

    /// Returns the report with both reductions set from the counts.
    #[must_use]
    pub fn with_reductions(mut self) -> Self {
        self.reduction = self.counts.reduction();
        self.raw_reduction = self.counts.raw_reduction();
        self
    }
}

impl RunReport {
    /// Returns the sums over the nights of a run; `npcs` is the number of NPCs they belong to.
    pub fn sum<'a>(npcs: usize, nights: impl IntoIterator<Item = &'a NightReport>) -> Self {
        let mut run = Self::default();
        run.add(npcs, nights);
        run
    }

    /// Adds the nights of `npcs` more NPCs.
    pub fn add<'a>(&mut self, npcs: usize, nights: impl IntoIterator<Item = &'a NightReport>) {
        let run = self;
        run.npcs += npcs;
        for night in nights {
            run.nights += 1;
            if !night.pack.is_default() {
                *run.packs.entry(night.pack.clone()).or_default() += 1;
            }
            if let Some(profile) = &night.profile {
                *run.profiles.entry(profile.clone()).or_default() += 1;
            }
            run.counts += night.counts;
            run.clusters += night.clusters.len();
            run.important_kept += night.important_kept;
            run.important += night.important;
            run.important_ended += night.important_ended.len();
            run.tokens.budget += night.tokens.budget;
            run.tokens.estimate += night.tokens.estimate;
            // Servers report this number, so it may be any.
            run.tokens.spent = run.tokens.spent.saturating_add(night.tokens.spent);
            run.input += night.input;
            if let Some(language) = &night.language {
                run.language.get_or_insert_default().add(language);
            }
            if let Some(judge) = &night.judge {
                run.judge.get_or_insert_default().add(judge);
            }
        }
        run.reduction = run.counts.reduction();
        run.raw_reduction = run.counts.raw_reduction();
    }
}
