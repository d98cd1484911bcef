//! Single days, each named after what must not break.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use nightfold_consolidate::{ConsolidateError, Draft};
use nightfold_memory::{
    Change, ClusterAlgorithm, ClusterReport, CohesionConfig, CohesionParts, Config, Day, Emotion, Importance,
    Kind, Memory, MemoryId, NightPlan, NpcNight, PLAN_FORMAT, Past, Rule, RunReport, SleepBudget, State,
    ValidConfig, Vector, Vectors,
};
use nightfold_store::advance;
use support::{at, day, embed, embed_all, id, memory, model, of_verb, sleep, sleep_placed, themes};

fn tight() -> ValidConfig {
    let mut config = Config::default();
    config.budget.storage = 0.01;
    config.budget.storage_floor = 0;
    config.check().unwrap()
}

/// The active texts after a first night.
fn known_after(memories: Vec<Memory>, config: &ValidConfig) -> Vec<String> {
    let mut past = Past::empty();
    advance(&mut past, &sleep(day(0, memories), Past::empty(), config)).unwrap();
    past.entries.into_iter().map(|e| e.entry.text).collect()
}

fn status(name: &str, hour: i64, text: &str) -> Memory {
    Memory { kind: Kind::Status, ..memory(name, hour, text, 3) }
}

#[test]
fn a_row_that_comes_again_with_a_higher_importance_counts_with_the_higher() {
    let row = |importance| memory("a", 1, "the mill burns", importance);
    let others = || (0..8).map(|n| memory(&format!("b{n}"), 2, &format!("brooms stand in corner {n}"), 5));
    let given = |rows: Vec<Memory>| known_after(rows.into_iter().chain(others()).collect(), &tight());
    assert!(given(vec![row(9)]).contains(&"the mill burns".to_owned()));
    assert!(given(vec![row(2), row(9)]).contains(&"the mill burns".to_owned()));
}

#[test]
fn a_row_that_comes_again_pinned_is_pinned_in_whatever_order_they_come() {
    let plain = memory("a", 1, "the mill burns", 2);
    let pinned = Memory { pinned: true, ..plain.clone() };
    let night = |rows: [&Memory; 2]| {
        sleep(day(0, rows.map(Clone::clone).to_vec()), Past::empty(), &ValidConfig::default())
    };
    let (one, other) = (night([&plain, &pinned]), night([&pinned, &plain]));
    assert_eq!(one, other);
    assert!(of_verb(&one, "store").next().unwrap().entry().unwrap().pinned);
}

#[test]
fn rows_that_differ_in_a_detail_give_the_same_plan_in_any_order() {
    let plain = memory("a", 1, "the mill burns", 5);
    for other in [
        Memory { kind: Kind::Chat, ..plain.clone() },
        Memory { actors: vec!["Joss".to_owned()], ..plain.clone() },
        Memory { tags: vec!["fire".to_owned()], ..plain.clone() },
        Memory { place: Some("mill".to_owned()), ..plain.clone() },
    ] {
        let night = |rows: [&Memory; 2]| {
            sleep(day(0, rows.map(Clone::clone).to_vec()), Past::empty(), &ValidConfig::default())
        };
        assert_eq!(night([&plain, &other]), night([&other, &plain]), "{other:?}");
    }
}

fn only_synthesis(night: &NpcNight) -> String {
    let told: Vec<_> = of_verb(night, "chunk").collect();
    assert_eq!(told.len(), 1, "{:#?}", night.changes);
    told[0].entry().unwrap().text.clone()
}

/// "patrol 1" stands in "patrol 12" as letters do, not as a reading.
#[test]
fn a_reading_is_no_echo_of_a_longer_number() {
    let readings = vec![status("a", 1, "north gate patrol 1"), status("b", 2, "north gate patrol 12")];
    let mut config = Config::default();
    config.triage.similar = 0.5;
    let told = only_synthesis(&sleep(day(0, readings), Past::empty(), &config.check().unwrap()));
    let said: Vec<String> = support::numbers(&told).into_iter().collect();
    assert_eq!(said, ["1", "12"], "{told}");
}

