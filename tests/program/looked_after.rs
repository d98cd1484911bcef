//! Commands that look after a store: figures, checks, backups, free space, and what follows the nights.

use std::{fs, process::Stdio, thread::sleep, time::Duration};

use nightfold_store::{DurableStore as _, ImportOptions, SqliteStore};

use crate::support::Desk;

const DAYS: &str = "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl}";

/// Returns a folder with a store of two nights, maintained.
fn desk_with_a_store() -> Desk {
    let desk = Desk::new();
    desk.run(&format!("sleep {DAYS} --by-day --store town.db --apply")).ok();
    desk
}

/// Changes a letter of a memory in the file, as a disk might; returns the id of the memory.
pub(crate) fn rot(desk: &Desk, store: &str) -> String {
    let list = desk.run(&format!("list --store {store} --json")).json();
    let memory = &list[0];
    let text = memory["text"].as_str().expect("a text").as_bytes();
    let mut bytes = desk.read(store);
    // Pages hold remains of earlier rows, too.
    let places: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(text)).collect();
    assert!(!places.is_empty(), "the text is there");
    places.iter().for_each(|at| bytes[*at] ^= 1);
    desk.write(store, bytes);
    memory["id"].as_str().expect("an id").to_owned()
}

#[test]
fn figures_of_a_store_are_shown() {
    let desk = desk_with_a_store();
    let shown = desk.run("stats --store town.db").ok();
    for said in
        ["town.db\n", "size ", "nights ", " each", "are free already", "largest memory", "Mara Thorne"]
    {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    let json = desk.run("stats --store town.db --biggest 1 --json").json();
    assert_eq!(json["biggest"].as_array().expect("a list").len(), 1);
    let list = desk.run("list --store town.db --all --json").json();
    let entries = json["active"].as_u64().expect("a count") + json["archived"].as_u64().expect("a count");
    assert_eq!(entries, list.as_array().expect("entries").len() as u64);
    assert!(json["bytes_per_night"].as_u64() > Some(0) && json["free_bytes"].is_u64(), "{json}");
}

#[test]
fn check_finds_a_store_sound_through_all_that_is_done_to_it() {
    let desk = desk_with_a_store();
    for command in [
        "rewind --save slot --store town.db",
        "sleep {scenarios/riverbend/days/3.jsonl} {scenarios/riverbend/days/4.jsonl} --by-day --store town.db --apply",
        "maintain --store town.db --now 1205-12-20T00:00:00Z --apply",
        "purge --store town.db --older-than-nights 1 --apply",
        "undo --store town.db --npc Mara_Thorne",
    ] {
        desk.run(command).ok();
        let said = desk.run("check --store town.db");
        assert_eq!(said.code, 0, "{command}: {} {}", said.out, said.err);
        assert!(said.out.starts_with("sound: "), "{command}: {}", said.out);
    }
    let json = desk.run("check --store town.db --npc Mara_Thorne --json").json();
    assert_eq!((json["found"].as_u64(), json["checked"]["npcs"].as_u64()), (Some(0), Some(1)));
}

#[test]
fn rotten_memory_is_named_and_not_exported() {
    let desk = desk_with_a_store();
    let rotten = rot(&desk, "town.db");
    let said = desk.run("check --store town.db");
    assert_eq!(said.code, 1, "{}", said.err);
    assert!(said.out.contains("damaged text (table `memory`)"), "{}", said.out);
    assert!(said.err.contains("restore a backup"), "{}", said.err);
    let json = desk.run("check --store town.db --json");
    assert_eq!(json.code, 1);
    let json: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    let problems = json["problems"].as_array().expect("a list");
    assert!(problems.iter().any(|problem| problem["id"] == rotten.as_str()), "{rotten}: {json}");
    let of_file =
        |problem: &serde_json::Value| problem["problem"].as_str().is_some_and(|said| said.contains("page "));
    assert!(problems.iter().all(|problem| problem["npc"].is_string() || of_file(problem)), "{json}");
    for how in ["--to town.jsonl", "--to entries.jsonl --entries"] {
        desk.run(&format!("export --store town.db {how}")).code_is(5, "a page of the file is damaged");
    }
    assert!(!desk.path("town.jsonl").exists() && !desk.path("entries.jsonl").exists());
}

#[test]
fn backup_restores_a_store_that_sleeps_on() {
    let desk = desk_with_a_store();
    let said = desk.run("backup backup.db --store town.db").ok();
    assert!(said.ends_with("to backup.db, read again and compared\n"), "{said}");
    desk.run("check --store backup.db").ok();
    let next = "sleep {scenarios/riverbend/days/3.jsonl} --apply --store";
    desk.run(&format!("{next} town.db")).ok();
    desk.run(&format!("{next} backup.db")).ok();
    let [town, backup] =
        ["town.db", "backup.db"].map(|store| desk.run(&format!("list --store {store} --all --json")).ok());
    assert!(town == backup, "the copy sleeps as the store does");
    desk.run("backup backup.db --store town.db").code_is(2, "is there already");
    desk.run("backup backup.db --store town.db --overwrite").ok();
    desk.run("backup town.db --store town.db --overwrite").code_is(2, "is the store itself");
    desk.run("backup b.db --store postgres://h/d").code_is(2, "is not backed up by this command");
}

#[test]
fn purge_gives_the_free_space_of_the_file_back() {
    let desk = desk_with_a_store();
    desk.run("undo --store town.db").ok();
    let before = desk.read("town.db");
    let dry = desk.run("purge --store town.db").ok();
    assert!(
        dry.contains("nothing to delete") && dry.contains("are free in the file already; --apply"),
        "{dry}"
    );
    assert!(desk.read("town.db") == before);
    let done = desk.run("purge --store town.db --apply --json").json();
    assert!(done["freed_bytes"].as_u64() > Some(0), "{done}");
    assert!(desk.read("town.db").len() < before.len());
}

#[test]
fn maintenance_and_purge_follow_the_nights() {
    let desk = desk_with_a_store();
    let days = "{scenarios/riverbend/days/3.jsonl}";
    desk.run(&format!("sleep {days} --store town.db --then maintain")).code_is(2, "--then is for nights");
    let said = desk
        .run(&format!(
            "sleep {days} --store town.db --apply --then purge,maintain --wait 30s --set maintain.purge~after~nights=1"
        ))
        .ok();
    let places = ["applied: ", "\nmaintain:\n", "\npurge:\n"].map(|part| said.find(part));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{said}");
    assert!(said.contains("deleted for good: "), "{said}");
    desk.run("check --store town.db").ok();
    // Two lines of JSON for the tasks follow the plan.
    let json = desk.run(&format!("sleep {days} --store town.db --apply --then maintain,purge --json")).ok();
    let lines: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[2]["dry_run"], false);
}

