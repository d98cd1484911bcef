//! What a night counted on its way.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::JudgeReport;
use crate::{Change, LanguagePack, MemoryId, Rule, config::CohesionConfig};

/// What was unusual about the input, and what was done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InputCounts {
    /// Texts with nothing in them: archived at once.
    pub blank: usize,
    /// Memories without an importance: taken as 5.
    pub without_importance: usize,
    /// Rows that repeat an id with the same text and time: read once.
    pub repeated_rows: usize,
    /// Different memories under one id: the later ones are kept under `id~2`, `id~3` …
    pub renamed_ids: usize,
    /// Texts that came with more than one importance: the highest counts.
    pub mixed_importance: usize,
    /// Memories that share their time with another: ordered by id.
    pub equal_times: usize,
    /// Memories the store has slept on before: passed over.
    pub already_slept_on: usize,
    /// Distinct texts longer than the model reads: embedded by their beginning.
    pub truncated_texts: usize,
}

impl std::ops::AddAssign for InputCounts {
    fn add_assign(&mut self, other: Self) {
        self.blank += other.blank;
        self.without_importance += other.without_importance;
        self.repeated_rows += other.repeated_rows;
        self.renamed_ids += other.renamed_ids;
        self.mixed_importance += other.mixed_importance;
        self.equal_times += other.equal_times;
        self.already_slept_on += other.already_slept_on;
        self.truncated_texts += other.truncated_texts;
    }
}

/// What holds a cluster together. Every part rises with it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CohesionParts {
    /// Mean pairwise cosine, −1 to 1.
    pub cosine: f64,
    /// How narrow a Gaussian with one variance per dimension is, 0 to 1.
    pub inverse_variance: f64,
    /// Mean silhouette of its members, −1 to 1.
    pub silhouette: f64,
    /// Mean importance in tenths, 0.1 to 1.
    pub importance: f64,
    /// One minus the mean gap between two of its memories as a share of the day's span, 0 to 1.
    pub temporal: f64,
    /// Mean emotional intensity, 0 to 1; what was not felt counts 0.
    pub emotion: f64,
}

impl CohesionParts {
    /// Each part by name, in a fixed order.
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

    /// The mean of the parts by these weights; 0 where all weights are.
    pub fn weighed(&self, weights: &CohesionConfig) -> f64 {
        let weights = weights.named().map(|(_, weight)| weight);
        let total: f64 = weights.iter().sum();
        let sum: f64 = self.named().iter().zip(weights).map(|((_, part), weight)| part * weight).sum();
        if total > 0.0 { sum / total } else { 0.0 }
    }

    /// Every part to four places, as reports give them.
    #[must_use]
    pub fn rounded(&self) -> Self {
        Self {
            cosine: rounded(self.cosine),
            inverse_variance: rounded(self.inverse_variance),
            silhouette: rounded(self.silhouette),
            importance: rounded(self.importance),
            temporal: rounded(self.temporal),
            emotion: rounded(self.emotion),
        }
    }
}

/// Name of a language pack. The default, `english`, is the pack of plans that name none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PackName(String);

impl PackName {
    /// The name of a pack.
    pub fn of(pack: &dyn LanguagePack) -> Self {
        Self(pack.name().to_owned())
    }

    /// The name as text.
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

/// What plans were worth that do not say.
fn whole_night() -> f64 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// To four places, as reports give what is measured; never −0.
pub fn rounded(x: f64) -> f64 {
    (x * 1e4).round() / 1e4 + 0.0
}

/// One cluster as the night saw it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClusterReport {
    /// Its most telling words.
    pub name: String,
    /// How many distinct memories are in it.
    pub size: usize,
    /// Which they are, in order of time; a status line by the reading that stands for the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemoryId>,
    /// How well it hangs together: the mean of the parts by the weights of [`NightReport::cohesion_weights`].
    pub cohesion: f64,
    /// What that is made of.
    #[serde(default)]
    pub cohesion_parts: CohesionParts,
    /// On how many earlier nights this theme was seen; its budget is raised if there are any.
    #[serde(default)]
    pub recurred: usize,
    /// How many entries it may leave behind.
    pub storage_budget: usize,
    /// How many entries it does leave behind.
    pub kept: usize,
    /// Its share of the token ledger.
    pub token_budget: usize,
    /// How many reflections it may give.
    pub reflection_slots: usize,
}

