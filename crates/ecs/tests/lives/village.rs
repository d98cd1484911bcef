//! A village whose random life is checked against a model of what each NPC must still have.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, atomic::Ordering},
};

use bevy_ecs::{message::Messages, prelude::*};
use nightfold_ecs::{
    Asleep, Checkpoint, ConsolidationFailed, DailyMemories, GameClock, MaintenancePolicy, NewMemory,
    NightBudgets, NightLanguage, NightPool, NpcMind, RecallAnswered, RecallQuestion, SleepPhase, SleepPorts,
    SleepQueue, SleepTiming, TokensLeft, install,
    memory::{Importance, Kind, MemoryReader, NpcId, SavePointName, ValidConfig},
    restore, save, state_hash,
};
use nightfold_store::SqliteStore;

use crate::support::{
    at,
    night::{Toy, npc},
    pool, saved_npcs, spawn_saved, until,
};
use crate::weak::{Broken, WeakEmbedder, WeakModel, WeakStore};

const NAMES: [&str; 3] = ["Ann", "Ben", "Cid"];
const MAINTENANCE: MaintenancePolicy = MaintenancePolicy { enabled: true, every_days: 1, max_entries: 3 };

/// Pseudo-random number generator (xorshift64*, Marsaglia 2003).
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % n
    }
}

/// Numbers of the memories that each NPC must still have somewhere.
type Lives = BTreeMap<NpcId, BTreeSet<u64>>;

/// A saved game.
struct Saved {
    nights: String,
    /// True if loading rewinds the store.
    rewinds: bool,
    npcs: Vec<(NpcMind, DailyMemories, Option<Asleep>)>,
    clock: GameClock,
    tokens: TokensLeft,
    lives: Lives,
}

/// One random life of a village, with the model state it is checked against.
pub(crate) struct Village {
    pub(crate) world: World,
    pub(crate) store: Arc<WeakStore>,
    embedder: Arc<WeakEmbedder>,
    broken: Arc<Broken>,
    draw: Draw,
    lives: Lives,
    /// Number of the last memory.
    last: u64,
    saved: Option<Saved>,
    timing: SleepTiming,
    /// NPC of each question without an answer, by ticket.
    open: BTreeMap<u64, &'static str>,
    /// Ticket of the last question.
    ticket: u64,
}

impl Village {
    pub(crate) fn new(seed: u64, timing: SleepTiming, pool: NightPool) -> Self {
        let broken = Arc::new(Broken::default());
        let store = WeakStore { inner: SqliteStore::in_memory().unwrap(), broken: broken.clone(), seed };
        let embedder = WeakEmbedder { toy: Toy::failing_at("cursed"), broken: broken.clone() };
        let mut village = Self {
            world: World::new(),
            store: Arc::new(store),
            embedder: Arc::new(embedder),
            broken,
            draw: Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            lives: Lives::new(),
            last: 0,
            saved: None,
            timing,
            open: BTreeMap::new(),
            ticket: 0,
        };
        village.install(pool);
        for name in NAMES {
            village.spawn(name);
        }
        village
    }

    fn install(&mut self, pool: NightPool) {
        self.world = World::new();
        let ports = SleepPorts {
            config: Arc::new(ValidConfig::default()),
            store: self.store.clone(),
            embedder: self.embedder.clone(),
            pool,
        };
        install(&mut self.world, ports);
        self.world.insert_resource(self.timing);
        let small = NightBudgets {
            onset_per_tick: 2,
            batch: 2,
            batch_ticks: 1,
            write_group: 2,
            results_per_tick: 1,
            wakes_per_tick: 1,
            ..NightBudgets::default()
        };
        self.world.insert_resource(small);
        self.world.insert_resource(TokensLeft(30_000));
        self.world.insert_resource(MAINTENANCE);
        self.forget_jobs();
        if self.draw.below(2) == 0 {
            self.world.insert_resource(NightLanguage(Some(Arc::new(WeakModel))));
        }
    }

