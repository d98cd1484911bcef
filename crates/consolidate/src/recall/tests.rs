use nightfold_english::English;
use nightfold_memory::{
    Config, EndedPosition, GameTime, MemoryId, MemoryRecord, RecordKind, Sketch, State, config::RecallConfig,
};
use serde_json::json;

use super::*;

fn entry(id: &str, at: i64, importance: u8, vector: &[f32]) -> MemoryRecord {
    serde_json::from_value(json!({
        "npc": "Mara", "id": id, "form": "verbatim", "kind": "event", "text": id, "at": at, "last_at": at,
        "importance": importance, "occurrences": 1, "sources": [id], "vector": vector, "state": "active",
        "corroborations": 0, "confidence": "normal", "touched_at": at, "night": "day-0",
    }))
    .unwrap()
}

fn index_of(entries: Vec<MemoryRecord>) -> RecallIndex {
    RecallIndex::new(entries, &English)
}

/// A question without content words.
fn query(vector: &[f32]) -> RecallQuery {
    RecallQuery::new("what?", vector, &English)
}

fn settings() -> RecallConfig {
    Config::default().recall.with(|c| c.min_relevance = 0.0)
}

fn time(hours: i64) -> GameTime {
    GameTime::from_seconds(3600 * hours).unwrap()
}

