//! Themes over the five days of riverbend: tracked, listed, mentioned in reflections, undone.

use serde_json::Value;

use crate::support::Desk;

const ALL_DAYS: &str = "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl} \
    {scenarios/riverbend/days/3.jsonl} {scenarios/riverbend/days/4.jsonl} {scenarios/riverbend/days/5.jsonl} --by-day";

/// Makes a store in which the NPCs have slept on five days.
fn after_five_days() -> Desk {
    let desk = Desk::new();
    desk.run(&format!("sleep {ALL_DAYS} --store town.db --apply")).ok();
    desk
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

#[test]
fn themes_are_tracked_over_nights() {
    let desk = after_five_days();
    let themes = desk.run("themes Mara_Thorne --store town.db --json").json();
    let words = |theme: &Value| theme["words"].to_string();
    let feud = list(&themes)
        .iter()
        .filter(|theme| words(theme).contains("Joss") || words(theme).contains("silver"))
        .max_by_key(|theme| theme["nights"].as_u64())
        .unwrap_or_else(|| panic!("no theme of Joss and the silver: {themes}"));
    assert!(feud["nights"].as_u64() >= Some(3), "{feud}");
    assert_eq!(feud["nights"].as_u64(), Some(list(&feud["history"]).len() as u64), "{feud}");
    let memories = list(&feud["history"]).iter().map(|point| point["memories"].as_u64().expect("a number"));
    assert_eq!(feud["memories"].as_u64(), Some(memories.sum()), "{feud}");
    for newer_first in list(&themes).windows(2) {
        assert!(newer_first[0]["last_at"].as_str() >= newer_first[1]["last_at"].as_str(), "{themes}");
    }
    insta::assert_snapshot!("mara-themes", desk.run("themes Mara_Thorne --store town.db").ok());
}

#[test]
fn recurrence_reflections_count_real_recurrences() {
    let desk = after_five_days();
    let entries = desk.run("list --store town.db --all --json").json();
    let texts = |entry: &Value| entry["text"].as_str().expect("a text").to_owned();
    let said: Vec<&Value> = list(&entries)
        .iter()
        .filter(|e| e["form"] == "reflection" && texts(e).to_lowercase().contains("time this week"))
        .collect();
    assert!(!said.is_empty(), "no insight says how often its subject came up: {entries}");
    // Whoever is named was in what the NPC lived through on as many days at least.
    for insight in said {
        let text = texts(insight);
        let often = ["third", "fourth", "fifth"]
            .iter()
            .position(|o| text.to_lowercase().contains(o))
            .expect("how often")
            + 3;
        for name in ["Joss", "Tom", "Wren", "Bran", "Elsbeth", "Pell", "Mara", "Odo"] {
            let subject = text.split(['.', ':']).next().expect("a first sentence");
            if !subject.contains(name) {
                continue;
            }
            let days: std::collections::BTreeSet<&str> = list(&entries)
                .iter()
                .filter(|e| e["npc"] == insight["npc"] && e["form"] == "verbatim" && texts(e).contains(name))
                .map(|e| e["at"].as_str().expect("a time").split('T').next().expect("a date"))
                .filter(|day| Some(*day) <= insight["at"].as_str())
                .collect();
            assert!(days.len() >= often, "{name} on {days:?}: {text}");
        }
    }
}

#[test]
fn unknown_npc_is_reported_and_an_npc_without_themes_lists_none() {
    let desk = Desk::new();
    desk.run("themes Mara_Thorne --store town.db").code_is(5, "there is no store at");
    let line = r#"{"id":"m1","npc":"Pell","at":"1204-05-04T12:00:00Z","kind":"event","text":"I saw a heron.","importance":6}"#;
    desk.write("day.jsonl", line);
    desk.run("sleep day.jsonl --store town.db --apply").ok();
    assert_eq!(desk.run("themes Pell --store town.db").ok(), "Pell · 0 themes\n");
    assert_eq!(desk.run("themes Pell --store town.db --json").ok(), "[]\n");
    desk.run("themes Mara_Thorne --store town.db").code_is(2, "no NPC of the name `Mara Thorne`");
}

#[test]
fn saved_plan_writes_the_same_themes_and_undo_removes_them() {
    let desk = after_five_days();
    let shown = || desk.run("themes Mara_Thorne --store town.db --json").ok();
    let direct = shown();
    desk.run("undo --store town.db").ok();
    desk.run("themes Mara_Thorne --store town.db").code_is(2, "no NPC");
    desk.run(&format!("sleep {ALL_DAYS} --store town.db --plan nights.json")).ok();
    desk.run("apply nights.json --store town.db").ok();
    assert_eq!(shown(), direct);
    desk.run("undo --store town.db --npc Mara_Thorne").ok();
    let before = shown();
    assert_ne!(before, direct);
    desk.run("apply nights.json --store town.db").ok();
    assert_eq!(shown(), direct);
}
