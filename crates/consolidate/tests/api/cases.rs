//! Single days, each test named after behaviour that must not break.

use crate::support::{at, day, embed, embed_all, id, memory, model, of_verb, sleep};
use nightfold_consolidate::{ConsolidateError, Draft};
use nightfold_english::English;
use nightfold_memory::effect::advance;
use nightfold_memory::{
    Change, Confidence, Config, Importance, Kind, Memory, MemoryId, MemoryRecord, MemorySnapshot, NightPlan,
    NpcNight, PLAN_FORMAT, RecordKind, RunReport, State, ValidConfig, Vector, Vectors,
};

/// Returns the texts of the entries after a first night.
fn texts_after(memories: Vec<Memory>, config: &ValidConfig) -> Vec<String> {
    let mut past = MemorySnapshot::empty();
    advance(&mut past, &sleep(day(0, memories), MemorySnapshot::empty(), config)).unwrap();
    past.entries.into_iter().map(|e| e.entry.text).collect()
}

fn status(name: &str, hour: i64, text: &str) -> Memory {
    memory(name, hour, text, 3).with(|m| m.kind = Kind::Status)
}

#[test]
fn rows_that_differ_in_a_detail_give_the_same_plan_in_any_order() {
    let plain = memory("a", 1, "the mill burns", 5);
    for other in [
        plain.clone().with(|m| m.kind = Kind::Chat),
        plain.clone().with(|m| m.actors = vec!["Joss".to_owned()]),
        plain.clone().with(|m| m.tags = vec!["fire".to_owned()]),
        plain.clone().with(|m| m.place = Some("mill".to_owned())),
    ] {
        let night = |rows: [&Memory; 2]| {
            sleep(day(0, rows.map(Clone::clone).to_vec()), MemorySnapshot::empty(), &ValidConfig::default())
        };
        assert_eq!(night([&plain, &other]), night([&other, &plain]), "{other:?}");
    }
}

#[test]
fn known_reading_does_not_absorb_a_newer_one() {
    let config = ValidConfig::default();
    let mut past = MemorySnapshot::empty();
    let first = vec![status("a", 8, "gate status: 3 guards alive")];
    advance(&mut past, &sleep(day(0, first), MemorySnapshot::empty(), &config)).unwrap();
    let second = vec![
        status("b", 8, "gate status: 3 guards alive").with(|m| m.at = at(24 + 8)),
        status("c", 20, "gate status: 0 guards alive").with(|m| m.at = at(24 + 20)),
    ];
    let night = sleep(day(1, second), past.clone(), &config);
    assert!(only_synthesis(&night).contains("3 \u{2192} 0 guards alive"), "{:#?}", night.changes);
    assert_eq!(of_verb(&night, "corroborate").count(), 0);
}

#[test]
fn number_of_readings_takes_no_budget_from_events() {
    let events = || (0..12).map(|n| memory(&format!("e{n}"), n, &format!("I did chore number {n}"), 5));
    let kept = |readings: i64| {
        let lines = (0..3).flat_map(|post| {
            let words = ["gate", "mill", "ford"][post];
            (0..readings).map(move |n| {
                status(&format!("s{post}-{n}"), n % 24, &format!("{words} status: {n} patrols"))
            })
        });
        let night =
            sleep(day(0, events().chain(lines).collect()), MemorySnapshot::empty(), &ValidConfig::default());
        of_verb(&night, "store").count()
    };
    assert_eq!(kept(2), kept(20));
}

fn only_synthesis(night: &NpcNight) -> String {
    let told: Vec<_> = of_verb(night, "chunk").collect();
    assert_eq!(told.len(), 1, "{:#?}", night.changes);
    told[0].entry().unwrap().text.clone()
}

/// The text "patrol 1" is a part of "patrol 12", but not the same reading; nor is "win" the word "wince".
#[test]
fn text_contained_in_a_longer_number_or_word_is_kept() {
    let mut config = Config::default();
    config.triage.similar = 0.5;
    let config = config.check().unwrap();
    for (kind, importance, short, long, said) in [
        (Kind::Status, 3, "north gate patrol 1", "north gate patrol 12", "1"),
        (Kind::Status, 8, "the granary holds 1", "the granary holds 12", "1"),
        (Kind::Event, 3, "the old baker can win", "the old baker can wince", "win"),
    ] {
        let lived = [("a", 1, short), ("b", 2, long)]
            .map(|(name, hour, text)| memory(name, hour, text, importance).with(|m| m.kind = kind));
        let night = sleep(day(0, lived.to_vec()), MemorySnapshot::empty(), &config);
        let told: Vec<&str> =
            night.changes.iter().filter_map(Change::entry).map(|e| e.text.as_str()).collect();
        assert!(crate::support::words(&told.join("\n")).contains(&said.to_owned()), "{told:?}");
    }
}

