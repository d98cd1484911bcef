//! Replay of a scenario in a temporary store.

use nightfold::english::Packs;
use nightfold::{
    Failure, Maintenance, MaintenancePlan, MaintenanceTasks, Observer, RunError, Sleep, apply_plan,
};
use nightfold_memory::{Embedder, NpcNight, StanceJudge};
use nightfold_store::SqliteStore;

use crate::{
    check::{CheckedExpectation, Checks},
    comparisons::Comparisons,
    outcome::ScenarioOutcome,
    scenario::Scenario,
};

/// Scenario and the ports to replay it with.
#[derive(Clone, Copy)]
pub struct Replay<'a> {
    /// Scenario to replay.
    pub scenario: &'a Scenario,
    /// Embedder of texts.
    pub embedder: &'a dyn Embedder,
    /// Judge of pairs of close statements; without one the rules decide.
    pub judge: Option<&'a dyn StanceJudge>,
    /// Observer of the progress.
    pub observer: &'a dyn Observer,
}

/// Result of a replay.
#[derive(Debug)]
pub struct Replayed {
    /// Plans of the nights, night by night and in the order of NPCs; maintenance stands behind the night it
    /// followed.
    pub nights: Vec<Vec<NpcNight>>,
    /// Long-term memory after the last night.
    pub store: SqliteStore,
    /// Nights that failed.
    pub failures: Vec<Failure>,
    /// Results of the expectations, in their order.
    pub checks: Vec<CheckedExpectation>,
    /// Fates of all memories, as kept beside the scenario.
    pub outcome: ScenarioOutcome,
}

impl Replayed {
    /// True if no night failed and every expectation holds.
    pub fn holds(&self) -> bool {
        self.failures.is_empty() && self.checks.iter().all(|check| check.holds)
    }
}

impl Replay<'_> {
    /// Runs every night in order, applies it before the next, and checks the expectations of each night.
    ///
    /// # Errors
    /// [`RunError`] if the embedder or the store fails as a whole.
    pub fn run(&self) -> Result<Replayed, RunError> {
        let Self { scenario, embedder, judge, observer } = *self;
        let config = &scenario.config;
        let store = SqliteStore::in_memory()?;
        let comparisons = Comparisons::new(scenario, observer);
        let sleep = Sleep {
            config,
            packs: &Packs,
            embedder,
            store: &store,
            language: None,
            judge,
            observer: &comparisons,
        };
        let mut nights: Vec<Vec<NpcNight>> = Vec::new();
        let mut failures = Vec::new();
        let mut checks = Checks::new(scenario, embedder, &comparisons);
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
        let outcome = ScenarioOutcome::of(scenario, &nights, &store)?;
        Ok(Replayed { nights, store, failures, checks, outcome })
    }

    /// Plans and applies the maintenance due for all NPCs; returns its plans and failures.
    fn upkeep(&self, store: &SqliteStore) -> Result<(Vec<NpcNight>, Vec<Failure>), RunError> {
        let config = &self.scenario.config;
        let npcs: Vec<_> = self.scenario.npcs.keys().cloned().collect();
        let tasks = MaintenanceTasks::ALL;
        let open = |_| Ok::<_, RunError>(self.embedder);
        let MaintenancePlan { plan, failures, .. } =
            Maintenance { config, packs: &Packs, store }.plan_worded(&npcs, tasks, None, open)?;
        apply_plan(store, &plan)?;
        Ok((plan.nights, failures))
    }
}
