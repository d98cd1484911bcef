//! Files that calls write: what they never replace, what is left of killed calls, and disks that are full.

use crate::support::Desk;

/// Returns a desk with a memory in `day.jsonl`, and a store that holds the night after it.
fn after_one_night() -> Desk {
    let desk = Desk::new();
    desk.write("day.jsonl", "{\"id\":\"a\",\"npc\":\"Tom\",\"at\":1,\"kind\":\"event\",\"text\":\"The mill burned down.\",\"importance\":8}\n");
    desk.run("sleep day.jsonl --store town.db --apply").ok();
    desk
}

#[test]
fn outputs_replace_no_database_and_no_file_of_the_call() {
    let desk = after_one_night();
    desk.write("nightfold.toml", "seed = 3\n");
    std::fs::copy(desk.path("town.db"), desk.path("other.db")).expect("a copy");
    desk.run("sleep day.jsonl --vector-cache vectors.cache").ok();
    std::fs::hard_link(desk.path("day.jsonl"), desk.path("hard.json")).expect("a link");
    let read = |name: &str| std::fs::read(desk.path(name)).ok();
    let names = ["town.db", "other.db", "day.jsonl", "nightfold.toml", "vectors.cache"];
    let before = names.map(read);
    for (output, words) in [
        ("town.db", "reads or writes that file already"),
        ("town.db-wal", "belong to the database"),
        ("town.db-shm", "belong to the database"),
        ("town.db-journal", "belong to the database"),
        ("other.db", "it is a database"),
        ("other.db-wal", "belong to the database"),
        ("vectors.cache", "it is a database"),
        ("nightfold.toml", "reads or writes that file already"),
    ] {
        for call in ["export --store town.db --to", "sleep day.jsonl --store town.db --plan"] {
            let ran = desk.run(&format!("{call} {output}"));
            assert_eq!(ran.code, 2, "{call} {output}: {}", ran.err);
            assert!(ran.err.contains(words) && ran.err.contains("hint: "), "{call} {output}: {}", ran.err);
        }
    }
    for call in ["sleep day.jsonl --report hard.json", "sleep day.jsonl --plan hard.json"] {
        desk.run(call).code_is(2, "reads or writes that file already");
    }
    desk.run("sleep day.jsonl --vector-cache new.cache --plan new.cache")
        .code_is(2, "reads or writes that file already");
    desk.run("maintain --store town.db --plan town.db-wal").code_is(2, "belong to the database");
    assert!(names.map(read) == before);
}

#[test]
fn file_of_a_killed_call_is_removed_by_the_next_and_that_of_a_running_call_stays() {
    let desk = after_one_night();
    let hidden = || {
        let entries = std::fs::read_dir(desk.path("")).expect("the desk").flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(".nightfold-")).count()
    };
    // It begins its file and waits for input that never comes.
    let mut waiting = desk.command("sleep - --summary-json night.json");
    let mut waiting = waiting.stdin(std::process::Stdio::piped()).spawn().expect("it starts");
    while hidden() == 0 && waiting.try_wait().expect("it is asked").is_none() {
        std::thread::yield_now();
    }
    desk.run("export --store town.db --to town.jsonl").ok();
    assert_eq!(hidden(), 1, "the call still goes on");
    waiting.kill().and_then(|()| waiting.wait()).expect("it ends");
    assert_eq!(hidden(), 1);
    desk.run("export --store town.db --to town.jsonl").ok();
    assert_eq!(hidden(), 0);
}

#[cfg(target_os = "linux")]
mod full {
    use std::{
        fs::File,
        process::{Command, Output},
    };

    use super::*;

    fn full() -> File {
        File::options().write(true).open("/dev/full").expect("a disk that is always full")
    }

    /// Runs a command with standard output on a full disk.
    fn onto_full_disk(desk: &Desk, call: &str) -> Output {
        desk.command(call).stdout(full()).output().expect("it runs")
    }