/// Returns the snapshot of an NPC with one entry.
fn snapshot_with(text: &str, importance: u8) -> MemorySnapshot {
    let mut past = MemorySnapshot::empty();
    let first = day(0, vec![memory("old", 1, text, importance)]);
    advance(&mut past, &sleep(first, MemorySnapshot::empty(), &ValidConfig::default())).unwrap();
    past
}

/// Returns a configuration with a minimum similarity low enough for the toy embedder.
fn wide() -> ValidConfig {
    let mut config = Config::default();
    config.reconcile.min_similarity = 0.6;
    config.check().unwrap()
}

/// The added "now" is no reason to keep an ordinary memory, but an important memory keeps its own words.
#[test]
fn important_memory_is_stored_despite_a_paraphrasing_entry() {
    for (importance, verb) in [(6, "corroborate"), (7, "store")] {
        let past = snapshot_with("the old mill by the river burns", 5);
        let again = memory("a", 25, "the old mill by the river burns now", importance);
        let night = sleep(day(1, vec![again]), past, &wide());
        let verbs: Vec<_> = night.changes.iter().map(Change::verb).collect();
        assert_eq!(verbs, [verb]);
    }
}

#[test]
fn important_memory_contradicted_the_same_day_is_not_counted_as_kept_and_named() {
    let mut past = snapshot_with("the river gate is open", 5);
    let confirmed = memory("a", 25, "the river gate is open", 9);
    let denied = memory("b", 30, "the river gate is not open", 5);
    let night = sleep(day(1, vec![confirmed, denied]), past.clone(), &wide());
    advance(&mut past, &night).unwrap();
    let lived = past.entries.iter().filter(|e| e.entry.form != RecordKind::Reflection);
    let active: Vec<_> = lived.filter(|e| e.state == State::Active).map(|e| e.entry.text.as_str()).collect();
    assert_eq!(active, ["the river gate is not open"], "{:#?}", night.changes);
    assert_eq!((night.report.important_kept, night.report.important), (0, 1), "{:#?}", night.changes);
    assert_eq!(important_ended(&night), [("old", "the river gate is open")]);
}

/// Returns the ids and the words of what was important and ended on a night.
fn important_ended(night: &NpcNight) -> Vec<(&str, &str)> {
    night.report.important_ended.iter().map(|ended| (ended.id.as_str(), ended.text.as_str())).collect()
}

#[test]
fn ended_position_of_important_statement_is_named_in_report() {
    let told = "Pell told the room: \"The river gate is open.\"";
    let news = || day(1, vec![memory("a", 30, "Bran told the room: \"The river gate is not open.\"", 5)]);
    let night = sleep(news(), snapshot_with(told, 7), &ValidConfig::default());
    assert_eq!(important_ended(&night), [("old", "The river gate is open.")], "{:#?}", night.changes);
    let night = sleep(news(), snapshot_with(told, 6), &ValidConfig::default());
    assert_eq!((of_verb(&night, "end").count(), important_ended(&night)), (1, vec![]));
}

#[test]
fn reported_position_ends_below_the_minimum_similarity() {
    let told = "Pell told the room: \"The river gate is open.\"";
    let denied = "Bran told the room: \"The river gate is not open.\"";
    let mut config = Config::default();
    config.reconcile.min_similarity = 0.99;
    let news = day(1, vec![memory("a", 30, denied, 5)]);
    let night = sleep(news, snapshot_with(told, 5), &config.check().unwrap());
    let found: Vec<(MemoryId, String)> = of_verb(&night, "end")
        .map(|c| (c.id().clone(), c.reason().values["judged_by"].to_string()))
        .collect();
    assert_eq!(found, [(id("old"), "negation".to_owned())]);
}

