//! Filling batches and handing them to the pool.

use nightfold::memory::NpcId;

use super::{Night, Nights, Rubbish, Stage};
use crate::{
    NightBudgets,
    job::{Batch, Report, Ticket},
    pool::NightPool,
};

impl Nights {
    /// Gives an NPC a place in the batch that is being filled. Which NPCs share a batch depends on ticks alone, never on
    /// how fast the pool is.
    pub(super) fn seat(&mut self, npc: &NpcId, night: &Night) {
        if self.filling.as_ref().is_some_and(|(_, batch)| !batch.ports.same(&night.ports)) {
            self.close();
        }
        let empty = || (self.tick, Batch { ports: night.ports.clone(), sleepers: Vec::new(), tokens: 0 });
        let (_, batch) = self.filling.get_or_insert_with(empty);
        batch.sleepers.push(night.sleeper(npc));
        batch.tokens += night.granted;
    }

    fn close(&mut self) {
        self.waiting.extend(self.filling.take().map(|(_, batch)| batch));
    }

    /// Closes the batch when it is full or has waited long enough.
    pub(crate) fn close_batch(&mut self, budgets: &NightBudgets) {
        let ripe = |(since, batch): &(u64, Batch)| {
            batch.sleepers.len() >= budgets.batch.max(1) || self.tick - since >= budgets.batch_ticks
        };
        if self.filling.as_ref().is_some_and(ripe) {
            self.close();
        }
    }

    /// Hands batches to the pool while there is room.
    pub(crate) fn launch(&mut self, pool: &NightPool, budgets: &NightBudgets) {
        let most = budgets.in_flight.max(1);
        // Nights that are planned hold their vectors: they are to be written before many more are planned. Those whose
        // moment is fixed cannot be written earlier.
        let held = self.to_write.len() + self.groups.iter().map(Vec::len).sum::<usize>();
        let full = self.waiting.front().is_some_and(|batch| self.may_wait(batch))
            && held >= 2 * most * budgets.batch.max(1);
        if !full {
            self.launch_up_to(most, pool);
        }
    }

    /// Hands batches to the pool until it works on so many.
    pub(super) fn launch_up_to(&mut self, most: usize, pool: &NightPool) {
        while self.running < most {
            let Some(batch) = self.next_batch() else { return };
            self.running += 1;
            pool.run(move || batch.plan());
        }
    }

    /// The next batch, without those whose night was begun anew meanwhile. Where moments are fixed they keep their place:
    /// what a language model may cost for the others must not depend on whether the batch was handed over yet.
    fn next_batch(&mut self) -> Option<Batch> {
        loop {
            let mut batch = self.waiting.pop_front()?;
            let under_way = &self.under_way;
            let counts =
                |ticket: &Ticket| under_way.get(&ticket.npc).is_some_and(|n| n.beginning == ticket.beginning);
            if self.may_wait(&batch) {
                batch.sleepers.retain(|sleeper| counts(&sleeper.ticket));
            }
            if batch.sleepers.iter().any(|sleeper| counts(&sleeper.ticket)) {
                return Some(batch);
            }
        }
    }

    /// Whether nobody in a batch has a fixed moment.
    fn may_wait(&self, batch: &Batch) -> bool {
        let fixed = |npc: &NpcId| self.under_way.get(npc).is_some_and(|night| night.due.is_some());
        !batch.sleepers.iter().any(|sleeper| fixed(&sleeper.ticket.npc))
    }

    /// Takes in what the pool reports. `now` is when nights without a fixed moment are due.
    pub(crate) fn take_in(&mut self, report: Report, now: i64) {
        match report {
            Report::Planned(plans) => {
                self.running = self.running.saturating_sub(1);
                for (ticket, plan) in plans {
                    self.planned(&ticket, plan, now);
                }
            }
            Report::Written(dawns) => {
                self.writing = false;
                for (npc, dawn) in dawns {
                    let Some(night) = self.under_way.get_mut(&npc) else { continue };
                    night.stage = Stage::Written(dawn);
                    if night.due.is_none() {
                        self.to_tell.insert((now, npc));
                    }
                }
            }
            // Questions are taken in by whoever asked.
            Report::Answered(..) => {}
        }
    }

    fn planned(&mut self, ticket: &Ticket, plan: super::Plan, now: i64) {
        match self.under_way.get_mut(&ticket.npc) {
            Some(night) if night.beginning == ticket.beginning => {
                night.stage = Stage::Planned(plan);
                if night.due.is_none() {
                    self.to_write.insert((now, ticket.npc.clone()));
                }
            }
            // It woke meanwhile, and the rules do it.
            _ => self.rubbish.push(Rubbish::Plan { _plan: plan }),
        }
    }
}
