//! Due nights: planned ones are written, written ones are delivered.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use nightfold::memory::{Day, NpcId};

use super::{ActiveNight, DeferredDrop, SleepQueue, Stage};
use crate::{
    NightBudgets, NightFailure,
    job::{self, Completed, NightResult, PlannedNight, PlannedWork},
    pool::{Lane, NightPool},
    ports::Ports,
    recall::Questions,
    saved::NightWork,
};

/// Night that has ended, with its result.
pub(crate) struct Finished {
    pub(crate) npc: NpcId,
    pub(crate) entity: Entity,
    pub(crate) day: Arc<Day>,
    pub(crate) work: NightWork,
    pub(crate) result: NightResult,
}

impl SleepQueue {
    /// Writes the nights that are due. In lockstep, waits for those that are not planned yet.
    pub(crate) fn write_due(&mut self, now: i64, context: &mut Context<'_>, ports: impl Fn() -> Ports) {
        let due = take_due(&mut self.to_write, now, usize::MAX);
        if !due.is_empty() {
            if due.iter().any(|npc| self.under_way.get(npc).is_some_and(|night| night.saved.due.is_some())) {
                self.finish_reading(now, context, ports);
            }
            for npc in &due {
                if let Some(due) = self.under_way.get(npc).and_then(|night| night.saved.due) {
                    self.to_deliver.insert((due.deliver, npc.clone()));
                }
                while self.under_way.get(npc).is_some_and(|night| matches!(night.stage, Stage::Planning)) {
                    self.launch_batch_of(npc, context);
                    if !self.wait(now, context) {
                        break;
                    }
                }
                let night = self.under_way.get_mut(npc);
                if let Some(night) = night.filter(|night| night.is_to_be_written()) {
                    night.touched = self.touched.remove(npc).unwrap_or_default();
                }
            }
            let mut due = due.into_iter().peekable();
            while due.peek().is_some() {
                self.groups.push_back(due.by_ref().take(context.budgets.write_group.max(1)).collect());
            }
        }
        self.write_next(now, context.pool);
    }

    /// Waits for the indices that are made from the store, as after a load in lockstep: what they contain must not depend on
    /// the moment at which a night is written.
    fn finish_reading(&mut self, now: i64, context: &mut Context<'_>, ports: impl Fn() -> Ports) {
        if context.questions.reads_store() {
            self.finish_writing(now, context);
        }
        while context.questions.reads_store() {
            context.questions.launch(context.pool, context.budgets);
            context.questions.launch_indexing(context.pool, &ports);
            if !self.wait(now, context) {
                return;
            }
        }
    }

    /// Launches the batch of an NPC that is waited for.
    fn launch_batch_of(&mut self, npc: &NpcId, context: &mut Context<'_>) {
        let in_batch =
            |batch: &super::NightBatch| batch.members.iter().any(|member| member.attempt.npc == *npc);
        if self.filling.as_ref().is_some_and(|(_, batch)| in_batch(batch)) {
            let batch = self.filling.take().map(|(_, batch)| batch);
            self.waiting.extend(batch);
        }
        self.launch_up_to(context.budgets.in_flight.max(1), context.pool);
    }

