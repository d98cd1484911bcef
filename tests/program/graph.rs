//! Provenance graphs for Graphviz.

use std::collections::BTreeSet;

use serde_json::json;

use crate::support::{Desk, GATES};

/// Makes a store with a reflection on texts that players wrote to break out of a drawing.
fn hostile() -> Desk {
    let memory = |id: &str, text: &str, sources: &[&str]| {
        json!({"id": id, "npc": "Mara", "at": "1204-05-03T06:10:00Z", "kind": "thought", "text": text,
               "importance": 9, "sources": sources})
        .to_string()
    };
    let lines = [
        memory(
            "thought",
            "1. I \"never\" said that\\",
            &["quote\"] --> x[\"", "html", "steer", "gone & forgotten"],
        ),
        memory(
            "quote\"] --> x[\"",
            "Odo said \"]; n0 -> n9 [label=\"owned\"]; //\nclick n0 href \"javascript:alert(1)\"",
            &[],
        ),
        memory(
            "html",
            "<script>alert('x')</script> <img src=x onerror=alert(1)> &lt;b&gt; `code` #quot; %%{init}%%",
            &["steer"],
        ),
        memory("steer", "\u{1b}[2J\u{202e}backwards\u{0} \\N \\G \\l {a|b} – ünïcode 🌙", &["thought"]),
        memory("after", "- so I trust nobody at the mill, whatever they say of it", &["thought"]),
    ];
    let desk = Desk::new();
    desk.write("day.jsonl", lines.join("\n"));
    desk.run("sleep day.jsonl --store town.db --apply").ok();
    desk
}

#[test]
fn hostile_text_is_escaped_in_graphs() {
    let desk = hostile();
    let dot = desk.run("why thought --store town.db --graph").ok();
    insta::assert_snapshot!("hostile-dot", dot);
    assert!(!dot.contains(|c: char| c.is_control() && c != '\n'), "{dot}");
    for line in dot.lines().filter(|line| line.contains("label=")) {
        // Inside the quotes every quote and every backslash is escaped.
        let (_, label) = line.split_once("label=\"").expect("a label");
        let mut characters = label.chars();
        while let Some(c) = characters.next().filter(|c| *c != '"') {
            assert!(c != '\\' || matches!(characters.next(), Some('\\' | '"' | 'n')), "{line}");
        }
        let rest = characters.as_str();
        assert!(rest == "];" || rest.starts_with(", ") && !rest.contains('"'), "{line}");
    }
    desk.run("why thought --store town.db --graph --json").code_is(2, "cannot be used with");
    desk.run("why nobody --store town.db --graph").code_is(2, "no NPC has a memory nobody");
}

#[test]
fn graphs_show_every_kind_of_link() {
    let desk = Desk::new();
    let days: Vec<_> = (1..=4).map(|day| format!("{{scenarios/riverbend/days/{day}.jsonl}}")).collect();
    desk.run(&format!("sleep {} {GATES} --by-day --store town.db --apply", days.join(" "))).ok();
    let all = desk.run("list --store town.db --all --json").json();
    let mut links = BTreeSet::new();
    for entry in all.as_array().expect("entries") {
        let has = |field: &str| entry[field].as_array().is_some_and(|others| !others.is_empty());
        if entry["superseded_by"].is_null() && !has("sources") && !has("contested_with") {
            continue;
        }
        let (npc, id) = (entry["npc"].as_str().expect("npc"), entry["id"].as_str().expect("id"));
        let mut command = desk.command("why --store town.db --graph");
        let drawn = command.args([id, "--npc", npc]).output().expect("the program starts");
        let drawn = String::from_utf8(drawn.stdout).expect("UTF-8");
        for line in drawn.lines().filter(|line| line.contains("->")) {
            links.extend(line.split('"').nth(1).map(str::to_owned));
        }
    }
    assert_eq!(Vec::from_iter(links), ["contested with", "ended in part by", "made from", "superseded by"]);
}
