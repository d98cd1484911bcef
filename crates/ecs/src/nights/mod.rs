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
    NightProgress, SleepTiming,
    job::{BatchMember, MaintenanceJob, NightAttempt, NightBatch, NightResult, PlanResult, PlannedWork},
    ports::Ports,
    saved::{Checkpoint, KeptState, NightWork, SavedNight},
    today::SubmittedDay,
};

/// All nights under way. The game can count and save them.
#[derive(Resource, Default)]
pub struct SleepQueue {
    /// NPCs that fell asleep and wait for their turn.
    turns: Turns,
    /// NPCs that the game woke since the last tick, and whether their night had begun.
    woken: BTreeMap<NpcId, bool>,
    /// NPC whose end of sleep removes its [`Asleep`](crate::Asleep) now: nobody wakes it.
    resting: Option<NpcId>,
    /// Entity whose [`Asleep`](crate::Asleep) is replaced or removed now, and whether its night had begun.
    discarded: Option<(Entity, bool)>,
    /// Sleeping entity that is despawned now.
    despawned: Option<Entity>,
    /// NPCs whose turn it is in this tick.
    admitted: Vec<Entity>,
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
    unconsolidated: BTreeMap<NpcId, Vec<Memory>>,
    /// Number of attempts at nights so far. No two attempts share a number, even of the same NPC, so that a
    /// late plan of an abandoned attempt is not taken for the plan of the next night.
    attempts: u64,
    /// Number of ticks so far.
    tick: u64,
    /// Large values to be dropped on the pool's threads.
    deferred_drops: Vec<DeferredDrop>,
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
    day: Arc<Day>,
    recalls: bool,
    /// Number of the current attempt; plans of earlier attempts are ignored.
    attempt: u64,
    /// Set when the NPC wakes.
    woken: Arc<AtomicBool>,
    work: NightWork,
    /// True if the night was restarted, to be finished by the rules alone: the cost of the earlier attempt is not
    /// known.
    by_rules: bool,
    /// Tokens taken from the budget and not returned yet.
    granted: u64,
    /// Moments of writing and delivery, if they are fixed.
    due: Option<Due>,
    /// Entries recalled before it was due to be written, and when: whatever is recalled later is of the next night, however long the store
    /// takes.
    touched: Vec<(MemoryId, GameTime)>,
    ports: Ports,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) write: i64,
    pub(crate) deliver: i64,
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
        self.under_way.get(npc).map(|night| &*night.day)
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

    /// Queues an NPC that fell asleep at this moment, or moves it to its new place.
    pub(crate) fn queue(&mut self, npc: &NpcId, since: GameTime) {
        self.turns.insert(npc, since);
    }

    /// Takes an NPC out of the queue. Returns true if it was there.
    pub(crate) fn dequeue(&mut self, npc: &NpcId) -> bool {
        self.turns.remove(npc)
    }

    pub(crate) fn next_tick(&mut self) {
        self.tick += 1;
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

    /// Removes and returns the NPCs that the game woke since the last tick, by name, each with true if its night had
    /// begun.
    pub(crate) fn take_woken(&mut self) -> BTreeMap<NpcId, bool> {
        std::mem::take(&mut self.woken)
    }

    /// Remembers the sleep that is replaced or removed at this moment, and whether its night had begun.
    pub(crate) fn note_discarded(&mut self, discarded: Option<(Entity, bool)>) {
        self.discarded = discarded;
    }

    /// Returns whether the night of the sleep that was replaced had begun; `None` if there was none.
    pub(crate) fn take_discarded(&mut self, entity: Entity) -> Option<bool> {
        self.discarded.take().filter(|(of, _)| *of == entity).map(|(_, begun)| begun)
    }

    /// Remembers the sleeping entity that is despawned at this moment.
    pub(crate) fn note_despawned(&mut self, entity: Entity) {
        self.despawned = Some(entity);
    }

    /// Returns true if this entity is being despawned.
    pub(crate) fn take_despawned(&mut self, entity: Entity) -> bool {
        self.despawned.take_if(|despawned| *despawned == entity).is_some()
    }

    /// Announces that the end of its sleep wakes an NPC.
    pub(crate) fn rest(&mut self, npc: &NpcId) {
        self.resting = Some(npc.clone());
    }

    /// Admits an NPC to begin its night in this tick.
    pub(crate) fn admit(&mut self, entity: Entity) {
        self.admitted.push(entity);
    }

    /// Removes and returns the NPCs admitted in this tick.
    pub(crate) fn take_admitted(&mut self) -> Vec<Entity> {
        std::mem::take(&mut self.admitted)
    }

    /// Removes and returns the memories kept for an NPC of this name.
    pub(crate) fn take_unconsolidated(&mut self, npc: &NpcId) -> Vec<Memory> {
        self.unconsolidated.remove(npc).unwrap_or_default()
    }

    /// Keeps the memories of an NPC that is gone.
    pub(crate) fn keep_unconsolidated(&mut self, npc: NpcId, memories: Vec<Memory>) {
        self.unconsolidated.entry(npc).or_default().extend(memories);
    }

    /// Begins a night. The NPC must have none under way.
    pub(crate) fn begin(&mut self, start: NightStart, ports: &Ports, left: &mut u64) {
        let granted = if ports.uses_models() { (ports.config.budget.tokens as u64).min(*left) } else { 0 };
        *left -= granted;
        self.start_anew(start, NightWork::Consolidation, granted, ports);
    }

    /// Begins the maintenance of an NPC that has no night under way. It is planned when no night waits for the pool.
    /// Up to `least` active entries nothing is done.
    pub(crate) fn maintain(&mut self, start: NightStart, least: usize, ports: &Ports) {
        self.start_anew(start, NightWork::Maintenance { least }, 0, ports);
    }

    fn start_anew(&mut self, start: NightStart, work: NightWork, granted: u64, ports: &Ports) {
        let NightStart { entity, day, recalls, due } = start;
        let due = due.map(|due| (due.write, due.deliver));
        self.resume(entity, SavedNight { day, recalls, work, by_rules: false, granted, due }, ports);
    }

    /// Notes entries that were recalled.
    pub(crate) fn touch(&mut self, npc: &NpcId, ids: impl Iterator<Item = MemoryId>, at: GameTime) {
        self.touched.entry(npc.clone()).or_default().extend(ids.map(|id| (id, at)));
    }

    /// Plans a night, new or of a saved game. Its tokens were taken when it began.
    pub(crate) fn resume(&mut self, entity: Entity, saved: SavedNight, ports: &Ports) {
        let SavedNight { day, recalls, work, by_rules, granted, due } = saved;
        let night = ActiveNight {
            entity,
            recalls,
            attempt: self.next_attempt(),
            woken: Arc::default(),
            work,
            by_rules,
            granted,
            due: due.map(|(write, deliver)| Due { write, deliver }),
            touched: Vec::new(),
            ports: if by_rules || !work.is_consolidation() { ports.rules_only() } else { ports.clone() },
            stage: Stage::Planning,
            day,
        };
        self.start(night.day.npc.clone(), night);
    }

    fn start(&mut self, npc: NpcId, night: ActiveNight) {
        if let Some(due) = night.due {
            self.to_write.insert((due.write, npc.clone()));
        }
        if let NightWork::Maintenance { least } = night.work {
            let attempt = NightAttempt { npc: npc.clone(), attempt: night.attempt };
            self.maintenance.push_back(MaintenanceJob {
                ports: night.ports.clone(),
                attempt,
                at: night.day.until,
                least,
            });
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
        night.work.is_consolidation().then_some(night.day.until)
    }

    /// Handles the waking of an NPC whose night had begun or not, and returns the progress of the night.
    pub(crate) fn wake(&mut self, npc: &NpcId, begun: bool, now: GameTime) -> NightProgress {
        if !begun {
            return NightProgress::NotBegun;
        }
        if self.under_way.get(npc).is_none_or(|night| !night.work.is_consolidation()) {
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
        night.woken.store(night.due.is_none(), Ordering::Relaxed);
        let open = match night.due {
            Some(due) => now.seconds() < due.write,
            None => matches!(night.stage, Stage::Planning),
        };
        if !open || night.by_rules || !night.ports.uses_models() {
            return false;
        }
        night.by_rules = true;
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

    /// Defers the drop of a large value.
    pub(crate) fn discard(&mut self, dropped: DeferredDrop) {
        self.deferred_drops.push(dropped);
    }

    /// Removes and returns the values to be dropped.
    pub(crate) fn take_deferred_drops(&mut self) -> Vec<DeferredDrop> {
        std::mem::take(&mut self.deferred_drops)
    }

    fn kept(&self) -> KeptState {
        KeptState {
            unconsolidated: self.unconsolidated.clone(),
            woken: self.woken.clone(),
            touched: self.touched.clone(),
        }
    }

    /// Returns the nights under way, to be planned again when the game is loaded. Days are shared, not
    /// copied.
    pub fn checkpoint(&self) -> Checkpoint {
        let saved = |night: &ActiveNight| SavedNight {
            day: Arc::clone(&night.day),
            recalls: night.recalls,
            work: night.work,
            by_rules: night.by_rules,
            granted: night.granted,
            due: night.due.map(|due| (due.write, due.deliver)),
        };
        let nights = self.under_way.values().map(saved).collect();
        Checkpoint::new(nights, self.kept())
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
        let (day, woken) = (Arc::clone(&self.day), Arc::clone(&self.woken));
        BatchMember { attempt, day, woken, granted: self.granted }
    }

    /// True if it is planned, and changes something.
    fn is_to_be_written(&self) -> bool {
        matches!(self.stage, Stage::Planned(Ok(PlannedWork::Night(_))))
    }
}

/// Values needed to begin a night.
pub(crate) struct NightStart {
    pub(crate) entity: Entity,
    pub(crate) day: Arc<Day>,
    pub(crate) recalls: bool,
    pub(crate) due: Option<Due>,
}

impl Due {
    /// Returns the due moments of a night that begins now; `None` in [`SleepTiming::AsReady`].
    pub(crate) fn of(timing: SleepTiming, now: GameTime) -> Option<Self> {
        match timing {
            SleepTiming::AsReady => None,
            SleepTiming::Lockstep { plan_seconds, write_seconds } => {
                let write = now.seconds() + i64::from(plan_seconds);
                Some(Self { write, deliver: write + i64::from(write_seconds) })
            }
        }
    }
}
