//! Ports of a run over the nights of many NPCs, and its outcomes.

use std::collections::BTreeMap;

use nightfold_memory::{
    Day, Embedder, LanguageModel, LanguagePacks, MemoryReader, NightPlan, NpcId, RunReport, StanceJudge,
    ValidConfig,
};

use crate::{Failure, NoObserver, Observer};

/// Configuration and ports of a run, which plans or applies the nights of many NPCs.
#[derive(Clone, Copy)]
pub struct Sleep<'a> {
    /// Settings of the nights; each NPC sleeps by its own ([`ValidConfig::for_npc`]).
    pub config: &'a ValidConfig,
    /// Language packs; each night uses the one for its language.
    pub packs: &'a dyn LanguagePacks,
    /// Embedder of texts.
    pub embedder: &'a dyn Embedder,
    /// Long-term memory before the nights; only read.
    pub store: &'a dyn MemoryReader,
    /// Language model that words syntheses and reflections; without it the rules word them.
    pub language: Option<&'a dyn LanguageModel>,
    /// Judge of whether two close statements say the same; without it the rules decide. If `judge.by` is `rules`, the
    /// judge is only asked about statements that the rules do not recognise as known directly.
    pub judge: Option<&'a dyn StanceJudge>,
    /// Receiver of the run's progress.
    pub observer: &'a dyn Observer,
}

/// Outcome of a run that collects its nights in one plan.
#[derive(Debug)]
pub struct RunOutcome {
    /// All planned nights, by NPC and then in order of time.
    pub plan: NightPlan,
    /// The nights that were not planned or not written.
    pub failures: Vec<Failure>,
    /// Number of nights written.
    pub written: usize,
    /// Wall-clock seconds by step.
    pub seconds: BTreeMap<&'static str, f64>,
}

/// Outcome of a run that passes its nights on one by one.
#[derive(Debug, Default)]
pub struct StreamOutcome {
    /// Sums over all nights passed on.
    pub report: RunReport,
    /// The nights that were not planned or not written, by NPC and then in order of time.
    pub failures: Vec<Failure>,
    /// Number of nights written.
    pub written: usize,
    /// Wall-clock seconds by step. Steps run concurrently, so their sum may exceed the duration of the run.
    pub seconds: BTreeMap<&'static str, f64>,
    /// True if the observer stopped the run before all nights were done.
    pub stopped: bool,
}

/// An NPC with its days in order of time.
pub type NpcDays = (NpcId, Vec<Day>);

impl<'a> Sleep<'a> {
    /// Returns a run with these, without a language model, a judge and an observer.
    pub fn new(
        config: &'a ValidConfig,
        packs: &'a dyn LanguagePacks,
        embedder: &'a dyn Embedder,
        store: &'a dyn MemoryReader,
    ) -> Self {
        Self { config, packs, embedder, store, language: None, judge: None, observer: &NoObserver }
    }
}