    /// Runs a command that may write no byte to any file.
    fn without_room(desk: &Desk, call: &str) -> Output {
        let inner = desk.command(call);
        let mut limited = Command::new("sh");
        limited.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""]).arg(inner.get_program());
        limited.args(inner.get_args()).current_dir(desk.path(""));
        limited.env("NIGHTFOLD_VECTOR_CACHE", "off").env_remove("NIGHTFOLD_STORE");
        limited.output().expect("it runs")
    }

    #[track_caller]
    fn assert_told(ran: &Output, code: i32, words: &[&str]) {
        let err = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(code), "{err}");
        assert!(words.iter().all(|words| err.contains(words)), "{words:?}: {err}");
    }

    #[test]
    fn nights_are_written_and_counted_though_their_plan_or_report_has_no_room() {
        let full = "No space left on device";
        for (output, named) in [("--plan /dev/full", "/dev/full"), ("--report /dev/full", "/dev/full")] {
            let desk = after_one_night();
            desk.write("next.jsonl", "{\"id\":\"b\",\"npc\":\"Ida\",\"at\":90000,\"kind\":\"event\",\"text\":\"The bridge fell.\",\"importance\":8}\n");
            let ran = desk
                .command(&format!("sleep next.jsonl --store town.db --apply {output}"))
                .output()
                .expect("it runs");
            assert_told(&ran, 7, &[named, full, "1 night was written to the store all the same"]);
            assert!(desk.run("list --store town.db").ok().contains("The bridge fell."));
            desk.run(&format!("sleep next.jsonl {output}")).code_is(7, full);
        }
        let desk = after_one_night();
        desk.write("next.jsonl", "{\"id\":\"b\",\"npc\":\"Ida\",\"at\":90000,\"kind\":\"event\",\"text\":\"The bridge fell.\",\"importance\":8}\n");
        let ran = onto_full_disk(&desk, "sleep next.jsonl --store town.db --apply");
        assert_told(&ran, 7, &["standard output", full, "1 night was written to the store all the same"]);
        assert!(desk.run("list --store town.db").ok().contains("The bridge fell."));
    }

    #[test]
    fn standard_output_without_room_is_named() {
        let desk = after_one_night();
        for call in [
            "list --store town.db",
            "list --store town.db --json",
            "export --store town.db --to -",
            "generate config",
        ] {
            assert_told(
                &onto_full_disk(&desk, call),
                7,
                &["cannot write to standard output", "No space left", "hint: "],
            );
        }
        desk.run("export --store town.db --to /dev/full").code_is(7, "cannot write /dev/full");
        assert_told(&onto_full_disk(&desk, "undo --store town.db"), 7, &["what this command stores"]);
        desk.run("undo --store town.db").code_is(2, "there is nothing to take back");
    }

    #[test]
    fn file_without_room_is_named_and_the_earlier_one_stays() {
        let desk = after_one_night();
        desk.write("kept", "kept");
        for call in ["sleep day.jsonl --plan kept", "sleep day.jsonl --report kept"] {
            assert_told(&without_room(&desk, call), 7, &["cannot write kept", "File too large", "hint: "]);
            assert_eq!(desk.read("kept"), b"kept", "{call}");
        }
        let names = std::fs::read_dir(desk.path("")).expect("the desk").count();
        assert_eq!(names, 3, "day, store and the kept file");
    }

    #[test]
    fn temporary_files_and_stores_without_room_are_told_apart() {
        let desk = after_one_night();
        let before = desk.run("list --store town.db --all --json").ok();
        let spilled = without_room(&desk, "sleep day.jsonl --set input.held~bytes=1");
        assert_told(&spilled, 7, &["input.held_bytes", "TMPDIR"]);
        desk.write("next.jsonl", "{\"id\":\"b\",\"npc\":\"Ida\",\"at\":90000,\"kind\":\"event\",\"text\":\"The bridge fell.\",\"importance\":8}\n");
        let ran = without_room(&desk, "sleep next.jsonl --store town.db --apply");
        assert_eq!(ran.status.code(), Some(5), "{}", String::from_utf8_lossy(&ran.stderr));
        assert!(desk.run("list --store town.db --all --json").ok() == before);
        desk.run("export --store town.db --to town.jsonl").ok();
        assert_eq!(without_room(&desk, "import town.jsonl --store new.db").status.code(), Some(5));
    }
}
