//! Reviewing a plan: reading it, changing it, applying parts of it, and undoing it.

use serde_json::Value;

use crate::support::Desk;

const DAY: &str = "{scenarios/riverbend/days/1.jsonl}";

fn planned() -> (Desk, Value) {
    planned_from(DAY)
}

/// Returns the plan of a night with a synthesis of memories that say nearly the same.
fn planned_with_synthesis() -> (Desk, Value) {
    planned_from("{tests/program/data/inn.jsonl}")
}

fn planned_from(day: &str) -> (Desk, Value) {
    let desk = Desk::new();
    desk.run(&format!("sleep {day} --store town.db --plan plan.json")).ok();
    let plan = serde_json::from_slice(&desk.read("plan.json")).expect("a plan");
    (desk, plan)
}

/// Returns the changes of one NPC with this verb.
fn changes<'a>(plan: &'a Value, npc: &str, verb: &str) -> Vec<&'a Value> {
    let nights = plan["nights"].as_array().expect("nights").iter().filter(|n| n["npc"] == npc);
    nights.flat_map(|n| n["changes"].as_array().expect("changes")).filter(|c| c["do"] == verb).collect()
}

fn entries(desk: &Desk, npc: &str) -> Vec<Value> {
    let list = desk.run(&format!("list --store town.db --npc {npc} --json")).json();
    list.as_array().expect("entries").clone()
}

fn id(change: &Value) -> &str {
    change["id"].as_str().expect("an id")
}

#[test]
fn apply_with_npc_writes_only_their_nights() {
    let (desk, _) = planned();
    let out = desk.run("apply plan.json --store town.db --npc Mara_Thorne").ok();
    assert_eq!(out, "applied: 1 night written\n");
    assert!(!entries(&desk, "Mara_Thorne").is_empty());
    desk.run("list --store town.db --npc Tom_Aldous").code_is(2, "Tom Aldous");
    // The others can follow.
    desk.run("apply plan.json --store town.db").ok();
    assert!(!entries(&desk, "Tom_Aldous").is_empty());
    desk.run("apply plan.json --store town.db --npc Nobody").code_is(2, "no night of Nobody");
}

#[test]
fn declined_changes_leave_memories_unchanged_with_a_reason() {
    let (desk, plan) = planned_with_synthesis();
    let told = changes(&plan, "Mara Thorne", "chunk")[0];
    let (told, source) = (id(told), told["sources"][0].as_str().expect("a source"));
    let kept = id(changes(&plan, "Mara Thorne", "store")[0]);
    desk.run(&format!("apply plan.json --store town.db --npc Mara_Thorne --except {told},{kept}")).ok();
    let ids: Vec<String> =
        entries(&desk, "Mara_Thorne").iter().map(|e| e["id"].as_str().expect("an id").to_owned()).collect();
    assert!(ids.iter().any(|i| i == source) && !ids.iter().any(|i| i == told || i == kept), "{ids:?}");
    let why = desk.run(&format!("why {source} --store town.db")).ok();
    assert!(why.contains("declined: instead of chunk"), "{why}");
    let why = desk.run(&format!("why {kept} --store town.db")).ok();
    assert!(why.contains("archived: declined"), "{why}");
    // It is a plan like any other: what was written can be taken back.
    desk.run("undo --store town.db").ok();
    assert_eq!(desk.run("list --store town.db --all --json").json(), Value::Array(Vec::new()));
}

#[test]
fn edited_text_must_be_supported_by_its_sources() {
    let (desk, plan) = planned_with_synthesis();
    let told = changes(&plan, "Mara Thorne", "chunk")[0];
    let (told, text) = (id(told), told["text"].as_str().expect("a text"));
    let apply = |to: &str| {
        let mut command = desk.command("apply plan.json --store town.db --npc Mara_Thorne --edit");
        command.arg(format!("{told}={to}"));
        command.output().expect("the program starts")
    };
    let refused = apply("Aldric burned 77 cakes.");
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("is refused: it ") && said.contains("hint"), "{said}");
    assert!(!desk.path("town.db").exists(), "nothing is written");

    let better = format!("{text} That is all I keep of it.");
    assert!(apply(&better).status.success());
    let entry = entries(&desk, "Mara_Thorne").into_iter().find(|e| e["id"] == told).expect("the synthesis");
    assert_eq!(entry["text"], better.as_str());
    // It is embedded anew: asked in its own words it lies closest.
    let recalled = desk.run("recall Mara_Thorne that_is_all_I_keep_of_it --store town.db --json").json();
    assert!(recalled.to_string().contains(told), "{recalled}");
}

#[test]
fn stale_plan_error_names_the_newer_nights() {
    let (desk, _) = planned();
    desk.run(&format!("sleep {DAY} --store town.db --apply --npc Tom_Aldous --set budget.storage=0.4")).ok();
    let ran = desk.run("apply plan.json --store town.db --npc Tom_Aldous");
    assert!(
        ran.err.contains("night 1204-05-03 (") && ran.err.contains("were written for Tom Aldous"),
        "{}",
        ran.err
    );
    ran.code_is(5, "plan again");
}

#[test]
fn undo_cascade_undoes_dependent_nights() {
    let desk = Desk::new();
    let days = "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl} \
        {scenarios/riverbend/days/3.jsonl}";
    desk.run("sleep {scenarios/riverbend/days/1.jsonl} --by-day --npc Tom_Aldous --store town.db --apply")
        .ok();
    let before = desk.run("list --store town.db --all --json").ok();
    desk.run(&format!("sleep {days} --by-day --npc Tom_Aldous --store town.db --apply")).ok();
    let undo = "undo --store town.db --npc Tom_Aldous --night 1204-05-04";
    desk.run(undo).code_is(5, "later ones build on it: night 1204-05-05 (");
    desk.run("undo --store town.db --npc Tom_Aldous --night 1204-06-01")
        .code_is(2, "there are 1204-05-03, 1204-05-04");
    let out = desk.run(&format!("{undo} --cascade")).ok();
    assert_eq!(out.lines().count(), 2, "{out}");
    assert!(desk.run("list --store town.db --all --json").ok() == before);
}

/// Two nights have the same label: the later one is undone, since no night builds on it.
#[test]
fn undo_by_label_picks_the_later_night() {
    let desk = Desk::new();
    let heard = |id: &str, hour: u8, text: &str| {
        format!(
            "{{\"id\":\"{id}\",\"npc\":\"Pell\",\"at\":\"1204-05-04T{hour:02}:00:00Z\",\"kind\":\"event\",\
             \"text\":\"{text}\",\"importance\":7}}\n"
        )
    };
    desk.write("morning.jsonl", heard("m1", 8, "The ferry came in."));
    desk.write("noon.jsonl", heard("m2", 12, "The ferry sank."));
    desk.run("sleep morning.jsonl --by-day --store town.db --apply").ok();
    let before = desk.run("list --store town.db --all --json").ok();
    desk.run("sleep noon.jsonl --by-day --store town.db --apply").ok();
    assert_eq!(desk.run("undo --store town.db --npc Pell --night 1204-05-04").ok().lines().count(), 1);
    assert!(desk.run("list --store town.db --all --json").ok() == before);
}
