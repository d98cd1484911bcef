//! State of the nights under way. Independent of components: the systems report who sleeps and carry the
//! results into the world.

mod batches;
mod due;
mod turns;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use bevy_ecs::prelude::*;
use nightfold::memory::{Day, GameTime, Memory, MemoryId, NpcId};

pub(crate) use self::due::{Context, Finished};
use self::turns::Turns;
use crate::{
    NightProgress,
    job::{BatchMember, MaintenanceJob, NightAttempt, NightBatch, NightResult, PlanResult, PlannedWork},
    ports::Ports,
    saved::{Checkpoint, KeptState, NightWork, SavedNight},
    today::SubmittedDay,
};

/// All nights under way. The game can count and save them.
#[derive(Resource, Default)]
pub struct SleepQueue {
    /// NPCs that fell asleep and wait for their turn.
    pub(crate) turns: Turns,
    /// NPCs that the game woke since the last tick, and whether their night had begun.
    pub(crate) woken: BTreeMap<NpcId, bool>,
    /// NPC whose end of sleep removes its [`Asleep`](crate::Asleep) now: nobody wakes it.
    pub(crate) resting: Option<NpcId>,
    /// Entity whose [`Asleep`](crate::Asleep) is replaced or removed now, and whether its night had begun.
    pub(crate) discarded: Option<(Entity, bool)>,
    /// Sleeping entity that is despawned now.
    pub(crate) despawned: Option<Entity>,
    /// NPCs whose turn it is in this tick.
    pub(crate) admitted: Vec<Entity>,
    under_way: BTreeMap<NpcId, ActiveNight>,
    /// Batch that is being filled, and the tick of its first night.
    filling: Option<(u64, NightBatch)>,
    /// Batches that wait for the pool, in order.
    waiting: VecDeque<NightBatch>,
    /// Maintenance that waits until no batch does, in order.
    maintenance: VecDeque<MaintenanceJob>,
    /// Entries recalled since the last night of each NPC, and when.
    touched: BTreeMap<NpcId, Vec<(MemoryId, GameTime)>>,
    /// Number of batches that the pool works on.
    running: usize,
    /// Nights by the second from which they may be written; in [`SleepTiming::AsReady`] only planned ones.
    to_write: BTreeSet<(i64, NpcId)>,
    /// Nights by the second from which they may be delivered; in [`SleepTiming::AsReady`] only written ones.
    to_deliver: BTreeSet<(i64, NpcId)>,
    /// Groups that wait to be written, in order, one at a time.
    groups: VecDeque<Vec<NpcId>>,
    writing: bool,
    /// Memories of failed nights whose NPC is gone; the next night of an NPC of that name takes them.
    pub(crate) unconsolidated: BTreeMap<NpcId, Vec<Memory>>,
    /// Number of attempts at nights so far. No two attempts share a number, even of the same NPC, so that a
    /// late plan of an abandoned attempt is not taken for the plan of the next night.
    attempts: u64,
    /// Number of ticks so far.
    pub(crate) tick: u64,
    /// Large values to be dropped on the pool's threads.
    pub(crate) deferred_drops: Vec<DeferredDrop>,
}

/// Value too large to be dropped within a tick.
pub(crate) enum DeferredDrop {
    Night { _night: ActiveNight },
    Plan { _plan: PlanResult },
    Batch { _batch: NightBatch },
    Recall { _replaced: (Option<Arc<nightfold::consolidate::RecallIndex>>, SubmittedDay) },
}

/// Night of one NPC.
pub(crate) struct ActiveNight {
    /// Entity of the NPC in this world; may be despawned.
    entity: Entity,
    saved: SavedNight,
    /// Number of the current attempt; plans of earlier attempts are ignored.
    attempt: u64,
    /// Set when the NPC wakes.
    woken: Arc<AtomicBool>,
    /// Entries recalled before it was due to be written, and when: whatever is recalled later is of the next night, however long the store
    /// takes.
    touched: Vec<(MemoryId, GameTime)>,
    ports: Ports,
    stage: Stage,
}

/// Progress of a night.
enum Stage {
    Planning,
    Planned(PlanResult),
    Writing,
    Written(NightResult),
}

impl SleepQueue {
    /// Returns the number of sleeping NPCs that wait for their turn.
    pub fn waiting(&self) -> usize {
        self.turns.len()
    }

