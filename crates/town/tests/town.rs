//! A town behind JSON: days, nights, questions, saves, and calls that are refused.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use nightfold_town::{Town, TownError, TownModels, TownOptions, testing::Letters};
use proptest::prelude::*;
use serde_json::{Value, json};

fn options(options: Value) -> TownOptions {
    serde_json::from_value(options).unwrap()
}

fn town(of: Value) -> Town {
    Town::with_models(options(of), &TownModels::of_embedder(Arc::new(Letters::new()))).unwrap()
}

fn run(town: &mut Town, command: &Value) -> Value {
    serde_json::from_str(&town.do_json(&command.to_string()).unwrap()).unwrap()
}

fn refused(town: &mut Town, command: &str) -> TownError {
    town.do_json(command).unwrap_err()
}

fn live(town: &mut Town, npc: &str, at: i64, text: &str) {
    run(
        town,
        &json!({"do": "live", "npc": npc, "memory": {"at": at, "kind": "event", "text": text, "importance": 6}}),
    );
}

/// Runs ticks until an event of this name, and returns it.
fn until(town: &mut Town, now: &mut i64, name: &str) -> Value {
    for _ in 0..20_000 {
        *now += 1;
        run(town, &json!({"do": "tick", "now": *now}));
        while let Some(event) = town.next_event() {
            if event.name() == name {
                return serde_json::to_value(event).unwrap();
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("no {name}");
}

/// Lets Mara live through a day and sleep on it; returns the second after.
fn night(town: &mut Town) -> i64 {
    run(town, &json!({"do": "spawn", "npc": "Mara", "recalls": true, "tags": ["smith"]}));
    live(town, "Mara", 10, "Joss owes Tom 14 silver for the axle");
    live(town, "Mara", 20, "Wren sang about the storm");
    let mut now = 30;
    run(town, &json!({"do": "tick", "now": now}));
    run(town, &json!({"do": "sleep", "npc": "Mara", "until": 30_000, "quality": 0.9}));
    let told = until(town, &mut now, "consolidated");
    assert_eq!((&told["npc"], &told["counts"]["memories"]), (&json!("Mara"), &json!(2)));
    assert_eq!(told["changes"][0]["change"], "learnt");
    now
}

/// Takes Mara's last night back as soon as her memory, which is maintained while she sleeps, may be written.
fn undo(town: &mut Town, now: &mut i64) -> Value {
    let command = json!({"do": "undo", "npc": "Mara"}).to_string();
    for _ in 0..20_000 {
        match town.do_json(&command) {
            Ok(reply) => return serde_json::from_str(&reply).unwrap(),
            Err(error) if error.code() == "night_under_way" => {
                *now += 1;
                run(town, &json!({"do": "tick", "now": *now}));
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(error) => panic!("{error}"),
        }
    }
    panic!("Mara is not left alone");
}

#[test]
fn a_day_a_night_and_a_question() {
    let mut town = town(json!({}));
    let mut now = night(&mut town);
    let asked = run(&mut town, &json!({"do": "ask", "npc": "Mara", "question": "What does Joss owe Tom?"}));
    let answer = until(&mut town, &mut now, "answered");
    assert_eq!(answer["ticket"], asked["ticket"]);
    assert_eq!(answer["memories"][0]["text"], "Joss owes Tom 14 silver for the axle");
    let filtered = json!({"do": "ask", "npc": "Mara", "question": "Joss?", "filter": {"kinds": ["chat"]}});
    run(&mut town, &filtered);
    let answer_of_chats = until(&mut town, &mut now, "answered");
    assert_eq!((&answer_of_chats["memories"], answer_of_chats.get("context")), (&json!([]), None));
    let for_prompt =
        json!({"do": "ask", "npc": "Mara", "question": "What does Joss owe Tom?", "context": 60});
    run(&mut town, &for_prompt);
    let context = until(&mut town, &mut now, "answered")["context"].clone();
    assert!(context.as_str().unwrap().contains("- Joss owes Tom 14 silver for the axle ("), "{context}");

    let id = answer["memories"][0]["id"].clone();
    let why = run(&mut town, &json!({"do": "why", "npc": "Mara", "id": id}));
    assert_eq!(why["log"][0]["do"], "store");
    let entries = run(&mut town, &json!({"do": "entries", "npc": "Mara"}));
    assert!(entries["entries"].as_array().unwrap().len() >= 2);

    run(&mut town, &json!({"do": "wake", "npc": "Mara"}));
    let woke = until(&mut town, &mut now, "woke");
    assert_eq!((&woke["why"], &woke["night"]["progress"]), (&json!("woken"), &json!("over")));
    let undone = undo(&mut town, &mut now);
    assert_eq!(undone["undone"]["npc"], "Mara");
    let saved = run(&mut town, &json!({"do": "save"}))["saved"].clone();
    run(&mut town, &json!({"do": "load", "saved": saved}));
    run(&mut town, &json!({"do": "ask", "npc": "Mara", "question": "What does Joss owe Tom?"}));
    assert_eq!(until(&mut town, &mut now, "answered")["memories"], json!([]), "what was undone is forgotten");
}

#[test]
fn plan_and_apply_write_what_the_plan_says() {
    let mut town = town(json!({}));
    let memories = json!([
        {"id": "m-1", "npc": "Mara", "at": 10, "kind": "event", "text": "Joss owes Tom 14 silver"},
        {"id": "m-2", "npc": "Mara", "at": 20, "kind": "event", "text": "Wren sang about the storm"},
    ]);
    let planned = run(&mut town, &json!({"do": "plan", "memories": memories}));
    assert_eq!(run(&mut town, &json!({"do": "export"}))["lines"].as_str().unwrap().matches("m-1").count(), 0);
    let applied = run(&mut town, &json!({"do": "apply", "plan": planned["plan"]}));
    assert_eq!(applied, json!({"written": 1, "unchanged": 0}));
    assert!(
        run(&mut town, &json!({"do": "export", "npc": "Mara"}))["lines"].as_str().unwrap().contains("m-1")
    );
    let again = run(&mut town, &json!({"do": "apply", "plan": planned["plan"]}));
    assert_eq!(again, json!({"written": 0, "unchanged": 1}));
    // A plan whose references do not hold is refused.
    let mut forged = planned["plan"].clone();
    forged["nights"][0]["memories"][0]["npc"] = json!("Tom");
    let error = refused(&mut town, &json!({"do": "apply", "plan": forged}).to_string());
    assert_eq!(error.code(), "plan");
}

#[test]
fn a_saved_town_carries_its_memory_to_another_process() {
    let mut town = town(json!({}));
    let mut now = night(&mut town);
    live(&mut town, "Mara", now, "Tom mended the sign over the door");
    let saved = run(&mut town, &json!({"do": "save", "with_memory": true}))["saved"].clone();
    let mut other = self::town(json!({}));
    run(&mut other, &json!({"do": "load", "saved": saved}));
    assert_eq!(
        run(&mut other, &json!({"do": "save", "with_memory": true}))["saved"],
        saved,
        "loading loses nothing"
    );
    run(&mut other, &json!({"do": "ask", "npc": "Mara", "question": "Who owes Tom 14 silver for the axle?"}));
    let answer = until(&mut other, &mut now, "answered");
    assert_eq!(answer["memories"][0]["text"], "Joss owes Tom 14 silver for the axle");
    run(&mut other, &json!({"do": "ask", "npc": "Mara", "question": "Who mended the sign over the door?"}));
    let answer = until(&mut other, &mut now, "answered");
    assert_eq!(answer["memories"][0]["today"], true, "the day was saved with it");
}

#[test]
fn a_save_point_takes_the_future_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("town.db");
    let mut town = town(json!({"store": {"file": file}}));
    let mut now = night(&mut town);
    let saved = run(&mut town, &json!({"do": "save", "slot": "quick"}))["saved"].clone();
    run(&mut town, &json!({"do": "wake", "npc": "Mara"}));
    live(&mut town, "Mara", now, "The mill burned down");
    run(&mut town, &json!({"do": "sleep", "npc": "Mara", "until": 90_000}));
    until(&mut town, &mut now, "consolidated");
    run(&mut town, &json!({"do": "load", "saved": saved}));
    let status = run(&mut town, &json!({"do": "status"}))["status"].clone();
    assert!(status["now"].as_i64().unwrap() < now, "game time is that of the save");
    let entries = run(&mut town, &json!({"do": "entries", "npc": "Mara"})).to_string();
    assert!(entries.contains("14 silver") && !entries.contains("mill burned"), "{entries}");
    assert_eq!(refused(&mut town, r#"{"do":"save","with_memory":true}"#).code(), "saved_town");
}

#[test]
fn a_lockstep_town_tells_the_same_on_any_number_of_threads() {
    let tell = |threads: usize| -> (Vec<String>, String) {
        let timing = json!({"lockstep": {"plan_seconds": 50, "write_seconds": 5}});
        let mut town = town(json!({"threads": threads, "timing": timing, "tokens": 0}));
        let mut told = Vec::new();
        for npc in ["Mara", "Tom", "Wren"] {
            run(&mut town, &json!({"do": "spawn", "npc": npc, "recalls": true}));
            live(&mut town, npc, 10, &format!("{npc} counted sheep by the river"));
            live(&mut town, npc, 20, "Joss owes Tom 14 silver for the axle");
        }
        for now in 30..200 {
            if now == 40 {
                for npc in ["Mara", "Tom"] {
                    run(&mut town, &json!({"do": "sleep", "npc": npc, "until": 150}));
                }
            }
            if now == 45 {
                run(&mut town, &json!({"do": "ask", "npc": "Wren", "question": "Who owes silver?"}));
            }
            if now == 60 {
                run(&mut town, &json!({"do": "wake", "npc": "Tom"}));
            }
            run(&mut town, &json!({"do": "tick", "now": now}));
            while let Some(event) = town.next_event() {
                told.push(format!("{now} {}", serde_json::to_string(&event).unwrap()));
            }
        }
        (told, run(&mut town, &json!({"do": "export"}))["lines"].as_str().unwrap().to_owned())
    };
    let (told, lines) = tell(1);
    let names: BTreeSet<&str> = told.iter().map(|line| line.split('"').nth(3).unwrap()).collect();
    assert_eq!(names, BTreeSet::from(["answered", "consolidated", "fell_asleep", "woke"]));
    for threads in [0, 3] {
        assert_eq!(tell(threads), (told.clone(), lines.clone()), "{threads} threads");
    }
}

#[test]
fn a_town_without_threads_computes_in_its_steps() {
    let mut town = town(json!({"threads": 0}));
    run(&mut town, &json!({"do": "spawn", "npc": "Mara", "recalls": true}));
    live(&mut town, "Mara", 10, "Joss owes Tom 14 silver for the axle");
    run(&mut town, &json!({"do": "sleep", "npc": "Mara", "since": 20, "until": 30_000}));
    let mut told = Vec::new();
    for now in 20..60 {
        run(&mut town, &json!({"do": "tick", "now": now}));
        told.extend(std::iter::from_fn(|| town.next_event()).map(|event| event.name()));
    }
    assert_eq!(told, ["fell_asleep"], "ticks compute nothing");
    for now in 60.. {
        town.step(Duration::from_millis(2));
        run(&mut town, &json!({"do": "tick", "now": now}));
        if town.next_event().is_some_and(|event| event.name() == "consolidated") {
            break;
        }
    }
}

/// Opens a town whose vectors the host computes.
fn asking() -> Town {
    Town::open(options(json!({"embedder": {"host": {"model": "letters@1", "dimensions": 64}}}))).unwrap()
}

#[test]
fn a_host_may_bring_its_vectors() {
    let mut town = asking();
    run(&mut town, &json!({"do": "spawn", "npc": "Mara", "recalls": true}));
    live(&mut town, "Mara", 10, "Joss owes Tom 14 silver for the axle");
    live(&mut town, "Mara", 20, "Wren sang about the storm");
    run(&mut town, &json!({"do": "sleep", "npc": "Mara", "since": 20, "until": 30_000}));
    let mut wanted = BTreeSet::new();
    let mut consolidated = None;
    for now in 20..20_000 {
        run(&mut town, &json!({"do": "tick", "now": now}));
        while let Some(event) = town.next_event() {
            let event = serde_json::to_value(event).unwrap();
            match event["event"].as_str().unwrap() {
                "vectors_wanted" => {
                    let texts: Vec<&str> =
                        event["texts"].as_array().unwrap().iter().map(|t| t.as_str().unwrap()).collect();
                    let batch = event["batch"].as_u64().unwrap();
                    let short = json!({"do": "vectors", "batch": batch, "vectors": [[1.0]]});
                    assert_eq!(refused(&mut town, &short.to_string()).code(), "vectors");
                    // Their length does not matter.
                    let rows = texts.iter().flat_map(|text| Letters::vector(text)).map(|x| 3.0 * x);
                    town.give_vectors(batch, &rows.collect::<Vec<f32>>()).unwrap();
                    assert_eq!(town.give_vectors(batch, &[]).unwrap_err().code(), "vectors", "given once");
                    for text in texts {
                        assert!(wanted.insert(text.to_owned()), "{text:?} was wanted before");
                    }
                }
                "consolidated" => consolidated = Some(event),
                _ => {}
            }
        }
        if consolidated.is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(wanted.iter().any(|text| text.contains("14 silver")), "{wanted:?}");
    assert_eq!(consolidated.unwrap()["counts"]["memories"], 2);
    assert_eq!(refused(&mut town, r#"{"do":"plan","memories":[]}"#).code(), "options");
}

#[test]
fn a_town_closes_and_loads_while_vectors_are_wanted() {
    let mut town = asking();
    run(&mut town, &json!({"do": "spawn", "npc": "Mara"}));
    live(&mut town, "Mara", 10, "Joss owes Tom 14 silver for the axle");
    run(&mut town, &json!({"do": "sleep", "npc": "Mara", "since": 20, "until": 30_000}));
    let mut now = 20;
    let first = until(&mut town, &mut now, "vectors_wanted")["batch"].as_u64().unwrap();
    let saved = run(&mut town, &json!({"do": "save"}))["saved"].clone();
    run(&mut town, &json!({"do": "load", "saved": saved}));
    assert!(town.give_vectors(first, &[0.5; 64]).is_err(), "nobody waits for it any more");
    let batch = until(&mut town, &mut now, "vectors_wanted");
    assert!(batch["texts"].to_string().contains("14 silver"), "the night is planned again");
    drop(town);
}

#[test]
fn what_cannot_be_done_is_refused_with_a_reason() {
    let mut town = town(json!({"max_events": 1}));
    run(&mut town, &json!({"do": "spawn", "npc": "Mara"}));
    for (command, code, says) in [
        ("{", "json", "EOF"),
        (r#"{"do":"dance"}"#, "json", "dance"),
        (r#"{"do":"tick","now":1,"extra":2}"#, "json", "extra"),
        (r#"{"do":"spawn","npc":""}"#, "json", "empty"),
        (r#"{"do":"spawn","npc":"Mara"}"#, "npc_exists", "already"),
        (r#"{"do":"wake","npc":"Nobody"}"#, "unknown_npc", "Nobody"),
        (r#"{"do":"ask","npc":"Mara","question":"?"}"#, "not_recalling", "recalls"),
        (r#"{"do":"live","npc":"Mara","memory":{"at":0,"kind":"rumour","text":"x"}}"#, "json", "rumour"),
        (
            r#"{"do":"live","npc":"Mara","memory":{"at":0,"kind":"event","text":"x","importance":11}}"#,
            "json",
            "1 to 10",
        ),
        (
            r#"{"do":"live","npc":"Mara","memory":{"at":0,"kind":"event","text":"x","importnace":1}}"#,
            "json",
            "importnace",
        ),
        (r#"{"do":"sleep","npc":"Mara","until":-5}"#, "sleep", "-5"),
        (r#"{"do":"sleep","npc":"Mara","since":9,"until":5}"#, "sleep", "before"),
        (r#"{"do":"sleep","npc":"Mara","until":5,"quality":1.5}"#, "sleep", "1.5"),
        (r#"{"do":"undo","npc":"Mara"}"#, "no_night", "Mara"),
        (r#"{"do":"why","npc":"Mara","id":"m-1"}"#, "unknown_entry", "m-1"),
        (r#"{"do":"vectors","batch":1,"vectors":[]}"#, "vectors", "minilm"),
        (r#"{"do":"save","slot":"a","with_memory":true}"#, "options", "save point"),
        (r#"{"do":"plan","memories":[{"id":"a"}]}"#, "json", "npc"),
    ] {
        let error = refused(&mut town, command);
        assert_eq!(error.code(), code, "{command}: {error}");
        assert!(error.message().contains(says), "{command}: {}", error.message());
    }
    let long = json!({"do": "live", "npc": "Mara", "memory": {"at": 0, "kind": "event", "text": "x".repeat(1 << 20)}});
    let error = refused(&mut town, &long.to_string());
    assert!(error.code() == "memory" && error.message().contains("input.max_text_bytes"), "{error}");
    // Unread events stop the ticks, not the memory of the process.
    live(&mut town, "Mara", 1, "I swept the common room");
    run(&mut town, &json!({"do": "sleep", "npc": "Mara", "until": 300}));
    run(&mut town, &json!({"do": "tick", "now": 5}));
    assert_eq!(refused(&mut town, r#"{"do":"tick","now":6}"#).code(), "events_unread");
    town.next_event().unwrap();
    assert_eq!(refused(&mut town, r#"{"do":"tick","now":4}"#).code(), "time_goes_back");
}

#[test]
fn impossible_options_are_refused() {
    let code = |of: Value| Town::open(options(of)).err().map(|error| error.code());
    let host = json!({"host": {"model": "own@1", "dimensions": 4}});
    assert_eq!(code(json!({"embedder": host, "threads": 0})), Some("options"));
    let lockstep = json!({"lockstep": {"plan_seconds": 5, "write_seconds": 1}});
    assert_eq!(code(json!({"embedder": host, "timing": lockstep})), Some("options"));
    assert_eq!(code(json!({"embedder": host, "threads": 65})), Some("options"));
    assert_eq!(code(json!({"embedder": {"host": {"model": "own@1", "dimensions": 1}}})), Some("options"));
    assert_eq!(code(json!({"embedder": host, "config": {"budget": {"storage": 7.0}}})), Some("options"));
    assert_eq!(code(json!({"embedder": host, "store": {"file": "/no/such/folder/town.db"}})), Some("store"));
    assert!(serde_json::from_value::<TownOptions>(json!({"treads": 2})).is_err());
}

/// A call of any kind, with plausible and impossible values.
fn any_call() -> impl Strategy<Value = Value> {
    let npc = prop::sample::select(vec!["Mara", "Tom", "Wren", "", "\u{1b}[2J"]);
    let moment = prop::sample::select(vec![-1_i64, 0, 5, 60, 3_600, 90_000, i64::MAX]);
    (0..16_usize, npc, moment, any::<f64>()).prop_map(|(kind, npc, at, quality)| match kind {
        0 => json!({"do": "spawn", "npc": npc, "recalls": at % 2 == 0}),
        1 => json!({"do": "despawn", "npc": npc}),
        2..=4 => json!({"do": "live", "npc": npc, "memory": {"at": at, "kind": "event", "text": format!("number {at} and {quality}")}}),
        5 | 6 => json!({"do": "sleep", "npc": npc, "until": at, "quality": quality}),
        7 => json!({"do": "wake", "npc": npc}),
        8 => json!({"do": "ask", "npc": npc, "question": "which number?"}),
        9 => json!({"do": "undo", "npc": npc}),
        10 => json!({"do": "entries", "npc": npc}),
        11 => json!({"do": "save", "with_memory": quality > 0.0}),
        12 => json!({"do": "status"}),
        13 => json!({"do": "vectors", "batch": 1, "vectors": [[quality]]}),
        _ => json!({"do": "advance", "by": at.clamp(0, 5_000)}),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Calls in any order are done or refused, and what was lived through is nowhere twice.
    #[test]
    fn calls_in_any_order_are_done_or_refused(calls in prop::collection::vec(any_call(), 100)) {
        let mut town = town(json!({"threads": 0}));
        let (mut now, mut saved, mut undone) = (0, None, false);
        for (step, call) in calls.into_iter().enumerate() {
            if call["do"] == "advance" {
                now += call["by"].as_i64().unwrap();
                run(&mut town, &json!({"do": "tick", "now": now}));
                town.step(Duration::from_micros(200));
                while town.next_event().is_some() {}
                continue;
            }
            match town.do_json(&call.to_string()) {
                Ok(reply) if call["do"] == "save" => {
                    (saved, undone) = (Some((now, serde_json::from_str::<Value>(&reply).unwrap())), false);
                }
                Ok(_) => undone |= call["do"] == "undo",
                Err(error) => prop_assert!(!error.message().is_empty()),
            }
            if step % 25 == 24 && let Some((then, reply)) = &saved {
                match town.do_json(&json!({"do": "load", "saved": reply["saved"]}).to_string()) {
                    Ok(_) => now = *then,
                    // The store has no more the nights that were undone after the save.
                    Err(error) => prop_assert!(undone && error.code() == "saved_town", "{error}"),
                }
            }
        }
    }
}