fn ids<'a>(found: &'a [Recalled<'_>]) -> Vec<&'a str> {
    found.iter().map(|r| r.memory.entry.id.as_str()).collect()
}

#[test]
fn each_score_part_decides_if_the_others_are_equal() {
    let config = settings();
    let best = |a: MemoryRecord, b: MemoryRecord| {
        let index = index_of(vec![a, b]);
        ids(&index.recall(&query(&[1.0, 0.0]), time(200), &config))[0].to_owned()
    };
    let far = entry("far", 0, 5, &[0.0, 1.0]);
    let near = entry("near", 0, 5, &[1.0, 0.0]);
    assert_eq!(best(far.clone(), near.clone()), "near");
    assert_eq!(best(near.clone(), entry("new", 3600 * 199, 5, &[1.0, 0.0])), "new");
    assert_eq!(best(near.clone(), entry("weighty", 0, 9, &[1.0, 0.0])), "weighty");
    assert_eq!(best(near, entry("alike", 0, 5, &[1.0, 0.0])), "alike", "of equal ones by id");
}

#[test]
fn relevance_goes_before_recency_and_importance() {
    let config = settings();
    let index = index_of(vec![entry("near", 0, 1, &[0.8, 0.6]), entry("new", 3600 * 199, 10, &[0.5, 0.866])]);
    assert_eq!(ids(&index.recall(&query(&[1.0, 0.0]), time(200), &config)), ["near", "new"]);
}

#[test]
fn shared_words_raise_relevance() {
    let index =
        index_of(vec![entry("rain fell", 0, 5, &[0.8, 0.6]), entry("Joss owes silver", 0, 5, &[0.6, 0.8])]);
    let ask = |question: &str| {
        let query = RecallQuery::new(question, &[1.0, 0.0], &English);
        ids(&index.recall(&query, time(0), &settings()))[0].to_owned()
    };
    assert_eq!(ask("what?"), "rain fell");
    assert_eq!(ask("who owes silver?"), "Joss owes silver");
    let found = index.recall(&RecallQuery::new("silver", &[1.0, 0.0], &English), time(0), &settings());
    assert_eq!((found[0].words, found[1].words), (1.0, 0.0));
}

#[test]
fn reflections_follow_the_memories_that_they_rest_on() {
    let mut thought = entry("thought", 0, 5, &[1.0, 0.0]);
    thought.entry.form = RecordKind::Reflection;
    thought.entry.sources = ["far", "near"].map(|id| MemoryId::new(id).unwrap()).to_vec();
    let lived = [("near", [0.9, 0.435_89]), ("other", [0.95, 0.312_25]), ("far", [0.5, 0.866_03])];
    let entries = lived.iter().map(|(id, vector)| entry(id, 0, 5, vector)).chain([thought]).collect();
    let index = index_of(entries);
    let found = index.recall(&query(&[1.0, 0.0]), time(0), &settings());
    assert_eq!(ids(&found), ["other", "near", "far", "thought"]);
}

#[test]
fn names_of_actors_and_place_are_searched() {
    let mut held = entry("the talk went on", 0, 5, &[1.0, 0.0]);
    held.entry.actors = vec!["Vex".to_owned()];
    held.entry.place = Some("the Three Kettles".to_owned());
    let index = index_of(vec![held, entry("it rained", 0, 5, &[1.0, 0.0])]);
    for question in ["What of Vex?", "What happened at the Three Kettles?"] {
        let found = index.recall(&RecallQuery::new(question, &[1.0, 0.0], &English), time(0), &settings());
        assert!(found[0].words > 0.4 && found[1].words == 0.0, "{question} {found:?}");
    }
}

#[test]
fn question_about_now_prefers_the_newer_statement_on_a_subject() {
    let first = |question: &str, newer: MemoryRecord| {
        let index = index_of(vec![entry("Joss owes 14 silver", 0, 5, &[0.8, 0.6]), newer]);
        let query = RecallQuery::new(question, &[0.8, 0.6], &English);
        ids(&index.recall(&query, time(3), &settings()))[0].to_owned()
    };
    let (old, new) = ("Joss owes 14 silver", "Joss paid nine and owes five after harvest");
    let paid = entry(new, 3600, 5, &[0.4, 0.9165]);
    assert_eq!(first("How much did Joss owe you?", paid.clone()), old);
    assert_eq!(first("How much does Joss still owe you?", paid.clone()), new);
    // Another subject tells nothing of this one, nor does a reflection tell anything new.
    assert_eq!(first("Does Joss still owe you?", entry("rain", 3600, 5, &[-0.6, 0.8])), old);
    let mut insight = paid;
    insight.entry.form = RecordKind::Reflection;
    assert_eq!(first("How much does Joss still owe you?", insight), old);
}

#[test]
fn question_about_now_prefers_the_newer_statement_faint_or_not() {
    let faint = |mut record: MemoryRecord| {
        (record.state, record.archived_by) = (State::Archived, Some("over-budget".to_owned()));
        record
    };
    let copied = |year: i64| {
        entry(&format!("I copied the rolls of the year {year}"), 3600 * (year - 1361), 5, &[0.8, 0.6])
    };
    let query = RecallQuery::new("Which year of the rolls do you copy now?", &[0.8, 0.6], &English);
    let first = |entries: [MemoryRecord; 2]| {
        let index = index_of(entries.to_vec());
        index.recall(&query, time(3), &settings())[0].memory.entry.at
    };
    assert_eq!(first([faint(copied(1361)), copied(1362)]), time(1));
    assert_eq!(first([copied(1361), faint(copied(1362))]), time(1), "for lack of room, not of truth");
}

/// An entry that tells how the mayor opened the fair, and that he is alive, which ended.
fn opened_the_fair(vector: &[f32]) -> MemoryRecord {
    let mut told = entry("fair", 0, 5, vector);
    told.entry.text = "The bell rang at the fair; the mayor is alive".to_owned();
    told.ended = vec![EndedPosition {
        since: time(2),
        text: "the mayor is alive".to_owned(),
        by: MemoryId::new("news").unwrap(),
    }];
    told
}

#[test]
fn entry_whose_asked_part_has_ended_follows_those_that_hold() {
    let news = entry("the mayor died", 3600, 5, &[0.8, 0.6]);
    let mut appended = index_of(vec![news.clone()]);
    appended.extend([opened_the_fair(&[1.0, 0.0])], &English);
    for index in [index_of(vec![opened_the_fair(&[1.0, 0.0]), news]), appended] {
        let ask = |question: &str| {
            let query = RecallQuery::new(question, &[1.0, 0.0], &English);
            let found = index.recall(&query, time(3), &settings());
            ids(&found).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(ask("Was the mayor alive?"), ["the mayor died", "fair"]);
        assert_eq!(ask("Who rang the bell at the fair?"), ["fair", "the mayor died"]);
        assert_eq!(ask("what?"), ["fair", "the mayor died"], "no word tells which part is meant");
    }
}

#[test]
fn question_about_now_does_not_recall_what_has_ended() {
    let index = index_of(vec![opened_the_fair(&[1.0, 0.0])]);
    let ask = |question: &str| {
        let query = RecallQuery::new(question, &[1.0, 0.0], &English);
        index.recall(&query, time(3), &settings()).len()
    };
    assert_eq!(ask("Is the mayor still alive?"), 0);
    assert_eq!(ask("Is the bell still at the fair?"), 1);
    assert_eq!(ask("Was the mayor alive?"), 1);
}

#[test]
fn every_update_goes_before_what_it_updates_whatever_the_order_of_scores() {
    // A chain on one subject in which each tells the state of its neighbour only: the first and the last are too
    // far from each other.
    let angles = [0.0_f32, 0.9, 1.8];
    let chain = |order: [usize; 3]| {
        let of = |place: usize| {
            let n = order[place];
            entry(&format!("m{n}"), i64::try_from(n).unwrap() * 3600, 5, &[angles[n].cos(), angles[n].sin()])
        };
        (0..3).map(of).collect::<Vec<_>>()
    };
    let mut config = settings();
    (config.same_subject, config.newer_margin) = (0.6, 1.0);
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]] {
        for asked in [0.0_f32, 0.9, 1.8] {
            let index = index_of(chain(order));
            let mut query = query(&[asked.cos(), asked.sin()]);
            (query.about_present, query.is_in_present) = (true, true);
            config.min_relevance = 0.0;
            let found = index.recall(&query, time(9), &config);
            assert_eq!(ids(&found), ["m2", "m1", "m0"], "{asked}");
        }
    }
}