#[test]
fn repetition_corroborates_up_to_high_confidence() {
    let mut past = snapshot_with("the river gate is open", 5);
    for n in 1..=3_u32 {
        let again = memory(&format!("again{n}"), i64::from(n) * 24 + 1, "The river gate is open.", 5);
        let night = sleep(day(i64::from(n), vec![again]), past.clone(), &ValidConfig::default());
        assert_eq!(
            (night.report.counts.corroborated, night.report.counts.kept),
            (1, 0),
            "{:#?}",
            night.changes
        );
        advance(&mut past, &night).unwrap();
        let [entry] = past.entries.as_slice() else { panic!("{:#?}", past.entries) };
        assert_eq!(entry.corroborations, n);
        assert_eq!(entry.confidence == nightfold_memory::Confidence::High, n >= 3);
    }
}

#[test]
fn repetition_makes_positions_sure_and_routine_never() {
    let routine = ["Nice weather today.", "I swept the yard."];
    let ford = "The ford is not safe.";
    let mut past = MemorySnapshot::empty();
    for n in 0..40_i64 {
        let id = |what: usize| format!("d{n}-{what}");
        let mut lived: Vec<Memory> =
            routine.iter().enumerate().map(|(i, text)| memory(&id(i), 24 * n + 1, text, 2)).collect();
        // Told once, and three times more.
        if n % 10 == 0 {
            lived.push(memory(&id(2), 24 * n + 2, ford, 2 + u8::try_from(n / 20).unwrap()));
        }
        let night = sleep(day(n, lived), past.clone(), &ValidConfig::default());
        advance(&mut past, &night).unwrap();
    }
    let of = |text: &str| past.entries.iter().filter(|e| e.entry.text == text).collect::<Vec<_>>();
    let is_sure = |e: &&&MemoryRecord| e.state == State::Active && e.confidence == Confidence::High;
    assert_eq!(of(ford).iter().filter(is_sure).count(), 1, "{:#?}", of(ford));
    for text in routine {
        assert_eq!(of(text).iter().filter(is_sure).count(), 0, "{:#?}", of(text));
        assert!(of(text).iter().any(|e| e.state == State::Active && e.corroborations >= 3), "{text}");
    }
}

/// Two texts that were given one id are close enough to be merged in each of these nights.
#[test]
fn different_texts_of_one_id_are_never_merged_and_are_named() {
    let (first, second) = ("the old mill by the river burns", "the old mill by the river burns now");
    let mut config = Config::default();
    (config.triage.similar, config.triage.similar_over_budget) = (0.5, 0.5);
    config.reconcile.min_similarity = 0.6;
    let config = config.check().unwrap();
    let verbs = |night: &NpcNight| night.changes.iter().map(Change::verb).collect::<Vec<_>>();
    let told = |id| day(0, vec![memory("mill", 1, first, 5), memory(id, 2, second, 5)]);
    assert_eq!(verbs(&sleep(told("b"), MemorySnapshot::empty(), &config)), ["chunk"]);
    let night = sleep(told("mill"), MemorySnapshot::empty(), &config);
    assert_eq!(verbs(&night), ["store", "store"], "{:#?}", night.changes);
    let note = "1 memory has the id of a different one: it is kept as mill~2";
    assert_eq!(night.report.notes.iter().filter(|of| *of == note).count(), 1, "{:?}", night.report.notes);
    // The other one may be merged on the same day, or be known since an earlier night.
    let night = sleep(told("mill"), MemorySnapshot::empty(), &wide());
    assert_eq!(verbs(&night), ["store", "store"], "{:#?}", night.changes);
    let later = |id| day(1, vec![memory(id, 25, second, 5)]);
    assert_eq!(verbs(&sleep(later("b"), snapshot_with(first, 5), &config)), ["corroborate"]);
    assert_eq!(verbs(&sleep(later("old"), snapshot_with(first, 5), &config)), ["store"]);
    // Readings of a status.
    let readings = |id| {
        let readings =
            vec![status("gate", 1, "gate status: 3 patrols"), status(id, 2, "gate status: 5 patrols")];
        sleep(day(0, readings), MemorySnapshot::empty(), &ValidConfig::default())
    };
    assert_eq!(of_verb(&readings("b"), "collapse").count(), 1);
    assert_eq!(of_verb(&readings("gate"), "collapse").count(), 0);
}

