//! Runs over the nights of many NPCs.

use nightfold_memory::{MemoryStore, NightPlan, NpcNight, PLAN_FORMAT};

use crate::{
    BoxError, NpcDays, RunError, RunOutcome, Sleep, StreamOutcome,
    days::Days,
    stream::{RunTarget, run},
};

impl Sleep<'_> {
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
        run(self, None, npcs.into_iter(), take)
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
        run(&reading, Some(RunTarget { store, number }), npcs.into_iter(), take)
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
