//! Themes over the five days of riverbend: tracked, listed, mentioned in reflections, undone.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

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

/// Reflection of a night, with the memories that it rests on.
struct Concluded<'a> {
    text: &'a str,
    values: &'a Value,
    sources: Vec<&'a Value>,
}

/// Returns the days of the month of memories.
fn days_of<'s>(memories: impl Iterator<Item = &'s &'s Value>) -> BTreeSet<u64> {
    memories.map(|memory| clock(memory, 8..10)).collect()
}

/// Returns a part of the time of a memory.
fn clock(memory: &Value, part: Range<usize>) -> u64 {
    memory["at"]
        .as_str()
        .and_then(|at| at.get(part)?.parse().ok())
        .unwrap_or_else(|| panic!("no time: {memory}"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// Checks every reflection of two stories.
fn each_reflection(check: impl Fn(&Concluded<'_>)) {
    for (story, days) in [("riverbend", 5), ("guards-week", 8)] {
        let days: Vec<String> =
            (1..=days).map(|day| format!("{{scenarios/{story}/days/{day}.jsonl}}")).collect();
        let plan = Desk::new().run(&format!("sleep {} --by-day --json", days.join(" "))).json();
        let mut lived: BTreeMap<(&str, &str), &Value> = BTreeMap::new();
        for night in list(&plan["nights"]) {
            let npc = text(&night["npc"]);
            let told = list(&night["changes"]).iter().filter(|change| change["do"] == "chunk");
            for memory in list(&night["memories"]).iter().chain(told) {
                lived.insert((npc, text(&memory["id"])), memory);
            }
            for change in list(&night["changes"]).iter().filter(|change| change["do"] == "reflect") {
                let source = |id: &Value| lived[&(npc, text(id))];
                check(&Concluded {
                    text: text(&change["text"]),
                    values: &change["reason"]["values"],
                    sources: list(&change["sources"]).iter().map(source).collect(),
                });
            }
        }
    }
}

const NUMBERS: &str = "zero one two three four five six seven eight nine ten eleven twelve";

/// Returns the numbers of a text, in words and in figures.
fn numbers(text: &str) -> Vec<u64> {
    let in_words = |word: &str| NUMBERS.split(' ').position(|number| number == word).map(|at| at as u64);
    let number = |word: &str| match word {
        "once" => Some(1),
        "twice" => Some(2),
        _ => in_words(word).or_else(|| word.parse().ok()),
    };
    text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter_map(number).collect()
}

#[test]
fn recurrence_reflections_count_real_recurrences() {
    let found = Cell::new(0);
    each_reflection(|concluded| {
        let text = concluded.text;
        let running = text.contains(" days running ");
        let (true, Some(&often)) = (running || text.contains("n at least "), numbers(text).first()) else {
            return;
        };
        found.set(found.get() + 1);
        let days = days_of(concluded.sources.iter());
        assert!(days.len() as u64 >= often, "{days:?}: {text}");
        let within = days.last().zip(days.first()).map(|(last, first)| last - first + 1);
        assert!(!running || within == Some(often), "{days:?}: {text}");
        // Who is named was part of as many days.
        for name in [
            "Joss", "Tom", "Wren", "Bran", "Elsbeth", "Pell", "Mara", "Odo", "Perrin", "Anni", "Dunstan",
            "Tarrow",
        ] {
            let names = |source: &Value| format!("{} {}", source["text"], source["actors"]).contains(name);
            let of_name = concluded.sources.iter().filter(|source| names(source));
            assert!(!text.contains(name) || days_of(of_name).len() as u64 >= often, "{text}");
        }
    });
    assert!(found.get() >= 10, "{} insights say on how many days something was", found.get());
}

/// Each number is what was counted, or is in a memory that the reflection rests on.
#[test]
fn numbers_of_reflections_are_counted_or_in_their_sources() {
    let found = Cell::new(0);
    each_reflection(|concluded| {
        let Concluded { text, values, sources } = concluded;
        let days: Vec<u64> = days_of(sources.iter()).into_iter().collect();
        let spans: Vec<u64> = days
            .iter()
            .flat_map(|last| days.iter().filter_map(move |first| last.checked_sub(*first)))
            .map(|gap| gap + 1)
            .collect();
        // Memories that lie less than half an hour apart are one occasion.
        let mut minutes: Vec<u64> =
            sources.iter().map(|at| clock(at, 11..13) * 60 + clock(at, 14..16)).collect();
        minutes.sort_unstable();
        let scenes = 1 + minutes.windows(2).filter(|pair| pair[1] - pair[0] >= 30).count() as u64;
        let counted = ["occasions", "of", "counter"].map(|name| values[name].as_u64().unwrap_or(scenes));
        // Beside the occasions stand those that they are compared with.
        let others = (sources.len() as u64).saturating_sub(counted[1]);
        let said = sources.iter().flat_map(|source| numbers(&source["text"].to_string()));
        let known: BTreeSet<u64> = counted
            .into_iter()
            .chain([days.len() as u64, scenes])
            .chain(spans.iter().flat_map(|&span| [span, (span + 3) / 7]))
            .chain(1..=others)
            .chain(said)
            .collect();
        let own: Vec<u64> = numbers(text).into_iter().filter(|number| !known.contains(number)).collect();
        // What was before and what has been since are parts of the occasions.
        assert!(own.is_empty() || own.iter().sum::<u64>() == counted[1], "{own:?} of {known:?}: {text}");
        found.set(found.get() + usize::from(!numbers(text).is_empty()));
    });
    assert!(found.get() >= 20, "{} insights have a number", found.get());
}

#[test]
fn unknown_npc_is_reported_and_an_npc_without_themes_lists_none() {
    let desk = Desk::new();
    desk.run("themes Mara_Thorne --store town.db").code_is(5, "there is no store at");
    let line = r#"{"id":"m1","npc":"Pell","at":"1204-05-04T12:00:00Z","kind":"event","text":"I saw a heron.","importance":6}"#;
    desk.write("day.jsonl", line);
    desk.run("sleep day.jsonl --store town.db --apply").ok();
    assert_eq!(
        desk.run("themes Pell --store town.db").ok(),
        "Pell · 0 themes\n  no day has had memories that hang together: a theme begins with two that do\n"
    );
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