/// Trivial memories are the most cohesive, but no theme.
#[test]
fn trivial_memory_is_not_kept_over_a_more_salient_one() {
    let hearth = ["the hearth is lit", "the hearth is lit again", "the hearth is lit once more"];
    let debts = [
        "Joss owes Tom 14 silver",
        "Joss owes Hanne 3 loaves",
        "Joss owes Mara a song",
        "Joss owes Pell a boat",
    ];
    let trifles = hearth.iter().enumerate().map(|(n, text)| memory(&format!("t{n}"), 1, text, 1));
    let weighty = debts.iter().enumerate().map(|(n, text)| memory(&format!("w{n}"), 2, text, 6));
    let mut config = Config::default();
    // Nothing is synthesized.
    (config.triage.similar, config.triage.similar_over_budget) = (1.0, 1.0);
    for (storage, kept) in [(0.3, "ww"), (0.6, "wwww"), (0.8, "wwww")] {
        (config.budget.storage, config.budget.min_kept) = (storage, 0);
        let memories = trifles.clone().chain(weighty.clone()).collect();
        let night = sleep(day(0, memories), MemorySnapshot::empty(), &config.clone().check().unwrap());
        let mut stored: Vec<char> =
            of_verb(&night, "store").filter_map(|c| c.id().as_str().chars().next()).collect();
        stored.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!(stored.into_iter().collect::<String>(), kept, "{storage}");
    }
}

/// Returns the texts kept of a day without a budget worth the name but for `budget.min_kept`.
fn kept_of_small_day(texts: &[&str], importance: Option<u8>, min_kept: usize) -> Vec<String> {
    let mut config = Config::default();
    (config.budget.storage, config.budget.min_kept) = (0.01, min_kept);
    let rated = |m: &mut Memory| m.importance = importance.map(|i| Importance::new(i).unwrap());
    let memories = (0..).zip(texts).map(|(n, text)| memory(&format!("m{n}"), n, text, 5).with(rated));
    let mut kept = texts_after(memories.collect(), &config.check().unwrap());
    kept.sort_unstable();
    kept
}

#[test]
fn small_day_is_kept_whole() {
    let texts = ["I ate bread.", "I fed the hens.", "The player insulted my brother."];
    for importance in [Some(1), Some(5), None] {
        assert_eq!(kept_of_small_day(&texts, importance, 3), texts, "{importance:?}");
    }
    assert_eq!(kept_of_small_day(&texts, Some(5), 2).len(), 2);
}

#[test]
fn more_important_memory_is_never_pruned_for_one_of_another_theme() {
    // Pairs about things that have no words in common: more clusters than the budget has entries.
    let texts = [
        ("cats purr softly", 1),
        ("cats purr softly now", 1),
        ("rain fell", 2),
        ("rain fell hard", 2),
        ("bread rises", 4),
        ("Joss owes me money", 5),
        ("the ferry sank", 6),
    ];
    for storage in [0.15, 0.3, 0.45, 0.6] {
        let mut config = Config::default();
        (config.budget.storage, config.budget.min_kept) = (storage, 0);
        let memories = (0..).zip(texts).map(|(n, (text, i))| memory(&format!("m{n}"), n, text, i));
        let night = sleep(day(0, memories.collect()), MemorySnapshot::empty(), &config.check().unwrap());
        let importance = |change: &Change| {
            let row = (0..texts.len()).find(|n| change.id().as_str() == format!("m{n}"));
            row.map(|n| texts[n].1)
        };
        let importances = |verb| of_verb(&night, verb).filter_map(importance);
        let (kept, gone) = (importances("store").min(), importances("prune").max());
        assert!(kept.zip(gone).is_none_or(|(kept, gone)| gone < kept + 2), "{storage}: {kept:?} {gone:?}");
        assert_eq!(night.report.counts.inversions, 0);
        assert!(night.report.counts.kept <= night.report.storage_budget.max(1));
    }
}

/// Ids hold up to 256 bytes, and a second memory under one id gets a longer one.
#[test]
fn plan_with_a_renamed_id_of_full_length_round_trips() {
    let long = "x".repeat(nightfold_memory::MAX_ID_BYTES);
    let memories = vec![memory(&long, 1, "the mill burns", 9), memory(&long, 2, "the mill stands", 9)];
    let night = sleep(day(0, memories), MemorySnapshot::empty(), &ValidConfig::default());
    assert_eq!(night.report.input.renamed_ids, 1);
    assert!(night.memories.iter().all(|m| MemoryId::new(m.id.as_str()).is_ok()), "{:?}", night.memories);
    let report = RunReport::sum(1, [&night.report]);
    let plan = NightPlan { format: PLAN_FORMAT, nights: vec![night], report };
    let read = NightPlan::from_json(&serde_json::to_vec(&plan).unwrap()).unwrap();
    assert_eq!(read, plan);
}

