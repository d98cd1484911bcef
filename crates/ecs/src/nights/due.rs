//! What is due: planned nights are written, written ones are told.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use nightfold::memory::{Day, NpcId};

use super::{Night, Nights, Rubbish, Stage};
use crate::{
    NightBudgets, NightFailure,
    job::{self, Dawn, Planned},
    pool::NightPool,
    question::Questions,
};

/// A night that came to its end.
pub(crate) struct Finished {
    pub(crate) npc: NpcId,
    pub(crate) entity: Entity,
    pub(crate) day: Arc<Day>,
    pub(crate) dawn: Dawn,
}

impl Nights {
    /// Has the nights written that are due. Where their moment is fixed and they are not planned yet, waits for them.
    pub(crate) fn write_due(&mut self, now: i64, with: &mut Means<'_>) {
        let due = take_due(&mut self.to_write, now, usize::MAX);
        if !due.is_empty() {
            for npc in &due {
                if let Some(due) = self.under_way.get(npc).and_then(|night| night.due) {
                    self.to_tell.insert((due.tell, npc.clone()));
                }
                while self.under_way.get(npc).is_some_and(|night| matches!(night.stage, Stage::Planning)) {
                    self.launch_for(npc, with);
                    if !self.wait(now, with) {
                        break;
                    }
                }
            }
            let mut due = due.into_iter().peekable();
            while due.peek().is_some() {
                self.groups.push_back(due.by_ref().take(with.budgets.write_group.max(1)).collect());
            }
        }
        self.write_next(now, with.pool);
    }

    /// Sees to it that a night that is waited for is being planned.
    fn launch_for(&mut self, npc: &NpcId, with: &mut Means<'_>) {
        let in_batch = |batch: &super::Batch| batch.sleepers.iter().any(|sleeper| sleeper.ticket.npc == *npc);
        if self.filling.as_ref().is_some_and(|(_, batch)| in_batch(batch)) {
            let batch = self.filling.take().map(|(_, batch)| batch);
            self.waiting.extend(batch);
        }
        self.launch_up_to(with.budgets.in_flight.max(1), with.pool);
    }

    /// Hands the next group to the pool, unless one is being written.
    fn write_next(&mut self, now: i64, pool: &NightPool) {
        while !self.writing {
            let Some(group) = self.groups.pop_front() else { return };
            let mut planned = Vec::with_capacity(group.len());
            let mut store = None;
            for npc in group {
                let Some(night) = self.under_way.get_mut(&npc) else { continue };
                if store.as_ref().is_some_and(|store| !Arc::ptr_eq(store, &night.ports.store)) {
                    // The game changed the store: what was begun with another is written there, in a group of its own.
                    self.groups.push_front(vec![npc]);
                    continue;
                }
                match std::mem::replace(&mut night.stage, Stage::Writing) {
                    Stage::Planned(Ok(plan)) => {
                        store = Some(Arc::clone(&night.ports.store));
                        planned.push(Planned { night: plan, recalls: night.recalls });
                    }
                    Stage::Planned(Err(error)) => night.stage = Stage::Written(Err(error)),
                    // Nothing else is ever due; what it is, it stays.
                    other => night.stage = other,
                }
                if night.due.is_none() && matches!(night.stage, Stage::Written(_)) {
                    self.to_tell.insert((now, npc));
                }
            }
            if let Some(store) = store {
                self.writing = true;
                pool.run(move || job::write(&*store, planned));
            }
        }
    }

    /// The nights whose NPCs are to know now, up to so many as a tick may tell. Where their moment is fixed and they are not
    /// written yet, waits for them.
    pub(crate) fn tell_due(&mut self, now: i64, with: &mut Means<'_>) -> Vec<Finished> {
        let most = with.budgets.results_per_tick.max(1);
        let mut finished = Vec::new();
        for npc in take_due(&mut self.to_tell, now, most) {
            while self.under_way.get(&npc).is_some_and(|night| !matches!(night.stage, Stage::Written(_))) {
                if !self.wait(now, with) {
                    break;
                }
                self.write_next(now, with.pool);
            }
            let Some(night) = self.under_way.remove(&npc) else { continue };
            finished.push(self.end(npc, night, with.tokens));
        }
        finished
    }

    fn end(&mut self, npc: NpcId, mut night: Night, left: &mut u64) -> Finished {
        let dawn = match std::mem::replace(&mut night.stage, Stage::Writing) {
            Stage::Written(dawn) => dawn,
            _ => Err(NightFailure::Unplanned),
        };
        // What a night cost that was begun anew is not known: all of its grant counts as spent.
        if let Ok(morning) = &dawn
            && !night.again
        {
            *left = left.saturating_add(night.granted.saturating_sub(morning.spent));
        }
        let (entity, day) = (night.entity, Arc::clone(&night.day));
        self.rubbish.push(Rubbish::Night { _night: night });
        Finished { npc, entity, day, dawn }
    }

    /// Waits for the pool's next report; gives whether there was one to wait for.
    fn wait(&mut self, now: i64, with: &mut Means<'_>) -> bool {
        if self.running == 0 && !self.writing && with.questions.running() == 0 {
            return false;
        }
        let Some(report) = with.pool.wait() else { return false };
        let report = with.questions.take_in(report);
        if let Some(report) = report {
            self.take_in(report, now);
        }
        true
    }

    /// Waits until all that was due to be written is: whether it is must not depend on how fast the store was.
    pub(crate) fn settle(&mut self, now: i64, with: &mut Means<'_>) {
        self.write_next(now, with.pool);
        while self.writing && self.wait(now, with) {
            self.write_next(now, with.pool);
        }
    }
}

/// What the work on due nights is done with.
pub(crate) struct Means<'a> {
    pub(crate) pool: &'a mut NightPool,
    pub(crate) budgets: &'a NightBudgets,
    /// The tokens that are left for all.
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