#[test]
fn a_memory_is_no_echo_of_a_longer_word() {
    let heard =
        vec![memory("a", 1, "the old baker can win", 3), memory("b", 2, "the old baker can wince", 3)];
    let mut config = Config::default();
    config.triage.similar = 0.5;
    let told = only_synthesis(&sleep(day(0, heard), Past::empty(), &config.check().unwrap()));
    assert!(support::words(&told).contains(&"win".to_owned()), "{told}");
}

#[test]
fn an_important_memory_is_no_echo_of_a_longer_number() {
    let important = |name, hour, text| Memory {
        importance: Some(Importance::new(8).unwrap()),
        ..status(name, hour, text)
    };
    let readings = vec![important("a", 1, "the granary holds 1"), important("b", 2, "the granary holds 12")];
    let mut config = Config::default();
    config.triage.similar = 0.5;
    let told = only_synthesis(&sleep(day(0, readings), Past::empty(), &config.check().unwrap()));
    let said: Vec<String> = support::numbers(&told).into_iter().collect();
    assert_eq!(said, ["1", "12"], "{told}");
}

/// An NPC that knows one thing.
fn knowing(text: &str, importance: u8) -> Past {
    let mut past = Past::empty();
    let first = day(0, vec![memory("old", 1, text, importance)]);
    advance(&mut past, &sleep(first, Past::empty(), &ValidConfig::default())).unwrap();
    past
}

/// A band wide enough for the toy embedder.
fn wide() -> ValidConfig {
    let mut config = Config::default();
    config.reconcile.band = 0.6;
    config.check().unwrap()
}

/// "Now" adds nothing that an ordinary memory is kept for, but the words of an important one are its own.
#[test]
fn an_important_memory_is_not_left_to_an_entry_that_says_it_in_other_words() {
    for (importance, verb) in [(6, "corroborate"), (7, "store")] {
        let past = knowing("the old mill by the river burns", 5);
        let again = memory("a", 25, "the old mill by the river burns now", importance);
        let night = sleep(day(1, vec![again]), past, &wide());
        let verbs: Vec<_> = night.changes.iter().map(Change::verb).collect();
        assert_eq!(verbs, [verb]);
    }
}

#[test]
fn what_was_confirmed_after_it_was_denied_still_holds() {
    let past = knowing("the river gate is open", 5);
    let denied = memory("a", 25, "the river gate is not open", 5);
    let confirmed = memory("b", 30, "the river gate is open", 5);
    let night = sleep(day(1, vec![denied, confirmed]), past, &wide());
    assert_eq!(of_verb(&night, "corroborate").count(), 1, "{:#?}", night.changes);
    assert_eq!(of_verb(&night, "supersede").count(), 0, "{:#?}", night.changes);
}

#[test]
fn an_important_memory_is_not_left_to_an_entry_that_the_same_night_supersedes() {
    let mut past = knowing("the river gate is open", 5);
    let confirmed = memory("a", 25, "the river gate is open", 9);
    let denied = memory("b", 30, "the river gate is not open", 5);
    let night = sleep(day(1, vec![confirmed, denied]), past.clone(), &wide());
    advance(&mut past, &night).unwrap();
    let stands = past
        .entries
        .iter()
        .any(|e| e.state == State::Active && e.entry.text.contains("the river gate is open"));
    assert_eq!((stands, night.report.important_kept), (true, 1), "{:#?}", night.changes);
}