#[test]
fn empty_day_changes_nothing() {
    let night = sleep(day(0, Vec::new()), MemorySnapshot::empty(), &ValidConfig::default());
    assert!(night.is_empty());
    let blank =
        sleep(day(0, vec![memory("a", 1, " \n", 9)]), MemorySnapshot::empty(), &ValidConfig::default());
    assert_eq!(
        (blank.report.counts.memories, blank.report.counts.distinct, blank.report.input.blank),
        (1, 0, 1)
    );
    assert!(matches!(blank.changes.as_slice(), [Change::Prune { .. }]));
}

#[test]
fn given_vectors_are_used_without_embedding() {
    let bring = |m: Memory| m.with(|m| m.vector = Some(Vector::new(embed(&m.text)).unwrap()));
    let plain: Vec<Memory> =
        (0..9).map(|n| memory(&format!("m{n}"), n, &format!("I swept room {n} of the inn"), 5)).collect();
    let mut some = plain.clone();
    some[2] = bring(some[2].clone());
    some[7] = bring(some[7].clone());
    let all: Vec<Memory> = plain.iter().cloned().map(bring).collect();

    let asked = |memories: &Vec<Memory>| {
        let draft = Draft::begin(
            day(0, memories.clone()),
            MemorySnapshot::empty(),
            model(),
            &ValidConfig::default(),
            &English,
        );
        draft.unwrap().texts().len()
    };
    assert_eq!([asked(&plain), asked(&some), asked(&all)], [9, 7, 0]);
    let night =
        |memories: Vec<Memory>| sleep(day(0, memories), MemorySnapshot::empty(), &ValidConfig::default());
    let expected = night(plain);
    assert_eq!(night(some), expected);
    assert_eq!(night(all), expected);
}

#[test]
fn invalid_day_is_refused_with_its_reason() {
    let begin = |memories, past, config: &ValidConfig| {
        Draft::begin(day(0, memories), past, model(), config, &English).unwrap_err()
    };
    let many =
        |n: i64| (0..n).map(|n| memory(&format!("m{n}"), n, &format!("thing {n}"), 5)).collect::<Vec<_>>();
    let mut config = Config::default();
    config.input.max_memories = 3;
    let small = config.check().unwrap();
    assert!(matches!(
        begin(many(4), MemorySnapshot::empty(), &small),
        ConsolidateError::TooManyMemories { given: 4, most: 3 }
    ));
    let stranger = memory("a", 1, "mine", 5).with(|m| m.npc = "Tom".parse().unwrap());
    assert!(matches!(
        begin(vec![stranger], MemorySnapshot::empty(), &small),
        ConsolidateError::ForeignMemory { other, .. } if other.as_str() == "Tom"
    ));
    let other_model = MemorySnapshot { model: Some("other@2".parse().unwrap()), ..MemorySnapshot::empty() };
    assert!(matches!(begin(Vec::new(), other_model, &small), ConsolidateError::Model { .. }));
}

#[test]
fn mismatched_vectors_are_refused() {
    let draft = || {
        let memories = vec![memory("a", 1, "one", 5), memory("b", 2, "two", 5)];
        Draft::begin(day(0, memories), MemorySnapshot::empty(), model(), &ValidConfig::default(), &English)
            .unwrap()
    };
    assert!(matches!(
        draft().triage(embed_all(&["one"]), &English).unwrap_err(),
        ConsolidateError::Vectors { expected: 2, given: 1, .. }
    ));
    let told = draft().triage(embed_all(&["one", "two"]), &English).unwrap().synthesize_by_rules(&English);
    let spare = embed_all(&["a", "b", "c", "d", "e"]);
    assert!(matches!(
        told.clone().reconcile(spare, &English).unwrap_err(),
        ConsolidateError::Vectors { given: 5, .. }
    ));
    let mut narrow = Vectors::with_capacity(2, told.texts().len());
    told.texts().iter().for_each(|_| narrow.push(&[1.0, 0.0]).unwrap());
    if !told.texts().is_empty() {
        assert!(matches!(
            told.reconcile(narrow, &English).unwrap_err(),
            ConsolidateError::Vectors { dimensions: 2, .. }
        ));
    }
}
