//! Judges of the stance between two statements: the stance model, the rules, a language model.

use crate::{
    language::server::{FaultServer, Reply},
    support::Desk,
};

/// Starts a language model that gives the same stance for every pair.
fn says(stance: &'static str) -> FaultServer {
    FaultServer::start(move |_, _| Reply::chat(&format!("{{\"stance\":\"{stance}\"}}")).into())
}

const MODEL: &str =
    "--judge language --set language.model=test --set language.retries=0 --set language.seconds=2";

/// Writes two nights: on the first the gate is locked, on the second shut, which the rules cannot recognize
/// as the same.
fn nights(desk: &Desk) {
    let memory = |id: &str, day: u32, text: &str| {
        let at = format!("1204-05-0{day}T18:00:00Z");
        let memory = serde_json::json!({"id": id, "npc": "Mara", "at": at, "kind": "event", "text": text, "importance": 5});
        format!("{memory}\n")
    };
    desk.write("1.jsonl", memory("m1", 3, "The north gate is locked at dusk"));
    desk.write("2.jsonl", memory("m2", 4, "The north gate is shut at dusk"));
    desk.run("sleep 1.jsonl --store town.db --apply").ok();
}

#[test]
fn night_judged_by_the_stance_model_reports_its_verdicts() {
    let desk = Desk::new();
    nights(&desk);
    let ruled = desk.run("sleep 2.jsonl --store town.db --judge rules --json").json();
    assert_eq!(ruled["report"]["corroborated"], 0);
    let judged = desk.run("sleep 2.jsonl --store town.db --judge model --json").json();
    assert_eq!(
        (&judged["report"]["corroborated"], &judged["report"]["judge"]["answered"]),
        (&1.into(), &1.into())
    );
    let plain = desk.run("sleep 2.jsonl --store town.db --judge model --apply -v").ok();
    assert!(plain.contains(": 1 of 1 pair answered\n"), "{plain}");
    assert!(desk.run("why m1 --store town.db").ok().contains("model"));
    desk.run("undo --store town.db").ok();
    for threads in ["1", "4"] {
        let again =
            format!("sleep 2.jsonl --store town.db --judge model --plan {threads}.json --threads {threads}");
        desk.run(&again).ok();
    }
    assert!(desk.read("1.json") == desk.read("4.json"));
}

#[test]
fn language_model_verdicts_are_recorded_and_replayed() {
    let desk = Desk::new();
    nights(&desk);
    let server = says("same");
    let sleep = format!("sleep 2.jsonl --store town.db {MODEL} --json");
    let record = format!("{sleep} --language openai:{} --record said.jsonl", server.base_url());
    let plan = desk.run(&record).json();
    assert_eq!(plan["report"]["corroborated"], 1, "{plan}");
    let question = server.requests()[0].json().to_string();
    assert!(question.contains("\"stance\"") && !question.contains("older"), "{question}");
    let replayed = desk.run(&format!("{sleep} --language recorded:said.jsonl --threads 1")).json();
    assert_eq!(replayed["nights"], plan["nights"]);
    desk.run(&record).ok();
    assert_eq!(server.requests().len(), 1, "no answer is paid for twice");
    desk.run("sleep 2.jsonl --store town.db --judge language").code_is(2, "this call has none");
    desk.run("sleep 2.jsonl --judge oracle").code_is(2, "[possible values: model, rules, language]");
    desk.run("sleep 2.jsonl --set judge.by=oracle")
        .code_is(2, "there is no `oracle`; allowed: `model`, `rules`, `language`");
}

#[test]
fn night_with_a_failing_judge_completes_and_counts_failures() {
    let desk = Desk::new();
    nights(&desk);
    // A model whose numbers are none: for every pair the answer is an error.
    let server = FaultServer::start(|_, _| Reply::chat("…").into());
    let sleep = format!("sleep 2.jsonl --store town.db {MODEL} --language openai:{}", server.base_url());
    let ran = desk.run(&sleep).ok();
    assert!(
        ran.contains("judge test: 0 of 1 pair answered; failed: 1 malformed; 1 by the fail-safe (0 merged)"),
        "{ran}"
    );
    let merged = desk.run(&format!("{sleep} --set reconcile.fallback~similarity=0.84 --json")).json();
    assert_eq!(merged["report"]["judge"]["merged_by_fail_safe"], 1);
    assert_eq!(merged["report"]["corroborated"], 1);
    desk.run(&format!("{sleep} --apply")).ok();
    let listed = desk.run("list --store town.db").ok();
    assert!(listed.contains("locked") && listed.contains("shut"), "{listed}");
}