    /// Returns the number of nights under way.
    pub fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// Returns the day that an NPC sleeps on, if its night is under way.
    pub(crate) fn day_of(&self, npc: &NpcId) -> Option<&Day> {
        self.under_way.get(npc).map(|night| &*night.saved.day)
    }

    /// True if the night of an NPC is under way, also if its entity is gone.
    pub fn is_under_way(&self, npc: &NpcId) -> bool {
        self.under_way.contains_key(npc)
    }

    /// Returns the memories of nights that failed after their NPC was gone, by NPC. The next night of an NPC
    /// of that name takes them.
    pub fn unconsolidated(&self) -> impl Iterator<Item = (&NpcId, &[Memory])> {
        self.unconsolidated.iter().map(|(npc, memories)| (npc, memories.as_slice()))
    }

    /// Removes and returns up to `most` NPCs of the queue whose last night is over, those first that fell asleep first.
    pub(crate) fn take_queued(&mut self, most: usize) -> Vec<NpcId> {
        let under_way = &self.under_way;
        self.turns.take(most, |npc| !under_way.contains_key(npc))
    }

    /// Notes that the game woke an NPC, or that its sleep ended.
    pub(crate) fn note_woken(&mut self, npc: &NpcId, begun: bool) {
        if self.resting.take_if(|resting| resting == npc).is_none() {
            self.woken.insert(npc.clone(), begun);
        }
    }

    /// Returns whether the night of the sleep that was replaced had begun; `None` if there was none.
    pub(crate) fn take_discarded(&mut self, entity: Entity) -> Option<bool> {
        self.discarded.take().filter(|(of, _)| *of == entity).map(|(_, begun)| begun)
    }

    /// Returns true if this entity is being despawned.
    pub(crate) fn take_despawned(&mut self, entity: Entity) -> bool {
        self.despawned.take_if(|despawned| *despawned == entity).is_some()
    }

    /// Keeps the memories of an NPC that is gone.
    pub(crate) fn keep_unconsolidated(&mut self, npc: NpcId, memories: Vec<Memory>) {
        self.unconsolidated.entry(npc).or_default().extend(memories);
    }

    /// Begins a night. The NPC must have none under way.
    pub(crate) fn begin(&mut self, entity: Entity, night: SavedNight, ports: &Ports, left: &mut u64) {
        let granted = if ports.uses_models() { (ports.config.budget.tokens as u64).min(*left) } else { 0 };
        *left -= granted;
        self.resume(entity, SavedNight { granted, ..night }, ports);
    }

    /// Notes entries that were recalled.
    pub(crate) fn touch(&mut self, npc: &NpcId, ids: impl Iterator<Item = MemoryId>, at: GameTime) {
        self.touched.entry(npc.clone()).or_default().extend(ids.map(|id| (id, at)));
    }

    /// Returns the entries that were recalled and of which the store does not know that yet.
    pub(crate) fn recalled(&self, npc: &NpcId) -> Vec<(MemoryId, GameTime)> {
        self.touched.get(npc).cloned().unwrap_or_default()
    }

    /// Plans a night or maintenance, new or of a saved game. Its tokens were taken when it began. Maintenance is planned
    /// when no night waits for the pool.
    pub(crate) fn resume(&mut self, entity: Entity, saved: SavedNight, ports: &Ports) {
        let asks_models = saved.work.is_consolidation() && !saved.by_rules;
        let night = ActiveNight {
            entity,
            attempt: self.next_attempt(),
            woken: Arc::default(),
            touched: Vec::new(),
            ports: if asks_models { ports.clone() } else { ports.rules_only() },
            stage: Stage::Planning,
            saved,
        };
        let npc = night.saved.day.npc.clone();
        if let Some(due) = night.saved.due {
            self.to_write.insert((due.write, npc.clone()));
        }
        if let NightWork::Maintenance { least } = night.saved.work {
            let attempt = NightAttempt { npc: npc.clone(), attempt: night.attempt };
            let (ports, at) = (night.ports.clone(), night.saved.day.until);
            self.maintenance.push_back(MaintenanceJob { ports, attempt, at, least });
        } else {
            self.add_to_batch(&npc, &night);
        }
        self.under_way.insert(npc, night);
    }

    /// Returns the number of a new attempt.
    fn next_attempt(&mut self) -> u64 {
        self.attempts += 1;
        self.attempts
    }

