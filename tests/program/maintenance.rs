//! Maintenance of long-term memory: status entries are collapsed, insights are capped, archived entries are
//! restored.

use std::{
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

use serde_json::{Value, json};

use crate::support::Desk;

/// Makes a store with three nights of a guard whose post reports the same with other numbers, each stored as
/// its own entry.
fn guarded() -> Desk {
    let desk = Desk::new();
    let mut days = String::new();
    for day in 0..3 {
        for (n, hour) in [6, 12, 18].into_iter().enumerate() {
            let at = 86_400 * day + 3_600 * hour;
            let text = format!(
                "Guard post status: {} patrols, {n} alerts",
                3 * day + i64::try_from(n).expect("small")
            );
            let line = json!({"id": format!("d{day}-{n}"), "npc": "Bran", "at": at, "kind": "status", "text": text, "importance": 4});
            days.push_str(&format!("{line}\n"));
        }
    }
    desk.write("days.jsonl", &days);
    desk.run("sleep days.jsonl --by-day --store s.db --apply --set collapse.day=false --set triage.similar=1 --set budget.storage=1 --set budget.conclusions=0")
        .ok();
    desk
}

fn active(desk: &Desk) -> Vec<String> {
    let list = desk.run("list --store s.db --json").json();
    list.as_array().expect("entries").iter().map(|e| e["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn collapse_writes_only_on_apply_and_undo_restores_everything() {
    let desk = guarded();
    assert_eq!(active(&desk).len(), 9);
    let before = desk.run("list --store s.db --all --json").ok();

    let dry = desk.run("collapse --store s.db --json").json();
    assert_eq!(
        (&dry["dry_run"], &dry["duplicates_found"], &dry["duplicates_removed"]),
        (&json!(true), &json!(8), &json!(0))
    );
    assert_eq!(dry["groups"][0][0], "d0-0");
    let told = desk.run("collapse --store s.db").ok();
    assert!(told.contains("lived through 9 times") && told.contains("dry run"), "{told}");
    assert_eq!(desk.run("list --store s.db --all --json").ok(), before);

    let live = desk.run("collapse --store s.db --json --apply").json();
    for (field, value) in [
        ("dry_run", json!(false)),
        ("groups_collapsed", json!(1)),
        ("duplicates_removed", json!(8)),
        ("reinforcements_applied", json!(8)),
    ] {
        assert_eq!(live[field], value, "{field}");
    }
    assert_eq!(active(&desk), ["d0-0"]);
    let why = desk.run("why d1-1 --store s.db").ok();
    assert!(why.contains("d0-0 stands for d1-1") && why.contains("and made into"), "{why}");
    let why = desk.run("why d0-0 --store s.db").ok();
    assert!(why.contains("made from") && why.contains("5 patrols, 2 alerts"), "{why}");
    let again = desk.run("maintain --store s.db").ok();
    assert!(again.contains("nothing to do"), "{again}");

    let undone = desk.run("undo --store s.db").ok();
    assert!(undone.contains("upkeep"), "{undone}");
    assert_eq!(desk.run("list --store s.db --all --json").ok(), before);
}

#[test]
fn why_distinguishes_canonical_entry_from_synthesis() {
    let desk = guarded();
    let folded = "days.jsonl --by-day --store folded.db";
    desk.run(&format!("sleep {folded} --apply")).ok();
    desk.run("collapse --store folded.db --apply").ok();
    let told = desk.run("why d0-0 --store folded.db").ok();
    assert!(!told.contains("stands for d0-0"), "{told}");
    let reading = desk.run("why d0-1 --store folded.db").ok();
    assert!(reading.contains("d0-0 stands for d0-1"), "{reading}");
    // A plan that restores has nothing to count.
    desk.run("restore d0-1 --store folded.db --plan back.json").ok();
    let shown = desk.run("show back.json --store folded.db").ok();
    assert!(shown.contains("restored (1)") && !shown.contains("0 memories"), "{shown}");
}

#[test]
fn newest_reading_can_be_canonical() {
    let desk = guarded();
    desk.run("maintain --store s.db --set collapse.keep=newest --apply").ok();
    assert_eq!(active(&desk), ["d2-2"]);
    desk.write(
        "next.jsonl",
        "{\"id\":\"n\",\"npc\":\"Bran\",\"at\":400000,\"kind\":\"status\",\"text\":\"Guard post status: 99 patrols, 7 alerts\",\"importance\":4}\n",
    );
    desk.run("sleep next.jsonl --store s.db --apply --set budget.conclusions=0").ok();
    desk.run("maintain --store s.db --set collapse.keep=newest --apply").ok();
    assert_eq!(active(&desk), ["n"], "also the second time");
}

#[test]
fn saved_maintenance_plan_is_shown_applied_and_refused_once_stale() {
    let desk = guarded();
    let saved = desk.run("maintain --store s.db --plan upkeep.json --json").json();
    assert_eq!(saved["nights"][0]["changes"][0]["do"], "collapse");
    let shown = desk.run("show upkeep.json").ok();
    assert!(
        shown.contains("status lines made one (1)") && shown.contains("8 status entries collapsed"),
        "{shown}"
    );
    let shown = desk.run("show upkeep.json --store s.db").ok();
    assert!(shown.contains("& [d0-0] “Guard post status: 0 patrols, 0 alerts”"), "{shown}");
    assert!(shown.contains("for [d0-1] “Guard post status: 1 patrols, 1 alerts”"), "{shown}");
    desk.run("restore d0-1 --store s.db").code_is(2, "is active");
    desk.run("apply upkeep.json --store s.db").ok();
    assert_eq!(active(&desk), ["d0-0"]);
    desk.run("undo --store s.db").ok();
    desk.run("collapse --store s.db --apply --set collapse.keep=newest").ok();
    desk.run("apply upkeep.json --store s.db").code_is(5, "version");
}

#[test]
fn archived_entries_are_restored_whatever_archived_them() {
    let desk = guarded();
    desk.run("collapse --store s.db --apply").ok();
    desk.write("more.jsonl", "{\"id\":\"x\",\"npc\":\"Bran\",\"at\":400000,\"kind\":\"event\",\"text\":\"a leaf fell\",\"importance\":1}\n");
    desk.run("sleep more.jsonl --store s.db --apply --set budget.min~kept=0").ok();
    assert_eq!(active(&desk), ["d0-0"], "a leaf is pruned");
    for id in ["d1-1", "x"] {
        let dry = desk.run(&format!("restore {id} --store s.db")).ok();
        assert!(dry.contains("restored (1)") && dry.contains("dry run"), "{dry}");
        desk.run(&format!("restore {id} --store s.db --apply")).ok();
    }
    assert_eq!(active(&desk), ["d0-0", "d1-1", "x"]);
    let recalled = desk.run("recall Bran leaf --store s.db --json").ok();
    assert!(recalled.contains("a leaf fell"), "{recalled}");
    desk.run("restore nobody --store s.db").code_is(2, "no NPC has a memory nobody");
}

#[test]
fn usage_errors_are_reported() {
    let desk = guarded();
    desk.run("collapse days.jsonl --apply").code_is(2, "cannot be used with");
    desk.run("collapse").code_is(2, "INPUT");
    desk.run("maintain --store nothing.db").code_is(5, "nothing.db");
    desk.run("collapse --store s.db --npc Nobody").code_is(2, "Bran");
    desk.run("cap nowhere").code_is(2, "nowhere");
    desk.run("cap days.jsonl").code_is(2, "days.jsonl");
    desk.run("cap").code_is(2, "DIR");
    fs::create_dir(desk.path("notes")).expect("a folder");
    desk.run("cap notes --plan p.json").code_is(2, "--plan is for a store");
    desk.run("collapse --store s.db --on-bad-line skip").code_is(2, "cannot be used with");
    desk.run("collapse days.jsonl --npc Bran").code_is(2, "--npc is for a store");
}

/// Writes insight files, the first of each subject touched first.
fn insights(folder: &Path, subjects: &[(&str, u64)]) {
    fs::create_dir(folder).expect("a folder");
    for (subject, files) in subjects {
        for n in 0..*files {
            let path = folder.join(format!("{subject}-{n}.md"));
            fs::write(&path, format!("what I think of {subject}, version {n}")).expect("written");
            let touched = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + 60 * n);
            fs::File::options()
                .append(true)
                .open(&path)
                .expect("opened")
                .set_modified(touched)
                .expect("touched");
        }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("read")
        .map(|e| e.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names
}

#[cfg(unix)]
#[test]
fn capped_folder_keeps_three_insights_of_each_subject() {
    let desk = Desk::new();
    let folder = desk.path("insights");
    insights(&folder, &[("affect-substrate", 12), ("completion-narration", 10), ("concept-rotation", 3)]);
    for n in 0..5 {
        fs::write(folder.join(format!("minds-all.db-{n}")), b"SQLite format 3\0").expect("written");
    }
    let dry: Value = desk.run("cap insights --json").json();
    assert_eq!((&dry["dry_run"], &dry["scanned"]), (&json!(true), &json!(25)));
    assert_eq!(dry["passed_over"].as_array().expect("a list").len(), 5, "a database is no note");
    assert_eq!(names(&folder).len(), 30);

    let told = desk.run("cap insights --apply").ok();
    assert!(told.contains("16 files moved to archive/insights-dedup-"), "{told}");
    let left = names(&folder);
    assert_eq!(left.len(), 15, "{left:?}");
    assert!(
        left.contains(&"affect-substrate-11.md".to_owned())
            && !left.contains(&"affect-substrate-8.md".to_owned())
    );
    let archive = folder.join("archive");
    let runs = names(&archive);
    assert_eq!((runs.len(), runs[0].as_str()), (2, ".lock"));
    let moved = archive.join(&runs[1]);
    assert_eq!(names(&moved).len(), 16);
    assert_eq!(
        fs::read_to_string(moved.join("affect-substrate-0.md")).expect("read"),
        "what I think of affect-substrate, version 0"
    );
    assert!(fs::metadata(moved.join("affect-substrate-0.md")).expect("there").permissions().readonly());
    assert!(desk.run("cap insights --apply").ok().contains("nothing to do"));
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_out_of_the_folder() {
    let desk = Desk::new();
    let (folder, elsewhere) = (desk.path("insights"), desk.path("elsewhere"));
    insights(&folder, &[("affect-substrate", 5)]);
    fs::create_dir(&elsewhere).expect("a folder");
    std::os::unix::fs::symlink(&elsewhere, folder.join("archive")).expect("a link");
    desk.run("cap insights --apply").code_is(5, "archive");
    assert_eq!((names(&folder).len(), names(&elsewhere).len()), (6, 0));
}
