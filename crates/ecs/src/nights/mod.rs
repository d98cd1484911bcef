//! The nights that are going on: whose, how far, and what comes next. Knows nothing of components; the systems tell it who
//! sleeps and tell the world what it finds.

mod batches;
mod due;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use bevy_ecs::prelude::*;
use nightfold::memory::{Day, GameTime, Memory, NpcId};

pub(crate) use self::due::{Finished, Means};
use crate::{
    Pace,
    checkpoint::{Checkpoint, SavedNight},
    job::{Batch, Dawn, Plan, Ports, Sleeper, Ticket},
};

/// The book of all nights that are going on. The game sees how many there are, and saves them.
#[derive(Resource, Default)]
pub struct Nights {
    /// Who fell asleep and waits for its turn, in order.
    drowsy: VecDeque<Entity>,
    /// Whose turn it is in this tick.
    tonight: Vec<Entity>,
    under_way: BTreeMap<NpcId, Night>,
    /// The batch that is being filled, and since which tick.
    filling: Option<(u64, Batch)>,
    /// Batches that wait for the pool, in order.
    waiting: VecDeque<Batch>,
    /// How many batches the pool works on.
    running: usize,
    /// Nights by the second from which they are to be written; in [`Pace::AsReady`] those that are planned.
    to_write: BTreeSet<(i64, NpcId)>,
    /// Nights by the second from which their NPCs are to know; in [`Pace::AsReady`] those that are written.
    to_tell: BTreeSet<(i64, NpcId)>,
    /// Groups that wait to be written, in order: one at a time is.
    groups: VecDeque<Vec<NpcId>>,
    writing: bool,
    /// Memories of nights that failed, of NPCs that are gone: an NPC of that name sleeps on them.
    unslept: BTreeMap<NpcId, Vec<Memory>>,
    /// How often a night was begun. No two beginnings share a number, also of one NPC: what the pool still does for one
    /// that no longer counts must not be taken for the next night's.
    beginnings: u64,
    /// How many ticks there were.
    tick: u64,
    /// What is to be dropped, elsewhere.
    rubbish: Vec<Rubbish>,
}

/// What is too large to be dropped in a tick.
pub(crate) enum Rubbish {
    Night { _night: Night },
    Plan { _plan: Plan },
    Batch { _batch: Batch },
    Index { _index: Arc<nightfold::consolidate::RecallIndex> },
}

/// One NPC's night.
pub(crate) struct Night {
    /// Whose it is in this world; may be gone.
    entity: Entity,
    day: Arc<Day>,
    recalls: bool,
    /// The number of its beginning: what was begun before no longer counts.
    beginning: u64,
    /// Set when the NPC wakes.
    woken: Arc<AtomicBool>,
    /// Whether a language model may still find words for it.
    by_rules: bool,
    /// Whether it was begun anew: what it cost before is not known.
    again: bool,
    /// What it may cost, taken from the budget and not given back yet.
    granted: u64,
    /// When it is to be written and told, where that is fixed.
    due: Option<Due>,
    ports: Ports,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) write: i64,
    pub(crate) tell: i64,
}

/// How far a night is.
enum Stage {
    Planning,
    Planned(Plan),
    Writing,
    Written(Dawn),
}

impl Nights {
    /// How many NPCs sleep and wait for their turn.
    pub fn waiting(&self) -> usize {
        self.drowsy.len()
    }

    /// How many nights are going on.
    pub fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// Whether the night of an NPC is going on, also of one whose entity is gone.
    pub fn is_under_way(&self, npc: &NpcId) -> bool {
        self.under_way.contains_key(npc)
    }

    /// The memories of nights that failed when their NPC was gone, by NPC. The next night of an NPC of that name takes them.
    pub fn unslept(&self) -> impl Iterator<Item = (&NpcId, &[Memory])> {
        self.unslept.iter().map(|(npc, memories)| (npc, memories.as_slice()))
    }

    /// An NPC fell asleep.
    pub(crate) fn queue(&mut self, entity: Entity) {
        self.drowsy.push_back(entity);
    }

    pub(crate) fn next_tick(&mut self) {
        self.tick += 1;
    }

    /// Takes the first of the queue.
    pub(crate) fn pop(&mut self) -> Option<Entity> {
        self.drowsy.pop_front()
    }

    /// Calls an NPC to bed in this tick.
    pub(crate) fn call(&mut self, entity: Entity) {
        self.tonight.push(entity);
    }

    /// Who was called.
    pub(crate) fn called(&mut self) -> Vec<Entity> {
        std::mem::take(&mut self.tonight)
    }

    /// What an NPC of this name never slept on.
    pub(crate) fn take_unslept(&mut self, npc: &NpcId) -> Vec<Memory> {
        self.unslept.remove(npc).unwrap_or_default()
    }

    /// Keeps the memories of an NPC that is gone.
    pub(crate) fn keep_unslept(&mut self, npc: NpcId, memories: Vec<Memory>) {
        self.unslept.entry(npc).or_default().extend(memories);
    }

