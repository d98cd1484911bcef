//! Determinism: same inputs, same bytes.

use crate::support::{Desk, root};

const DAYS: &str = "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl} --by-day";

#[test]
fn plan_does_not_depend_on_threads_batches_or_input_order() {
    let desk = Desk::alone();
    desk.run(&format!("sleep {DAYS} --plan one.json --threads 1")).ok();
    desk.run(&format!("sleep {DAYS} --plan two.json --threads 2")).ok();
    desk.run(&format!("sleep {DAYS} --plan few.json --set run.npcs=2")).ok();
    assert!(desk.read("one.json") == desk.read("two.json"), "threads show in the plan");
    assert!(desk.read("one.json") == desk.read("few.json"), "batches show in the plan");

    let mut lines: Vec<String> = ["1", "2"]
        .iter()
        .map(|d| root().join(format!("scenarios/riverbend/days/{d}.jsonl")))
        .flat_map(|p| {
            std::fs::read_to_string(p).expect("a day").lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    // Every seventh line first, then every seventh but one, and so on: NPCs and times are all mixed up.
    let count = lines.len();
    lines = (0..7).flat_map(|r| (0..count).skip(r).step_by(7)).rev().map(|i| lines[i].clone()).collect();
    desk.write("mixed.jsonl", lines.join("\n"));
    desk.run("sleep mixed.jsonl --by-day --plan mixed.json").ok();
    assert!(desk.read("one.json") == desk.read("mixed.json"), "the order of the input shows in the plan");
}

#[test]
fn nights_planned_ahead_equal_nights_applied_one_by_one() {
    let desk = Desk::alone();
    desk.run(&format!("sleep {DAYS} --store ahead.db --plan ahead.json")).ok();
    desk.run("apply ahead.json --store ahead.db").ok();
    desk.run("sleep {scenarios/riverbend/days/1.jsonl} --by-day --store daily.db --apply").ok();
    desk.run("sleep {scenarios/riverbend/days/2.jsonl} --by-day --store daily.db --apply").ok();
    let list = |db: &str| desk.run(&format!("list --store {db} --all --json")).ok();
    assert!(list("ahead.db") == list("daily.db"));
}

#[test]
fn night_does_not_depend_on_the_split_into_files() {
    let desk = Desk::alone();
    let day = std::fs::read_to_string(root().join("scenarios/riverbend/days/3.jsonl")).expect("a day");
    let dealt = |rest: usize| -> String {
        day.lines().skip(rest).step_by(2).map(|line| format!("{line}\n")).collect()
    };
    desk.write("even.jsonl", dealt(0));
    desk.write("odd.jsonl", dealt(1));
    let left = |store: &str, files: &str| {
        desk.run(&format!("sleep {files} --store {store} --apply")).ok();
        desk.run(&format!("list --store {store} --all --json")).ok()
    };
    let one = left("one.db", "{scenarios/riverbend/days/3.jsonl}");
    assert!(one == left("two.db", "even.jsonl odd.jsonl"), "two files show in the store");
    assert!(one == left("turned.db", "odd.jsonl even.jsonl"), "their order shows in the store");
}
