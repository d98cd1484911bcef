//! The village of riverbend over five days: plan, apply, query, undo.

use serde_json::Value;

use crate::support::{Desk, GATES, list, unwrapped};

const DAY_ONE: &str = "sleep {scenarios/riverbend/days/1.jsonl}";
const ALL_DAYS: &str = "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl} \
    {scenarios/riverbend/days/3.jsonl} {scenarios/riverbend/days/4.jsonl} {scenarios/riverbend/days/5.jsonl} --by-day";

#[test]
fn diff_matches_the_reviewed_snapshot() {
    let out = Desk::new().run(&format!("{DAY_ONE} --npc Mara_Thorne")).ok();
    insta::assert_snapshot!("mara-day-1", out);
    let out = Desk::new().run(&format!("{DAY_ONE} --npc Mara_Thorne -v")).ok();
    insta::assert_snapshot!("mara-day-1-changes", out);
    let out = Desk::new().run(&format!("{DAY_ONE} --npc Elsbeth_Crane -vv")).ok();
    insta::assert_snapshot!("elsbeth-day-1-verbose", out);
}

#[test]
fn first_day_of_six_fits_a_screen_and_says_what_changed() {
    let out = Desk::new().run(DAY_ONE).ok();
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines.len() <= 60, "{} lines: {out}", lines.len());
    assert!(lines[0].starts_with("6 NPCs, 6 nights: 217 memories read"), "{out}");
    let titles = lines.iter().filter(|line| line.contains(" · night of 1204-05-03 · keeps "));
    assert_eq!(titles.count(), 6, "{out}");
    let of_mara = out.split("\n\n").find(|night| night.starts_with("Mara Thorne · ")).expect("Mara's night");
    let belief = "! no longer believes [mara-d1-19] “the cider kettle is idle”\n      because of [mara-d1-29] “I ground";
    assert!(of_mara.contains("1 belief superseded") && of_mara.contains(belief), "{of_mara}");
}

#[test]
fn summary_of_a_night_has_a_dozen_lines_at_most() {
    let out = Desk::new().run(&format!("sleep {ALL_DAYS} --npc Mara_Thorne --npc Wren_Aldous")).ok();
    let nights: Vec<&str> = out.split("\n\n").filter(|part| part.contains(" · night of ")).collect();
    assert_eq!(nights.len(), 10, "{out}");
    for night in nights {
        assert!(night.lines().count() <= 12, "{night}");
        assert!(night.lines().all(|line| line.chars().count() <= 100), "{night}");
    }
}

#[test]
fn every_memory_of_a_plan_has_one_fate_with_a_reason() {
    let plan = Desk::new().run(&format!("sleep {ALL_DAYS} --json")).json();
    for night in plan["nights"].as_array().expect("nights") {
        let mut fates = Vec::new();
        for change in night["changes"].as_array().expect("changes") {
            let verb = change["do"].as_str().expect("do");
            assert!(change["reason"]["rule"].is_string(), "{change}");
            match verb {
                "store" | "prune" => fates.push(change["id"].clone()),
                "chunk" | "corroborate" | "collapse" => {
                    fates.extend(change["sources"].as_array().expect("sources").clone());
                }
                "reflect" => assert!(change["sources"].as_array().expect("sources").len() >= 2),
                "supersede" | "archive" | "contest" | "end" | "strengthen" | "restore" => {}
                other => panic!("unexpected change {other}"),
            }
        }
        let mut memories: Vec<Value> =
            night["memories"].as_array().expect("memories").iter().map(|m| m["id"].clone()).collect();
        let order = |a: &Value, b: &Value| a.as_str().cmp(&b.as_str());
        fates.sort_by(order);
        memories.sort_by(order);
        assert_eq!(fates, memories, "{} {}", night["npc"], night["night"]);
    }
    let report = &plan["report"];
    assert_eq!(report["important"], report["important_kept"]);
    let reduction = report["reduction"].as_f64().expect("reduction");
    assert!((0.4..=0.6).contains(&reduction), "{reduction}");
}

#[test]
fn nothing_is_written_without_apply() {
    let desk = Desk::new();
    desk.run(&format!("{DAY_ONE} --store town.db")).ok();
    assert!(!desk.path("town.db").exists());
}

#[test]
fn apply_is_idempotent_and_undo_restores_every_byte() {
    let desk = Desk::new();
    let list = || desk.run("list --store town.db --all --json").ok();
    desk.run(&format!("{DAY_ONE} --store town.db --apply")).ok();
    let after_one = list();
    let days_on = format!("sleep {ALL_DAYS} --store town.db --apply");
    let out = desk.run(&days_on).ok();
    assert!(out.contains("applied: 24 of 24 nights written"), "{out}");
    let after_all = list();
    assert_ne!(after_all, after_one);
    let again = desk.run(&days_on).ok();
    assert!(again.contains("nothing to write"), "{again}");
    assert_eq!(list(), after_all);
    desk.run("undo --store town.db").ok();
    assert_eq!(list(), after_one);
    desk.run("undo --store town.db").ok();
    assert_eq!(list(), "[]\n");
    let empty = desk.run("undo --store town.db");
    assert_eq!(empty.code, 2, "{}", empty.err);
}