#[test]
fn what_is_contradicted_is_superseded_by_what_is_newer_and_the_pinned_is_not() {
    let news = || day(1, vec![memory("a", 30, "the river gate is not open", 5)]);
    let night = sleep(news(), knowing("the river gate is open", 5), &wide());
    let change = of_verb(&night, "supersede").next().unwrap();
    assert_eq!((change.id(), change.sources()), (&id("old"), &[id("a")][..]));

    let mut past = Past::empty();
    let pinned = Memory { pinned: true, ..memory("old", 1, "the river gate is open", 5) };
    advance(&mut past, &sleep(day(0, vec![pinned]), Past::empty(), &wide())).unwrap();
    let night = sleep(news(), past, &wide());
    assert_eq!(of_verb(&night, "supersede").count(), 0);
    assert_eq!(of_verb(&night, "store").count(), 1);
}

#[test]
fn what_is_said_again_corroborates_until_it_is_certain() {
    let mut past = knowing("the river gate is open", 5);
    for n in 1..=3_u32 {
        let again = memory(&format!("again{n}"), i64::from(n) * 24 + 1, "The river gate is open.", 5);
        let night = sleep(day(i64::from(n), vec![again]), past.clone(), &ValidConfig::default());
        assert_eq!((night.report.corroborated, night.report.kept), (1, 0), "{:#?}", night.changes);
        advance(&mut past, &night).unwrap();
        let [entry] = past.entries.as_slice() else { panic!("{:#?}", past.entries) };
        assert_eq!(entry.corroborations, n);
        assert_eq!(entry.confidence == nightfold_memory::Confidence::High, n >= 3);
    }
}

#[test]
fn the_report_blames_no_important_memory_for_the_floor_of_the_clusters() {
    // Pairs about things that have no words in common: more clusters than the budget has entries.
    let texts = [
        "cats purr softly",
        "cats purr softly now",
        "rain fell",
        "rain fell hard",
        "bread rises",
        "bread rises well",
    ];
    let memories = texts.iter().enumerate().map(|(n, t)| memory(&format!("m{n}"), 1, t, 4)).collect();
    let mut config = Config::default();
    config.budget.storage = 0.1;
    let night = sleep(day(0, memories), Past::empty(), &config.check().unwrap());
    assert!(night.report.kept > night.report.storage_budget, "{:#?}", night.report);
    assert_eq!(night.report.important, 0);
    assert!(!night.report.notes.iter().any(|n| n.contains("important")), "{:?}", night.report.notes);
}

/// Ids hold up to 256 bytes, and a second memory under one id gets a longer one.
#[test]
fn a_plan_with_a_renamed_id_of_full_length_can_be_read_again() {
    let long = "x".repeat(nightfold_memory::MAX_ID_BYTES);
    let memories = vec![memory(&long, 1, "the mill burns", 9), memory(&long, 2, "the mill stands", 9)];
    let night = sleep(day(0, memories), Past::empty(), &ValidConfig::default());
    assert_eq!(night.report.input.renamed_ids, 1);
    assert!(night.memories.iter().all(|m| MemoryId::new(m.id.as_str()).is_ok()), "{:?}", night.memories);
    let report = RunReport::sum(1, [&night.report]);
    let plan = NightPlan { format: PLAN_FORMAT, nights: vec![night], report };
    let read = NightPlan::from_json(&serde_json::to_vec(&plan).unwrap()).unwrap();
    assert_eq!(read, plan);
}

#[test]
fn a_day_of_nothing_leaves_nothing() {
    let night = sleep(day(0, Vec::new()), Past::empty(), &ValidConfig::default());
    assert!(night.is_empty());
    let blank = sleep(day(0, vec![memory("a", 1, " \n", 9)]), Past::empty(), &ValidConfig::default());
    assert_eq!((blank.report.memories, blank.report.distinct, blank.report.input.blank), (1, 0, 1));
    assert!(matches!(blank.changes.as_slice(), [Change::Prune { .. }]));
}