/// Reader of lines that never come: an import that reads them holds the store.
struct Waiting(std::sync::mpsc::Receiver<()>);

impl std::io::Read for Waiting {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        let _ = self.0.recv();
        Ok(0)
    }
}

#[test]
fn writer_waits_as_long_as_it_is_told() {
    let desk = desk_with_a_store();
    let store = desk.path("town.db");
    let (end, held) = std::sync::mpsc::channel::<()>();
    let holder = std::thread::spawn(move || {
        let options = ImportOptions::default();
        let store = SqliteStore::open_existing(store).expect("opened");
        let _ = store.import(&mut std::io::BufReader::new(Waiting(held)), &options);
    });
    sleep(Duration::from_millis(500));
    let night = "sleep {scenarios/riverbend/days/3.jsonl} --store town.db --apply";
    desk.run(&format!("{night} --wait 1s")).code_is(5, "--wait 5m");
    desk.run("undo --store town.db --wait 1").code_is(2, "60s");
    let child = desk
        .command(&format!("{night} --wait 5m"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Longer than what a call waits by itself.
    sleep(Duration::from_secs(8));
    drop(end);
    let ended = child.wait_with_output().expect("ended");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(String::from_utf8_lossy(&ended.stdout).contains("applied: "));
    holder.join().expect("joined");
    assert!(fs::metadata(desk.path("town.db")).is_ok());
}