#[test]
fn saved_plan_is_shown_applied_and_refused_once_stale() {
    let desk = Desk::new();
    desk.run(&format!("{DAY_ONE} --store town.db --plan night.json")).ok();
    let shown = desk.run("show night.json --npc Mara_Thorne").ok();
    assert!(shown.contains("Mara Thorne · night of 1204-05-03"), "{shown}");
    assert!(desk.run("apply night.json --store town.db").ok().contains("6 nights written"));
    assert!(desk.run("apply night.json --store town.db").ok().contains("0 nights written, 6 there already"));

    // A plan made from the state before is refused once the store has moved on, and the store is untouched.
    desk.run("undo --store town.db").ok();
    desk.run("sleep {scenarios/riverbend/days/2.jsonl} --store town.db --apply --npc Tom_Aldous").ok();
    let before = desk.run("list --store town.db --all --json").ok();
    let stale = desk.run("apply night.json --store town.db");
    assert_eq!(stale.code, 5, "{}", stale.err);
    assert!(stale.err.contains("Tom Aldous") && stale.err.contains("hint: plan again"), "{}", stale.err);
    assert_eq!(desk.run("list --store town.db --all --json").ok(), before);
}

#[test]
fn list_recall_and_why_answer_from_the_store() {
    let desk = Desk::new();
    desk.run(&format!("sleep {ALL_DAYS} --store town.db --apply")).ok();
    let secret =
        desk.run("recall Mara_Thorne who_is_Wren's_true_father --store town.db --limit 2 --json").json();
    let secret = secret.as_array().expect("entries");
    assert!(secret.iter().any(|recalled| recalled["memory"]["importance"] == 10), "{secret:?}");
    let entries = desk.run("list --store town.db --json").json();
    let entries = entries.as_array().expect("entries");
    let synthesis = entries.iter().find(|e| e["form"] == "synthesis").expect("a synthesis");
    let id = synthesis["id"].as_str().expect("id");
    let why = desk.run(&format!("why {id} --store town.db --json")).json();
    assert_eq!(
        why["from"].as_array().expect("from").len(),
        synthesis["sources"].as_array().expect("sources").len()
    );
    let source = why["from"][0]["id"].as_str().expect("id").replace('_', "~");
    let told = desk.run(&format!("why {source} --store town.db")).ok();
    assert!(told.contains("and made into") && told.contains(id), "{told}");
}

#[test]
fn secret_stays_with_the_npcs_who_heard_it() {
    let desk = Desk::new();
    desk.run(&format!("sleep {ALL_DAYS} --store town.db --apply")).ok();
    let entries = desk.run("list --store town.db --all --json").json();
    let tellers: std::collections::BTreeSet<_> = entries
        .as_array()
        .expect("entries")
        .iter()
        .filter(|e| e["text"].as_str().is_some_and(|t| t.contains("Duke Aldren")))
        .map(|e| e["npc"].as_str().expect("npc").to_owned())
        .collect();
    assert_eq!(tellers.into_iter().collect::<Vec<_>>(), ["Elsbeth Crane", "Mara Thorne"]);
}