#[test]
fn vectors_that_came_with_the_day_are_used_and_not_asked_for() {
    let bring = |m: Memory| Memory { vector: Some(Vector::new(embed(&m.text)).unwrap()), ..m };
    let plain: Vec<Memory> =
        (0..9).map(|n| memory(&format!("m{n}"), n, &format!("I swept room {n} of the inn"), 5)).collect();
    let mut some = plain.clone();
    some[2] = bring(some[2].clone());
    some[7] = bring(some[7].clone());
    let all: Vec<Memory> = plain.iter().cloned().map(bring).collect();

    let asked = |memories: &Vec<Memory>| {
        let draft = Draft::begin(day(0, memories.clone()), Past::empty(), model(), &ValidConfig::default());
        draft.unwrap().texts().len()
    };
    assert_eq!([asked(&plain), asked(&some), asked(&all)], [9, 7, 0]);
    let night = |memories: Vec<Memory>| sleep(day(0, memories), Past::empty(), &ValidConfig::default());
    let expected = night(plain);
    assert_eq!(night(some), expected);
    assert_eq!(night(all), expected);
}

#[test]
fn a_day_that_cannot_be_slept_on_says_why() {
    let begin = |memories, past, config: &ValidConfig| {
        Draft::begin(day(0, memories), past, model(), config).unwrap_err()
    };
    let many =
        |n: i64| (0..n).map(|n| memory(&format!("m{n}"), n, &format!("thing {n}"), 5)).collect::<Vec<_>>();
    let mut config = Config::default();
    config.input.max_memories = 3;
    let small = config.clone().check().unwrap();
    assert!(matches!(
        begin(many(4), Past::empty(), &small),
        ConsolidateError::TooManyMemories { given: 4, most: 3 }
    ));
    config.input.max_memories = 100;
    config.cluster.max_distinct = 10;
    let narrow = config.check().unwrap();
    assert!(matches!(
        begin(many(11), Past::empty(), &narrow),
        ConsolidateError::TooManyDistinct { given: 11, most: 10 }
    ));
    let stranger = Memory { npc: "Tom".parse().unwrap(), ..memory("a", 1, "mine", 5) };
    assert!(matches!(
        begin(vec![stranger], Past::empty(), &narrow),
        ConsolidateError::Stranger { other, .. } if other.as_str() == "Tom"
    ));
    let other_model = Past { model: Some("other@2".parse().unwrap()), ..Past::empty() };
    assert!(matches!(begin(Vec::new(), other_model, &narrow), ConsolidateError::Model { .. }));
}

#[test]
fn vectors_that_do_not_fit_the_texts_are_refused() {
    let draft = || {
        let memories = vec![memory("a", 1, "one", 5), memory("b", 2, "two", 5)];
        Draft::begin(day(0, memories), Past::empty(), model(), &ValidConfig::default()).unwrap()
    };
    assert!(matches!(
        draft().triage(embed_all(&["one"])).unwrap_err(),
        ConsolidateError::Vectors { expected: 2, given: 1, .. }
    ));
    let told = draft().triage(embed_all(&["one", "two"])).unwrap().synthesize_by_rules();
    let spare = embed_all(&["a", "b", "c", "d", "e"]);
    assert!(matches!(told.clone().reconcile(spare).unwrap_err(), ConsolidateError::Vectors { given: 5, .. }));
    let mut narrow = Vectors::with_capacity(2, told.texts().len());
    told.texts().iter().for_each(|_| narrow.push(&[1.0, 0.0]).unwrap());
    if !told.texts().is_empty() {
        assert!(matches!(
            told.reconcile(narrow).unwrap_err(),
            ConsolidateError::Vectors { dimensions: 2, .. }
        ));
    }
}

#[test]
fn a_night_in_one_cluster_and_one_in_many_both_keep_what_matters() {
    for algorithm in [ClusterAlgorithm::Single, ClusterAlgorithm::Kmeans] {
        let mut config = Config::default();
        config.cluster.algorithm = algorithm;
        config.budget.storage = 0.01;
        let mut memories: Vec<Memory> =
            (0..30).map(|n| memory(&format!("m{n}"), n, &format!("the {n} anvils are idle"), 1)).collect();
        memories.push(Memory { at: at(12), ..memory("key", 12, "the seal of the city was stolen", 10) });
        let known = known_after(memories, &config.check().unwrap());
        assert!(known.contains(&"the seal of the city was stolen".to_owned()), "{known:?}");
    }
}

