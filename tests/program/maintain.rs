//! Maintenance weeks later: old and unimportant entries are summarised, faded ones are forgotten, and entries
//! that were archived long ago can be purged.

use serde_json::Value;

use crate::support::Desk;

const ALL_DAYS: &str = "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl} \
    {scenarios/riverbend/days/3.jsonl} {scenarios/riverbend/days/4.jsonl} {scenarios/riverbend/days/5.jsonl} --by-day";
/// Maintenance three weeks after the last day.
const LATER: &str = "maintain --store town.db --now 1204-06-25T06:00:00Z";

fn riverbend() -> Desk {
    let desk = Desk::new();
    desk.run(&format!("sleep {ALL_DAYS} --store town.db --apply")).ok();
    desk
}

fn changes<'a>(plan: &'a Value, verb: &str) -> Vec<&'a Value> {
    let nights = plan["nights"].as_array().expect("nights").iter();
    let all = nights.flat_map(|night| night["changes"].as_array().expect("changes"));
    all.filter(|c| c["do"] == verb).collect()
}

fn entries(desk: &Desk, all: &str) -> Vec<Value> {
    desk.run(&format!("list --store town.db --json {all}")).json().as_array().expect("entries").clone()
}

#[test]
fn old_weeks_are_summarised_and_undo_restores_every_byte() {
    let desk = riverbend();
    let before = desk.run("list --store town.db --all --json").ok();
    let important = |desk: &Desk| -> Vec<Value> {
        let must = |e: &&Value| e["form"] != "reflection" && e["importance"].as_u64() >= Some(7);
        entries(desk, "").iter().filter(must).map(|e| e["text"].clone()).collect()
    };
    let important_before = important(&desk);
    assert!(
        desk.run("maintain --store town.db --only abstract,forget").ok().contains("nothing to do"),
        "nothing is old yet"
    );

    let plan = desk.run(&format!("{LATER} --json")).json();
    let told = changes(&plan, "chunk");
    assert!(told.len() >= 3, "{} summaries", told.len());
    for summary in &told {
        let text = summary["text"].as_str().expect("a text");
        assert!(text.starts_with("From ") || text.starts_with("On "), "{text}");
        assert!(text.contains(" May 1204, ") && text.contains(" times; of these: "), "{text}");
        assert!(text.chars().count() <= 1200 && summary["reason"]["rule"] == "abstracted", "{summary}");
        assert!(summary["sources"].as_array().expect("sources").len() >= 3, "{summary}");
    }
    let shown = desk.run(LATER).ok();
    assert!(shown.contains("old entries summarised") && shown.contains(" summaries"), "{shown}");
    assert!(shown.contains("dry run"), "{shown}");
    let reasons = desk.run(&format!("{LATER} -v")).ok();
    assert!(reasons.contains("abstracted: after days 7"), "{reasons}");
    assert_eq!(desk.run("list --store town.db --all --json").ok(), before);

    desk.run(&format!("{LATER} --apply")).ok();
    assert_eq!(important(&desk), important_before, "what is important stays as it was");
    let (npc, source) = plan["nights"]
        .as_array()
        .expect("nights")
        .iter()
        .find_map(|night| {
            let told = night["changes"].as_array()?.iter().find(|change| change["do"] == "chunk")?;
            Some((night["npc"].as_str()?.replace(' ', "_"), told["sources"][0].as_str()?))
        })
        .expect("a night with a summary");
    let why = desk.run(&format!("why {source} --store town.db --npc {npc}")).ok();
    assert!(why.contains("archived: abstracted") && why.contains("week:"), "{why}");
    assert!(desk.run(LATER).ok().contains("nothing to do"), "and that is all");

    // Restored entries stay.
    desk.run(&format!("restore {source} --store town.db --npc {npc} --apply")).ok();
    assert!(
        desk.run("maintain --store town.db --only abstract,forget --now 1205-05-28T06:00:00Z --json").json()
            ["nights"]
            .as_array()
            .expect("nights")
            .iter()
            .flat_map(|night| night["changes"].as_array().expect("changes"))
            .all(|c| c["id"] != source)
    );
    for _ in 0..2 {
        desk.run("undo --store town.db").ok();
    }
    assert_eq!(desk.run("list --store town.db --all --json").ok(), before);
}

