//! Packs, and workers that share the run of one.

use std::{
    fs,
    process::{Child, Stdio},
    thread,
    time::Duration,
};

use nightfold_store::testing::PostgresServer;
use serde_json::Value;

use crate::{shards::content, support::Desk};

/// Packs two days of 24 NPCs, four times as many as the scenario has, and sleeps them in one process.
fn packed(shards: u32) -> Desk {
    let desk = Desk::new();
    let mut lines = String::new();
    for day in ["1", "2"] {
        let day = crate::support::root().join(format!("scenarios/riverbend/days/{day}.jsonl"));
        for line in fs::read_to_string(day).expect("a day").lines().filter(|line| !line.is_empty()) {
            let memory: Value = serde_json::from_str(line).expect("a memory");
            for copy in 0..4 {
                let mut memory = memory.clone();
                memory["npc"] = format!("{} {copy}", memory["npc"].as_str().expect("a name")).into();
                lines.push_str(&format!("{memory}\n"));
            }
        }
    }
    desk.write("days.jsonl", lines);
    let told = desk.run(&format!("shards pack days.jsonl --to day --shards {shards}")).ok();
    assert!(told.contains(&format!("of 24 NPCs in {shards} shards")), "{told}");
    desk
}

fn in_one_process(desk: &Desk) -> Vec<String> {
    desk.run("sleep days.jsonl --by-day --store whole.db --apply").ok();
    content(desk, "whole.db")
}

fn status(desk: &Desk, address: &str) -> Value {
    desk.run(&format!("shards show --json --store {address}")).json()[0].take()
}