// ---- days whose vectors are set by hand

type Placed = Vec<(Memory, Vec<f32>)>;

/// The `n`-th day of memories that lie where their vectors say.
fn day_of(n: i64, placed: &Placed) -> Day {
    day(n, placed.iter().map(|(memory, _)| memory.clone()).collect())
}

fn with(edit: impl FnOnce(&mut Config)) -> ValidConfig {
    let mut config = Config::default();
    edit(&mut config);
    config.check().unwrap()
}

/// Which memories were told together, and by which rule.
fn told_as_one(night: &NpcNight) -> Vec<(Rule, Vec<&str>)> {
    of_verb(night, "chunk")
        .map(|c| (c.reason().rule, c.sources().iter().map(MemoryId::as_str).collect()))
        .collect()
}

/// What is similar is told as one whatever its words and however much room there is; what is only of one theme and
/// unimportant, once there is no room for all of it, and where it shares two words at least.
#[test]
fn the_similar_are_told_as_one_and_beyond_the_budget_the_unimportant_only_where_they_are_one_routine() {
    let texts = [
        ("a", "rain drummed on the shingles"),
        ("b", "water hammered against slates"),
        ("c", "the cook peeled onions"),
        ("d", "the cook mended a basket"),
        ("e", "the smith swept the yard"),
        ("f", "after supper the smith swept his cellar"),
    ];
    let vectors = themes(0.5, &[(2, 0.9), (2, 0.65), (2, 0.65)]);
    let night = |importance, storage| {
        let memories = texts.iter().map(|(name, text)| memory(name, 1, text, importance));
        let placed: Placed = memories.zip(vectors.clone()).collect();
        let config = with(|c| (c.cluster.algorithm, c.budget.storage) = (ClusterAlgorithm::Single, storage));
        sleep_placed(&placed, day_of(0, &placed), Past::empty(), &config)
    };
    let alike = (Rule::Similar, vec!["a", "b"]);
    let apart = (Rule::OverBudgetCohesive, vec!["c", "d"]);
    let routine = (Rule::OverBudgetCohesive, vec!["e", "f"]);
    // Room for six, and for four where the similar two leave five.
    assert_eq!(told_as_one(&night(1, 1.0)), std::slice::from_ref(&alike));
    assert_eq!(told_as_one(&night(1, 0.7)), [alike.clone(), routine.clone()]);
    // Of what matters a little more, one shared word is enough.
    assert_eq!(told_as_one(&night(3, 0.5)), [alike, apart, routine]);
}

/// Three themes of four, and something important in each.
fn eventful() -> Placed {
    let texts = [
        ("I forged an axle for Joss", 8),
        ("Joss will not pay me for the axle because he owes the miller", 5),
        ("I saw Joss at the mill with a full purse", 4),
        ("Joss sold the axle to the miller", 7),
        ("I baked rye bread for the fair", 4),
        ("The oven of the bakery cracked because I fired it too soon", 7),
        ("I carried the bread from the cracked oven to the fair", 4),
        ("Hanne lent me her oven", 5),
        ("The ferry lay on the bank", 4),
        ("I crossed the river on foot because the ferry lay idle", 4),
        ("The ferryman has the fever", 7),
        ("I brought the ferryman willow bark", 5),
    ];
    let memories = (1..)
        .zip(texts)
        .map(|(hour, (text, importance))| memory(&format!("m{hour}"), hour, text, importance));
    memories.zip(themes(0.0, &[(4, 0.55); 3])).collect()
}