#[test]
fn appended_entry_goes_before_an_older_one_on_its_subject() {
    let mut index = index_of(vec![entry("the bridge fell", 0, 9, &[1.0, 0.0])]);
    let fixed = entry("they mended it", 3600, 5, &[0.9, 0.435_89]);
    index.extend([entry("rain", 3600, 5, &[0.5, 0.866]), fixed], &English);
    let found = index.recall(&query(&[1.0, 0.0]), time(2), &settings());
    assert_eq!(ids(&found), ["they mended it", "the bridge fell", "rain"]);
    let today = RecallFilter::default().since(time(1));
    let found = index.recall(&query(&[1.0, 0.0]).with_filter(today), time(2), &settings());
    assert_eq!(ids(&found), ["they mended it", "rain"]);
    let mut empty = index_of(Vec::new());
    let first = entry("first", 0, 5, &[1.0, 0.0]);
    empty.extend([first.clone(), entry("short", 0, 5, &[1.0]), first], &English);
    assert_eq!(ids(&empty.recall(&query(&[1.0, 0.0]), time(2), &settings())), ["first"]);
}

#[test]
fn irrelevant_entries_do_not_come_to_mind() {
    let index = index_of(vec![entry("near", 0, 5, &[0.8, 0.6]), entry("far", 0, 10, &[0.1, 0.995])]);
    let floor = Config::default().recall.with(|c| c.min_relevance = 0.3);
    assert_eq!(ids(&index.recall(&query(&[1.0, 0.0]), time(0), &floor)), ["near"]);
    assert!(index.recall(&query(&[-1.0, 0.0]), time(0), &floor).is_empty());
}

#[test]
fn recency_halves_per_half_life_and_recall_resets_it() {
    let config = settings();
    let mut index = index_of(vec![entry("a", 0, 5, &[1.0])]);
    let recency =
        |index: &RecallIndex, hours: i64| index.recall(&query(&[1.0]), time(hours), &config)[0].recency;
    let half = config.half_life_hours as i64;
    assert!((recency(&index, half) - 0.5).abs() < 1e-12);
    index.touch(&[MemoryId::new("a").unwrap()], time(half));
    assert!((recency(&index, half) - 1.0).abs() < 1e-12);
    assert_eq!(index.recall(&query(&[1.0]), time(half), &config)[0].memory.recalls, 1);
    assert!((recency(&index, 0) - 1.0).abs() < 1e-12, "nothing is more recent than now");
}