#[test]
fn faded_entries_are_forgotten_except_protected_ones() {
    let desk = riverbend();
    let plan = desk.run("maintain --store town.db --only forget --now 1204-12-01T00:00:00Z --json").json();
    let forgotten = changes(&plan, "forget");
    assert!(!forgotten.is_empty() && changes(&plan, "chunk").is_empty());
    let all = entries(&desk, "");
    for change in forgotten {
        let values = &change["reason"]["values"];
        assert!(values["strength"].as_f64() < Some(0.1) && values["half_life_days"].is_number(), "{change}");
        let entry = all.iter().find(|e| e["id"] == change["id"]).expect("an active entry");
        assert!(entry["form"] == "reflection" || entry["importance"].as_u64() < Some(7), "{entry}");
        assert!(entry["pinned"] != true && entry["confidence"] == "normal", "{entry}");
    }
    // A bound on what is active takes the weakest, and nothing important.
    let bound = "maintain --store town.db --only forget --set maintain.max~active=10 --json";
    let bounded = desk.run(bound).json();
    assert!(changes(&bounded, "forget").iter().all(|c| c["reason"]["rule"] == "over-most"));
    assert!(!changes(&bounded, "forget").is_empty());
}

#[test]
fn old_archived_entries_are_purged_on_request() {
    let desk = riverbend();
    assert!(
        desk.run("purge --store town.db").ok().contains("nothing to delete"),
        "30 nights have not passed"
    );
    let before = desk.run("list --store town.db --all --json").ok();
    let active = desk.run("list --store town.db --json").ok();
    let dry = desk.run("purge --store town.db --older-than-nights 1").ok();
    assert!(dry.contains("can no longer be taken back") && dry.contains("nothing was deleted"), "{dry}");
    assert_eq!(desk.run("list --store town.db --all --json").ok(), before);
    let purged = desk.run("purge --store town.db --older-than-nights 1 --apply --json").json();
    assert!(purged["npcs"].as_array().expect("NPCs").len() >= 5, "{purged}");
    assert_eq!(desk.run("list --store town.db --json").ok(), active);
    assert!(
        entries(&desk, "--all").len() < before.matches("\"archived_by\"").count() + entries(&desk, "").len()
    );
    // What was slept on is not slept on again.
    let again = desk.run(&format!("sleep {ALL_DAYS} --store town.db --apply")).ok();
    assert!(again.contains("nothing to write"), "{again}");
    desk.run("undo --store town.db --npc Mara_Thorne").ok();
    desk.run("undo --store town.db --npc Mara_Thorne").code_is(5, "was purged");
    desk.run("purge --store town.db --older-than-nights 0").code_is(2, "older-than-nights");
}

#[test]
fn clock_that_jumps_ages_no_memory() {
    let active_after = |days: i64, jump: bool| -> Vec<String> {
        let desk = Desk::new();
        let mut lines = String::new();
        for day in 0..days {
            for (n, text) in
                ["saw a stranger at gate", "mended the fence of field", "paid for a sack of barley"]
                    .iter()
                    .enumerate()
            {
                let at = format!("1204-{:02}-{:02}T{:02}:00:00Z", 1 + day / 28, 1 + day % 28, 9 + n);
                let text = format!("I {text} number {}.", 3 * day + i64::try_from(n).expect("small"));
                let memory = serde_json::json!({"npc": "Mara", "id": format!("d{day}-{n}"), "at": at, "kind": "event",
                    "importance": 4 + n % 2, "text": text});
                lines.push_str(&format!("{memory}\n"));
            }
        }
        desk.write("days.jsonl", lines);
        desk.run("sleep days.jsonl --by-day --store town.db --apply").ok();
        if jump {
            let line = serde_json::json!({"npc": "Mara", "id": "far", "at": "1205-04-01T09:00:00Z", "kind": "chat",
                "text": "Good morning to you.", "importance": 5});
            desk.write("far.jsonl", format!("{line}\n"));
            desk.run("sleep far.jsonl --store town.db --apply").ok();
        }
        desk.run("maintain --store town.db --apply").ok();
        let ids = entries(&desk, "").into_iter().filter_map(|e| e["id"].as_str().map(str::to_owned));
        ids.filter(|id| id != "far").collect()
    };
    let (still, jumped) = (active_after(12, false), active_after(12, true));
    assert!(still.len() > 12, "{still:?}");
    assert_eq!(jumped, still);
}
