//! The tasks of an operator, done by the commands of the book's page, as they stand under its headings.

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Command, Output, Stdio},
};

use serde_json::Value;

use crate::{
    docs::{Programs, commands},
    support::{Desk, root},
};

/// Holds the write lock of the store `town.db` until its standard input ends.
const HOLDER: &str = "import sqlite3, sys
store = sqlite3.connect('town.db', isolation_level=None)
store.execute('BEGIN IMMEDIATE')
print('locked', flush=True)
sys.stdin.read()";

/// An operator in a folder, with the page to work by.
struct Operator {
    desk: Desk,
    programs: Programs,
    page: String,
}

impl Operator {
    /// An empty folder.
    fn new() -> Self {
        let page = fs::read_to_string(root().join("docs/src/servers/operations.md")).expect("the page");
        Self { desk: Desk::new(), programs: Programs::new(), page }
    }

    /// A folder as it is after the first run: a night is written, and its day is done.
    fn after_the_first_run() -> Self {
        let operator = Self::new();
        operator.desk.run("init").ok();
        for folder in ["inbox", "done", "backup"] {
            fs::create_dir(operator.desk.path(folder)).expect("a folder");
        }
        fs::copy(
            operator.desk.path("scenarios/first-nights/days/1.jsonl"),
            operator.desk.path("done/1.jsonl"),
        )
        .expect("a day");
        operator.desk.run("sleep done/1.jsonl --by-day --store town.db --apply").ok();
        operator
    }

    /// A folder in which both days have been slept on.
    fn after_two_nights() -> Self {
        let operator = Self::after_the_first_run();
        operator.desk.run("sleep scenarios/first-nights/days/2.jsonl --by-day --store town.db --apply").ok();
        operator
    }

    /// Returns the commands under a heading of the page, block after block.
    fn commands(&self, heading: &str) -> String {
        let title = format!("\n## {heading}\n");
        let (_, section) = self.page.split_once(&title).unwrap_or_else(|| panic!("no heading {heading}"));
        let commands = commands(section.split("\n## ").next().expect("a section"));
        assert!(!commands.is_empty(), "no commands under {heading}");
        commands
    }

    /// Runs commands that must succeed, and returns what they print.
    #[track_caller]
    fn types(&self, commands: &str) -> String {
        let output = self.shell(commands).output().expect("a shell");
        succeeded(commands, &output)
    }

    fn shell(&self, commands: &str) -> Command {
        self.programs.shell(commands, &self.desk.path(""))
    }

    fn entries(&self) -> Value {
        self.desk.run("list --store town.db --all --json").json()
    }

    /// Lays the second day into the inbox.
    fn second_day_arrives(&self) {
        fs::copy(self.desk.path("scenarios/first-nights/days/2.jsonl"), self.desk.path("inbox/2.jsonl"))
            .expect("a day");
    }
}

#[track_caller]
fn succeeded(commands: &str, output: &Output) -> String {
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{commands}\n{err}");
    String::from_utf8(output.stdout.clone()).expect("output is UTF-8")
}

/// Names of the files of a folder, in order.
fn names(operator: &Operator, folder: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(operator.desk.path(folder))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names
}

/// True if an entry of the night of this date is among them.
fn has_night(entries: &Value, night: &str) -> bool {
    entries.as_array().expect("entries").iter().any(|entry| entry["night"] == night)
}

#[test]
fn program_is_installed_with_a_verified_model() {
    let operator = Operator::new();
    let told = operator.types(&operator.commands("Installing"));
    assert!(told.starts_with(&format!("nightfold {}\n", env!("CARGO_PKG_VERSION"))), "{told}");
    assert_eq!(told.matches("verified, at").count(), 3, "{told}");
}

#[test]
fn first_run_sleeps_what_is_in_the_inbox() {
    let operator = Operator::new();
    let told = operator.types(&operator.commands("The first run"));
    assert!(told.contains("dry run"), "{told}");
    assert_eq!((names(&operator, "inbox"), names(&operator, "done")), (vec![], vec!["1.jsonl".to_owned()]));
    assert!(has_night(&operator.entries(), "1204-05-03"));
}

#[test]
fn nightly_run_leaves_a_store_a_summary_and_metrics() {
    let operator = Operator::after_the_first_run();
    let nightly = operator.commands("The nightly run");
    operator.types(&nightly);
    assert!(has_night(&operator.entries(), "1204-05-04"));
    assert!(names(&operator, "inbox").is_empty());
    let summary: Value = serde_json::from_slice(&operator.desk.read("summary.json")).expect("JSON");
    assert!(summary.is_object(), "{summary}");
    let metrics = String::from_utf8(operator.desk.read("nightfold.prom")).expect("UTF-8");
    assert!(metrics.contains("# TYPE nightfold"), "{metrics}");
    // Repeated, with the same day come again, it changes nothing.
    let before = operator.entries();
    operator.types(&nightly);
    assert_eq!(operator.entries(), before);
}

