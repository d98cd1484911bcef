//! Workers that share the NPCs of one night.

use std::thread;

use nightfold_store::testing::PostgresServer;
use serde_json::Value;

use crate::support::Desk;

const DAYS: &str = "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl} --by-day";

/// Content of a store, without the places of nights and the numbers of runs, which tell who was first.
pub(crate) fn content(desk: &Desk, store: &str) -> Vec<String> {
    let exported = desk.run(&format!("export --store {store} --to -")).ok();
    let mut lines = Vec::new();
    for line in exported.lines() {
        let mut line: Value = serde_json::from_str(line).expect("a line is JSON");
        if line.get("format").is_some() || line.get("sha256").is_some() {
            continue;
        }
        for table in ["night", "theme"] {
            if let Some(row) = line.get_mut(table).and_then(Value::as_object_mut) {
                row.remove("seq");
                row.remove("run");
            }
        }
        lines.push(line.to_string());
    }
    lines.sort();
    lines
}

#[test]
fn shards_together_are_the_whole_night() {
    let desk = Desk::new();
    desk.run(&format!("sleep {DAYS} --store whole.db --apply")).ok();
    for index in 0..3 {
        desk.run(&format!("sleep {DAYS} --shard {index}/3 --store shared.db --apply")).ok();
    }
    assert_eq!(content(&desk, "shared.db"), content(&desk, "whole.db"));
    let again = desk.run(&format!("sleep {DAYS} --store shared.db --apply")).ok();
    assert!(again.contains("nothing to write"), "{again}");
}

#[test]
fn workers_beside_each_other_write_the_night_of_one() {
    let Some(server) = PostgresServer::shared() else { return };
    let desk = Desk::new();
    let address = server.address();
    desk.run(&format!("sleep {DAYS} --store whole.db --apply")).ok();
    thread::scope(|scope| {
        // Each shard has two workers, as if one had been thought dead.
        for index in [0, 1, 0, 1] {
            let (desk, address) = (&desk, &address);
            scope.spawn(move || {
                let sleep = format!("sleep {DAYS} --shard 2 --store {address} --apply");
                let ran = desk.run_with(&sleep, &[("JOB_COMPLETION_INDEX", &index.to_string())]);
                // A worker whose night the other has written is told so, and says how to go on.
                assert!([0, 6].contains(&ran.code), "{}", ran.err);
            });
        }
    });
    assert_eq!(content(&desk, &address), content(&desk, "whole.db"));
}

#[test]
fn shard_that_is_none_is_told() {
    let desk = Desk::new();
    desk.run(&format!("sleep {DAYS} --shard 3/3")).code_is(2, "give INDEX/COUNT");
    desk.run(&format!("sleep {DAYS} --shard 3")).code_is(2, "JOB_COMPLETION_INDEX");
}
