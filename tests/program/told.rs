//! Output of unattended calls: figures for dashboards, logs for collectors, and nothing more than they are asked for.

use serde_json::Value;

use crate::support::Desk;

const DAY: &str = "{\"id\":\"m-1\",\"npc\":\"Mara\",\"at\":\"1204-05-03T10:00:00Z\",\"kind\":\"event\",\"text\":\"Joren broke the mill wheel.\",\"importance\":8}\n";
const SLEEP: &str = "sleep day.jsonl --store town.db --apply";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("day.jsonl", DAY);
    desk
}

fn summary(desk: &Desk) -> Value {
    serde_json::from_slice(&desk.read("summary.json")).expect("JSON")
}

/// Returns the value of a figure, by its name and labels.
fn figure(desk: &Desk, name: &str) -> Option<f64> {
    let text = String::from_utf8(desk.read("night.prom")).expect("UTF-8");
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
}

#[test]
fn summary_and_metrics_have_the_figures_of_the_call() {
    let desk = desk();
    let call = format!("{SLEEP} --summary-json summary.json --metrics night.prom");
    desk.run(&call).ok();
    let of = summary(&desk);
    assert_eq!(of["nights"], serde_json::json!({"written": 1, "failed": 0, "skipped": 0}));
    assert_eq!((&of["npcs"], &of["memories"], &of["exit_code"]), (&1.into(), &1.into(), &0.into()));
    assert_eq!(of["store"]["active"], 1);
    assert!(of["run"].as_u64().is_some_and(|run| run > 0) && of["seconds"].as_f64() > Some(0.0), "{of}");
    assert_eq!(figure(&desk, "nightfold_sleep_nights{of=\"written\"}"), Some(1.0));
    let success = "nightfold_sleep_last_success_timestamp_seconds";
    let at = figure(&desk, success).expect("a success");

    desk.run(&call).ok();
    assert_eq!(summary(&desk)["nights"], serde_json::json!({"written": 0, "failed": 0, "skipped": 1}));

    // A call that fails says so, and keeps the moment of the last success.
    desk.write("day.jsonl", "no memory\n");
    desk.run(&call).code_is(3, "day.jsonl");
    assert_eq!(summary(&desk)["exit_code"], 3);
    assert_eq!(figure(&desk, "nightfold_sleep_exit_code"), Some(3.0));
    let kept = figure(&desk, success).expect("the success before");
    assert!(kept >= at && figure(&desk, "nightfold_sleep_last_run_timestamp_seconds") >= Some(kept));
}

#[test]
fn outputs_of_one_call_are_different_files() {
    let desk = desk();
    desk.run(&format!("{SLEEP} --summary-json night --metrics night")).code_is(2, "already");
    desk.run(&format!("{SLEEP} --summary-json day.jsonl")).code_is(2, "already");
    assert!(!desk.path("town.db").exists() && !desk.path("night").exists());
}

#[test]
fn quiet_call_prints_errors_and_json_alone() {
    let desk = desk();
    let ran = desk.run(&format!("{SLEEP} -q --then maintain"));
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""));
    let shown = desk.run("list --store town.db --json -q").json();
    assert_eq!(shown.as_array().map(Vec::len), Some(1));
    desk.run("list --store missing.db -q").code_is(5, "error: ");
    assert!(desk.run("generate completions bash -q").ok().contains("nightfold"), "a script is no talk");
    desk.run(&format!("{SLEEP} -q -v")).code_is(2, "--verbose");
}

#[test]
fn log_is_lines_of_json_without_memory_text_and_terminal_control() {
    let desk = desk();
    desk.write("day.jsonl", format!("{DAY}{{\"id\":\"\u{9b}2J\",\"npc\":1}}\n"));
    let call = format!("{SLEEP} --on-bad-line skip --log-format json");
    let ran = desk.run_with(&call, &[("RUST_LOG", "info")]);
    assert!(!ran.err.contains(['\u{1b}', '\u{9b}']), "{:?}", ran.err);
    assert!(!ran.err.contains("mill wheel"), "{}", ran.err);
    let lines: Vec<Value> = ran
        .err
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}")))
        .collect();
    for line in &lines {
        for key in ["time", "level", "target", "message"] {
            assert!(line[key].is_string(), "{key}: {line}");
        }
    }
    let done =
        lines.iter().find(|line| line["message"] == "the nights are done").expect("the end of the run");
    assert!(done["run"].as_u64().is_some() && done["fields"]["written"] == 1, "{done}");
    assert!(lines.iter().any(|line| line["level"] == "WARN" && line["target"] == "nightfold"), "{}", ran.err);
    ran.ok();

    // Errors are lines too, whatever the levels.
    let failed = desk.run_with("list --store missing.db --log-format json -q", &[("RUST_LOG", "off")]);
    let line: Value = serde_json::from_str(failed.err.trim()).expect("one line");
    assert_eq!((failed.code, &line["level"]), (5, &"ERROR".into()));
}

#[test]
fn levels_of_the_log_are_those_of_the_environment() {
    let desk = desk();
    let told = |levels| {
        desk.run_with(&format!("{SLEEP} --dry-run").replace(" --apply", ""), &[("RUST_LOG", levels)]).err
    };
    assert!(told("info").contains("the nights are done"));
    assert!(told("nightfold_cli=info").contains("the nights are done"));
    assert!(!told("error").contains("the nights are done"));
    let refused = told("nightfold=loud");
    assert!(refused.contains("warning: RUST_LOG sets no levels"), "{refused}");
}