    /// Hands the next group to the pool, unless a group is being written.
    fn write_next(&mut self, now: i64, pool: &NightPool) {
        while !self.writing {
            let Some(group) = self.groups.pop_front() else { return };
            let mut planned = Vec::with_capacity(group.len());
            let mut ports = None;
            for npc in group {
                let Some(night) = self.under_way.get_mut(&npc) else { continue };
                let other = |ports: &Ports| !Arc::ptr_eq(&ports.store, &night.ports.store);
                if ports.as_ref().is_some_and(other) {
                    // The game replaced the store: a night begun with the old one is written there, in a group of its own.
                    self.groups.push_front(vec![npc]);
                    continue;
                }
                match std::mem::replace(&mut night.stage, Stage::Writing) {
                    Stage::Planned(Ok(PlannedWork::Night(plan))) => {
                        ports = Some(night.ports.clone());
                        let touched = std::mem::take(&mut night.touched);
                        planned.push(PlannedNight { night: plan, recalls: night.saved.recalls, touched });
                    }
                    Stage::Planned(Ok(PlannedWork::Unchanged(version))) => {
                        night.stage = Stage::Written(Ok(Completed { version, written: None }));
                    }
                    Stage::Planned(Err(error)) => night.stage = Stage::Written(Err(error)),
                    // No other stage is ever due; keep it.
                    other => night.stage = other,
                }
                if night.saved.due.is_none() && matches!(night.stage, Stage::Written(_)) {
                    self.to_deliver.insert((now, npc));
                }
            }
            if let Some(ports) = ports {
                self.writing = true;
                pool.run(Lane::Writes, move |_| job::write(&ports, planned));
            }
        }
    }

    /// Returns the nights due for delivery, up to the maximum of a tick. In lockstep, waits for due nights
    /// that are not written yet.
    pub(crate) fn deliver_due(&mut self, now: i64, context: &mut Context<'_>) -> Vec<Finished> {
        let most = context.budgets.results_per_tick.max(1);
        let mut finished = Vec::new();
        for npc in take_due(&mut self.to_deliver, now, most) {
            while self.under_way.get(&npc).is_some_and(|night| !matches!(night.stage, Stage::Written(_))) {
                if !self.wait(now, context) {
                    break;
                }
                self.write_next(now, context.pool);
            }
            let Some(night) = self.under_way.remove(&npc) else { continue };
            finished.push(self.finish(npc, night, context.tokens));
        }
        finished
    }

    fn finish(&mut self, npc: NpcId, mut night: ActiveNight, left: &mut u64) -> Finished {
        let result = match std::mem::replace(&mut night.stage, Stage::Writing) {
            Stage::Written(result) => result,
            _ => Err(NightFailure::Unplanned),
        };
        // The cost of a restarted night is not known: its whole grant counts as spent.
        if let Ok(Completed { written: Some(written), .. }) = &result
            && !night.saved.by_rules
        {
            *left = left.saturating_add(night.saved.granted).saturating_sub(written.spent);
        }
        let (entity, day, work) = (night.entity, Arc::clone(&night.saved.day), night.saved.work);
        self.deferred_drops.push(DeferredDrop::Night { _night: night });
        Finished { npc, entity, day, work, result }
    }

    /// Waits for the pool's next report; returns false if no job is running.
    fn wait(&mut self, now: i64, context: &mut Context<'_>) -> bool {
        if self.running == 0 && !self.writing && context.questions.running() == 0 {
            return false;
        }
        let Some(report) = context.pool.receive() else { return false };
        let report = context.questions.receive(report);
        if let Some(report) = report {
            self.receive(report, now);
        }
        true
    }

    /// Waits until all nights due for writing are written: what is saved or read after it must not depend on the speed of the store.
    pub(crate) fn finish_writing(&mut self, now: i64, context: &mut Context<'_>) {
        self.write_next(now, context.pool);
        while self.writing && self.wait(now, context) {
            self.write_next(now, context.pool);
        }
    }
}

/// Resources used in working on due nights.
pub(crate) struct Context<'a> {
    pub(crate) pool: &'a mut NightPool,
    pub(crate) budgets: &'a NightBudgets,
    /// Tokens left for all NPCs together.
    pub(crate) tokens: &'a mut u64,
    pub(crate) questions: &'a mut Questions,
}

fn take_due(queue: &mut std::collections::BTreeSet<(i64, NpcId)>, now: i64, most: usize) -> Vec<NpcId> {
    let mut due = Vec::new();
    while due.len() < most && queue.first().is_some_and(|(at, _)| *at <= now) {
        due.extend(queue.pop_first().map(|(_, npc)| npc));
    }
    due
}
