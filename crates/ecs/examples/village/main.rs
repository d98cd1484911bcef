//! Three days in Riverbend: six villagers form memories, talk, sleep, and speak on the next day from the
//! entries of their last night.
//!
//! `cargo run --release -p nightfold-ecs --example village [STORE.db]`: with a file, their memories are
//! stored there, and `nightfold recall "Mara Thorne" "…" --store STORE.db` asks further. The village runs in
//! lockstep, so its log is the same on every run of a machine; a tick is a minute.

mod diary;
mod talks;

use std::{collections::BTreeMap, env, error::Error, io::Write as _, num::NonZeroUsize, sync::Arc};

use bevy_ecs::{message::Messages, prelude::*};
use diary::Diary;
use nightfold_ecs::{
    Asleep, ConsolidationFailed, DailyMemories, GameClock, MemoryFormed, MemoryRefused, NewMemory,
    NightConsolidated, NightPool, NpcMind, RecallAnswered, RecallQuestion, SleepPhase, SleepPorts,
    SleepTiming, WakeReason, WokeUp, install,
    memory::{GameTime, Importance, Kind, Memory, MemoryStore, NpcId, ValidConfig},
    state_hash,
};
use nightfold_embed::{MiniLm, MiniLmOptions, ModelOptions, Models};
use nightfold_store::SqliteStore;
use talks::{TALKS, Talk};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Memories of the six villagers, as their game logged them.
const DAYS: [&str; 3] = [
    include_str!("../../../../scenarios/riverbend/days/1.jsonl"),
    include_str!("../../../../scenarios/riverbend/days/2.jsonl"),
    include_str!("../../../../scenarios/riverbend/days/3.jsonl"),
];
/// Length of the run: the village also sleeps on the third day, and the run ends on the morning after.
const MINUTES: i64 = (3 * 24 + 6) * 60;
const WAKE_AT: i64 = 5 * 60;

fn main() -> Fallible<()> {
    let store: Arc<dyn MemoryStore> = match env::args_os().nth(1) {
        Some(path) => Arc::new(SqliteStore::open(path)?),
        None => Arc::new(SqliteStore::in_memory()?),
    };
    let files = Models::new(ModelOptions::from_env()).provide(&diary::progress())?;
    let mut village = Village::new(SleepPorts {
        config: Arc::new(ValidConfig::default()),
        store: store.clone(),
        embedder: Arc::new(MiniLm::open(&files, MiniLmOptions::default())?),
        pool: NightPool::new(NonZeroUsize::MIN)?,
    })?;
    for minute in 0..MINUTES {
        village.run_minute(minute)?;
    }
    village.print_summary(&*store)
}

/// The world, and the memories that its inhabitants are going to form.
struct Village {
    world: World,
    people: BTreeMap<NpcId, Entity>,
    /// Future memories by minute of the game.
    ahead: BTreeMap<i64, Vec<Memory>>,
    bedtimes: BTreeMap<i64, Vec<NpcId>>,
    /// Talks whose answer has not arrived yet.
    asked: Vec<&'static Talk>,
    diary: Diary,
}

impl Village {
    fn new(ports: SleepPorts) -> Fallible<Self> {
        let mut world = World::new();
        install(&mut world, ports);
        world.insert_resource(SleepTiming::Lockstep { plan_seconds: 2 * 3_600, write_seconds: 60 });
        let mut village = Self {
            world,
            people: BTreeMap::new(),
            ahead: BTreeMap::new(),
            bedtimes: BTreeMap::new(),
            asked: Vec::new(),
            diary: Diary::default(),
        };
        let first = moment(0)?.seconds() / 60;
        for day in DAYS {
            let mut last = BTreeMap::new();
            for line in day.lines() {
                let memory: Memory = serde_json::from_str(line)?;
                let minute = memory.at.seconds() / 60 - first;
                let bedtime = last.entry(memory.npc.clone()).or_insert(minute);
                *bedtime = minute.max(*bedtime);
                village.ahead.entry(minute).or_default().push(memory);
            }
            for (npc, minute) in last {
                village.bedtimes.entry(minute + 5).or_default().push(npc.clone());
                if !village.people.contains_key(&npc) {
                    let entity = village
                        .world
                        .spawn((NpcMind::new(npc.clone()).recalling(), DailyMemories::default()));
                    let entity = entity.id();
                    village.people.insert(npc, entity);
                }
            }
        }
        Ok(village)
    }