    /// Begins a night. The NPC must have none under way.
    pub(crate) fn begin(&mut self, begun: Begun, ports: &Ports, left: &mut u64) {
        let Begun { entity, day, recalls, by_rules, due } = begun;
        let npc = day.npc.clone();
        let asks = ports.asks() && !by_rules;
        let granted = if asks { (ports.config.budget.tokens as u64).min(*left) } else { 0 };
        *left -= granted;
        if let Some(due) = due {
            self.to_write.insert((due.write, npc.clone()));
        }
        let mut night = Night {
            entity,
            day,
            recalls,
            beginning: self.number(),
            woken: Arc::default(),
            by_rules,
            again: false,
            granted,
            due,
            ports: ports.clone(),
            stage: Stage::Planning,
        };
        if by_rules {
            night.ports = night.ports.by_rules();
        }
        self.seat(&npc, &night);
        self.under_way.insert(npc, night);
    }

    /// The number of a beginning.
    fn number(&mut self) -> u64 {
        self.beginnings += 1;
        self.beginnings
    }

    /// Notes which entity a night's NPC is, after it was loaded or streamed in. Gives when it fell asleep.
    pub(crate) fn meet(&mut self, npc: &NpcId, entity: Entity) -> Option<GameTime> {
        let night = self.under_way.get_mut(npc)?;
        night.entity = entity;
        Some(night.day.until)
    }

    /// An NPC wakes. If not all was said yet that a language model is asked for, its night is begun again with the rules
    /// alone, and what was begun before no longer counts; gives whether. Where moments are fixed, it depends on game time
    /// alone, not on what was said.
    pub(crate) fn wake(&mut self, npc: &NpcId, now: GameTime) -> bool {
        let Some(night) = self.under_way.get_mut(npc) else { return false };
        // Where moments are fixed it is asked on for nothing: what others of its batch come to must not depend on how far
        // the asking was.
        night.woken.store(night.due.is_none(), Ordering::Relaxed);
        let open = match night.due {
            Some(due) => now.seconds() < due.write,
            None => matches!(night.stage, Stage::Planning),
        };
        if !open || night.by_rules || !night.ports.asks() {
            return false;
        }
        (night.by_rules, night.again) = (true, true);
        self.beginnings += 1;
        night.beginning = self.beginnings;
        night.ports = night.ports.by_rules();
        let before = std::mem::replace(&mut night.stage, Stage::Planning);
        let sleeper = night.sleeper(npc);
        let batch = Batch { ports: night.ports.clone(), sleepers: vec![sleeper], tokens: 0 };
        if let Stage::Planned(plan) = before {
            self.rubbish.push(Rubbish::Plan { _plan: plan });
        }
        // It is awake: its night goes before those of who sleeps on.
        self.waiting.push_front(batch);
        true
    }

    /// Something large that nobody needs any more.
    pub(crate) fn throw_away(&mut self, rubbish: Rubbish) {
        self.rubbish.push(rubbish);
    }

    /// What is to be dropped elsewhere.
    pub(crate) fn take_rubbish(&mut self) -> Vec<Rubbish> {
        std::mem::take(&mut self.rubbish)
    }

    /// The nights that are going on, as they begin anew when the game is loaded. Days are shared, not copied.
    pub fn checkpoint(&self) -> Checkpoint {
        let saved = |night: &Night| SavedNight {
            day: Arc::clone(&night.day),
            recalls: night.recalls,
            by_rules: night.by_rules,
            granted: night.granted,
            due: night.due.map(|due| (due.write, due.tell)),
        };
        Checkpoint::new(self.under_way.values().map(saved).collect(), self.unslept.clone())
    }

    /// Forgets everything but what was saved of these.
    pub(crate) fn replace(&mut self, unslept: BTreeMap<NpcId, Vec<Memory>>) {
        let before = std::mem::take(self);
        for night in before.under_way.values() {
            night.woken.store(true, Ordering::Relaxed);
        }
        // Entities that sleep in the world stay in the queue: their days were not taken.
        (self.tick, self.beginnings) = (before.tick, before.beginnings);
        (self.drowsy, self.unslept) = (before.drowsy, unslept);
        let nights = before.under_way.into_values().map(|night| Rubbish::Night { _night: night });
        let batches = before.waiting.into_iter().chain(before.filling.map(|(_, batch)| batch));
        self.rubbish = before.rubbish;
        self.rubbish.extend(nights.chain(batches.map(|batch| Rubbish::Batch { _batch: batch })));
    }
}

impl Night {
    fn sleeper(&self, npc: &NpcId) -> Sleeper {
        let ticket = Ticket { npc: npc.clone(), beginning: self.beginning };
        Sleeper { ticket, day: Arc::clone(&self.day), woken: Arc::clone(&self.woken) }
    }
}

/// A night that is to begin.
pub(crate) struct Begun {
    pub(crate) entity: Entity,
    pub(crate) day: Arc<Day>,
    pub(crate) recalls: bool,
    pub(crate) by_rules: bool,
    pub(crate) due: Option<Due>,
}

impl Due {
    /// When a night that begins now is due.
    pub(crate) fn of(pace: Pace, now: GameTime) -> Option<Self> {
        match pace {
            Pace::AsReady => None,
            Pace::Lockstep { plan_seconds, write_seconds } => {
                let write = now.seconds() + i64::from(plan_seconds);
                Some(Self { write, tell: write + i64::from(write_seconds) })
            }
        }
    }
}
