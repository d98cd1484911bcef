//! Properties of every night, whatever its day: random lives of two days, planned with a toy embedder.
mod properties;

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{
    NPC, at, cited, day, embed_all, folded, id, memory, model, numbers, of_verb, sleep, words,
};
use nightfold_consolidate::{Draft, Reconciling, Synthesized, Triaged};
use nightfold_memory::effect::advance;
use nightfold_memory::{
    Change, Config, Day, Emotion, Fingerprint, Importance, Kind, Memory, MemoryId, MemorySnapshot, NpcNight,
    RecordKind, Rule, State, ValidConfig, Value, config::ClusterAlgorithm,
};
use proptest::{
    prelude::*,
    sample::{Index, select},
    strategy::ValueTree,
    test_runner::TestRunner,
};
use serde::{Serialize, de::DeserializeOwned};

const NAMES: [&str; 3] = ["Joss", "Tom", "Wren"];
const THINGS: [&str; 4] = ["axle", "gate", "salt", "forge"];
const NUMBERS: [&str; 6] = ["1", "3", "14", "31", "3.5", "14:30"];
const NEGATIONS: [&str; 3] = ["not", "never", "no"];

// ---- random lives

fn text() -> impl Strategy<Value = String> {
    let (name, other) = (select(&NAMES[..]), select(&NAMES[..]));
    let (thing, number) = (select(&THINGS[..]), select(&NUMBERS[..]));
    let not = select(vec!["", "", "not "]);
    let said =
        (0..14_u8, name, other, thing, number, not).prop_map(|(say, name, other, thing, n, not)| match say {
            0 => format!("the {thing} is {not}idle"),
            1 => format!("{name} does {not}owe {other} {n} silver for the {thing}"),
            2 => format!("I paid {n} coppers for the {thing}"),
            3 => format!("I asked {name} about the {thing} because he owes me {n} silver"),
            4 => format!("{thing} stock: {n} kegs"),
            5 => format!("{thing} status: {n} stone, {n} loaves"),
            6 => format!("I do {not}trust {name} with my {thing}"),
            7 => format!("{name} said: \"The {thing} has {not}fallen!\""),
            8 => format!("No {thing} will come, {name} told me"),
            9 => format!("I swept the room by the {thing} at {n}"),
            10 => format!("The {thing} is {not}open."),
            11 | 12 => format!("the {thing} holds {n}"),
            _ => n.to_owned(),
        });
    let ended = (said, select(vec!["", "", "", ".", " ", " again", "\n"])).prop_map(|(s, end)| s + end);
    prop_oneof![
        14 => ended,
        1 => select(vec!["", "  \n", "This is blank", "\u{2026}", "I"]).prop_map(str::to_owned),
    ]
}

prop_compose! {
    fn lived()(
        name in 0..40_u8,
        hour in 0..24_i64,
        text in text(),
        kind in select(vec![Kind::Event, Kind::Event, Kind::Chat, Kind::Thought, Kind::Status, Kind::Reflection]),
        importance in prop::option::weighted(0.9, 1..=10_u8),
        pinned in prop::bool::weighted(0.05),
        actors in prop::collection::vec(select(&NAMES[..]).prop_map(str::to_owned), 0..2),
        tags in prop::collection::vec(select(vec!["debt", "trade"]).prop_map(str::to_owned), 0..2),
        place in prop::option::of(select(vec!["Heron", "bridge"]).prop_map(str::to_owned)),
        emotion in prop::option::of((-1.0..=1.0_f32, 0.0..=1.0_f32)),
        sources in prop::collection::vec((0..40_u8).prop_map(|n| id(&format!("m{n}"))), 0..2),
    ) -> Memory {
        memory(&format!("m{name}"), hour, &text, 5).with(|memory| {
            // A game writes the readings of a status always as readings.
            memory.kind = if text.contains(" holds ") { Kind::Status } else { kind };
            memory.importance = importance.map(|i| Importance::new(i).unwrap());
            memory.pinned = pinned;
            memory.actors = actors;
            memory.tags = tags;
            memory.place = place;
            memory.emotion = emotion.map(|(valence, intensity)| Emotion { valence, intensity });
            memory.sources = sources;
        })
    }
}

