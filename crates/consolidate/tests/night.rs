//! What holds of every night, whatever the day was: random lives of two days, slept with a toy embedder.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use nightfold_consolidate::{Draft, Reconciling, Synthesized, Triaged};
use nightfold_memory::{
    Change, ClusterAlgorithm, Config, Day, Emotion, Form, Importance, Kind, Known, Memory, MemoryId,
    NpcNight, Past, Rule, State, ValidConfig,
};
use nightfold_store::advance;
use proptest::{
    prelude::*,
    sample::{Index, select},
    strategy::ValueTree,
    test_runner::TestRunner,
};
use serde::{Serialize, de::DeserializeOwned};
use support::{NPC, at, cited, day, embed_all, folded, id, memory, model, numbers, of_verb, sleep, words};

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
        Memory {
            // What a game writes down as readings it writes down as readings always.
            kind: if text.contains(" holds ") { Kind::Status } else { kind },
            importance: importance.map(|i| Importance::new(i).unwrap()),
            pinned,
            actors,
            tags,
            place,
            emotion: emotion.map(|(valence, intensity)| Emotion { valence, intensity }),
            sources,
            ..memory(&format!("m{name}"), hour, &text, 5)
        }
    }
}

/// How a game writes one memory down a second time.
#[derive(Debug, Clone, Copy)]
enum Again {
    TheVerySame,
    OfAnotherImportance(u8),
    Pinned,
    UnderAnotherId,
    AtAnotherTime,
}

fn again() -> impl Strategy<Value = Again> {
    prop_oneof![
        2 => Just(Again::TheVerySame),
        1 => (1..=10_u8).prop_map(Again::OfAnotherImportance),
        1 => Just(Again::Pinned),
        2 => Just(Again::UnderAnotherId),
        2 => Just(Again::AtAnotherTime),
    ]
}

