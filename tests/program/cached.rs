//! The cache of vectors across runs.

use std::{fs, process::Stdio, thread, time::Duration};

use serde_json::Value;

use crate::support::Desk;

const NIGHT: &str = "sleep -v {scenarios/riverbend/days/1.jsonl} --vector-cache vectors.db";
/// Variables that log the opening of the model to standard error.
const TELLING: [(&str, &str); 1] = [("NIGHTFOLD_LOG", "info")];
const OPENED: &str = "the embedding model is opened";

/// Returns the line that says where the vectors came from.
fn vectors(out: &str) -> &str {
    out.lines().find(|line| line.starts_with("vectors: ")).unwrap_or_else(|| panic!("no such line in {out}"))
}

fn counts(report: &Value) -> [u64; 3] {
    ["texts", "cached", "embedded"].map(|key| report["report"]["vectors"][key].as_u64().expect("a count"))
}

#[test]
fn warm_cache_plans_the_same_bytes_without_opening_the_model() {
    let desk = Desk::alone();
    let cold = desk.run_with(&format!("{NIGHT} --plan cold.json"), &TELLING);
    assert!(cold.err.contains(OPENED), "{}", cold.err);
    let cold = cold.ok();
    let warm = desk.run_with(&format!("{NIGHT} --plan warm.json"), &TELLING);
    assert!(!warm.err.contains(OPENED), "{}", warm.err);
    let warm = warm.ok();
    let off =
        desk.run(&format!("{NIGHT}.not-used --plan off.json").replace("vectors.db.not-used", "off")).ok();
    assert!(desk.read("cold.json") == desk.read("warm.json"), "a warm cache shows in the plan");
    assert!(desk.read("cold.json") == desk.read("off.json"), "a cache shows in the plan");
    assert!(!off.contains("vectors: "), "{off}");

    assert!(vectors(&cold).contains(", 0 from the cache, "), "{}", vectors(&cold));
    assert!(vectors(&warm).ends_with(", 0 embedded"), "{}", vectors(&warm));
    // Beside that line, people are shown the same.
    let rest =
        |out: &str| out.lines().filter(|line| !line.starts_with("vectors: ")).collect::<Vec<_>>().join("\n");
    assert_eq!(rest(&cold), rest(&warm));

    let [texts, cached, embedded] = counts(&desk.run(&format!("{NIGHT} --json")).json());
    assert!(texts > 100 && cached == texts && embedded == 0, "{texts} {cached} {embedded}");
    let fresh = desk.run("sleep {scenarios/riverbend/days/1.jsonl} --vector-cache fresh.db --json").json();
    assert_eq!(counts(&fresh), [texts, 0, texts]);
}

#[test]
fn recall_gives_the_same_results_with_a_cache() {
    let desk = Desk::alone();
    desk.run(&format!("{NIGHT} --store town.db --apply")).ok();
    let asked = "recall Mara_Thorne who~owes~money --store town.db --json".replace('~', "-");
    let off = desk.run(&asked).ok();
    for _ in 0..2 {
        assert_eq!(desk.run(&format!("{asked} --vector-cache vectors.db")).ok(), off);
    }
    let warm = desk.run_with(&format!("{asked} --vector-cache vectors.db"), &TELLING);
    assert!(!warm.err.contains(OPENED), "{}", warm.err);
}

#[test]
fn damaged_cache_is_recomputed() {
    let desk = Desk::alone();
    desk.run(&format!("{NIGHT} --plan whole.json")).ok();
    let whole = desk.read("vectors.db");
    let mut scribbled = whole.clone();
    let at = scribbled.len() / 3;
    scribbled[at..at + 40_000].iter_mut().for_each(|byte| *byte ^= 0x55);
    for (name, bytes) in [("scribbled", &scribbled[..]), ("cut", &whole[..whole.len() / 2]), ("empty", &[])] {
        for beside in ["vectors.db-wal", "vectors.db-shm"] {
            let _ = fs::remove_file(desk.path(beside));
        }
        desk.write("vectors.db", bytes);
        let mended = desk.run(&format!("{NIGHT} --plan {name}.json")).ok();
        assert!(!vectors(&mended).ends_with(" 0 embedded"), "{name}: {}", vectors(&mended));
        assert!(desk.read("whole.json") == desk.read(&format!("{name}.json")), "{name}");
        let again = desk.run(&format!("{NIGHT} --json")).json();
        let [texts, cached, _] = counts(&again);
        // What was damaged, or all of it, is there again.
        assert!(cached > 0 && cached <= texts, "{name}: {cached} of {texts}");
    }
}

#[test]
fn foreign_cache_file_is_refused_and_unchanged() {
    let desk = Desk::alone();
    let diary = "dear diary\n".repeat(500);
    desk.write("diary.txt", &diary);
    desk.run("sleep {scenarios/riverbend/days/1.jsonl} --vector-cache diary.txt")
        .code_is(2, "is not a vector cache");
    desk.run("sleep {scenarios/riverbend/days/1.jsonl} --vector-cache no/where.db")
        .code_is(2, "cannot be used");
    desk.run("sleep {scenarios/riverbend/days/1.jsonl} --vector-cache .").code_is(2, "is a folder");
    assert_eq!(desk.read("diary.txt"), diary.as_bytes());
    desk.run("sleep {scenarios/riverbend/days/1.jsonl} --store town.db --apply").ok();
    let town = desk.read("town.db");
    desk.run("sleep {scenarios/riverbend/days/2.jsonl} --vector-cache town.db")
        .code_is(2, "is not a vector cache");
    assert!(desk.read("town.db") == town, "a store was taken for a cache");
}

#[test]
fn concurrent_and_killed_runs_leave_the_cache_valid() {
    let desk = Desk::alone();
    desk.run("sleep {scenarios/riverbend/days/1.jsonl} --plan off.json").ok();
    let start = |plan: &str| {
        let mut command = desk.command(&format!("{NIGHT} --plan {plan}"));
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts")
    };
    for wait in [200, 700, 1200] {
        let mut killed = start("killed.json");
        thread::sleep(Duration::from_millis(wait));
        // It may have ended by then.
        let _ = killed.kill();
        killed.wait().expect("ended");
    }
    let runs = ["one.json", "two.json"].map(start);
    for mut run in runs {
        assert!(run.wait().expect("ended").success());
    }
    for plan in ["one.json", "two.json"] {
        assert!(desk.read("off.json") == desk.read(plan), "{plan}");
    }
    let [texts, cached, embedded] = counts(&desk.run(&format!("{NIGHT} --json")).json());
    assert_eq!((cached, embedded), (texts, 0));
}