/// A decision between two statements is shown with the verdict, its probability, its threshold, and the
/// support of both statements.
#[test]
fn superseded_contested_and_corroborated_entries_show_their_comparison() {
    let desk = Desk::new();
    insta::assert_snapshot!(
        "compared",
        desk.run(&format!("sleep {GATES} --by-day --store town.db --apply -v")).ok()
    );
    let why = |id: &str| {
        let told = desk.run(&format!("why {id} --store town.db")).ok();
        unwrapped(&told)
    };
    let (gate, mill, ford) = (why("gate"), why("mill"), why("ford"));
    let compared = "compared [shut] “The north gate is shut.” with [gate] “The north gate is open.”";
    assert!(gate.contains(compared), "{gate}");
    assert!(gate.contains(" ≥ 0.96 by model, cosine ") && gate.contains("lived against lived"), "{gate}");
    let compared = "compared [still] “The mill is not sound.” with [mill] “The mill is sound.”";
    assert!(mill.contains(compared) && mill.contains("told against lived"), "{mill}");
    let compared = "compared [safe] “the ford at Hallow is safe” with [ford] “The ford at Hallow is safe.”";
    assert!(ford.contains(compared) && ford.contains("already-known: same "), "{ford}");

    desk.run(&format!("sleep {GATES} --by-day --report page.html --summary-json summary.json")).ok();
    let page = String::from_utf8(desk.read("page.html")).expect("a page");
    assert!(page.contains(" by model, cosine ") && page.contains("told against lived"), "the page says it");

    // What was important and ended is named by the first view of the page and by that of the night, and wherever a run is
    // summed up.
    assert_eq!(page.matches(r#"{"id":"gate","text":"“The north gate is open.”"}"#).count(), 2);
    let ended = serde_json::json!([{"npc": "Pell", "night": "1204-05-04", "id": "gate", "text": "The north gate is open."}]);
    let summary: serde_json::Value = serde_json::from_slice(&desk.read("summary.json")).expect("JSON");
    assert_eq!((&summary["important_ended"], &summary["entries"]["important_ended"]), (&ended, &1.into()));
    let compared = desk.run(&format!("compare {GATES} --by-day --with kmeans --json")).json();
    assert_eq!(compared["settings"][0]["important_ended"], ended);
    let compared = desk.run(&format!("compare {GATES} --by-day --with kmeans")).ok();
    assert!(compared.contains("[gate] “The north gate is open.” (kmeans)"), "{compared}");
}

#[test]
fn late_days_supersede_nothing_newer_and_are_reported() {
    let desk = Desk::new();
    desk.run(
        "sleep {scenarios/riverbend/days/3.jsonl} {scenarios/riverbend/days/4.jsonl} --by-day --npc Bran_Holt --store town.db --apply",
    )
    .ok();
    let out = desk
        .run("sleep {scenarios/riverbend/days/2.jsonl} --npc Bran_Holt --store town.db --apply --report late.html")
        .ok();
    assert!(out.contains(" came late"), "{out}");
    let told = "came late: something newer that excludes";
    assert!(out.contains(told), "{out}");
    let page = String::from_utf8(desk.read("late.html")).expect("a page");
    assert!(page.contains(told), "the page says it");
    let entries = desk.run("list --store town.db --all --json").json();
    let ended = |id: &str| {
        let entry = entries.as_array().expect("entries").iter().find(|e| e["id"] == id);
        let entry = entry.unwrap_or_else(|| panic!("{id} is in the store"));
        assert_eq!(entry["state"], "active", "{id}");
        entry["ended"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(ended("bran-d4-09"), 0, "what was seen on 6 May holds");
    assert_eq!(ended("bran-d2-13"), 1, "what was heard on 4 May does not");
}

#[test]
fn later_denial_supersedes_earlier_statement() {
    let desk = Desk::new();
    let line = |id: &str, at: &str, text: &str| {
        format!(
            "{{\"id\":\"{id}\",\"npc\":\"Pell\",\"at\":\"{at}\",\"kind\":\"chat\",\"text\":\"{text}\",\"importance\":7}}\n"
        )
    };
    let days = line("m1", "1204-05-04T12:00:00Z", "The bridge at Stonewater has fallen.")
        + &line("m2", "1204-05-06T18:00:00Z", "The bridge at Stonewater has not fallen.")
        + &line("m3", "1204-05-07T12:00:00Z", "The bridge at Stonewater has not fallen.");
    desk.write("days.jsonl", &days);
    let out = desk.run("sleep days.jsonl --by-day --store town.db --apply -v").ok();
    assert!(out.contains("superseded (1)") && out.contains("  = [m3]"), "{out}");
    let active = desk.run("list --store town.db --json").json();
    let lived: Vec<&Value> =
        active.as_array().expect("entries").iter().filter(|e| e["form"] != "reflection").collect();
    assert_eq!(lived.len(), 1, "{active}");
    assert_eq!((&lived[0]["id"], &lived[0]["corroborations"]), (&"m2".into(), &1.into()));
    let concluded =
        active.as_array().expect("entries").iter().find(|e| e["form"] == "reflection").expect("a reflection");
    assert_eq!(concluded["text"], "I no longer believe that the bridge at Stonewater has fallen.");
    let old = desk.run("why m1 --store town.db --json").json();
    assert_eq!(old["memory"]["superseded_by"], "m2");
    assert_eq!(old["memory"]["archived_by"], "contradicted");
    assert_eq!(old["log"][1]["do"], "supersede");
    // What is recalled is what holds, and what was concluded of it: nothing says that the bridge has fallen.
    let recalled = desk.run("recall Pell is_the_bridge_standing --store town.db --json").json();
    let recalled: Vec<&Value> = list(&recalled).iter().map(|found| &found["memory"]).collect();
    assert_eq!(recalled[0]["id"], "m2", "{recalled:#?}");
    let denies = |text: &Value| {
        text.as_str().is_some_and(|text| text.contains("not fallen") || text.contains("no longer believe"))
    };
    assert!(recalled.iter().all(|memory| memory["id"] != "m1" && denies(&memory["text"])), "{recalled:#?}");

    // Heard in one night, it comes to the same.
    let out = desk.run("sleep days.jsonl --store night.db --apply -v").ok();
    assert!(out.contains("  ! [m1]") && out.contains("by [m2] “The bridge at Stonewater has not"), "{out}");
    let active = desk.run("list --store night.db --json").json();
    assert_eq!((active.as_array().map(Vec::len), &active[0]["id"]), (Some(1), &"m2".into()));
    let old = desk.run("why m1 --store night.db").ok();
    assert!(old.contains("1204-05-04") && old.contains("m2"), "{old}");
}
