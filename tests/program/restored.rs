//! Statements that are pruned on one night and repeated or contradicted on later nights.

use serde_json::{Value, json};

use crate::support::{Desk, unwrapped};

const TRIFLE: &str = "A grey heron stands on the ferry post.";
const DENIAL: &str = "No grey heron stands on the ferry post.";

/// Events that happen on every one of the days.
const CHORES: [&str; 4] = [
    "I paid the carter nine coppers for a sack of flour.",
    "Joss promised to mend the roof of the smithy.",
    "The bailiff read a new law about the tolls.",
    "Ida taught me how to dye wool red.",
];

/// Returns a day on which Mara experiences the chores, and the given event at noon.
fn day(n: usize, id: &str, text: &str, importance: u8) -> String {
    let at = |hour: usize| format!("1204-05-0{n}T{hour:02}:00:00Z");
    let memory = |id: &str, hour: usize, text: &str, importance: u8| json!({"id": id, "npc": "Mara", "at": at(hour), "kind": "event", "text": text, "importance": importance});
    let chores = CHORES.iter().enumerate();
    let chores = chores.map(|(i, text)| memory(&format!("d{n}-{i}"), 14 + i, &format!("{text} Day {n}."), 6));
    chores.chain([memory(id, 12, text, importance)]).map(|memory| format!("{memory}\n")).collect()
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("1.jsonl", day(1, "heron", TRIFLE, 1));
    desk.write("2.jsonl", day(2, "rain", "It rained in the morning.", 6));
    desk.write("3.jsonl", day(3, "again", TRIFLE, 1));
    desk.write("denied.jsonl", day(3, "denial", DENIAL, 8));
    desk.write("late.jsonl", day(2, "late", TRIFLE, 1));
    desk
}

const SLEEP: &str = "--store s.db --apply --by-day --set triage.novel=0";

fn entry(desk: &Desk, store: &str, id: &str) -> Value {
    let all = desk.run(&format!("list --store {store} --all --json")).json();
    all.as_array().expect("entries").iter().find(|e| e["id"] == id).cloned().expect("an entry of this id")
}

#[test]
fn pruned_statement_is_restored_when_repeated_and_undo_archives_it() {
    let desk = desk();
    desk.run(&format!("sleep 1.jsonl {SLEEP}")).ok();
    let pruned = entry(&desk, "s.db", "heron");
    assert_eq!(
        (&pruned["state"], &pruned["archived_by"]),
        (&json!("archived"), &json!("unimportant-incoherent"))
    );
    desk.run(&format!("sleep 2.jsonl {SLEEP}")).ok();
    let shown = unwrapped(&desk.run(&format!("sleep 3.jsonl {SLEEP} -v")).ok());
    assert!(shown.contains("restored (1)") && shown.contains(", 1 restored"), "{shown}");
    assert!(shown.contains("said-again: the same words, archived by unimportant-incoherent"), "{shown}");
    let back = entry(&desk, "s.db", "heron");
    assert_eq!((&back["state"], &back["corroborations"]), (&json!("active"), &json!(1)));
    assert_eq!(back["archived_by"], Value::Null);
    let why = desk.run("why heron --store s.db").ok();
    assert!(why.contains("restore — said-again") && why.contains("corroborated (×1)"), "{why}");
    let recalled = desk.run("recall Mara heron_on_the_ferry_post --store s.db --limit 1 --json").json();
    assert_eq!(recalled[0]["memory"]["id"], "heron");

    // Slept on in one go, the nights come to the same.
    desk.run(&format!("sleep 1.jsonl 2.jsonl 3.jsonl {}", SLEEP.replace("s.db", "at-once.db"))).ok();
    for id in ["heron", "again", "d1-0", "d3-3"] {
        assert_eq!(entry(&desk, "at-once.db", id), entry(&desk, "s.db", id));
    }

    desk.run("undo --npc Mara --store s.db").ok();
    assert_eq!(entry(&desk, "s.db", "heron"), pruned);
}

#[test]
fn contradicted_pruned_statement_is_not_restored() {
    let desk = desk();
    for file in ["1", "denied", "late"] {
        desk.run(&format!("sleep {file}.jsonl {SLEEP}")).ok();
    }
    let heron = entry(&desk, "s.db", "heron");
    let held = (&heron["state"], &heron["superseded_by"], &heron["archived_by"]);
    assert_eq!(held, (&json!("archived"), &json!("denial"), &json!("unimportant-incoherent")));
    assert_eq!(entry(&desk, "s.db", "denial")["state"], "active");
    let why = desk.run("why heron --store s.db").ok();
    assert!(why.contains("supersede — contradicted: ") && why.contains("archived by"), "{why}");
}

#[test]
fn nothing_is_restored_if_archived_statements_are_not_searched() {
    let desk = desk();
    desk.run(&format!("sleep 1.jsonl 3.jsonl {SLEEP} --set reconcile.archived=0")).ok();
    assert_eq!(entry(&desk, "s.db", "heron")["state"], "archived");
}