/// Ways in which a game writes one memory down a second time.
#[derive(Debug, Clone, Copy)]
enum Repetition {
    Identical,
    OtherImportance(u8),
    Pinned,
    OtherId,
    OtherTime,
}

fn repetition() -> impl Strategy<Value = Repetition> {
    prop_oneof![
        2 => Just(Repetition::Identical),
        1 => (1..=10_u8).prop_map(Repetition::OtherImportance),
        1 => Just(Repetition::Pinned),
        2 => Just(Repetition::OtherId),
        2 => Just(Repetition::OtherTime),
    ]
}

/// Memories of the `n`-th day, in no order, some of them written down twice.
fn memories_of_day(n: i64) -> impl Strategy<Value = Vec<Memory>> {
    (prop::collection::vec(lived(), 0..=54), prop::collection::vec((any::<Index>(), repetition()), 0..=6))
        .prop_map(move |(mut memories, repeats)| {
            memories.iter_mut().for_each(|m| m.at = at(24 * n + m.at.seconds() / 3600));
            for (lot, again) in repeats {
                if memories.is_empty() {
                    break;
                }
                let mut memory = lot.get(&memories).clone();
                match again {
                    Repetition::Identical => {}
                    Repetition::OtherImportance(i) => memory.importance = Some(Importance::new(i).unwrap()),
                    Repetition::Pinned => memory.pinned = true,
                    Repetition::OtherId => memory.id = id(&format!("{}~2", memory.id)),
                    Repetition::OtherTime => memory.at = at(24 * n + 23),
                }
                memories.push(memory);
            }
            memories
        })
}

prop_compose! {
    fn config()(
        plain in prop::bool::weighted(0.5),
        single in prop::bool::weighted(0.3),
        storage in 0.05..=1.0_f64,
        storage_floor in 0..=2_usize,
        min_kept in 0..=5_usize,
        similar in 0.5..=0.9_f64,
        similar_over_budget in 0.2..=0.7_f64,
        max_group in 2..=16_usize,
        max_chars in 80..=800_usize,
        band in 0.6..=0.95_f64,
    ) -> ValidConfig {
        let mut config = Config::default();
        if !plain {
            config.cluster.algorithm =
                if single { ClusterAlgorithm::Single } else { ClusterAlgorithm::Kmeans };
            config.budget.storage = storage;
            config.budget.storage_floor = storage_floor;
            config.budget.min_kept = min_kept;
            config.triage.similar = similar;
            config.triage.similar_over_budget = similar_over_budget;
            config.triage.max_group = max_group;
            config.synthesis.max_chars = max_chars;
            config.reconcile.min_similarity = band;
        }
        config.check().unwrap()
    }
}

/// Two days of one NPC.
#[derive(Debug, Clone)]
struct Life {
    config: ValidConfig,
    days: [Vec<Memory>; 2],
}

fn life() -> impl Strategy<Value = Life> {
    let again = prop::collection::vec(any::<Index>(), 0..=8);
    (config(), memories_of_day(0), memories_of_day(1), again).prop_map(|(config, a, mut b, again)| {
        // What was on the first day and is once more on the second.
        let again = again.iter().filter(|_| !a.is_empty()).map(|lot| lot.get(&a)).zip(0..);
        b.extend(again.map(|(memory, n)| {
            memory.clone().with(|memory| {
                memory.id = id(&format!("again{n}"));
                memory.at = at(24 + memory.at.seconds() / 3600);
            })
        }));
        Life { config, days: [a, b] }
    })
}

/// A night with the snapshots before and after it.
struct PlannedNight {
    day: Day,
    before: MemorySnapshot,
    night: NpcNight,
    after: MemorySnapshot,
}

