//! Batches of nights: filling them and handing them to the pool.

use nightfold::memory::NpcId;

use super::{ActiveNight, DeferredDrop, SleepQueue, Stage};
use crate::{
    NightBudgets,
    job::{JobReport, NightAttempt, NightBatch},
    pool::{Lane, NightPool},
};

impl SleepQueue {
    /// Adds a night to the batch that is being filled. The NPCs that share a batch depend on ticks alone,
    /// never on the speed of the pool.
    pub(super) fn add_to_batch(&mut self, npc: &NpcId, night: &ActiveNight) {
        // A night that got fewer tokens than it may use plans alone: which others share its batch would decide how many
        // are left for it.
        let is_short =
            night.ports.uses_models() && night.saved.granted < night.ports.config.budget.tokens as u64;
        if is_short || self.filling.as_ref().is_some_and(|(_, batch)| !batch.ports.is_same(&night.ports)) {
            self.close();
        }
        let empty = || (self.tick, NightBatch { ports: night.ports.clone(), members: Vec::new(), tokens: 0 });
        let (_, batch) = self.filling.get_or_insert_with(empty);
        batch.members.push(night.member(npc));
        batch.tokens = batch.tokens.saturating_add(night.saved.granted);
        if is_short {
            self.close();
        }
    }

    fn close(&mut self) {
        self.waiting.extend(self.filling.take().map(|(_, batch)| batch));
    }

    /// Closes the batch if it is full or has waited long enough.
    pub(crate) fn close_batch(&mut self, budgets: &NightBudgets) {
        let is_ready = |(since, batch): &(u64, NightBatch)| {
            batch.members.len() >= budgets.batch.max(1) || self.tick - since >= budgets.batch_ticks
        };
        if self.filling.as_ref().is_some_and(is_ready) {
            self.close();
        }
    }

    /// Hands batches to the pool while there is room.
    pub(crate) fn launch(&mut self, pool: &NightPool, budgets: &NightBudgets) {
        let most = budgets.in_flight.max(1);
        // Planned nights hold their vectors, so they are written before many more are planned. Nights with a
        // fixed moment cannot be written earlier.
        let held = self.to_write.len() + self.groups.iter().map(Vec::len).sum::<usize>();
        let full = self.waiting.front().is_some_and(|batch| self.has_no_due_moment(batch))
            && held >= most.saturating_mul(2).saturating_mul(budgets.batch.max(1));
        if !full {
            self.launch_up_to(most, pool);
        }
    }

    /// Hands batches to the pool until it works on `most` of them.
    pub(super) fn launch_up_to(&mut self, most: usize, pool: &NightPool) {
        while self.running < most {
            if let Some(batch) = self.next_batch() {
                self.running += 1;
                pool.run(Lane::Nights, move |stop| batch.plan(stop));
            } else if let Some(maintenance) = self.maintenance.pop_front() {
                self.running += 1;
                pool.run(Lane::Nights, move |_| maintenance.plan());
            } else {
                return;
            }
        }
    }

    /// Returns the next batch without the nights that were restarted since. In lockstep restarted nights keep
    /// their place: the tokens left for the others must not depend on the time at which the batch was handed
    /// over.
    fn next_batch(&mut self) -> Option<NightBatch> {
        loop {
            let mut batch = self.waiting.pop_front()?;
            let under_way = &self.under_way;
            let is_current = |attempt: &NightAttempt| {
                under_way.get(&attempt.npc).is_some_and(|n| n.attempt == attempt.attempt)
            };
            if self.has_no_due_moment(&batch) {
                batch.members.retain(|member| is_current(&member.attempt));
            }
            if batch.members.iter().any(|member| is_current(&member.attempt)) {
                return Some(batch);
            }
        }
    }

    /// True if no night of a batch has a fixed due moment.
    fn has_no_due_moment(&self, batch: &NightBatch) -> bool {
        let fixed = |npc: &NpcId| self.under_way.get(npc).is_some_and(|night| night.saved.due.is_some());
        !batch.members.iter().any(|member| fixed(&member.attempt.npc))
    }

    /// Takes in a report of the pool. `now` is the due moment of nights without a fixed one.
    pub(crate) fn receive(&mut self, report: JobReport, now: i64) {
        match report {
            JobReport::Planned(plans) => {
                self.running = self.running.saturating_sub(1);
                for (attempt, plan) in plans {
                    self.planned(&attempt, plan, now);
                }
            }
            JobReport::Written(results) => {
                self.writing = false;
                for (npc, result) in results {
                    let Some(night) = self.under_way.get_mut(&npc) else { continue };
                    night.stage = Stage::Written(result);
                    if night.saved.due.is_none() {
                        self.to_deliver.insert((now, npc));
                    }
                }
            }
            // They are taken in by `Questions`.
            JobReport::Answered { .. } | JobReport::Indexed(..) | JobReport::DayEmbedded => {}
        }
    }

    fn planned(&mut self, attempt: &NightAttempt, plan: super::PlanResult, now: i64) {
        match self.under_way.get_mut(&attempt.npc) {
            Some(night) if night.attempt == attempt.attempt => {
                night.stage = Stage::Planned(plan);
                if night.saved.due.is_none() {
                    self.to_write.insert((now, attempt.npc.clone()));
                }
            }
            // The NPC woke meanwhile, and its night was restarted with the rules.
            _ => self.deferred_drops.push(DeferredDrop::Plan { _plan: plan }),
        }
    }
}