#[test]
fn backup_is_a_whole_store() {
    let operator = Operator::after_the_first_run();
    operator.types(&operator.commands("Backing up"));
    let mut copies = names(&operator, "backup");
    // A reader leaves its own files beside a store.
    copies.retain(|name| !name.ends_with("-shm") && !name.ends_with("-wal"));
    assert_eq!(copies.len(), 1, "{copies:?}");
    let entries = operator.desk.run(&format!("list --store backup/{} --all --json", copies[0])).json();
    assert_eq!(entries, operator.entries());
}

#[test]
fn damaged_store_is_restored_from_its_backup() {
    let operator = Operator::after_the_first_run();
    let before = operator.entries();
    operator.types(&operator.commands("Backing up"));
    operator.desk.write("town.db", "this was a store");
    operator.desk.run("list --store town.db").code_is(5, "town.db");
    operator.types(&operator.commands("Restoring"));
    assert_eq!(operator.entries(), before);
    assert_eq!(operator.desk.read("broken/town.db"), b"this was a store", "what was broken is kept");
}

#[test]
fn full_disk_stops_the_run_and_room_lets_it_go_on() {
    let operator = Operator::after_the_first_run();
    operator.second_day_arrives();
    let before = operator.entries();
    let nightly = "nightfold sleep inbox/2.jsonl --by-day --store town.db --apply";
    // A file that may not grow stands for a disk without room.
    let full = operator.shell(&format!("trap '' XFSZ; ulimit -f 8; {nightly}")).output().expect("a shell");
    assert_eq!(full.status.code(), Some(5), "{}", String::from_utf8_lossy(&full.stderr));
    assert_eq!(operator.entries(), before, "the night is not there, and nothing else is touched");
    operator.types(&operator.commands("When the disk is full"));
    operator.types(nightly);
    assert!(has_night(&operator.entries(), "1204-05-04"));
}

/// A process that holds the write lock; ended when it is dropped.
struct Holder(Child);

impl Holder {
    fn new(operator: &Operator) -> Self {
        let mut child = Command::new("python3")
            .args(["-c", HOLDER])
            .current_dir(operator.desk.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python");
        let mut line = String::new();
        let said = BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line);
        let holder = Self(child);
        said.expect("a line");
        assert_eq!(line, "locked\n");
        holder
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn holder_of_a_stuck_lock_is_found_and_ended() {
    let operator = Operator::after_the_first_run();
    operator.second_day_arrives();
    let nightly = "nightfold sleep inbox/2.jsonl --by-day --store town.db --apply";
    let holder = Holder::new(&operator);
    let refused = operator.shell(nightly).output().expect("a shell");
    let err = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(5), "{err}");
    assert!(err.contains("the store is locked by another process"), "{err}");

    let recipe = operator.commands("When the store stays locked");
    let (find, repeat) = recipe.split_once('\n').expect("first to find it, then to repeat the run");
    let found = operator.types(find);
    let process = format!("/proc/{}/fd/", holder.0.id());
    assert!(!found.is_empty() && found.lines().all(|line| line.starts_with(&process)), "{found}");
    operator.types(&format!("kill {}", holder.0.id()));
    operator.types(repeat);
    assert!(has_night(&operator.entries(), "1204-05-04"));
}

#[test]
fn alarm_is_raised_when_the_store_has_grown() {
    let operator = Operator::after_the_first_run();
    let look = operator.commands("When the store grows");
    let quiet = operator.types(&look);
    assert!(!quiet.contains("ALARM"), "{quiet}");
    let loud = operator.shell(&look).env("LIMIT", "1000").output().expect("a shell");
    let told = succeeded(&look, &loud);
    let bytes = fs::metadata(operator.desk.path("town.db")).expect("a store").len();
    assert!(told.contains(&format!("ALARM: town.db has {bytes} bytes")), "{told}");
}

#[test]
fn what_was_archived_long_ago_is_erased() {
    let operator = Operator::after_two_nights();
    let archived = |entries: &Value| {
        entries.as_array().expect("entries").iter().filter(|entry| entry["state"] == "archived").count()
    };
    let before = operator.entries();
    operator.types(&operator.commands("Erasing what is old"));
    let after = operator.entries();
    assert!(archived(&after) < archived(&before), "{after}");
    let active = operator.desk.run("list --store town.db --json").json();
    let count = active.as_array().expect("entries").len();
    assert_eq!(count, before.as_array().expect("entries").len() - archived(&before), "active entries stay");
}

#[test]
fn person_is_erased_from_the_bytes_of_the_store() {
    let operator = Operator::after_two_nights();
    let held = |name: &str| {
        let bytes = operator.desk.read("town.db");
        bytes.windows(name.len()).any(|window| window == name.as_bytes())
    };
    assert!(held("Joren"));
    operator.types(&operator.commands("Erasing a person"));
    assert!(!held("Joren"), "not in any page, free ones included");
    assert!(!operator.entries().as_array().expect("entries").is_empty(), "what is not about him stays");
}
