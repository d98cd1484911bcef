//! Export and import of a store.

use serde_json::Value;

use crate::support::{Desk, root};

const DAYS: &str = "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl}";

fn village() -> Desk {
    let desk = Desk::new();
    desk.run(&format!("sleep {DAYS} --by-day --store town.db --apply")).ok();
    desk
}

#[test]
fn exported_store_imports_unchanged() {
    let desk = village();
    let told = desk.run("export --store town.db --to town.jsonl").ok();
    assert!(told.starts_with("6 NPCs, 12 nights, "), "{told}");
    let into = desk.run("import town.jsonl --store new.db").ok();
    assert_eq!(into.split(" into").next(), told.split(" to").next());
    desk.run("export --store new.db --to again.jsonl").ok();
    assert!(desk.read("again.jsonl") == desk.read("town.jsonl"), "not the same bytes");
    assert!(desk.run("export --store new.db --to -").ok().into_bytes() == desk.read("town.jsonl"));

    let same = |command: &str| {
        let [old, new] =
            ["town.db", "new.db"].map(|store| desk.run(&format!("{command} --store {store}")).ok());
        assert_eq!(old, new, "{command}");
        old
    };
    let all = "list --all --json";
    same(all);
    same("themes Mara_Thorne --json");
    same("recall Mara_Thorne Tom --json --explain");
    let next = ["town.db", "new.db"].map(|store| {
        let sleep = format!("sleep {{scenarios/riverbend/days/3.jsonl}} --json --store {store}");
        desk.run(&sleep).json()["nights"].clone()
    });
    assert!(next[0] == next[1] && next[0].as_array().is_some_and(|nights| nights.len() == 6), "{next:?}");
    assert!(same(&format!("sleep {DAYS} --by-day --apply")).contains("nothing to write"));
    same("undo --npc Mara_Thorne");
    same(all);
    for store in ["town.db", "new.db"] {
        desk.run(&format!("sleep {DAYS} --by-day --npc Mara_Thorne --store {store} --apply")).ok();
    }
    same(all);
    same("undo");
    same("undo");
    assert_eq!(same(all), "[]\n");
}

/// Returns a day of riverbend, with its times as seconds since the beginning of the month.
fn day_in_seconds(n: u8) -> String {
    let file = root().join(format!("scenarios/riverbend/days/{n}.jsonl"));
    let day = std::fs::read_to_string(file).expect("a day of the scenario");
    let seconds = |at: &str| -> i64 {
        let part =
            |from: usize| at.get(from..from + 2).and_then(|two| two.parse::<i64>().ok()).expect("two digits");
        ((part(8) * 24 + part(11)) * 60 + part(14)) * 60 + part(17)
    };
    let in_seconds = |line: &str| {
        let mut memory: Value = serde_json::from_str(line).expect("a memory");
        memory["at"] = seconds(memory["at"].as_str().expect("a date")).into();
        format!("{memory}\n")
    };
    day.lines().map(in_seconds).collect()
}

#[test]
fn store_with_times_in_seconds_round_trips() {
    let desk = Desk::new();
    for n in 1..=2 {
        desk.write(&format!("{n}.jsonl"), day_in_seconds(n));
    }
    desk.run("sleep 1.jsonl 2.jsonl --by-day --store town.db --apply").ok();
    desk.run("export --store town.db --to town.jsonl").ok();
    desk.run("import town.jsonl --store new.db").ok();
    desk.run("export --store new.db --to again.jsonl").ok();
    assert!(desk.read("again.jsonl") == desk.read("town.jsonl"), "not the same bytes");
    for command in ["list --all --json", "themes Mara_Thorne --json"] {
        let [old, new] =
            ["town.db", "new.db"].map(|store| desk.run(&format!("{command} --store {store}")).ok());
        assert_eq!(old, new, "{command}");
    }
}

#[test]
fn single_npc_is_exported() {
    let desk = village();
    desk.run("export --store town.db --npc Mara_Thorne --to mara.jsonl").ok();
    desk.run("import mara.jsonl --store mara.db").ok();
    let of = |store: &str| desk.run(&format!("list --all --json --npc Mara_Thorne --store {store}")).ok();
    assert_eq!(of("mara.db"), of("town.db"));
    desk.run("list --store mara.db --npc Joss_Fenn").code_is(2, "the store has no NPC of the name");
    desk.run("export --store town.db --npc Nobody --to x.jsonl").code_is(2, "the store has no NPC");
    assert!(!desk.path("x.jsonl").exists());
}

#[test]
fn failed_import_leaves_no_store() {
    let desk = village();
    desk.run("export --store town.db --to town.jsonl").ok();
    let text = String::from_utf8(desk.read("town.jsonl")).expect("UTF-8");
    let refused = |text: &str, said: &str| {
        desk.write("bad.jsonl", text);
        desk.run("import bad.jsonl --store new.db").code_is(3, said);
        let left: Vec<_> = std::fs::read_dir(desk.path("")).expect("the desk").collect();
        assert!(
            left.iter().flatten().all(|entry| !entry.file_name().to_string_lossy().starts_with("new.db"))
        );
    };
    let lines: Vec<&str> = text.lines().collect();
    let half = text.floor_char_boundary(text.len() / 2);
    refused(text.get(..half).expect("a boundary"), "it was cut short");
    refused("", "bad.jsonl:1:1: the file ends before its last line");
    refused(&text.replacen("silver", "golden", 1), "text and time are not those of the memory");
    refused(&text.replacen("\"corroborations\":0", "\"corroborations\":1", 1), "the file was changed");
    refused(
        &text.replacen("\"version\":1", "\"version\":7", 1),
        "bad.jsonl:1:1: the format of the export is 7",
    );
    refused(&text.replacen("@f32", "@f16", 1), "and not of all-MiniLM-L6-v2@f32");
    refused(&text.replacen("{\"night\":{", "{\"night\":[", 1), "bad.jsonl:8:");
    refused(&text.replacen(lines[20], "", 1), "bad.jsonl:21:");
    refused("{\"id\":\"a\"}\n", "missing field `format`");
    desk.run("import none.jsonl --store new.db").code_is(3, "cannot read none.jsonl");
    let before = desk.run("list --store town.db --all --json").ok();
    desk.run("import town.jsonl --store town.db").code_is(5, "the store is not empty");
    assert_eq!(desk.run("list --store town.db --all --json").ok(), before);
    desk.run("export --store town.db --to town.db").code_is(2, "this call reads or writes that file already");
    desk.run("export --store none.db --to x.jsonl").code_is(5, "there is no store");
}

#[test]
fn entries_are_exported_as_one_table() {
    let desk = village();
    let told = desk.run("export --entries --store town.db --to entries.jsonl").ok();
    let text = String::from_utf8(desk.read("entries.jsonl")).expect("UTF-8");
    assert!(told.starts_with(&format!("{} entries of 6 NPCs to ", text.lines().count())), "{told}");
    let entries: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let listed = desk.run("list --all --json --store town.db").json();
    for (entry, listed) in entries.iter().zip(listed.as_array().expect("a list")) {
        let mut entry = entry.clone();
        let vector = entry.as_object_mut().expect("an object").remove("vector");
        assert_eq!(entry, *listed);
        assert!(vector.is_some() || entry["state"] == "archived", "{entry}");
    }
    let of_one = desk.run("export --entries --store town.db --to mara.jsonl --npc Mara_Thorne").ok();
    assert!(of_one.contains(" entries of 1 NPC to mara.jsonl"), "{of_one}");
}