#[test]
fn poor_sleep_leaves_less_of_everything_but_of_what_is_important() {
    let placed = eventful();
    let night = |sleep: Option<SleepBudget>, config: &ValidConfig| {
        sleep_placed(&placed, Day { sleep, ..day_of(0, &placed) }, Past::empty(), config)
    };
    let plain = ValidConfig::default();
    let slept = |quality, hours| Some(SleepBudget::new(quality, hours).unwrap());
    let (short, sound) = (slept(0.25, 4.0), slept(1.0, 8.0));
    let (full, poor) = (night(None, &plain), night(short, &plain));

    let (f, p) = (&full.report, &poor.report);
    // A half, and of the other half 0.25 × 4/8.
    assert_eq!((f.share_of_night, p.share_of_night), (1.0, 0.5625));
    assert_eq!((f.storage_budget, p.storage_budget), (6, 3));
    assert_eq!((f.tokens.budget, p.tokens.budget), (5000, 2812));
    let slots = |night: &NpcNight| night.report.clusters.iter().map(|c| c.reflection_slots).sum::<usize>();
    assert!(slots(&full) > slots(&poor), "{f:#?}\n{p:#?}");
    assert!(f.reflections > 0 && f.reflections >= p.reflections, "{f:#?}\n{p:#?}");
    assert!(f.kept > p.kept, "{f:#?}\n{p:#?}");
    assert_eq!((f.important_kept, p.important_kept, p.important), (4, 4, 4));

    // The same sleep by the configuration, which the day overrules.
    let restless = with(|c| (c.sleep.quality, c.sleep.hours) = (0.25, 4.0));
    assert_eq!(night(None, &restless), poor);
    assert_eq!(night(sound, &restless), full);
    let demanding = with(|c| (c.sleep.full_hours, c.sleep.least) = (16.0, 0.2));
    let left = night(short, &demanding).report.share_of_night;
    assert!((left - (0.2 + 0.8 * 0.25 * 4.0 / 16.0)).abs() < 1e-9, "{left}");
}

#[test]
fn a_theme_that_something_was_kept_of_before_gets_more_room() {
    let of = |what: &str, things: [&str; 5]| things.map(|t| format!("the {what} needs {t}"));
    let mill = of("mill", ["rope", "grease", "sacks", "timber", "nails"]);
    let ferry = of("ferry", ["oars", "pitch", "canvas", "chains", "lamps"]);
    let vectors = themes(0.0, &[(5, 0.5), (5, 0.5)]);
    // In the middle of what will be said of the mill, whose five vectors add up to a length of √15.
    let middle = vectors[..5].iter().fold(vec![0.0; vectors[0].len()], |sum: Vec<f32>, v| {
        sum.iter().zip(v).map(|(a, b)| a + b / 15.0_f32.sqrt()).collect()
    });
    let first: Placed = vec![(memory("old", 1, "the mill wheel turns", 4), middle)];
    let memories = (1..).zip(mill.iter().chain(&ferry)).map(|(n, t)| memory(&format!("m{n}"), 24 + n, t, 4));
    let second: Placed = memories.zip(vectors).collect();

    let room = |past: &Past, recurring| {
        let config = with(|c| {
            (c.cluster.k_min, c.budget.storage, c.budget.recurring) = (2, 0.4, recurring);
        });
        let night = sleep_placed(&second, day_of(1, &second), past.clone(), &config);
        let clusters = night.report.clusters;
        let about = |what| clusters.iter().find(|c| c.name.contains(what)).unwrap().clone();
        assert_eq!(clusters.len(), 2, "{clusters:#?}");
        [about("mill"), about("ferry")].map(|c| (c.recurred, c.storage_budget))
    };
    let night = sleep_placed(&first, day_of(0, &first), Past::empty(), &ValidConfig::default());
    assert_eq!(night.report.clusters.iter().map(|c| c.recurred).collect::<Vec<_>>(), [0]);
    let mut past = Past::empty();
    advance(&mut past, &night).unwrap();

    // Four of ten may stay, two of each theme where neither counts more.
    assert_eq!(room(&Past::empty(), 4.0), [(0, 2), (0, 2)]);
    assert_eq!(room(&past, 1.0), [(1, 2), (0, 2)]);
    assert_eq!(room(&past, 4.0), [(1, 3), (0, 1)]);
}