/// What language models would cost, and did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TokenReport {
    /// The ledger of the NPC-night.
    pub budget: usize,
    /// What all its tasks would cost with a language model.
    pub estimate: usize,
    /// What was spent.
    pub spent: usize,
}

/// How a language model was asked, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LanguageReport {
    /// Which model.
    pub model: String,
    /// Tasks there were.
    pub tasks: usize,
    /// Tasks whose answer was believed; an empty one counts where an insight was asked for.
    pub answered: usize,
    /// Questions put, second tries included.
    pub calls: usize,
    /// Tasks left to the rules because they could have cost more than was left.
    pub unaffordable: usize,
    /// Tasks left to the rules because the NPC woke, or because the model had not answered for long.
    pub unasked: usize,
    /// Questions that were not answered, by kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failures: BTreeMap<String, usize>,
    /// Answers that were not believed, by what was wrong with them.
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

/// Where the vectors of a run came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VectorReport {
    /// Distinct texts that vectors were asked for.
    pub texts: usize,
    /// Of them, those whose vector an earlier call had kept.
    pub cached: usize,
    /// Of them, those that were embedded.
    pub embedded: usize,
    /// Of those embedded, the ones whose vector had been kept but was damaged.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub damaged: usize,
}

/// What one NPC's night counted.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct NightReport {
    /// Language pack that read the night and worded what it left.
    #[serde(default, skip_serializing_if = "PackName::is_default")]
    pub pack: PackName,
    /// Memories read, repeats and blanks included, without those slept on before.
    pub memories: usize,
    /// Distinct texts among them, without blanks.
    pub distinct: usize,
    /// Status lines that another one stands for: on a night distinct texts of the day, in upkeep older entries.
    #[serde(default)]
    pub collapsed: usize,
    /// Entries left behind: stored memories and syntheses.
    pub kept: usize,
    /// Distinct memories stored in their own words.
    pub stored: usize,
    /// Distinct memories pruned.
    pub pruned: usize,
    /// Distinct memories told in syntheses.
    pub chunked: usize,
    /// Syntheses made of them.
    pub syntheses: usize,
    /// Distinct memories that only corroborated an entry.
    pub corroborated: usize,
    /// Older entries superseded.
    pub superseded: usize,
    /// Entries found contested.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub contested: usize,
    /// Statements that came late: they are older than something that was known already and excludes them. They take the place
    /// of nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub late: usize,
    /// Archived entries that are active again: memories of the day said them again, or somebody asked for them back. They are
    /// no part of [`NightReport::kept`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub restored: usize,
    /// Insights put away because newer ones on the same subject are enough.
    #[serde(default)]
    pub capped: usize,
    /// Older entries that faded.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub forgotten: usize,
    /// Insights drawn.
    pub reflections: usize,
    /// Distinct memories in no cluster.
    pub loose: usize,
    /// The day's themes, largest first.
    pub clusters: Vec<ClusterReport>,
    /// What cohesion was weighed by.
    #[serde(default)]
    pub cohesion_weights: CohesionConfig,
    /// How much of its budgets the night was worth, 0 to 1: less where sleep was poor or short.
    #[serde(default = "whole_night")]
    pub share_of_night: f64,
    /// 1 − kept / distinct.
    pub reduction: f64,
    /// 1 − kept / memories.
    pub raw_reduction: f64,
    /// Distinct texts of importance ≥ the threshold that stand verbatim in a kept or corroborated entry.
    pub important_kept: usize,
    /// Distinct texts of importance ≥ the threshold.
    pub important: usize,
    /// How many kept entries were allowed.
    pub storage_budget: usize,
    /// Language model tokens.
    pub tokens: TokenReport,
    /// How a language model was asked, where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<LanguageReport>,
    /// How a stance judge was asked, where one beside the rules was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeReport>,
    /// What was unusual about the input.
    pub input: InputCounts,
    /// What a reader should know, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Sums over a run. Times, and where vectors came from, are measured by the driver and never enter a saved plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunReport {
    /// NPCs with at least one night.
    pub npcs: usize,
    /// NPC-nights.
    pub nights: usize,
    /// NPC-nights that were read with another language pack than `english`, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub packs: BTreeMap<PackName, usize>,
    /// As in [`NightReport`], summed.
    pub memories: usize,
    /// As in [`NightReport`], summed.
    pub distinct: usize,
    /// As in [`NightReport`], summed.
    #[serde(default)]
    pub collapsed: usize,
    /// As in [`NightReport`], summed.
    pub kept: usize,
    /// As in [`NightReport`], summed.
    pub stored: usize,
    /// As in [`NightReport`], summed.
    pub pruned: usize,
    /// As in [`NightReport`], summed.
    pub chunked: usize,
    /// As in [`NightReport`], summed.
    pub syntheses: usize,
    /// As in [`NightReport`], summed.
    pub corroborated: usize,
    /// As in [`NightReport`], summed.
    pub superseded: usize,
    /// As in [`NightReport`], summed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub contested: usize,
    /// As in [`NightReport`], summed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub late: usize,
    /// As in [`NightReport`], summed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub restored: usize,
    /// As in [`NightReport`], summed.
    #[serde(default)]
    pub capped: usize,
    /// As in [`NightReport`], summed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub forgotten: usize,
    /// As in [`NightReport`], summed.
    pub reflections: usize,
    /// As in [`NightReport`], summed.
    pub clusters: usize,
    /// 1 − kept / distinct.
    pub reduction: f64,
    /// 1 − kept / memories.
    pub raw_reduction: f64,
    /// As in [`NightReport`], summed.
    pub important_kept: usize,
    /// As in [`NightReport`], summed.
    pub important: usize,
    /// As in [`NightReport`], summed.
    pub tokens: TokenReport,
    /// As in [`NightReport`], summed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<LanguageReport>,
    /// As in [`NightReport`], summed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeReport>,
    /// As in [`NightReport`], summed.
    pub input: InputCounts,
    /// Wall seconds by step, where they were measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub seconds: BTreeMap<String, f64>,
    /// Where the vectors came from, where it was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors: Option<VectorReport>,
}

