//! A night's language tasks as files for a provider's batch interface.

use serde_json::{Value, json};

use crate::support::Desk;

const DAY: &str = "{scenarios/riverbend/days/1.jsonl} --npc Mara_Thorne --set language.model=gpt-small";

/// Returns a provider's answers to a file of tasks: an empty list of insights for each.
fn results(tasks: &[u8]) -> String {
    let body = json!({
        "choices": [{"message": {"content": "{\"insights\":[]}"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 600, "completion_tokens": 9, "total_tokens": 609},
    });
    let answer = |line: &str| {
        let task: Value = serde_json::from_str(line).expect("a task");
        let response = json!({"status_code": 200, "body": body});
        format!("{}\n", json!({"custom_id": task["custom_id"], "response": response, "error": null}))
    };
    String::from_utf8_lossy(tasks).lines().map(answer).collect()
}

#[test]
fn night_is_planned_from_batch_answers() {
    let desk = Desk::new();
    let write = format!("batch write {DAY} --folder night");
    let said = desk.run(&write).ok();
    assert!(said.contains("night/tasks-1.jsonl") && said.contains("at most"), "{said}");
    assert!(desk.run(&write).ok().contains("nothing new"), "what waits for its answer is not sent again");

    // Round after round, until nothing is open: second tries, and what the real cost of the others leaves room for.
    let mut rounds = 0;
    for round in 1.. {
        let tasks = desk.read(&format!("night/tasks-{round}.jsonl"));
        desk.write("results.jsonl", results(&tasks));
        let said = desk.run("batch read results.jsonl --folder night").ok();
        assert!(said.contains("of another shape than asked for") || said.contains("answered"), "{said}");
        rounds = round;
        if desk.run(&write).ok().contains("every task is answered") {
            break;
        }
    }
    assert!(rounds > 1, "an answer of the wrong shape is asked for once more");

    let sleep = format!("sleep {DAY} --language recorded:night/answers.jsonl --json");
    let plan = desk.run(&sleep).json();
    let language = &plan["report"]["language"];
    assert!(language["answered"].as_u64().is_some_and(|n| n > 0), "{language}");
    assert!(language["failures"].get("unrecorded").is_none(), "{language}");
    let spent = plan["report"]["tokens"]["spent"].as_u64().expect("a count");
    assert!((609..=5_000).contains(&spent), "{spent}");
}

#[test]
fn estimated_tokens_match_the_size_of_the_tasks() {
    let desk = Desk::new();
    let day = format!("{DAY} --set budget.tokens=100000");
    let plan = desk.run(&format!("sleep {day} --json")).json();
    let estimated = plan["report"]["tokens"]["estimate"].as_f64().expect("an estimate");
    desk.run(&format!("batch write {day} --folder night")).ok();
    let tasks = desk.read("night/tasks-1.jsonl");
    let questions: usize = String::from_utf8_lossy(&tasks)
        .lines()
        .map(|line| {
            let task: Value = serde_json::from_str(line).expect("a task");
            let content = |at: usize| task["body"]["messages"][at]["content"].as_str().map_or(0, str::len);
            content(0) + content(1)
        })
        .sum();
    // A token is about 3.6 bytes of such a question; answers are a small part.
    let asked = questions as f64 / 3.6;
    assert!((1.0..1.6).contains(&(estimated / asked)), "{estimated} for {asked}");
}

#[test]
fn batch_usage_errors_are_reported() {
    let desk = Desk::new();
    let days = "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl}";
    desk.run(&format!("batch write {days} --folder f")).code_is(2, "language.model");
    desk.run(&format!("batch write {days} --by-day --folder f --set language.model=m"))
        .code_is(2, "one night of each NPC");
    desk.run("batch read nowhere.jsonl --folder nowhere").code_is(2, "nowhere");
    std::fs::create_dir(desk.path("empty")).expect("made");
    desk.run("batch read nowhere.jsonl --folder empty").code_is(2, "holds no batch");

    desk.run(&format!("batch write {DAY} --folder f")).ok();
    desk.run("batch read nowhere.jsonl --folder f").code_is(3, "nowhere.jsonl");
    desk.write("torn.jsonl", "{\"custom_id\":");
    desk.run("batch read torn.jsonl --folder f").code_is(3, "line 1");
}