#[test]
fn cohesion_is_what_its_parts_weigh() {
    let felt = |(n, (memory, vector)): (usize, (Memory, Vec<f32>))| {
        let emotion = Some(Emotion { valence: 0.5, intensity: n as f32 / 12.0 });
        (Memory { emotion, ..memory }, vector)
    };
    let vectors = themes(0.2, &[(4, 0.5), (4, 0.6), (4, 0.75)]);
    let memories = eventful().into_iter().map(|(memory, _)| memory);
    let placed: Placed = memories.zip(vectors).enumerate().map(felt).collect();
    let clusters = |weights: CohesionConfig| -> Vec<ClusterReport> {
        let night = sleep_placed(&placed, day_of(0, &placed), Past::empty(), &with(|c| c.cohesion = weights));
        assert_eq!(night.report.cohesion_weights, weights);
        for c in &night.report.clusters {
            // Parts and whole are each given to four places.
            assert!((c.cohesion - c.cohesion_parts.weighed(&weights)).abs() < 1.5e-4, "{c:?}");
        }
        night.report.clusters
    };
    let near = |a: f64, b: f64| (a - b).abs() < 1.5e-4;
    let plain = CohesionConfig::default();
    let by_cosine = clusters(plain);
    let by_silhouette = clusters(CohesionConfig { cosine: 0.0, silhouette: 1.0, ..plain });
    let mixed = clusters(CohesionConfig { importance: 2.0, temporal: 1.0, emotion: 3.0, ..plain });
    for (i, within) in [0.5, 0.6, 0.75].into_iter().enumerate() {
        // A memory is 1 − within from those of its theme, and 0.8 from all others.
        let silhouette = (within - 0.2) / 0.8;
        assert!(near(by_cosine[i].cohesion, within), "{:?}", by_cosine[i]);
        assert!(near(by_silhouette[i].cohesion, silhouette), "{:?}", by_silhouette[i]);
        let CohesionParts { importance, temporal, emotion, .. } = mixed[i].cohesion_parts;
        let expected = (within + 2.0 * importance + temporal + 3.0 * emotion) / 7.0;
        assert!(near(mixed[i].cohesion, expected), "{:?}", mixed[i]);
    }
}

#[test]
fn every_algorithm_keeps_what_is_important_and_gives_one_plan_in_any_order() {
    // Two themes, four that are told as one, and one memory far from all.
    let vectors = themes(0.1, &[(4, 0.5), (4, 0.7), (4, 0.9), (1, 1.0)]);
    let alone = memory("m13", 13, "A stranger asked for my brother", 9);
    let memories = eventful().into_iter().map(|(memory, _)| memory).chain([alone]);
    // All at one time, so that it does not order them.
    let placed: Placed = memories.map(|m| Memory { at: at(1), ..m }).zip(vectors).collect();
    let important = placed.iter().map(|(m, _)| m).filter(|m| m.importance().get() >= 7);
    let important: Vec<&str> = important.map(|m| m.text.as_str()).collect();
    assert_eq!(important.len(), 5);
    for algorithm in ClusterAlgorithm::ALL {
        let config = with(|c| (c.cluster.algorithm, c.budget.storage) = (algorithm, 0.01));
        let forth = day_of(0, &placed);
        let mut back = forth.clone();
        back.memories.reverse();
        let night = sleep_placed(&placed, forth, Past::empty(), &config);
        assert_eq!(night, sleep_placed(&placed, back, Past::empty(), &config), "{algorithm}");
        assert_eq!(night.report.important_kept, 5, "{algorithm}: {:#?}", night.report);
        let mut past = Past::empty();
        advance(&mut past, &night).unwrap();
        for text in &important {
            let stands = past.entries.iter().any(|e| e.state == State::Active && e.entry.text.contains(text));
            assert!(stands, "{algorithm}: {text} in {:#?}", past.entries);
        }
    }
}
