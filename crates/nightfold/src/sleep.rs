//! Runs over the nights of many NPCs, and their outcomes.

use std::{collections::BTreeMap, error::Error};

use nightfold_memory::{
    Day, Embedder, LanguageModel, LanguagePacks, MemoryReader, MemoryStore, NightPlan, NpcId, NpcNight,
    PLAN_FORMAT, RunReport, StanceJudge, ValidConfig,
};

use crate::{
    Failure, NoObserver, Observer, RunError,
    days::Days,
    stream::{self, RunTarget},
};

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

/// Error of a caller's iterator of days or sink for nights.
pub type BoxError = Box<dyn Error + Send + Sync>;

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

    /// Plans the nights of all days. Writes nothing; each NPC's later nights are planned as if the earlier ones had
    /// been applied.
    ///
    /// # Errors
    /// [`RunError`] if the embedder or the store fails as a whole. Failures of single NPCs are listed in
    /// [`RunOutcome::failures`].
    pub fn plan(&self, days: Days) -> Result<RunOutcome, RunError> {
        collect_outcome(|take| self.plan_each(days.into_iter().map(Ok), take))
    }

    /// Plans the nights of all days from `store`, which replaces [`Sleep::store`], and writes each night to it as
    /// soon as its batch is planned.
    ///
    /// # Errors
    /// As [`Sleep::plan`]; nights written before stay written.
    pub fn apply(&self, store: &dyn MemoryStore, days: Days) -> Result<RunOutcome, RunError> {
        collect_outcome(|take| self.apply_each(store, days.into_iter().map(Ok), take))
    }

    /// Plans like [`Sleep::plan`], for more NPCs than fit into memory: `npcs` yields the NPCs one by one, and
    /// the nights of each NPC are passed to `take` in order of time as soon as they are planned. About three
    /// batches of days are in memory at a time, each of up to `run.npcs` NPCs or `run.memories` memories,
    /// together with the nights of about three further batches. The slowest of `npcs`, the planner and `take`
    /// sets the pace. `npcs` and `take` are called on threads of their own.
    ///
    /// # Errors
    /// As [`Sleep::plan`]; [`RunError::Order`] if the NPCs are not ordered by name or an NPC occurs twice;
    /// [`RunError::Days`] and [`RunError::Taken`] with the errors of `npcs` and `take`. No night is passed on
    /// after an error.
    pub fn plan_each<N>(
        &self,
        npcs: N,
        take: impl FnMut(NpcNight) -> Result<(), BoxError> + Send,
    ) -> Result<StreamOutcome, RunError>
    where
        N: IntoIterator<Item = Result<NpcDays, BoxError>>,
        N::IntoIter: Send,
    {
        stream::run(self, None, npcs.into_iter(), take)
    }

    /// Plans and writes like [`Sleep::apply`], for more NPCs than fit into memory; see [`Sleep::plan_each`]. A night is
    /// passed on after it is written.
    ///
    /// # Errors
    /// As [`Sleep::plan_each`]; nights written before stay written.
    pub fn apply_each<N>(
        &self,
        store: &dyn MemoryStore,
        npcs: N,
        take: impl FnMut(NpcNight) -> Result<(), BoxError> + Send,
    ) -> Result<StreamOutcome, RunError>
    where
        N: IntoIterator<Item = Result<NpcDays, BoxError>>,
        N::IntoIter: Send,
    {
        self.apply_each_in_run(store, store.begin_run()?, npcs, take)
    }

    /// Plans and writes like [`Sleep::apply_each`], in a run that was begun before: several calls, on several machines too, may
    /// write to one run, which [`MemoryStore::undo_run`] undoes as a whole. `number` is what [`MemoryStore::begin_run`] returned.
    ///
    /// # Errors
    /// As [`Sleep::apply_each`].
    pub fn apply_each_in_run<N>(
        &self,
        store: &dyn MemoryStore,
        number: u64,
        npcs: N,
        take: impl FnMut(NpcNight) -> Result<(), BoxError> + Send,
    ) -> Result<StreamOutcome, RunError>
    where
        N: IntoIterator<Item = Result<NpcDays, BoxError>>,
        N::IntoIter: Send,
    {
        let reading = Sleep { store, ..*self };
        stream::run(&reading, Some(RunTarget { store, number }), npcs.into_iter(), take)
    }
}

/// Collects the nights of a run in one plan.
fn collect_outcome(
    run: impl FnOnce(&mut (dyn FnMut(NpcNight) -> Result<(), BoxError> + Send)) -> Result<StreamOutcome, RunError>,
) -> Result<RunOutcome, RunError> {
    let mut nights = Vec::new();
    let StreamOutcome { report, failures, written, seconds, .. } = run(&mut |night| {
        nights.push(night);
        Ok(())
    })?;
    Ok(RunOutcome { plan: NightPlan { format: PLAN_FORMAT, nights, report }, failures, written, seconds })
}