impl Life {
    fn nights(&self) -> Vec<PlannedNight> {
        let mut past = MemorySnapshot::empty();
        let mut slept = Vec::new();
        for (n, memories) in (0_i64..).zip(&self.days) {
            let day = day(n, memories.clone());
            let night = sleep(day.clone(), past.clone(), &self.config);
            let before = past.clone();
            advance(&mut past, &night).unwrap();
            slept.push(PlannedNight { day, before, night, after: past.clone() });
        }
        slept
    }
}

impl PlannedNight {
    /// Returns the memories of the day that the NPC has not slept on before, without blank ones.
    fn new_memories(&self) -> impl Iterator<Item = &Memory> {
        let known: BTreeSet<Fingerprint> = self.before.known.values().copied().collect();
        let slept_on = move |m: &Memory| known.contains(&Fingerprint::of(&m.text, m.at));
        self.day.memories.iter().filter(move |m| !m.is_blank() && !slept_on(m))
    }

    /// True if an active entry contains these very words.
    fn is_active(&self, text: &str) -> bool {
        let active = self.after.entries.iter().filter(|e| e.state == State::Active);
        active.filter(|e| e.entry.form != RecordKind::Reflection).any(|e| e.entry.text.contains(text.trim()))
    }

    /// True if a newer statement of the same night supersedes a memory, whose words are then stored beside
    /// it.
    fn is_superseded(&self, memory: &Memory) -> bool {
        let written =
            |id: &MemoryId| self.night.changes.iter().filter_map(Change::entry).find(|e| e.id == *id);
        // The same words corroborated an entry, which was contradicted later.
        let confirmed = |id: &MemoryId| {
            let said = |c: &Change| {
                let told = self.night.memories.iter().filter(|m| c.sources().contains(&m.id));
                c.id() == id && told.map(|m| m.text.trim()).any(|text| text == memory.text.trim())
            };
            of_verb(&self.night, "corroborate").any(said)
        };
        let set_aside = |c: &Change| {
            written(c.id()).is_some_and(|e| e.text.contains(memory.text.trim())) || confirmed(c.id())
        };
        !memory.pinned && of_verb(&self.night, "supersede").any(set_aside)
    }
}

/// Returns what a reflection may count: its occasions, those against it, parts that make up all of them, the memories that
/// it rests on and their days.
fn counted(night: &NpcNight, before: &MemorySnapshot, change: &Change) -> BTreeSet<String> {
    let reason = &change.reason().values;
    let count = |name: &str| match reason.get(name) {
        Some(Value::Count(count)) => Some(*count),
        _ => None,
    };
    let occasions = ["occasions", "of", "counter"].into_iter().filter_map(count);
    let said: BTreeSet<u64> = change
        .entry()
        .map(|e| numbers(&e.text))
        .into_iter()
        .flatten()
        .filter_map(|n| n.parse().ok())
        .collect();
    let rest = |part: &u64| count("of").and_then(|all| all.checked_sub(*part));
    let parts = said.iter().copied().filter(|part| rest(part).is_some_and(|rest| said.contains(&rest)));
    let of_today = night.memories.iter().map(|m| (&m.id, m.at));
    let earlier = before.entries.iter().map(|e| (&e.entry.id, e.entry.at));
    let cited = of_today.chain(earlier).filter(|(id, _)| change.sources().contains(id));
    let days: BTreeSet<i64> = cited.map(|(_, at)| at.seconds() / 86_400).collect();
    // What is compared with the rest of the day counts these, too.
    let others = (change.sources().len() as u64).checked_sub(count("of").unwrap_or_default());
    let alike = said.iter().copied().filter(|n| others.is_some_and(|others| *n <= others));
    let memories = [change.sources().len(), days.len()].map(|n| n as u64).into_iter().chain(alike);
    occasions.chain(parts).chain(memories).map(|count| count.to_string()).collect()
}

fn bytes(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap()
}

/// Returns the value after it was serialised and read again.
fn reread<T: Serialize + DeserializeOwned>(value: &T) -> T {
    serde_json::from_slice(&bytes(value)).unwrap()
}
