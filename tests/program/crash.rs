//! A run that is killed at any moment leaves only complete nights, and running it again completes it.

use std::{process::Stdio, thread::sleep, time::Duration};

use serde_json::Value;

use crate::support::Desk;

const APPLY: &str = "sleep {scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl} \
    {scenarios/riverbend/days/3.jsonl} --by-day --set run.npcs=1 --apply";

/// Counts entries by NPC and night.
fn nights(list: &Value) -> std::collections::BTreeMap<String, usize> {
    let mut nights = std::collections::BTreeMap::new();
    for entry in list.as_array().expect("entries") {
        *nights.entry(format!("{} {}", entry["npc"], entry["night"])).or_default() += 1;
    }
    nights
}

#[test]
fn killed_run_leaves_complete_nights_and_can_be_repeated() {
    let desk = Desk::alone();
    desk.run(&format!("{APPLY} --store whole.db")).ok();
    let whole = desk.run("list --store whole.db --all --json").ok();
    let whole_nights = nights(&serde_json::from_str(&whole).expect("JSON"));

    let mut cut_short = 0;
    for round in 0..6_u64 {
        let store = format!("cut{round}.db");
        let mut child = desk
            .command(&format!("{APPLY} --store {store}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        // The kill must land between the first night and the last: wait for the store, then a little longer.
        for _ in 0..4_000 {
            if desk.path(&store).exists() || child.try_wait().expect("a child").is_some() {
                break;
            }
            sleep(Duration::from_millis(5));
        }
        sleep(Duration::from_millis(300 + 350 * round));
        child.kill().expect("killed");
        child.wait().expect("ended");

        if desk.path(&store).exists() {
            let found = desk.run(&format!("list --store {store} --all --json"));
            if found.code == 0 {
                let found = nights(&serde_json::from_str(&found.out).expect("JSON"));
                cut_short += usize::from(found.len() < whole_nights.len());
                for (night, entries) in found {
                    assert_eq!(entries, whole_nights[&night], "{night} is half there");
                }
            }
        }
        desk.run(&format!("{APPLY} --store {store}")).ok();
        assert!(desk.run(&format!("list --store {store} --all --json")).ok() == whole, "round {round}");
    }
    assert!(cut_short > 0, "no run was cut short: the test proved nothing");
}
