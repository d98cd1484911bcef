//! Who sleeps with what, and what it comes to.

use std::{collections::BTreeMap, error::Error};

use nightfold_memory::{
    Day, Embedder, LanguageModel, LanguagePacks, MemoryReader, MemoryStore, NightPlan, NpcId, NpcNight,
    PLAN_FORMAT, RunReport, StanceJudge, ValidConfig,
};

use crate::{
    Failure, Observer, SleepError,
    days::Days,
    stream::{self, Run},
};

/// Who sleeps with what: the ports of a run.
#[derive(Clone, Copy)]
pub struct Sleep<'a> {
    /// How to sleep.
    pub config: &'a ValidConfig,
    /// Language packs: each night is read and worded by one of them.
    pub packs: &'a dyn LanguagePacks,
    /// Texts to vectors.
    pub embedder: &'a dyn Embedder,
    /// Long-term memory as it is before the nights: read, never written.
    pub store: &'a dyn MemoryReader,
    /// Words for syntheses and reflections; without it the rules find them.
    pub language: Option<&'a dyn LanguageModel>,
    /// Who says whether two close statements say the same; without it the rules do. Where `judge.by` is `rules` in the
    /// configuration, it is asked of what the rules do not take for known at first sight.
    pub judge: Option<&'a dyn StanceJudge>,
    /// Is told how the run gets on.
    pub observer: &'a dyn Observer,
}

/// What a run came to.
#[derive(Debug)]
pub struct Slept {
    /// All nights that could be planned, by NPC and then in order of time.
    pub plan: NightPlan,
    /// The nights that did not happen.
    pub failures: Vec<Failure>,
    /// How many nights were written.
    pub written: usize,
    /// Wall seconds by step.
    pub seconds: BTreeMap<&'static str, f64>,
}

/// What a run came to whose nights were handed on one by one.
#[derive(Debug, Default)]
pub struct Ran {
    /// Sums over all nights that were handed on.
    pub report: RunReport,
    /// The nights that did not happen, by NPC and then in order of time.
    pub failures: Vec<Failure>,
    /// How many nights were written.
    pub written: usize,
    /// Wall seconds by step. Steps run side by side, so together they may be more than the run took.
    pub seconds: BTreeMap<&'static str, f64>,
    /// Whether the observer ended the run before all nights were slept.
    pub stopped: bool,
}

/// An NPC, and the days it sleeps on in order of time.
pub type Lived = (NpcId, Vec<Day>);

/// What whoever gives days or takes nights fails with.
pub type BoxError = Box<dyn Error + Send + Sync>;

impl Sleep<'_> {
    /// Plans the nights of all days. Writes nothing; each NPC's later nights are planned as if the earlier ones
    /// had been applied.
    ///
    /// # Errors
    /// [`SleepError`] when the embedder or the store fails as a whole. What fails for one NPC stands in
    /// [`Slept::failures`].
    pub fn plan(&self, days: Days) -> Result<Slept, SleepError> {
        whole(|take| self.plan_each(days.into_iter().map(Ok), take))
    }

    /// Plans the nights of all days from what `store` holds, which takes the place of [`Sleep::store`], and writes each to
    /// it as soon as its group is planned.
    ///
    /// # Errors
    /// As [`Sleep::plan`]; nights written before stay written.
    pub fn apply(&self, store: &dyn MemoryStore, days: Days) -> Result<Slept, SleepError> {
        whole(|take| self.apply_each(store, days.into_iter().map(Ok), take))
    }

    /// As [`Sleep::plan`] for more NPCs than memory holds: they come one by one, and each one's nights are handed to
    /// `take` in order of time as soon as they are planned. Held at a time are the days of about three groups of
    /// `run.npcs` NPCs or `run.memories` memories, and the nights of as many; whoever is slower, the giver of days, the
    /// planner or `take`, the others wait for it. `npcs` and `take` are called on threads of their own.
    ///
    /// # Errors
    /// As [`Sleep::plan`]; [`SleepError::Order`] unless NPCs come by name and each once; [`SleepError::Days`] and
    /// [`SleepError::Taken`] with what `npcs` and `take` fail with. Nothing is handed on after an error.
    pub fn plan_each<N>(
        &self,
        npcs: N,
        take: impl FnMut(NpcNight) -> Result<(), BoxError> + Send,
    ) -> Result<Ran, SleepError>
    where
        N: IntoIterator<Item = Result<Lived, BoxError>>,
        N::IntoIter: Send,
    {
        stream::run(self, None, npcs.into_iter(), take)
    }

    /// As [`Sleep::apply`] for more NPCs than memory holds; see [`Sleep::plan_each`]. A night is handed on when it is
    /// written.
    ///
    /// # Errors
    /// As [`Sleep::plan_each`]; nights written before stay written.
    pub fn apply_each<N>(
        &self,
        store: &dyn MemoryStore,
        npcs: N,
        take: impl FnMut(NpcNight) -> Result<(), BoxError> + Send,
    ) -> Result<Ran, SleepError>
    where
        N: IntoIterator<Item = Result<Lived, BoxError>>,
        N::IntoIter: Send,
    {
        let number = store.begin_run()?;
        let reading = Sleep { store, ..*self };
        stream::run(&reading, Some(Run { store, number }), npcs.into_iter(), take)
    }
}

/// Gathers the nights of a run.
fn whole(
    run: impl FnOnce(&mut (dyn FnMut(NpcNight) -> Result<(), BoxError> + Send)) -> Result<Ran, SleepError>,
) -> Result<Slept, SleepError> {
    let mut nights = Vec::new();
    let Ran { report, failures, written, seconds, .. } = run(&mut |night| {
        nights.push(night);
        Ok(())
    })?;
    Ok(Slept { plan: NightPlan { format: PLAN_FORMAT, nights, report }, failures, written, seconds })
}
