//! Living through a scenario, in a store that is thrown away.

use nightfold::english::Packs;
use nightfold::{Chores, Failure, Lines, Observer, Sleep, SleepError, Tidied, Upkeep, apply_plan};
use nightfold_memory::{Embedder, NpcNight, StanceJudge};
use nightfold_store::InMemoryStore;

use crate::{
    check::{Checked, Checks},
    compared::Comparisons,
    outcome::Outcome,
    read::Scenario,
};

/// Who lives through a scenario with what.
#[derive(Clone, Copy)]
pub struct Replay<'a> {
    /// The story.
    pub scenario: &'a Scenario,
    /// Texts to vectors.
    pub embedder: &'a dyn Embedder,
    /// Who says whether two close statements say the same; without it the rules do.
    pub judge: Option<&'a dyn StanceJudge>,
    /// Is told how it gets on.
    pub observer: &'a dyn Observer,
}

/// What a scenario came to.
#[derive(Debug)]
pub struct Replayed {
    /// What each night wrote, night by night and in the order of NPCs; upkeep stands behind the night it followed.
    pub nights: Vec<Vec<NpcNight>>,
    /// Long-term memory after the last night.
    pub store: InMemoryStore,
    /// The nights that did not happen.
    pub failures: Vec<Failure>,
    /// What every expectation came to, in their order.
    pub checks: Vec<Checked>,
    /// The fates of everything, as they are kept beside the scenario.
    pub outcome: Outcome,
}

impl Replayed {
    /// Whether every night happened and every expectation holds.
    pub fn holds(&self) -> bool {
        self.failures.is_empty() && self.checks.iter().all(|check| check.holds)
    }
}

impl Replay<'_> {
    /// Sleeps every night in order, each applied before the next, and checks each expectation after its night.
    ///
    /// # Errors
    /// [`SleepError`] when the embedder or the store fails as a whole.
    pub fn run(&self) -> Result<Replayed, SleepError> {
        let Self { scenario, embedder, judge, observer } = *self;
        let config = &scenario.config;
        let store = InMemoryStore::new();
        let compared = Comparisons::new(scenario, observer);
        let sleep = Sleep {
            config,
            packs: &Packs,
            embedder,
            store: &store,
            language: None,
            judge,
            observer: &compared,
        };
        let mut nights: Vec<Vec<NpcNight>> = Vec::new();
        let mut failures = Vec::new();
        let mut checks = Checks::new(scenario, embedder, &compared);
        for (number, night) in scenario.nights.iter().enumerate() {
            let days = night.days.iter().map(|(npc, day)| (npc.clone(), vec![day.clone()])).collect();
            let slept = sleep.apply(&store, days)?;
            failures.extend(slept.failures);
            let mut written = slept.plan.nights;
            if scenario.upkeep_every.is_some_and(|every| (number + 1).is_multiple_of(every)) {
                let (upkept, failed) = self.upkeep(&store)?;
                written.extend(upkept);
                failures.extend(failed);
            }
            nights.push(written);
            checks.after(number, &store, &nights)?;
        }
        let checks = checks.done();
        let outcome = Outcome::of(scenario, &nights, &store)?;
        Ok(Replayed { nights, store, failures, checks, outcome })
    }

    /// The upkeep that is due, for everybody, planned and applied; and the NPCs whose upkeep failed.
    fn upkeep(&self, store: &InMemoryStore) -> Result<(Vec<NpcNight>, Vec<Failure>), SleepError> {
        let config = &self.scenario.config;
        let npcs: Vec<_> = self.scenario.npcs.keys().cloned().collect();
        let chores = Chores {
            collapse: Some(Lines::Operational),
            abstracting: true,
            cap: true,
            forget: true,
            now: None,
        };
        let drafted = Upkeep { config, packs: &Packs, store }.draft(&npcs, chores)?;
        let Tidied { plan, failures, .. } = drafted.plan_embedded(self.embedder, config.embed.window)?;
        apply_plan(store, &plan)?;
        Ok((plan.nights, failures))
    }
}
