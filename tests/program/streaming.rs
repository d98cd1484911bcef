//! More NPCs than fit into memory, and interrupted runs.

use std::{
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread::sleep,
    time::Duration,
};

use crate::support::Desk;

const TOWN: &str = "sleep {scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl} \
    {scenarios/riverbend/days/3.jsonl} --by-day";

#[test]
fn streamed_plan_equals_plan_in_memory() {
    let desk = Desk::alone();
    let shown = desk.run(&format!("{TOWN} --plan whole.json")).ok();
    // Every memory waits in a file of its own, and NPCs sleep one by one.
    let apart = format!("{TOWN} --set input.held~bytes=1 --set run.memories=1 --plan apart.json");
    assert_eq!(desk.run(&apart).ok(), shown);
    assert!(desk.read("apart.json") == desk.read("whole.json"), "another plan");
}

#[test]
fn many_nights_are_listed_in_part_and_counted() {
    let desk = Desk::alone();
    let memory = |n| {
        format!(
            "{{\"id\":\"m\",\"npc\":\"n{n:04}\",\"at\":60,\"kind\":\"event\",\"text\":\"I swept the floor\"}}\n"
        )
    };
    desk.write("town.jsonl", (0..1_005).map(memory).collect::<String>());
    let out = desk.run("sleep town.jsonl").ok();
    assert_eq!(out.lines().filter(|line| line.starts_with("  n")).count(), 1_000);
    assert!(out.contains("\n  … and 5 nights more\n"), "{out}");
    assert!(out.contains("1005 NPCs, 1005 nights: 1005 memories read"), "{out}");
}

/// True if a folder holds a file whose name begins with `name`.
fn holds(folder: &Path, name: &str) -> bool {
    let found = std::fs::read_dir(folder).expect("the folder");
    found.flatten().any(|file| file.file_name().to_string_lossy().starts_with(name))
}

/// Sends an interrupt (^C) as soon as there is a file whose name begins with `file`.
fn interrupted(desk: &Desk, arguments: &str, file: &str) -> Output {
    let command = &mut desk.command(arguments);
    let mut child: Child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    for _ in 0..4_000 {
        if holds(&desk.path("."), file) || child.try_wait().expect("a child").is_some() {
            break;
        }
        sleep(Duration::from_millis(5));
    }
    let killed = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    assert!(killed.expect("kill").success(), "it had ended before");
    child.wait_with_output().expect("ended")
}

#[test]
#[cfg(unix)]
fn interrupted_run_keeps_written_nights_and_can_be_continued() {
    let desk = Desk::alone();
    let command = format!("{TOWN} --set run.npcs=1 --apply --store");
    desk.run(&format!("{command} whole.db")).ok();

    let ended = interrupted(&desk, &format!("{command} cut.db"), "cut.db");
    let told = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{told}");
    assert!(told.contains("finishing the nights that are going on"), "{told}");
    assert!(told.contains("written, and the others were not slept"), "{told}");
    assert!(told.contains("the same command goes on from there"), "{told}");

    desk.run(&format!("{command} cut.db")).ok();
    let list = |store: &str| desk.run(&format!("list --store {store} --all --json")).ok();
    assert!(list("cut.db") == list("whole.db"));
}

#[test]
#[cfg(unix)]
fn interrupted_dry_run_leaves_no_files() {
    let desk = Desk::alone();
    let ended = interrupted(&desk, &format!("{TOWN} --set run.npcs=1 --plan plan.json"), ".nightfold-");
    let told = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{told}");
    assert!(told.contains("planned, and nothing was written"), "{told}");
    assert!(ended.stdout.is_empty(), "{}", String::from_utf8_lossy(&ended.stdout));
    assert!(!holds(&desk.path("."), "plan.json") && !holds(&desk.path("."), ".nightfold-"));
}