    /// Detaches the pool's jobs for another world.
    pub(crate) fn forget_jobs(&mut self) {
        let none: Checkpoint = serde_json::from_str(r#"{"format":1,"nights":[]}"#).unwrap();
        restore(&mut self.world, none).unwrap();
    }

    fn find(&mut self, name: &str) -> Option<Entity> {
        let mut minds = self.world.query::<(Entity, &NpcMind)>();
        minds.iter(&self.world).find(|(_, mind)| mind.npc().as_str() == name).map(|(entity, _)| entity)
    }

    fn spawn(&mut self, name: &str) {
        let mind = NpcMind::new(npc(name));
        let mind = if self.draw.below(2) == 0 { mind.recalling() } else { mind };
        self.world.spawn((mind, DailyMemories::default()));
        self.lives.entry(npc(name)).or_default();
    }

    fn tick(&mut self, seconds: i64) {
        let now = self.world.resource::<GameClock>().now.seconds();
        self.world.resource_mut::<GameClock>().now = at(now + seconds);
        self.world.run_schedule(SleepPhase);
        self.hear_answers();
    }

    fn ask(&mut self, name: &'static str, entity: Entity) {
        self.ticket += 1;
        self.open.insert(self.ticket, name);
        let question = RecallQuestion::new(entity, "Who owes silver, and is the gate open?");
        self.world.write_message(question.with_ticket(self.ticket));
    }

    /// Takes the answers and asserts that each question has one, which holds nothing that its NPC has not lived
    /// through.
    fn hear_answers(&mut self) {
        let answers: Vec<RecallAnswered> =
            self.world.resource_mut::<Messages<RecallAnswered>>().drain().collect();
        for answer in answers {
            let name = self.open.remove(&answer.ticket).expect("one answer to each open question");
            // The day of a despawned NPC is gone with it.
            let (Ok(found), true) = (answer.memories, self.find(name) == Some(answer.entity)) else {
                continue;
            };
            let lived = found.iter().filter(|entry| entry.id.as_str().starts_with('t'));
            let unknown: Vec<_> =
                lived.filter(|entry| !self.lives[&npc(name)].contains(&number(&entry.text))).collect();
            assert!(unknown.is_empty(), "{name} was not there: {unknown:?}");
        }
    }

    fn now(&self) -> i64 {
        self.world.resource::<GameClock>().now.seconds()
    }

    pub(crate) fn step(&mut self) {
        let name = NAMES[self.draw.below(3) as usize];
        let someone = self.find(name);
        match (self.draw.below(32), someone) {
            (0..=13, Some(entity)) => self.live(name, entity),
            (14..=19, Some(entity)) => {
                let hours = 1 + self.draw.below(8).cast_signed();
                let asleep = Asleep::new(at(self.now()), at(self.now() + 3600 * hours));
                let quality = self.draw.below(101) as f64 / 100.0;
                self.world.entity_mut(entity).insert(asleep.with_quality(quality).unwrap());
            }
            (20..=22, Some(entity)) => _ = self.world.entity_mut(entity).remove::<Asleep>(),
            (23, Some(entity)) => {
                // Memories of its day are dropped with it, unless a store that reported a failure wrote them anyway.
                let stored = self.stored(name);
                let gone = numbers(
                    self.world.get::<DailyMemories>(entity).unwrap().memories().iter().map(|m| &*m.text),
                );
                self.lives
                    .get_mut(&npc(name))
                    .unwrap()
                    .retain(|n| !gone.contains(n) || stored.contains_key(n));
                self.world.despawn(entity);
            }
            (28 | 29, Some(entity)) => self.ask(name, entity),
            (24 | 25, _) => self.save(),
            (26, _) => self.load(),
            (27, _) if self.timing == SleepTiming::AsReady => {
                let broken = [&self.broken.reads, &self.broken.writes, &self.broken.embedder];
                broken[self.draw.below(3) as usize].fetch_xor(true, Ordering::Relaxed);
            }
            (_, None) => self.spawn(name),
            _ => {}
        }
        let seconds = [1, 60, 600, 3600][self.draw.below(4) as usize];
        self.tick(seconds);
    }

    fn live(&mut self, name: &str, entity: Entity) {
        const WHAT: [&str; 6] = [
            "the forge is cold",
            "Joss owes silver",
            "Wren sang of the storm",
            "the gate is open",
            "bread is dear",
            "Odo has a fever",
        ];
        self.last += 1;
        let curse = match self.draw.below(120) {
            0 => "cursed ",
            1 => "doomed ",
            _ => "",
        };
        let text = format!("{} and {curse}that is number {}", WHAT[self.draw.below(6) as usize], self.last);
        let importance = Importance::new(1 + self.draw.below(10) as u8).unwrap();
        let memory =
            NewMemory::new(at(self.now()), Kind::Event, text).with(|m| m.importance = Some(importance));
        let mut day = self.world.get_mut::<DailyMemories>(entity).unwrap();
        day.remember(&npc(name), memory, &ValidConfig::default().input).unwrap();
        self.lives.get_mut(&npc(name)).unwrap().insert(self.last);
    }

    fn save(&mut self) {
        let mut all = self.world.query::<(&NpcMind, &DailyMemories, Option<&Asleep>)>();
        let npcs = all.iter(&self.world).map(|(m, d, a)| (m.clone(), d.clone(), a.cloned())).collect();
        let slot = SavePointName::new("slot").unwrap();
        let rewinds = self.draw.below(2) == 0;
        let nights = if rewinds {
            save(&self.world, slot).unwrap()
        } else {
            self.world.resource::<SleepQueue>().checkpoint()
        };
        self.saved = Some(Saved {
            nights: serde_json::to_string(&nights).unwrap(),
            rewinds,
            npcs,
            clock: *self.world.resource::<GameClock>(),
            tokens: *self.world.resource::<TokensLeft>(),
            lives: self.lives.clone(),
        });
    }

    /// Returns the state of a world into which this one was saved and loaded, its NPCs in another order.
    pub(crate) fn state_after_reload(&mut self) -> String {
        let nights = serde_json::to_string(&self.world.resource::<SleepQueue>().checkpoint()).unwrap();
        let mut npcs = saved_npcs(&mut self.world);
        npcs.reverse();
        let mut loaded = World::new();
        let ports = SleepPorts {
            config: Arc::new(ValidConfig::default()),
            store: self.store.clone(),
            embedder: self.embedder.clone(),
            pool: pool(1),
        };
        install(&mut loaded, ports);
        loaded.insert_resource(self.timing);
        loaded.insert_resource(MAINTENANCE);
        loaded.insert_resource(*self.world.resource::<GameClock>());
        loaded.insert_resource(self.world.resource::<NightBudgets>().clone());
        loaded.insert_resource(*self.world.resource::<TokensLeft>());
        loaded.insert_resource(self.world.resource::<NightLanguage>().clone());
        spawn_saved(&mut loaded, &npcs);
        restore(&mut loaded, serde_json::from_str(&nights).unwrap()).unwrap();
        state_hash(&mut loaded).unwrap()
    }

    /// Loads the saved game, into this world or another one. If the store is not rewound with it, memories formed after
    /// the save and consolidated since stay stored; otherwise nobody has a memory of the future.
    fn load(&mut self) {
        let Some(saved) = &self.saved else { return };
        let (lives, nights, rewinds) = (saved.lives.clone(), saved.nights.clone(), saved.rewinds);
        let (npcs, clock, tokens) = (saved.npcs.clone(), saved.clock, saved.tokens);
        if self.draw.below(2) == 0 {
            self.forget_jobs();
            let pool = self.world.remove_resource::<NightPool>().unwrap();
            self.install(pool);
        } else {
            let all: Vec<Entity> =
                self.world.query_filtered::<Entity, With<NpcMind>>().iter(&self.world).collect();
            all.into_iter().for_each(|entity| _ = self.world.despawn(entity));
        }
        self.world.insert_resource(clock);
        self.world.insert_resource(tokens);
        let first = self.draw.below(2) == 0;
        let checkpoint = || serde_json::from_str(&nights).unwrap();
        if first {
            restore(&mut self.world, checkpoint()).unwrap();
        }
        for (mind, day, asleep) in npcs {
            let mut npc = self.world.spawn((mind, day));
            asleep.into_iter().for_each(|asleep| _ = npc.insert(asleep));
        }
        if !first {
            restore(&mut self.world, checkpoint()).unwrap();
        }
        self.lives = lives;
        self.open.clear();
        for name in NAMES {
            let stored = self.stored(name);
            let known = self.lives.entry(npc(name)).or_default();
            if rewinds {
                assert!(
                    stored.keys().all(|n| known.contains(n)),
                    "{name} remembers what has not happened: {stored:?}"
                );
            } else {
                known.extend(stored.into_keys());
            }
        }
    }

    /// Returns the number of records per memory in the store.
    fn stored(&self, name: &str) -> BTreeMap<u64, usize> {
        let mut stored = BTreeMap::new();
        // Other records are syntheses or reflections.
        let entries = self.store.entries(&npc(name)).unwrap();
        for entry in entries.iter().filter(|e| e.entry.id.as_str().starts_with('t')) {
            let number = number(&entry.entry.text);
            *stored.entry(number).or_default() += 1;
        }
        stored
    }

    /// Asserts that no memory is lost and none is duplicated.
    pub(crate) fn check(&mut self, seed: u64) {
        let mut waiting: BTreeMap<(NpcId, u64), usize> = BTreeMap::new();
        let mut note =
            |npc: &NpcId, text: &str| *waiting.entry((npc.clone(), number(text))).or_default() += 1;
        let mut days = self.world.query::<(&NpcMind, &DailyMemories)>();
        for (mind, day) in days.iter(&self.world) {
            day.memories().iter().for_each(|m| note(mind.npc(), &m.text));
        }
        let checkpoint = self.world.resource::<SleepQueue>().checkpoint();
        checkpoint.days().for_each(|day| day.memories.iter().for_each(|m| note(&day.npc, &m.text)));
        checkpoint.unconsolidated().for_each(|(npc, all)| all.iter().for_each(|m| note(npc, &m.text)));
        let twice: Vec<_> = waiting.iter().filter(|(_, times)| **times > 1).collect();
        assert!(twice.is_empty(), "seed {seed}: these wait twice: {twice:?}");
        for (npc, expected) in &self.lives {
            let stored = self.stored(npc.as_str());
            assert!(stored.values().all(|n| *n == 1), "seed {seed}: {npc} remembers twice: {stored:?}");
            let waits = waiting.keys().filter(|(of, _)| of == npc).map(|(_, n)| *n);
            let somewhere: BTreeSet<u64> = waits.chain(stored.into_keys()).collect();
            assert_eq!(somewhere, *expected, "seed {seed}: memories of {npc}");
        }
    }

    /// Repairs all ports and lets everybody sleep: all memories but cursed ones must be stored.
    pub(crate) fn repair_and_sleep(&mut self, seed: u64) {
        if self.timing != SleepTiming::AsReady {
            // Nights being written now must not depend on the moment at which the store is repaired.
            self.finish_nights();
        }
        self.broken.healed.store(true, Ordering::Relaxed);
        for _ in 0..2 {
            self.tick(100_000);
            self.finish_nights();
            for name in NAMES {
                if self.find(name).is_none() {
                    self.spawn(name);
                }
                let entity = self.find(name).unwrap();
                self.world.entity_mut(entity).remove::<Asleep>();
                let asleep = Asleep::new(at(self.now()), at(self.now() + 10_000_000));
                self.world.entity_mut(entity).insert(asleep);
            }
            self.finish_nights();
        }
        self.check(seed);
        for name in NAMES {
            let entity = self.find(name).unwrap();
            self.ask(name, entity);
        }
        self.finish_questions();
        for name in NAMES {
            let entity = self.find(name).unwrap();
            let day = self.world.get::<DailyMemories>(entity).unwrap().memories();
            let spoilt = day.iter().any(|m| m.text.contains("cursed") || m.text.contains("doomed"));
            let why: Vec<_> = self
                .world
                .resource::<Messages<ConsolidationFailed>>()
                .iter_current_update_messages()
                .collect();
            assert!(
                day.is_empty() || spoilt,
                "seed {seed}: {name} sleeps and keeps its day: {day:?}: {:?} {why:?} {:?}",
                self.world.get::<Asleep>(entity),
                self.world.resource::<SleepQueue>().unconsolidated().collect::<Vec<_>>()
            );
        }
    }

    fn finish_questions(&mut self) {
        until("a question is not answered", || {
            if self.open.is_empty() {
                return Some(());
            }
            self.tick(600);
            None
        });
    }

    fn finish_nights(&mut self) {
        until("the nights do not end", || {
            self.tick(600);
            let nights = self.world.resource::<SleepQueue>();
            (nights.waiting() == 0 && nights.under_way() == 0).then_some(())
        });
    }
}

fn number(text: &str) -> u64 {
    text.rsplit(' ').next().unwrap().parse().unwrap()
}

fn numbers<'a>(texts: impl Iterator<Item = &'a str>) -> BTreeSet<u64> {
    texts.map(number).collect()
}
