//! Themes over the five days of riverbend: tracked, listed, mentioned in reflections, undone.

use serde_json::Value;

use crate::support::{Desk, list};

const ALL_DAYS: &str = "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl} \
    {scenarios/riverbend/days/3.jsonl} {scenarios/riverbend/days/4.jsonl} {scenarios/riverbend/days/5.jsonl} --by-day";

/// Makes a store in which the NPCs have slept on five days.
fn after_five_days() -> Desk {
    let desk = Desk::new();
    desk.run(&format!("sleep {ALL_DAYS} --store town.db --apply")).ok();
    desk
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
    let members: usize = list(&feud["history"]).iter().map(|point| list(&point["members"]).len()).sum();
    assert_eq!(feud["memories"].as_u64(), Some(members as u64), "{feud}");
    for newer_first in list(&themes).windows(2) {
        assert!(newer_first[0]["last_at"].as_str() >= newer_first[1]["last_at"].as_str(), "{themes}");
    }
    insta::assert_snapshot!("mara-themes", desk.run("themes Mara_Thorne --store town.db").ok());
}

#[test]
fn recurrence_reflections_count_real_recurrences() {
    let desk = Desk::new();
    let days: Vec<String> =
        (1..=8).map(|day| format!("{{scenarios/guards-week/days/{day}.jsonl}}")).collect();
    desk.run(&format!("sleep {} --by-day --store town.db --apply", days.join(" "))).ok();
    let entries = desk.run("list --store town.db --all --json").json();
    let text = |entry: &Value| entry["text"].as_str().expect("a text").to_owned();
    let counts = ["three", "four", "five", "six", "seven", "eight"];
    let counted = list(&entries).iter().filter(|e| e["form"] == "reflection").filter_map(|insight| {
        let said = text(insight).to_lowercase();
        let rest = said.strip_prefix("on at least ")?;
        let often = counts.iter().position(|count| rest.starts_with(&format!("{count} ")))? + 3;
        Some((insight, often))
    });
    let counted: Vec<(&Value, usize)> = counted.collect();
    assert!(!counted.is_empty(), "no insight says on how many days something was: {entries}");
    // It names a source of as many days.
    let day = |id: &Value| {
        let source = list(&entries).iter().find(|e| e["id"] == *id).expect("a source");
        source["at"].as_str().expect("a time").split('T').next().expect("a date").to_owned()
    };
    for (insight, often) in counted {
        let days: std::collections::BTreeSet<String> = list(&insight["sources"]).iter().map(day).collect();
        assert!(days.len() >= often, "{days:?}: {}", text(insight));
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
fn themes_are_related_and_a_recalled_one_brings_the_nearest() {
    let desk = after_five_days();
    let graph = desk.run("themes Mara_Thorne --graph --store town.db --json").json();
    let related = |theme: &Value| list(&theme["related"]).to_vec();
    let feud = list(&graph)
        .iter()
        .find(|theme| theme["words"].to_string().contains("Joss") && !related(theme).is_empty())
        .unwrap_or_else(|| panic!("no related theme of Joss: {graph}"));
    assert!(related(feud).iter().any(|near| near["people"].to_string().contains("Bran")), "{feud}");
    let id = feud["id"].as_str().expect("an id");
    let shown = desk.run("themes Mara_Thorne --graph --store town.db").ok();
    assert!(shown.contains(id) && shown.contains(": shares "), "{shown}");

    let recalled =
        desk.run(&format!("recall Mara_Thorne --theme {id} --limit 3 --store town.db --json")).json();
    let (own, near) = list(&recalled).split_first().expect("the theme itself");
    assert_eq!((&own["id"], &own["relation"]), (&feud["id"], &Value::Null));
    assert!((1..=3).contains(&list(&own["entries"]).len()), "{own}");
    let relations: Vec<Value> = near.iter().map(|theme| theme["relation"].clone()).collect();
    assert_eq!(relations, related(feud));
    let told = desk.run(&format!("recall Mara_Thorne --theme {id} --store town.db")).ok();
    assert!(told.contains("near: "), "{told}");
    desk.run("recall Mara_Thorne --theme none --store town.db").code_is(2, "has no theme `none`");
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