#[test]
fn ranking_does_not_depend_on_limit_or_order() {
    let mut config = settings();
    let entries: Vec<MemoryRecord> = (0_u16..60)
        .map(|n| {
            let angle = f32::from(n) * 0.37;
            let vector = [angle.cos(), angle.sin()];
            entry(&format!("m{n:02}"), i64::from(n % 7) * 40_000, 1 + (n % 9) as u8, &vector)
        })
        .collect();
    let mut reversed = entries.clone();
    reversed.reverse();
    config.limit = 60;
    let (index, other) = (index_of(entries), index_of(reversed));
    let asked = query(&[0.6, 0.8]);
    let all = index.recall(&asked, time(100), &config);
    assert_eq!(all.len(), 60);
    config.limit = 7;
    for index in [&index, &other] {
        assert_eq!(ids(&index.recall(&asked, time(100), &config)), ids(&all)[..7]);
    }
}

#[test]
fn archived_entries_and_other_vector_lengths_are_not_recalled() {
    let mut archived = entry("archived", 0, 5, &[1.0, 0.0]);
    archived.state = State::Archived;
    let index = index_of(vec![entry("a", 0, 5, &[1.0, 0.0]), archived, entry("short", 0, 5, &[1.0])]);
    let config = settings();
    assert_eq!(ids(&index.recall(&query(&[1.0, 0.0]), time(0), &config)), ["a"]);
    assert!(index.recall(&query(&[1.0]), time(0), &config).is_empty());
    assert!(index_of(Vec::new()).recall(&query(&[1.0]), time(0), &config).is_empty());
}

fn archived(id: &str, rule: &str, vector: &[f32]) -> MemoryRecord {
    let mut record = entry(id, 0, 5, vector);
    (record.state, record.archived_by) = (State::Archived, Some(rule.to_owned()));
    record.sketch = record.entry.vector.take().map(|vector| Sketch::of(vector.as_slice()));
    record
}

#[test]
fn archived_entry_comes_faintly_behind_an_active_one_that_answers_as_well() {
    let (near, off) = ([0.5_f32; 4], [0.9, 0.251_66, 0.251_66, 0.251_66]);
    let index = index_of(vec![
        archived("a", "over-budget", &near),
        entry("b", 0, 5, &near),
        archived("c", "contradicted", &near),
        archived("d", "capped", &near),
        entry("e", 0, 5, &[0.5, -0.5, 0.5, -0.5]),
    ]);
    let ask = |index: &RecallIndex, config: &RecallConfig| {
        let found = index.recall(&query(&near), time(0), config);
        found.iter().map(|r| (r.memory.entry.id.to_string(), r.faint)).collect::<Vec<_>>()
    };
    let named =
        |ids: &[(&str, bool)]| ids.iter().map(|(id, faint)| ((*id).to_owned(), *faint)).collect::<Vec<_>>();
    assert_eq!(ask(&index, &settings()), named(&[("b", false), ("a", true), ("e", false)]));
    let active_only = settings().with(|c| c.faint = false);
    assert_eq!(ask(&index, &active_only), named(&[("b", false), ("e", false)]));
    let index = index_of(vec![archived("a", "similar", &near), entry("b", 0, 5, &off)]);
    assert_eq!(
        ask(&index, &settings()),
        named(&[("a", true), ("b", false)]),
        "one that answers better goes first"
    );
}

#[test]
fn weaker_entries_follow_one_that_stands_out_and_what_is_nearest_is_known() {
    let index = index_of(vec![entry("near", 0, 5, &[0.8, 0.6]), entry("some", 0, 5, &[0.25, 0.968])]);
    let floor = Config::default().recall;
    assert_eq!(ids(&index.recall(&query(&[1.0, 0.0]), time(0), &floor)), ["near", "some"]);
    let far = query(&[0.6, -0.8]);
    assert!(index.recall(&far, time(0), &floor).is_empty());
    assert_eq!(index.nearest(&far, time(0), &floor).unwrap().memory.entry.id.as_str(), "near");
}