/// The share of `total` that is gone when `kept` is left; 0 of nothing.
pub(crate) fn reduction(kept: usize, total: usize) -> f64 {
    if total == 0 { 0.0 } else { rounded(1.0 - kept as f64 / total as f64) }
}

impl NightReport {
    /// The report of a plan that no day asked for.
    pub fn of_upkeep(changes: &[Change]) -> Self {
        let told = |c: &&Change| c.reason().rule == Rule::Abstracted;
        let sources = |c: &Change| c.sources().len();
        let of = |verb: &'static str| changes.iter().filter(move |c| c.verb() == verb);
        Self {
            collapsed: of("collapse").filter(|c| !told(c)).map(sources).sum(),
            chunked: changes.iter().filter(told).map(sources).sum(),
            syntheses: of("chunk").count(),
            superseded: of("supersede").count(),
            contested: of("contest").count(),
            restored: of("restore").count(),
            capped: changes.iter().filter(|c| c.reason().rule == Rule::Capped).count(),
            forgotten: of("forget").count(),
            share_of_night: whole_night(),
            ..Self::default()
        }
    }

    /// Sets both reductions from the counts.
    #[must_use]
    pub fn with_reductions(mut self) -> Self {
        self.reduction = reduction(self.kept, self.distinct);
        self.raw_reduction = reduction(self.kept, self.memories);
        self
    }
}

impl RunReport {
    /// Sums the nights of a run; `npcs` is how many NPCs they belong to.
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
            run.memories += night.memories;
            run.distinct += night.distinct;
            run.collapsed += night.collapsed;
            run.kept += night.kept;
            run.stored += night.stored;
            run.pruned += night.pruned;
            run.chunked += night.chunked;
            run.syntheses += night.syntheses;
            run.corroborated += night.corroborated;
            run.superseded += night.superseded;
            run.contested += night.contested;
            run.late += night.late;
            run.restored += night.restored;
            run.capped += night.capped;
            run.forgotten += night.forgotten;
            run.reflections += night.reflections;
            run.clusters += night.clusters.len();
            run.important_kept += night.important_kept;
            run.important += night.important;
            run.tokens.budget += night.tokens.budget;
            run.tokens.estimate += night.tokens.estimate;
            // Servers say how much.
            run.tokens.spent = run.tokens.spent.saturating_add(night.tokens.spent);
            run.input += night.input;
            if let Some(language) = &night.language {
                run.language.get_or_insert_default().add(language);
            }
            if let Some(judge) = &night.judge {
                run.judge.get_or_insert_default().add(judge);
            }
        }
        run.reduction = reduction(run.kept, run.distinct);
        run.raw_reduction = reduction(run.kept, run.memories);
    }
}