/// Memories of the `n`-th day, in no order, some of them written down twice.
fn lived_on(n: i64) -> impl Strategy<Value = Vec<Memory>> {
    (prop::collection::vec(lived(), 0..=54), prop::collection::vec((any::<Index>(), again()), 0..=6))
        .prop_map(move |(mut memories, repeats)| {
            memories.iter_mut().for_each(|m| m.at = at(24 * n + m.at.seconds() / 3600));
            for (lot, again) in repeats {
                if memories.is_empty() {
                    break;
                }
                let mut memory = lot.get(&memories).clone();
                match again {
                    Again::TheVerySame => {}
                    Again::OfAnotherImportance(i) => memory.importance = Some(Importance::new(i).unwrap()),
                    Again::Pinned => memory.pinned = true,
                    Again::UnderAnotherId => memory.id = id(&format!("{}~2", memory.id)),
                    Again::AtAnotherTime => memory.at = at(24 * n + 23),
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
            config.triage.similar = similar;
            config.triage.similar_over_budget = similar_over_budget;
            config.triage.max_group = max_group;
            config.synthesis.max_chars = max_chars;
            config.reconcile.band = band;
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
    (config(), lived_on(0), lived_on(1)).prop_map(|(config, a, b)| Life { config, days: [a, b] })
}

/// A night with what came before it and after.
struct Slept {
    day: Day,
    before: Past,
    night: NpcNight,
    after: Past,
}

impl Life {
    fn nights(&self) -> Vec<Slept> {
        let mut past = Past::empty();
        let mut slept = Vec::new();
        for (n, memories) in (0_i64..).zip(&self.days) {
            let day = day(n, memories.clone());
            let night = sleep(day.clone(), past.clone(), &self.config);
            let before = past.clone();
            advance(&mut past, &night).unwrap();
            slept.push(Slept { day, before, night, after: past.clone() });
        }
        slept
    }
}

impl Slept {
    /// The memories of the day that the NPC has not slept on before, blanks left out.
    fn told(&self) -> impl Iterator<Item = &Memory> {
        let known: BTreeSet<Known> = self.before.known.values().copied().collect();
        let slept_on = move |m: &Memory| known.contains(&Known::of(&m.text, m.at));
        self.day.memories.iter().filter(move |m| !m.is_blank() && !slept_on(m))
    }

    /// Whether the NPC still knows these very words.
    fn stands(&self, text: &str) -> bool {
        let active = self.after.entries.iter().filter(|e| e.state == State::Active);
        active.filter(|e| e.entry.form != Form::Reflection).any(|e| e.entry.text.contains(text.trim()))
    }

    /// Whether something as important, heard later the same night, contradicts a memory that is not pinned.
    fn is_set_aside(&self, memory: &Memory) -> bool {
        let written =
            |id: &MemoryId| self.night.changes.iter().filter_map(Change::entry).find(|e| e.id == *id);
        let weight = |id: &MemoryId| {
            let confirmed = of_verb(&self.night, "corroborate").filter(|c| c.id() == id).map(|c| match c {
                Change::Corroborate { importance, .. } => *importance,
                _ => unreachable!(),
            });
            written(id).map(|e| e.importance).into_iter().chain(confirmed).max()
        };
        let set_aside = |c: &Change| {
            written(c.id()).is_some_and(|e| e.text.contains(memory.text.trim()))
                && weight(&c.sources()[0]) >= Some(memory.importance())
        };
        !memory.pinned && of_verb(&self.night, "supersede").any(set_aside)
    }
}

/// Whether a change is about a memory of that night and not about an older entry.
fn is_of_tonight(night: &NpcNight, change: &Change) -> bool {
    night.memories.iter().any(|m| m.id == *change.id())
}

fn bytes(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap()
}

/// The value after it was written down and read again.
fn reread<T: Serialize + DeserializeOwned>(value: &T) -> T {
    serde_json::from_slice(&bytes(value)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 4096, ..ProptestConfig::default() })]

    #[test]
    fn the_order_in_which_memories_come_changes_no_byte(
        (life, shuffled) in life().prop_flat_map(|life| {
            let [a, b] = life.days.clone().map(|day| Just(day).prop_shuffle());
            let shuffled = (a, b).prop_map({
                let config = life.config.clone();
                move |(a, b)| Life { config: config.clone(), days: [a, b] }
            });
            (Just(life), shuffled)
        }),
    ) {
        for (one, other) in life.nights().iter().zip(shuffled.nights()) {
            prop_assert_eq!(&one.night, &other.night);
            prop_assert_eq!(bytes(&one.night), bytes(&other.night));
        }
    }

    #[test]
    fn every_new_memory_has_exactly_one_fate(life in life()) {
        for Slept { day, night, .. } in life.nights() {
            let mut fates: BTreeMap<_, usize> = night.memories.iter().map(|m| (&m.id, 0)).collect();
            prop_assert_eq!(fates.len(), night.memories.len(), "two memories share an id");
            for change in &night.changes {
                let decided = match change {
                    Change::Store { entry, .. } => std::slice::from_ref(&entry.id),
                    Change::Prune { id, .. } => std::slice::from_ref(id),
                    Change::Chunk { .. } | Change::Corroborate { .. } | Change::Collapse { .. } => {
                        change.sources()
                    }
                    _ => &[],
                };
                for id in decided {
                    *fates.get_mut(id).unwrap() += 1;
                }
            }
            prop_assert!(fates.values().all(|n| *n == 1), "{:?}", fates);
            let counts = night.report.input;
            prop_assert_eq!(
                day.memories.len(),
                night.memories.len() + counts.repeated_rows + counts.already_slept_on
            );
            night.check().unwrap();
        }
    }

    #[test]
    fn what_is_important_or_pinned_stands_in_its_own_words(life in life()) {
        let important_from = life.config.triage.important;
        for slept in life.nights() {
            for memory in slept.told() {
                if memory.pinned || memory.importance().get() >= important_from {
                    let stands = slept.stands(&memory.text) || slept.is_set_aside(memory);
                    prop_assert!(stands, "{:?}\n{:#?}", memory, slept.night.changes);
                }
            }
            prop_assert_eq!(slept.night.report.important_kept, slept.night.report.important);
        }
    }

    #[test]
    fn what_is_pinned_is_neither_pruned_nor_told_with_others(life in life()) {
        for slept in life.nights() {
            // A status is a thing of its own, of one place and of certain people.
            let what = |m: &Memory| {
                let status = (m.kind == Kind::Status).then(|| (m.place.clone(), m.actors.clone()));
                (m.text.trim().to_owned(), status)
            };
            let pinned: BTreeSet<_> = slept.told().filter(|m| m.pinned).map(what).collect();
            for change in &slept.night.changes {
                let gone = match change {
                    Change::Prune { id, .. } => std::slice::from_ref(id),
                    Change::Chunk { .. } => change.sources(),
                    _ => &[],
                };
                for memory in slept.night.memories.iter().filter(|m| gone.contains(&m.id)) {
                    prop_assert!(!pinned.contains(&what(memory)), "{:?} by {:?}", memory, change);
                }
            }
        }
    }

    #[test]
    fn the_report_counts_what_the_plan_holds(life in life()) {
        for slept in life.nights() {
            let (night, report) = (&slept.night, &slept.night.report);
            let changes = |verb| of_verb(night, verb).count();
            let sources = |verb| of_verb(night, verb).map(|c| c.sources().len()).sum::<usize>();
            prop_assert_eq!(report.memories, night.memories.len());
            let texts: BTreeSet<&str> = slept.told().map(|m| m.text.trim()).collect();
            // A status of one place and the same of another are two things.
            prop_assert!(report.distinct >= texts.len());
            let readings = |c: &Change| {
                let of_it = |m: &&Memory| m.id == *c.id() || c.sources().contains(&m.id);
                night.memories.iter().filter(of_it).map(|m| m.text.trim()).collect::<BTreeSet<_>>().len()
            };
            prop_assert_eq!(report.collapsed, folded(night).map(|c| readings(c) - 1).sum::<usize>());
            let repeats = sources("collapse") - report.collapsed;
            prop_assert_eq!(report.memories, report.distinct + report.input.blank + repeats);
            let fates = report.stored + report.chunked + report.corroborated + report.pruned;
            prop_assert_eq!(report.distinct, fates + report.collapsed);
            let (capped, unfounded): (Vec<_>, Vec<_>) =
                of_verb(night, "archive").partition(|c| c.reason().rule == Rule::Capped);
            prop_assert_eq!(report.capped, capped.len());
            prop_assert!(unfounded.iter().all(|c| c.reason().rule == Rule::Contradicted));
            let outdated = of_verb(night, "supersede").filter(|c| is_of_tonight(night, c)).count();
            prop_assert_eq!(report.kept, report.stored + report.syntheses - outdated);
            prop_assert_eq!(report.stored, changes("store"));
            prop_assert_eq!(report.pruned + report.input.blank, changes("prune"));
            prop_assert_eq!(report.chunked, sources("chunk"));
            prop_assert_eq!(report.syntheses, changes("chunk"));
            prop_assert_eq!(report.corroborated, sources("corroborate"));
            prop_assert_eq!(report.superseded, changes("supersede"));
            prop_assert_eq!(report.reflections, changes("reflect"));
            let clustered: usize = report.clusters.iter().map(|c| c.size).sum();
            let status = folded(night).count();
            prop_assert_eq!(report.distinct, clustered + report.loose + status + report.collapsed);
            let slots: usize = report.clusters.iter().map(|c| c.reflection_slots).sum();
            prop_assert!(report.reflections <= slots);
            let share = |kept: usize, of: usize| if of == 0 { 0.0 } else { 1.0 - kept as f64 / of as f64 };
            prop_assert!((report.reduction - share(report.kept, report.distinct)).abs() < 1e-4);
            prop_assert!((report.raw_reduction - share(report.kept, report.memories)).abs() < 1e-4);
        }
    }

    #[test]
    fn no_more_is_kept_than_the_budget_and_what_must_be(life in life()) {
        let budget = &life.config.budget;
        for slept in life.nights() {
            let report = &slept.night.report;
            let rows = report.distinct - report.collapsed;
            let allowed = ((rows as f64 * budget.storage + 1e-9).floor() as usize)
                .max(usize::from(report.distinct > 0));
            prop_assert_eq!(report.storage_budget, allowed);
            for cluster in &report.clusters {
                prop_assert!(cluster.kept <= cluster.storage_budget, "{:?}", cluster);
            }
            let musts: BTreeSet<&str> = slept
                .told()
                .filter(|m| m.pinned || m.importance().get() >= life.config.triage.important)
                .map(|m| m.text.trim())
                .collect();
            // The loose memories have a floor too, and the status lines that stand for others.
            let status = folded(&slept.night).next().is_some();
            let buckets = report.clusters.len() + usize::from(report.loose > 0) + usize::from(status);
            let floors = budget.storage_floor * buckets;
            prop_assert!(report.kept <= allowed.max(musts.len() + floors), "{:#?}", report);
            let blamed = report.notes.iter().any(|n| n.starts_with("important"));
            prop_assert!(!(musts.is_empty() && blamed), "{:?}", report.notes);
            prop_assert!(report.kept <= allowed || !report.notes.is_empty(), "{:#?}", report);
        }
    }

    #[test]
    fn a_night_can_stop_and_go_on_after_every_step(life in life()) {
        for Slept { day, before, night, .. } in life.nights() {
            let draft: Draft =
                reread(&Draft::begin(reread(&day), reread(&before), model(), &life.config).unwrap());
            let vectors = reread(&embed_all(&draft.texts()));
            let triaged: Triaged = reread(&draft.triage(vectors).unwrap());
            let told: Synthesized = reread(&triaged.synthesize_by_rules());
            let vectors = reread(&embed_all(&told.texts()));
            let reconciling: Reconciling = reread(&told.reconcile(vectors).unwrap());
            let resumed = reconciling.finish_by_rules();
            prop_assert_eq!(&resumed, &night);
            prop_assert_eq!(bytes(&resumed), bytes(&night));
            // A saved plan makes the same version as the one it was saved from: nights after it still fit.
            prop_assert_eq!(bytes(&reread(&night)), bytes(&night));
        }
    }

    #[test]
    fn a_day_that_was_slept_on_changes_nothing_more(life in life()) {
        for Slept { day, night, after, .. } in life.nights() {
            let rows = day.memories.len();
            let again = sleep(day, after.clone(), &life.config);
            prop_assert!(again.is_empty(), "{:#?}", again.changes);
            prop_assert_eq!(again.report.input.already_slept_on, rows);
            prop_assert_eq!(again.next_version().unwrap(), after.version);
            prop_assert!(night.is_empty() || after.version != night.base_version);
        }
    }

    #[test]
    fn a_synthesis_by_rules_keeps_numbers_names_and_negations(life in life()) {
        for Slept { night, .. } in life.nights() {
            for change in of_verb(&night, "chunk") {
                let told = &change.entry().unwrap().text;
                let said: BTreeSet<String> = words(told).into_iter().collect();
                let negated = |text: &str| words(text).iter().any(|w| NEGATIONS.contains(&w.as_str()));
                let sources = cited(&night, change);
                prop_assert!(sources.len() >= 2, "{:?}", change);
                prop_assert!(!told.trim().is_empty());
                // Of many readings the first and the last are told for sure.
                let status = change.reason().rule == Rule::StatusRepeat;
                let sure = |n: &usize| !status || *n == 0 || *n + 1 == sources.len();
                for source in (0..sources.len()).filter(sure).map(|n| sources[n]) {
                    prop_assert!(numbers(source).is_subset(&numbers(told)), "{source:?} in {told:?}");
                    let named = NAMES.iter().filter(|n| source.contains(**n));
                    named.for_each(|n| assert!(said.contains(&n.to_lowercase()), "{source:?} in {told:?}"));
                    prop_assert!(!negated(source) || negated(told), "{source:?} in {told:?}");
                }
            }
        }
    }

    #[test]
    fn a_synthesis_by_rules_says_no_number_and_no_name_of_its_own(life in life()) {
        for Slept { night, .. } in life.nights() {
            for change in of_verb(&night, "chunk").chain(of_verb(&night, "reflect")) {
                let said = &change.entry().unwrap().text;
                let all = cited(&night, change).join("\n");
                prop_assert!(numbers(said).is_subset(&numbers(&all)), "{said:?} of {all:?}");
                for name in NAMES.iter().chain(&[NPC]) {
                    prop_assert!(!said.contains(name) || all.contains(name), "{said:?} of {all:?}");
                }
            }
        }
    }

    #[test]
    fn a_reflection_rests_on_two_memories_of_the_day_and_speaks_as_the_npc(life in life()) {
        for Slept { night, .. } in life.nights() {
            for change in of_verb(&night, "reflect") {
                let entry = change.entry().unwrap();
                prop_assert_eq!((entry.form, entry.kind), (Form::Reflection, Kind::Reflection));
                let cites: BTreeSet<_> = change.sources().iter().collect();
                let of_the_day = |id: &MemoryId| night.memories.iter().find(|m| m.id == *id);
                prop_assert!(cites.len() >= 2, "{:?}", change);
                for id in cites {
                    // Reflections are drawn from what happened, never from reflections.
                    prop_assert!(of_the_day(id).is_some_and(|m| m.kind != Kind::Reflection), "{:?}", change);
                }
                let first_person = ["i", "me", "my", "myself"];
                prop_assert!(words(&entry.text).iter().any(|w| first_person.contains(&w.as_str())));
            }
        }
    }

    #[test]
    fn what_the_day_confirmed_last_is_not_superseded_by_what_came_before(life in life()) {
        for Slept { night, .. } in life.nights() {
            let last = |change: &Change| {
                let of = night.memories.iter().filter(|m| change.sources().contains(&m.id));
                of.map(|m| m.at).max().unwrap()
            };
            let confirmed: BTreeMap<_, _> =
                of_verb(&night, "corroborate").map(|c| (c.id(), last(c))).collect();
            for change in of_verb(&night, "supersede") {
                let holds_now = &change.sources()[0];
                let entry = night.changes.iter().filter_map(Change::entry).find(|e| e.id == *holds_now);
                let newer = entry.map_or_else(|| confirmed[holds_now], |e| e.last_at);
                prop_assert!(confirmed.get(change.id()).is_none_or(|at| *at <= newer), "{:#?}", night.changes);
            }
        }
    }
}

/// The properties above say nothing about changes that never come up.
#[test]
fn random_lives_hold_every_sort_of_change() {
    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..64 {
        let life = life().new_tree(&mut runner).unwrap().current();
        for slept in life.nights() {
            slept.night.changes.iter().for_each(|c| *seen.entry(c.verb()).or_default() += 1);
            *seen.entry("overrun").or_default() += slept.night.report.notes.len();
            *seen.entry("loose").or_default() += slept.night.report.loose;
        }
    }
    assert!(seen.len() == 9 && seen.values().all(|n| *n >= 3), "{seen:?}");
}