fn started(desk: &Desk, sleep: &str) -> Child {
    desk.command(sleep).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

/// Waits until the latest run is as it should be.
fn wait_for(desk: &Desk, address: &str, expected: impl Fn(&Value) -> bool) {
    for _ in 0..600 {
        let told = desk.run(&format!("shards show --json --store {address}"));
        if told.code == 0 && expected(&told.json()[0]) {
            return;
        }
        thread::sleep(Duration::from_millis(100));
    }
    panic!("the run never came so far: {}", status(desk, address));
}

/// Number of shards of a run that are not done and in this state.
fn of_state(run: &Value, state: &str) -> usize {
    run["unfinished"]
        .as_array()
        .map_or(0, |shards| shards.iter().filter(|shard| shard["state"] == state).count())
}

#[test]
fn pack_sleeps_as_the_days_it_was_made_of() {
    let desk = packed(6);
    let whole = in_one_process(&desk);
    desk.run("sleep day --by-day --store pack.db --apply").ok();
    assert_eq!(content(&desk, "pack.db"), whole);
    // By shards of a part, and by shards that are no parts.
    for (count, store) in [(3, "thirds.db"), (4, "fourths.db")] {
        for index in 0..count {
            desk.run(&format!("sleep day --by-day --shard {index}/{count} --store {store} --apply"));
        }
        assert_eq!(content(&desk, store), whole);
    }
    desk.run("shards pack day --to again --shards 6").ok();
    for shard in 0..6 {
        let file = format!("shard-0000{shard}.jsonl");
        assert!(
            desk.read(&format!("again/{file}")) == desk.read(&format!("day/{file}")),
            "not the same bytes"
        );
    }
    assert!(desk.read("again/pack.json") == desk.read("day/pack.json"), "not the same notes");
    for (input, plan) in [("day", "pack.json"), ("days.jsonl", "days.json")] {
        desk.run(&format!("sleep {input} --by-day --plan {plan}")).ok();
    }
    assert!(desk.read("pack.json") == desk.read("days.json"), "not the same plan");
}

/// Changes a word in a shard of the pack, and returns the file with its bytes before.
fn damaged(desk: &Desk) -> (String, Vec<u8>) {
    let files = (0..9).map(|shard| format!("day/shard-0000{shard}.jsonl"));
    let file = files.into_iter().find(|file| !desk.read(file).is_empty()).expect("a shard with memories");
    let good = desk.read(&file);
    let text = String::from_utf8(good.clone()).expect("UTF-8");
    desk.write(&file, text.replacen("event", "evert", 1));
    (file, good)
}

#[test]
fn pack_that_cannot_be_used_is_told_with_the_place() {
    let desk = packed(2);
    desk.run("shards pack days.jsonl --to days.jsonl").code_is(2, "Not a directory");
    desk.run("shards pack days.jsonl --to day2 --shards 0").code_is(2, "1..=100000");
    desk.run("shards pack days.jsonl --to day").code_is(2, "day is not empty");
    let (file, good) = damaged(&desk);
    desk.run("sleep day").code_is(3, &format!("{file} is not what was packed: its checksum is another"));
    desk.write(&file, &good[..good.len() - 100]);
    desk.run("sleep day").code_is(3, "its checksum is another");
    desk.write(&file, good);
    desk.run("sleep days.jsonl --by-day --store town.db --apply").ok();
    desk.run("sleep day --resume --store town.db --apply").code_is(2, "goes on");
    desk.run("shards show --store town.db").code_is(2, "postgres://");
    let notes = String::from_utf8(desk.read("day/pack.json")).expect("UTF-8");
    desk.write("day/pack.json", notes.replace("\"format\":1", "\"format\":9"));
    desk.run("sleep day").code_is(3, "day is a pack of format 9; this version reads format 1");
    // A pack that was begun is none, and is begun anew.
    std::fs::remove_file(desk.path("day/pack.json")).expect("removed");
    desk.run("shards pack days.jsonl --to day --shards 1").ok();
    assert!(!desk.path("day/shard-00001.jsonl").exists());
}

#[test]
fn workers_of_a_pack_write_the_night_of_one() {
    let Some(server) = PostgresServer::shared() else { return };
    let desk = packed(8);
    let whole = in_one_process(&desk);
    let address = server.address();
    let sleep = format!("sleep day --by-day --store {address} --apply --vector-cache {address}");
    // The cache is in the store, which is made first.
    desk.run(&format!("sleep days.jsonl --vector-cache {address}")).code_is(2, "make the store first");
    thread::scope(|scope| {
        // One with a part of its own, and one without.
        for own in ["", " --shard 1/3"] {
            let (desk, sleep) = (&desk, format!("{sleep}{own}"));
            scope.spawn(move || assert!(desk.run(&sleep).ok().contains("8 of 8 shards done")));
        }
    });
    assert_eq!(content(&desk, &address), whole);
    let state = status(&desk, &address);
    assert_eq!((&state["done"], &state["written"], &state["lost"]), (&8.into(), &48.into(), &0.into()));
    let told = desk.run(&format!("shards show --store {address}")).ok();
    assert!(told.contains("8 of 8 shards done, 0 leased, 0 open, 0 failed"), "{told}");
    // Everything is slept: nobody does it again.
    let again = desk.run(&sleep).ok();
    assert!(again.contains("0 shards slept by this worker, 0 nights written"), "{again}");
    // All workers wrote to one run.
    let undone = desk.run(&format!("undo --store {address}")).ok();
    assert_eq!(undone.matches("taken back").count(), 48, "{undone}");
    assert_eq!(desk.run(&format!("list --all --json --store {address}")).ok(), "[]\n");
    let told = desk.run(&format!("shards show --store {address}")).ok();
    assert!(told.contains("nights of it were undone"), "{told}");
    let json = desk.run(&format!("{sleep} --json")).json();
    assert_eq!((&json["shards"], &json["written"], &json["embedded"]), (&8.into(), &48.into(), &0.into()));
    assert_eq!(content(&desk, &address), whole);
}

#[test]
fn shards_of_killed_workers_are_slept_by_others() {
    let Some(server) = PostgresServer::shared() else { return };
    let desk = packed(6);
    let whole = in_one_process(&desk);
    let address = server.address();
    let sleep =
        format!("sleep day --by-day --store {address} --apply --set run.lease~seconds=5 --set run.npcs=1");
    for _ in 0..3 {
        let mut worker = started(&desk, &sleep);
        wait_for(&desk, &address, |run| of_state(run, "leased") == 1 && run["written"].as_u64() > Some(0));
        worker.kill().expect("killed");
        worker.wait().expect("ended");
        // Its shard is free when its lease has run out.
        wait_for(&desk, &address, |run| of_state(run, "leased") == 0 && of_state(run, "lost") > 0);
    }
    desk.run(&sleep).ok();
    assert_eq!(content(&desk, &address), whole);
    let state = status(&desk, &address);
    assert_eq!((&state["done"], &state["failed"]), (&6.into(), &0.into()), "{state}");
    assert_eq!(state["lost"], 3, "{state}");
}

#[test]
fn damaged_shard_fails_alone_and_is_slept_when_the_pack_is_mended() {
    let Some(server) = PostgresServer::shared() else { return };
    let desk = packed(4);
    let whole = in_one_process(&desk);
    let address = server.address();
    let (file, good) = damaged(&desk);
    let sleep = format!("sleep day --by-day --store {address} --apply");
    desk.run(&sleep).code_is(6, "--resume sleeps them again");
    let state = status(&desk, &address);
    assert_eq!((&state["done"], &state["failed"]), (&3.into(), &1.into()));
    assert!(state["unfinished"][0]["problem"].as_str().expect("a problem").contains("checksum"), "{state}");
    desk.write(&file, good);
    // Another worker has nothing to do, and is told that somebody must.
    desk.run(&sleep).code_is(6, "1 shard of other workers failed");
    desk.run(&format!("{sleep} --resume")).ok();
    assert_eq!(content(&desk, &address), whole);
}

#[test]
fn workers_with_other_settings_do_not_mix() {
    let Some(server) = PostgresServer::shared() else { return };
    let desk = packed(2);
    let address = server.address();
    let sleep = format!("sleep day --by-day --store {address} --apply");
    let short = format!("{sleep} --set input.max~text~bytes=8");
    desk.run(&short).code_is(6, "2 shards of run 1 failed");
    let told = desk.run(&sleep);
    assert!(
        told.err.contains("run 1 sleeps this pack with other settings: input.max_text_bytes"),
        "{}",
        told.err
    );
    told.code_is(2, "nightfold shards end 1");
    desk.run(&format!("shards end 9 --store {address}")).code_is(2, "there is no shared run 9");
    desk.run(&format!("shards end 1 --store {address}")).ok();
    desk.run(&sleep).ok();
    let runs = desk.run(&format!("shards show --last 5 --json --store {address}")).json();
    assert_eq!((&runs[0]["done"], &runs[1]["ended"]), (&2.into(), &true.into()));
    desk.run(&format!("{sleep} --plan night.json")).code_is(2, "--plan shows the nights of one call");
    // One NPC alone is slept as ever.
    desk.run(&format!("{sleep} --npc Mara_Thorne_0 --plan night.json")).ok();
}

#[test]
fn workers_of_a_run_that_is_ended_or_undone_stop_and_bring_nothing_back() {
    let Some(server) = PostgresServer::shared() else { return };
    let desk = packed(2);
    let whole = in_one_process(&desk);
    let address = server.address();
    let sleep = format!("sleep day --by-day --store {address} --apply --set run.npcs=1");
    for (run, ending) in [(1, "shards end 1"), (2, "undo")] {
        let worker = started(&desk, &sleep);
        wait_for(&desk, &address, |state| state["run"] == run && state["written"].as_u64() > Some(0));
        desk.run(&format!("{ending} --store {address}")).ok();
        let ended = worker.wait_with_output().expect("ended");
        let told = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(6), "{told}");
        assert!(told.contains(&format!("run {run} has ended")), "{told}");
        if ending == "shards end 1" {
            desk.run(&format!("undo --store {address}")).ok();
        }
        assert_eq!(desk.run(&format!("list --all --json --store {address}")).ok(), "[]\n", "after {ending}");
    }
    desk.run(&sleep).ok();
    assert_eq!(content(&desk, &address), whole);
}