    /// Sets the entity of a night's NPC after it was loaded or streamed in. Returns the moment at which it
    /// fell asleep, if its day is being consolidated.
    pub(crate) fn attach(&mut self, npc: &NpcId, entity: Entity) -> Option<GameTime> {
        let night = self.under_way.get_mut(npc)?;
        night.entity = entity;
        night.saved.work.is_consolidation().then_some(night.saved.day.until)
    }

    /// Handles the waking of an NPC whose night had begun or not, and returns the progress of the night.
    pub(crate) fn wake(&mut self, npc: &NpcId, begun: bool, now: GameTime) -> NightProgress {
        if !begun {
            return NightProgress::NotBegun;
        }
        if self.under_way.get(npc).is_none_or(|night| !night.saved.work.is_consolidation()) {
            return NightProgress::Over;
        }
        NightProgress::UnderWay { by_rules: self.finish_by_rules(npc, now) }
    }

    /// Cuts the night of an NPC that woke short. If answers of a language model are outstanding, it is restarted
    /// with the rules alone and true is returned. In lockstep this depends on game time alone, not on the
    /// answers so far.
    fn finish_by_rules(&mut self, npc: &NpcId, now: GameTime) -> bool {
        let Some(night) = self.under_way.get_mut(npc) else { return false };
        // In lockstep the models are asked on although the answers are unused: results of the rest of the batch must
        // not depend on the progress of the calls.
        night.woken.store(night.saved.due.is_none(), Ordering::Relaxed);
        let open = match night.saved.due {
            Some(due) => now.seconds() < due.write,
            None => matches!(night.stage, Stage::Planning),
        };
        if !open || night.saved.by_rules || !night.ports.uses_models() {
            return false;
        }
        night.saved.by_rules = true;
        self.attempts += 1;
        night.attempt = self.attempts;
        night.ports = night.ports.rules_only();
        let before = std::mem::replace(&mut night.stage, Stage::Planning);
        let member = night.member(npc);
        let batch = NightBatch { ports: night.ports.clone(), members: vec![member], tokens: 0 };
        if let Stage::Planned(plan) = before {
            self.deferred_drops.push(DeferredDrop::Plan { _plan: plan });
        }
        // The NPC is awake: its night goes before those of sleeping ones.
        self.waiting.push_front(batch);
        true
    }

    /// Returns the nights under way, to be planned again when the game is loaded. Days are shared, not
    /// copied.
    pub fn checkpoint(&self) -> Checkpoint {
        let kept = KeptState {
            unconsolidated: self.unconsolidated.clone(),
            woken: self.woken.clone(),
            touched: self.touched.clone(),
        };
        Checkpoint::new(self.under_way.values().map(|night| night.saved.clone()).collect(), kept)
    }

    /// Drops all nights, and takes what a checkpoint keeps beside them.
    pub(crate) fn replace(&mut self, kept: KeptState) {
        let before = std::mem::take(self);
        for night in before.under_way.values() {
            night.woken.store(true, Ordering::Relaxed);
        }
        // Queued NPCs stay in the queue: their days were not taken.
        (self.tick, self.attempts) = (before.tick, before.attempts);
        self.turns = before.turns;
        let KeptState { unconsolidated, woken, touched } = kept;
        (self.unconsolidated, self.woken, self.touched) = (unconsolidated, woken, touched);
        let nights = before.under_way.into_values().map(|night| DeferredDrop::Night { _night: night });
        let batches = before.waiting.into_iter().chain(before.filling.map(|(_, batch)| batch));
        self.deferred_drops = before.deferred_drops;
        self.deferred_drops.extend(nights.chain(batches.map(|batch| DeferredDrop::Batch { _batch: batch })));
    }
}

impl ActiveNight {
    fn member(&self, npc: &NpcId) -> BatchMember {
        let attempt = NightAttempt { npc: npc.clone(), attempt: self.attempt };
        let (day, woken) = (Arc::clone(&self.saved.day), Arc::clone(&self.woken));
        BatchMember { attempt, day, woken, granted: self.saved.granted }
    }

    /// True if it is planned, and changes something.
    fn is_to_be_written(&self) -> bool {
        matches!(self.stage, Stage::Planned(Ok(PlannedWork::Night(_))))
    }
}
