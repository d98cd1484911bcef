//! An inbox of days that one call sleeps on and empties.

use std::fs;

use serde_json::Value;

use crate::support::Desk;

const SLEEP: &str = "sleep --inbox inbox --done done --by-day --store town.db";

/// A day of somebody else.
const STRANGER: &str = "{\"id\":\"s-1\",\"npc\":\"Stranger\",\"at\":\"1204-05-03T10:00:00Z\",\"kind\":\"event\",\
                        \"text\":\"The mill stands still.\"}\n";

/// A folder with an inbox that has these files of days of the scenario, and an empty one for what is done.
fn desk(days: &[u32]) -> Desk {
    let desk = Desk::new();
    desk.run("init").ok();
    for folder in ["inbox", "done"] {
        fs::create_dir(desk.path(folder)).expect("a folder");
    }
    days.iter().for_each(|day| arrives(&desk, *day));
    desk
}

fn arrives(desk: &Desk, day: u32) {
    let from = desk.path(&format!("scenarios/first-nights/days/{day}.jsonl"));
    fs::copy(from, desk.path(&format!("inbox/{day}.jsonl"))).expect("a day");
}

/// Names of the files of a folder, in order.
fn names(desk: &Desk, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(desk.path(folder)).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

fn entries(desk: &Desk) -> Value {
    desk.run("list --store town.db --all --json").json()
}

#[test]
fn files_are_moved_once_their_nights_are_written() {
    let desk = desk(&[1, 2]);
    for begun in [".3.jsonl", "3.jsonl.part", "3.jsonl.tmp"] {
        desk.write(&format!("inbox/{begun}"), "{\"npc\":\"Ma");
    }
    let dry = desk.run(SLEEP).ok();
    assert!(dry.contains("dry run"), "{dry}");
    assert!(names(&desk, "done").is_empty(), "a dry run moves nothing");

    let out = desk.run(&format!("{SLEEP} --apply")).ok();
    assert!(out.contains("inbox: 2 files moved, 0 left"), "{out}");
    assert_eq!(names(&desk, "done"), ["1.jsonl", "2.jsonl"]);
    assert_eq!(names(&desk, "inbox"), [".3.jsonl", "3.jsonl.part", "3.jsonl.tmp"]);

    // The same as one call on both files.
    desk.run("sleep done/1.jsonl done/2.jsonl --by-day --store other.db --apply").ok();
    assert_eq!(entries(&desk), desk.run("list --store other.db --all --json").json());
}

#[test]
fn file_whose_nights_were_written_before_a_crash_is_moved_by_the_next_call() {
    let desk = desk(&[1]);
    // The nights are in the store and the file still lies there, as a crash between both leaves it.
    desk.run("sleep inbox/1.jsonl --by-day --store town.db --apply").ok();
    let before = entries(&desk);
    let out = desk.run(&format!("{SLEEP} --apply")).ok();
    assert!(out.contains("all of this was slept on before"), "{out}");
    assert_eq!((names(&desk, "inbox"), names(&desk, "done")), (vec![], vec!["1.jsonl".to_owned()]));
    assert_eq!(entries(&desk), before);

    // Come again, it is moved again, and replaces nothing.
    arrives(&desk, 1);
    desk.run(&format!("{SLEEP} --apply")).ok();
    assert_eq!(names(&desk, "done"), ["1.1.jsonl", "1.jsonl"]);
}

#[test]
fn file_with_a_bad_line_stays() {
    let desk = desk(&[1, 2]);
    let mut day = desk.read("inbox/2.jsonl");
    day.extend_from_slice(b"{\"npc\":\n");
    desk.write("inbox/2.jsonl", day);
    desk.run(&format!("{SLEEP} --apply")).code_is(3, "2.jsonl");
    assert_eq!(names(&desk, "inbox"), ["1.jsonl", "2.jsonl"], "nothing was done");

    let ran = desk.run(&format!("{SLEEP} --apply --on-bad-line skip"));
    assert!(ran.err.contains("note: 2.jsonl stays in the inbox: it has bad lines"), "{}", ran.err);
    assert!(ran.ok().contains("inbox: 1 file moved, 1 left"));
    assert_eq!(
        (names(&desk, "inbox"), names(&desk, "done")),
        (vec!["2.jsonl".into()], vec!["1.jsonl".into()])
    );
}

#[test]
fn file_stays_if_a_night_of_it_failed() {
    let desk = desk(&[1]);
    desk.write("inbox/0.jsonl", STRANGER);
    // The day has more memories than are allowed; that of the stranger has not.
    let call = format!("{SLEEP} --apply --summary-json summary.json");
    let ran = desk.run(&format!("{call} --set input.max~memories=5"));
    assert!(ran.err.contains("note: 1.jsonl stays in the inbox: a night of it failed"), "{}", ran.err);
    ran.code_is(6, "did not happen");
    assert_eq!(
        (names(&desk, "inbox"), names(&desk, "done")),
        (vec!["1.jsonl".into()], vec!["0.jsonl".into()])
    );
    let summary: Value = serde_json::from_slice(&desk.read("summary.json")).expect("JSON");
    assert_eq!((&summary["exit_code"], &summary["nights"]["failed"]), (&6.into(), &1.into()));
    assert_eq!(summary["files"], serde_json::json!({"moved": 1, "left": 1}));

    desk.run(&call).ok();
    assert!(names(&desk, "inbox").is_empty(), "the next call does what is left");
}

#[test]
fn empty_inbox_is_no_error() {
    let desk = desk(&[]);
    let call = format!("{SLEEP} --apply --then maintain,purge --summary-json summary.json");
    assert_eq!(desk.run(&call).ok(), "the inbox is empty\n");
    assert!(!desk.path("town.db").exists(), "no store is made for nothing");
    let summary: Value = serde_json::from_slice(&desk.read("summary.json")).expect("JSON");
    assert_eq!((&summary["exit_code"], &summary["nights"]["written"]), (&0.into(), &0.into()));

    // What maintenance a failed call left undone is done, though its files were moved.
    arrives(&desk, 1);
    desk.run(&format!("{SLEEP} --apply")).ok();
    let out = desk.run(&call).ok();
    assert!(out.contains("the inbox is empty") && out.contains("maintain:"), "{out}");
}

#[cfg(unix)]
#[test]
fn links_and_folders_are_left_with_a_note() {
    let desk = desk(&[1]);
    std::os::unix::fs::symlink(desk.path("scenarios/first-nights/days/2.jsonl"), desk.path("inbox/2.jsonl"))
        .expect("a link");
    fs::create_dir(desk.path("inbox/3.jsonl")).expect("a folder");
    desk.write("inbox/notes.txt", "not a day");
    desk.write("inbox/4.jsonl", "");
    let ran = desk.run(&format!("{SLEEP} --apply"));
    for note in [
        "2.jsonl stays in the inbox: it is a link",
        "3.jsonl stays in the inbox: it is a folder",
        "4.jsonl stays in the inbox: it is empty",
        "notes.txt stays in the inbox: its name does not end in",
    ] {
        assert!(ran.err.contains(note), "{}", ran.err);
    }
    ran.ok();
    assert_eq!(names(&desk, "inbox"), ["2.jsonl", "3.jsonl", "4.jsonl", "notes.txt"]);
    assert_eq!(names(&desk, "done"), ["1.jsonl"]);
}

#[test]
fn no_more_files_are_slept_on_than_the_configuration_allows() {
    let desk = desk(&[1, 2]);
    let ran = desk.run(&format!("{SLEEP} --apply --set input.max~files=1"));
    assert!(ran.err.contains("1 file of the inbox waits for the next call"), "{}", ran.err);
    ran.ok();
    assert_eq!(
        (names(&desk, "inbox"), names(&desk, "done")),
        (vec!["2.jsonl".into()], vec!["1.jsonl".into()])
    );
}

#[test]
fn folder_that_takes_no_files_is_told_before_anything_is_done() {
    let desk = desk(&[1]);
    for (done, said) in [("missing", "is no folder"), ("inbox", "the same folder")] {
        desk.run(&SLEEP.replace("--done done", &format!("--done {done} --apply"))).code_is(2, said);
    }
    // Another file system, where there is one.
    if cfg!(target_os = "linux") && fs::metadata("/dev/shm").is_ok_and(|shm| shm.is_dir()) {
        let other = tempfile::tempdir_in("/dev/shm").expect("a folder");
        let call = SLEEP.replace("--done done", &format!("--done {} --apply", other.path().display()));
        desk.run(&call).code_is(2, "on one file system");
    }
    assert!(!desk.path("town.db").exists());
    assert_eq!(names(&desk, "inbox"), ["1.jsonl"]);
}

#[test]
fn file_with_a_time_of_another_clock_stays_and_is_told() {
    let desk = desk(&[1, 2]);
    let stray = "{\"id\":\"ada-x\",\"npc\":\"Ada Miller\",\"at\":\"2024-05-03T10:00:00Z\",\"kind\":\"event\",\
                 \"text\":\"The mill burned down.\",\"importance\":10}\n";
    let mut day = String::from_utf8(desk.read("inbox/2.jsonl")).expect("UTF-8");
    day.push_str(stray);
    desk.write("inbox/2.jsonl", &day);
    let call = format!("{SLEEP} --apply -q --then maintain --summary-json s.json --metrics m.prom");
    let ran = desk.run(&call);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("1 memory was set apart and not slept on (Ada Miller)"), "{}", ran.err);
    assert_eq!(
        (names(&desk, "inbox"), names(&desk, "done")),
        (vec!["2.jsonl".into()], vec!["1.jsonl".into()])
    );
    let summary: Value = serde_json::from_slice(&desk.read("s.json")).expect("JSON");
    assert_eq!((&summary["set_apart"], &summary["exit_code"]), (&1.into(), &3.into()), "{summary}");
    let metrics = String::from_utf8(desk.read("m.prom")).expect("UTF-8");
    assert!(metrics.contains("nightfold_sleep_set_apart 1\n"), "{metrics}");
    assert!(!ran.err.contains("--then was not run"), "{}", ran.err);

    // It is told each time until its time is right.
    let again = desk.run(&format!("{SLEEP} --apply"));
    assert_eq!(again.code, 3, "{}", again.err);
    assert!(again.err.contains("2.jsonl stays in the inbox: it has times of another clock"), "{}", again.err);

    // Once its time is right, it is slept on, and the file is done.
    desk.write("inbox/2.jsonl", day.replace("2024-05-03", "1204-05-04"));
    desk.run(&format!("{SLEEP} --apply")).ok();
    assert_eq!(names(&desk, "inbox"), Vec::<String>::new());
    let all = entries(&desk);
    assert!(all.as_array().expect("entries").iter().any(|entry| entry["id"] == "ada-x"), "{all}");
}
