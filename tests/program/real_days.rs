//! Nights on days of real NPCs, where the data is available.

use serde_json::Value;

use crate::support::{Desk, shared_data};

/// Asserts properties that every night of real days must have.
fn holds(plan: &Value) {
    let report = &plan["report"];
    assert_eq!(report["important"], report["important_kept"], "an important memory was lost");
    let reduction = report["reduction"].as_f64().expect("reduction");
    assert!((0.4..=0.6).contains(&reduction), "{reduction}");
    for night in plan["nights"].as_array().expect("nights") {
        let (mut texts, mut pruned) = (std::collections::BTreeMap::new(), Vec::new());
        for memory in night["memories"].as_array().expect("memories") {
            texts.insert(memory["id"].as_str(), memory);
        }
        for change in night["changes"].as_array().expect("changes") {
            if change["do"] == "prune" {
                pruned.push(texts[&change["id"].as_str()]);
            }
        }
        for memory in pruned {
            let blank = matches!(memory["text"].as_str().map(str::trim), Some("" | "this is blank"));
            assert!(blank || memory["importance"].as_u64() < Some(7), "{memory}");
        }
    }
}

#[test]
fn real_days_shrink_by_half_and_keep_important_memories() {
    let Some(path) = shared_data("generative_agents/july1.jsonl") else { return };
    let desk = Desk::new();
    std::os::unix::fs::symlink(path, desk.path("days.jsonl")).expect("a link");
    let plan = desk.run("sleep days.jsonl --by-day --store town.db --json").json();
    holds(&plan);
    desk.run("sleep days.jsonl --by-day --store town.db --apply").ok();
    let after = desk.run("list --store town.db --all --json").ok();
    assert!(desk.run("sleep days.jsonl --by-day --store town.db --apply").ok().contains("nothing to write"));
    assert!(desk.run("list --store town.db --all --json").ok() == after);
    desk.run("undo --store town.db").ok();
    assert_eq!(desk.run("list --store town.db --all --json").ok(), "[]\n");
}
