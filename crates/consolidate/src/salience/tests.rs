use nightfold_english::English;
use nightfold_memory::{Config, Memory};

use super::*;

/// Returns the saliences of a day given as JSON, on vectors that are all equal.
fn measured(memories: &[serde_json::Value], edit: impl FnOnce(&mut SalienceConfig)) -> Vec<Salience> {
    let mut config = Config::default().salience;
    edit(&mut config);
    let distinct: Vec<DistinctMemory> = memories
        .iter()
        .enumerate()
        .map(|(i, memory)| {
            let mut memory = memory.clone();
            memory["id"] = format!("m-{i}").into();
            memory["npc"] = "n".into();
            memory["at"] = i.into();
            let memory: Memory = serde_json::from_value(memory).unwrap();
            DistinctMemory::of(&memory)
        })
        .collect();
    saliences_of(&distinct, &config)
}

fn saliences_of(distinct: &[DistinctMemory], config: &SalienceConfig) -> Vec<Salience> {
    let analyses: Vec<Analysis> = distinct.iter().map(|d| English.analyze(&d.text, &[])).collect();
    let mut vectors = Vectors::with_capacity(1, distinct.len());
    distinct.iter().for_each(|_| vectors.push(&[1.0]).unwrap());
    SalienceMeter {
        distinct,
        normal_forms: &BTreeMap::new(),
        analyses: &analyses,
        vectors: &vectors,
        gram: &Gram::new(&vectors),
        model: &ModelId::new("another").unwrap(),
        past: &MemorySnapshot::empty(),
        config,
        pack: &English,
    }
    .saliences()
}

fn totals(memories: &[(&str, Option<u8>)]) -> Vec<f64> {
    let day: Vec<_> = memories
        .iter()
        .map(|(text, importance)| serde_json::json!({"kind": "chat", "text": text, "importance": importance}))
        .collect();
    let totals: Vec<f64> = measured(&day, |_| {}).iter().map(|salience| salience.total).collect();
    assert!(totals.iter().all(|total| (0.0..=11.0).contains(total)));
    totals
}

#[test]
fn stated_importance_is_the_salience() {
    let [rich, poor] = totals(&[("I sold 14 sheep to Joss at the fair", Some(2)), ("ok", Some(9))])[..]
    else {
        panic!()
    };
    assert_eq!((rich, poor), (2.0, 9.0));
}

#[test]
fn salience_grows_with_information() {
    let totals = totals(&[
        ("I sold 14 sheep to Joss at the fair", None),
        ("The sheep were sold at the fair in spring", None),
        ("How are you?", None),
    ]);
    assert!(totals.is_sorted_by(|a, b| a > b), "{totals:?}");
}

#[test]
fn question_counts_by_its_words() {
    let totals = totals(&[
        ("Will Bran buy 14 lambs by the old bridge?", None),
        ("Did you sleep well?", None),
        ("Bran will buy ten lambs at the fair", None),
    ]);
    assert!(totals[0] > totals[1] && totals[0] > 0.8 * totals[2], "{totals:?}");
}

#[test]
fn shared_words_lower_salience() {
    let alone = totals(&[("The mill burned down at dawn", None)])[0];
    let shared = totals(&[("The mill burned down at dawn", None), ("At dawn the mill was burned", None)])[0];
    assert!(shared < alone);
}

#[test]
fn emotion_and_meaning_add_at_most_their_bound() {
    let felt = serde_json::json!({"kind": "event", "importance": 5, "text": "Pell owes me nine silver",
        "emotion": {"valence": -0.5, "intensity": 1.0}});
    let calm = serde_json::json!({"kind": "event", "importance": 5, "text": "Pell walked by"});
    let both = measured(&[felt.clone(), calm.clone()], |_| {});
    assert_eq!(both[0].meanings, [Meaning::Debt]);
    assert!((both[0].total - 5.8).abs() < 1e-12 && (both[1].total - 5.0).abs() < 1e-12, "{both:?}");
    let most = measured(&[felt, calm], |c| (c.emotion, c.meaning, c.surprise) = (0.8, 0.8, 0.8));
    assert!((most[0].total - 5.0 - SalienceConfig::MAX_ADDED).abs() < 1e-12, "{most:?}");
}

#[test]
fn status_lines_have_no_meanings() {
    let line = |kind: &str| serde_json::json!({"kind": kind, "importance": 2, "text": "Tanner Street: 5 sick, 2 dead"});
    let [status, event] = &measured(&[line("status"), line("event")], |_| {})[..] else { panic!() };
    assert_eq!((status.meaning, status.meanings.as_slice()), (0.0, &[][..]));
    assert_eq!(event.meanings, [Meaning::Harm]);
}

#[test]
fn weights_of_people_kinds_and_tags_are_added_whole() {
    let day = [
        serde_json::json!({"kind": "event", "importance": 3, "text": "we met", "actors": ["Tam", "Player"]}),
        serde_json::json!({"kind": "thought", "importance": 3, "text": "a dull day", "tags": ["idle", "main-quest"]}),
    ];
    let weighed = measured(&day, |c| {
        c.actors = [("Player".to_owned(), 3.0), ("Tam".to_owned(), -1.0)].into();
        c.kinds = [(Kind::Thought, -1.0)].into();
        c.tags = [("main-quest".to_owned(), 2.5), ("idle".to_owned(), -2.0)].into();
    });
    let parts: Vec<_> = weighed.iter().map(|s| (s.actors, s.kind, s.tags, s.total)).collect();
    assert_eq!(parts, [(3.0, 0.0, 0.0, 6.0), (0.0, -1.0, 2.5, 4.5)]);
}

#[test]
fn talk_repeated_word_for_word_matters_more() {
    let memory = |id: &str| {
        let json =
            serde_json::json!({"id": id, "npc": "n", "at": 1, "kind": "chat", "text": "The bridge is out"});
        serde_json::from_value::<Memory>(json).unwrap()
    };
    let day = [memory("a"), memory("b"), memory("c")];
    let distinct = crate::collapse::collapse_exact(&day);
    assert_eq!(distinct.len(), 1);
    let measured = saliences_of(&distinct, &Config::default().salience);
    assert!((measured[0].repetition - 0.1 * 2.0 / 3.0).abs() < 1e-12);
}

#[test]
fn every_part_is_noted_in_reasons_and_read_back_in_words() {
    let day = [serde_json::json!({"kind": "event", "importance": 5, "text": "Pell owes me nine silver",
        "actors": ["Pell"], "emotion": {"valence": 0.5, "intensity": 0.2}})];
    let of = measured(&day, |c| {
        c.actors.insert("Pell".to_owned(), 1.0);
    });
    let reason = of[0].noted_in(nightfold_memory::Reason::new(nightfold_memory::Rule::WithinBudget));
    assert_eq!(
        reason.salience().as_deref(),
        Some("salience 6.70 = rated 5.00 + emotion 0.10 + surprise 0.30 + meaning 0.30 (debt) + actors 1.00")
    );
}