    fn run_minute(&mut self, minute: i64) -> Fallible<()> {
        self.world.resource_mut::<GameClock>().now = moment(minute)?;
        self.diary.turn(minute);
        for memory in self.ahead.remove(&minute).unwrap_or_default() {
            self.add_memory(memory)?;
        }
        for npc in self.bedtimes.remove(&minute).unwrap_or_default() {
            let morning = (minute / 1_440 + 1) * 1_440 + WAKE_AT;
            let asleep = Asleep::new(moment(minute)?, moment(morning)?);
            self.diary.note(&format!("{npc} goes to bed."))?;
            self.world.entity_mut(self.people[&npc]).insert(asleep);
        }
        for talk in TALKS.iter().filter(|talk| talk.minute() == minute) {
            let entity = self.people[&NpcId::new(talk.asked)?];
            self.diary.said(&format!("{}, {} asks {}:", talk.place, talk.asks, talk.asked), talk.question)?;
            let ticket = self.asked.len() as u64;
            self.world.write_message(RecallQuestion::new(entity, talk.question).with_ticket(ticket));
            self.asked.push(talk);
        }
        self.world.run_schedule(SleepPhase);
        self.log_messages()
    }

    /// Adds a memory to an NPC's day; a sleeping NPC is woken by it.
    fn add_memory(&mut self, memory: Memory) -> Fallible<()> {
        let entity = self.people[&memory.npc];
        if self.world.get::<Asleep>(entity).is_some() {
            self.world.entity_mut(entity).remove::<Asleep>();
        }
        if memory.importance().get() >= 7 {
            self.diary.said(&format!("{} ({}):", memory.npc, memory.kind), &memory.text)?;
        }
        let limits = &ValidConfig::default().input;
        if let Some(mut day) = self.world.get_mut::<DailyMemories>(entity) {
            let npc = memory.npc.clone();
            day.add(&npc, memory, limits)?;
        }
        Ok(())
    }

    /// Logs the messages of the sleep phase in this tick.
    fn log_messages(&mut self) -> Fallible<()> {
        for WokeUp { entity, npc, why, .. } in drain(&mut self.world) {
            let entries = self.world.get::<NpcMind>(entity).map_or(0, NpcMind::entries);
            self.diary.note(&match why {
                WakeReason::Rested => format!("{npc} wakes with {entries} things to remember."),
                WakeReason::Woken => format!("{npc} is woken out of its night."),
            })?;
        }
        for NightConsolidated { npc, summary, .. } in drain(&mut self.world) {
            self.diary.night(&npc, &summary)?;
        }
        for failed in drain::<ConsolidationFailed>(&mut self.world) {
            self.diary.note(&format!("{} sleeps badly: {}.", failed.npc, failed.error))?;
        }
        for refused in drain::<MemoryRefused>(&mut self.world) {
            self.diary.note(&format!("{} is not remembered: {}.", refused.memory.text, refused.error))?;
        }
        for answer in drain::<RecallAnswered>(&mut self.world) {
            self.answer(&answer)?;
        }
        Ok(())
    }

    /// Lets the asked villager speak the recalled entry, and the asking one form a memory of it.
    fn answer(&mut self, answer: &RecallAnswered) -> Fallible<()> {
        let talk = usize::try_from(answer.ticket).ok().and_then(|at| self.asked.get(at).copied());
        let Some(talk) = talk else { return Ok(()) };
        let said = match &answer.memories {
            Ok(memories) => talks::speak(memories),
            Err(error) => return self.diary.note(&format!("{} has nothing to say: {error}.", talk.asked)),
        };
        let Some((said, insight)) = said else {
            return self.diary.note(&format!("{} shrugs.", talk.asked));
        };
        let manner = if insight { "has slept on it:" } else { "remembers:" };
        self.diary.said(&format!("{} {manner}", talk.asked), &said)?;
        let now = self.world.resource::<GameClock>().now;
        let six = Importance::new(6)?;
        let memory = NewMemory::new(now, Kind::Chat, format!("{} told me: {said}", talk.asked))
            .with(|m| (m.importance, m.actors) = (Some(six), vec![talk.asked.to_owned()]));
        let entity = self.people[&NpcId::new(talk.asks)?];
        self.world.write_message(MemoryFormed { entity, memory });
        Ok(())
    }

    fn print_summary(mut self, store: &dyn MemoryStore) -> Fallible<()> {
        let mut known = 0;
        for npc in store.npcs()? {
            known += store.snapshot(&npc)?.known.len();
        }
        let state = state_hash(&mut self.world)?;
        writeln!(
            std::io::stdout(),
            "\nSix lives, {} nights, {known} things kept somewhere. State {}: the same on every run here.",
            store.nights(None)?.len(),
            state.get(..16).unwrap_or(&state),
        )?;
        Ok(())
    }
}

fn drain<M: bevy_ecs::message::Message>(world: &mut World) -> Vec<M> {
    world.resource_mut::<Messages<M>>().drain().collect()
}

/// Converts a minute of the game to a date.
fn moment(minute: i64) -> Fallible<GameTime> {
    let (day, minute) = (minute / 1_440, minute % 1_440);
    Ok(format!("1204-05-{:02}T{:02}:{:02}:00Z", 3 + day, minute / 60, minute % 60).parse()?)
}
