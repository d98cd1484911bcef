//! Judges of the stance between two statements: the stance model, the rules, a language model.

use serde_json::Value;

use crate::{
    language::server::{Behaviour, FaultServer, Reply},
    support::Desk,
};

const PAIRS: &str = r#"{"a":"The gate is open","b":"The gate is not open"}
{"a":"The miller mended the wheel","b":"The miller repaired the wheel","stance":"same"}
{"a":"Joss owes Tom 14 silver","b":"Joss owes Tom 15 silver"}

{"a":"The north gate is locked at dusk","b":"The north gate is shut at dusk"}
{"a":"The gate is open","b":"Salt has risen at the market"}
{"a":"I swept the common room","b":"I swept the common room"}
"#;

/// Makes a desk with pairs.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("pairs.jsonl", PAIRS);
    desk
}

fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn stances(out: &str) -> Vec<String> {
    lines(out).iter().map(|line| line["stance"].as_str().expect("a stance").to_owned()).collect()
}

#[test]
fn judge_reports_stance_cosine_and_deciding_rule() {
    let desk = desk();
    insta::assert_snapshot!(desk.run("judge pairs.jsonl --judge rules").ok());
    let written = lines(&desk.run("judge pairs.jsonl --judge rules --json").ok());
    assert_eq!(written[0]["a"], "The gate is open");
    let keys: Vec<&String> = written[0].as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["a", "b", "cosine", "judged_by", "stance"]);
    assert!((written[5]["cosine"].as_f64().expect("a number") - 1.0).abs() < 1e-3);
}

#[test]
fn stance_model_judges_pairs_that_the_rules_leave_open_in_any_order() {
    let desk = desk();
    let judged = desk.run("judge pairs.jsonl --judge model --json");
    assert!(judged.err.contains("5 of 5 pairs answered"), "{}", judged.err);
    let judged = judged.ok();
    let expected = ["contradiction", "same", "contradiction", "same", "unrelated", "same"];
    assert_eq!(stances(&judged), expected);
    assert_eq!(lines(&judged)[3]["judged_by"], "model");
    assert_eq!(
        stances(&desk.run("judge pairs.jsonl --judge rules --json").ok())[3],
        "unrelated",
        "the rules cannot tell"
    );

    for more in ["--threads 1", "--set judge.batch=1", "--threads 2 --set judge.batch=2"] {
        assert_eq!(
            desk.run(&format!("judge pairs.jsonl --judge model --json {more}")).ok(),
            judged,
            "{more}"
        );
    }
    assert_eq!(desk.run("judge pairs.jsonl --json").ok(), judged, "it is the default");
    let turned: String = PAIRS.lines().rev().map(|line| format!("{line}\n")).collect();
    desk.write("turned.jsonl", &turned);
    let mut turned: Vec<String> =
        desk.run("judge turned.jsonl --judge model --json").ok().lines().map(str::to_owned).collect();
    turned.reverse();
    assert_eq!(turned, judged.lines().collect::<Vec<_>>());
}

#[test]
fn bad_pair_is_reported_with_file_line_and_column() {
    let desk = desk();
    for (text, said) in [
        ("{\"a\":\"x\",\"b\":\"y\"}\n{\"a\":\"x\",\n", "bad.jsonl:2: column 9: "),
        ("{\"a\":\"x\"}\n", "bad.jsonl:1: column 9: missing field `b`"),
        ("\n{\"a\":\"x\",\"b\":7}\n", "bad.jsonl:2: column 14: field `b`: invalid type: integer `7`"),
        ("[\"x\",\"y\"] {}\n", "bad.jsonl:1: column "),
        ("", "bad.jsonl holds no pairs"),
        ("\n \n", "bad.jsonl holds no pairs"),
    ] {
        desk.write("bad.jsonl", text);
        desk.run("judge bad.jsonl").code_is(3, said);
    }
    let huge = format!("{{\"a\":\"x\",\"b\":\"{}\"}}\n", "y".repeat(70_000));
    desk.write("bad.jsonl", &huge);
    desk.run("judge bad.jsonl").code_is(3, "bad.jsonl:1: field `b`: 70000 bytes; at most 65536 are allowed");
    desk.write("bad.jsonl", "x".repeat(300_000));
    desk.run("judge bad.jsonl").code_is(3, "longer than 262144 bytes (input.max_line_bytes)");
    desk.run("judge nowhere.jsonl").code_is(3, "cannot read nowhere.jsonl");
}

#[test]
fn long_texts_use_the_fallback_verdict_and_are_escaped() {
    let desk = desk();
    let long = "the gate is open and ".repeat(100);
    desk.write("long.jsonl", format!("{{\"a\":\"{long}\",\"b\":\"{long} \\u001b[2J\"}}\n{PAIRS}"));
    let ran = desk.run("judge long.jsonl --judge model");
    assert!(
        !ran.out.contains('\u{1b}') && ran.out.contains("failed: 1 too-long; 1 by the fail-safe (0 merged)")
    );
    assert!(ran.out.starts_with("unrelated"), "{}", ran.out);
    ran.code_is(6, "1 pair was not answered by the judge");
}

#[test]
fn unknown_judge_is_reported_with_allowed_values() {
    let desk = desk();
    desk.run("judge pairs.jsonl --judge oracle").code_is(2, "`model`, `rules` or `language`");
    desk.run("judge pairs.jsonl --set judge.by=oracle")
        .code_is(2, "expected one of `model`, `rules`, `language`");
    desk.run("judge pairs.jsonl --judge language").code_is(2, "this call has none");
}

/// Starts a language model that gives the same stance for every pair.
fn says(stance: &'static str) -> FaultServer {
    FaultServer::start(move |_, _| Reply::chat(&format!("{{\"stance\":\"{stance}\"}}")).into())
}

const MODEL: &str =
    "--judge language --set language.model=test --set language.retries=0 --set language.seconds=2";

#[test]
fn language_model_verdicts_obey_the_rules_and_are_recorded() {
    let desk = desk();
    let server = says("same");
    let ask = format!("judge pairs.jsonl --json {MODEL}");
    let ran = desk.run(&format!("{ask} --language openai:{} --record said.jsonl", server.base_url()));
    // Of the five pairs that are not the very same words two differ in a fact, whoever says what.
    assert!(ran.err.contains("judge test: 5 of 5 pairs answered; 2 held apart by the rules"), "{}", ran.err);
    let judged = ran.ok();
    assert_eq!(stances(&judged), ["contradiction", "same", "contradiction", "same", "same", "same"]);
    assert_eq!(server.requests().len(), 5);
    let question = server.requests()[0].json().to_string();
    assert!(question.contains("\"stance\"") && !question.contains("older"), "{question}");

    let replayed = desk.run(&format!("{ask} --language recorded:said.jsonl --threads 1"));
    assert_eq!(replayed.ok(), judged);
    desk.run(&format!("{ask} --language openai:{} --record said.jsonl", server.base_url())).ok();
    assert_eq!(server.requests().len(), 5, "no answer is paid for twice");
    let tight = desk.run(&format!("{ask} --language recorded:said.jsonl --set language.tokens~per~run=100"));
    tight.code_is(4, "answered nothing: nothing was affordable");
}

#[test]
fn failing_language_model_uses_the_fallback_verdict_and_is_reported() {
    let desk = desk();
    let garbling = FaultServer::start(|_, _| Reply::chat("they are quite the same").into());
    let ran = desk.run(&format!("judge pairs.jsonl {MODEL} --language openai:{}", garbling.base_url()));
    assert!(ran.out.contains("failed: 5 malformed; 5 by the fail-safe"), "{}", ran.out);
    assert!(ran.out.contains("fail-safe (fail safe from 0.93)"), "{}", ran.out);
    ran.code_is(4, "answered nothing: malformed");
    let half = FaultServer::start(|_, n| -> Behaviour {
        if n == 0 { Reply::chat(r#"{"stance":"unrelated"}"#).into() } else { Reply::chat("no").into() }
    });
    desk.run(&format!(
        "judge pairs.jsonl {MODEL} --set language.in~flight=1 --language openai:{}",
        half.base_url()
    ))
    .code_is(6, "4 pairs were not answered by the judge");
}

#[test]
fn evaluate_measures_any_judge_on_pairs_of_the_users() {
    let desk = desk();
    let stance = ["contradiction", "same", "contradiction", "same", "unrelated", "same"];
    let labelled: String = PAIRS
        .lines()
        .filter(|line| !line.is_empty())
        .zip(stance)
        .map(|(line, stance)| {
            let mut pair: Value = serde_json::from_str(line).expect("JSON");
            pair["stance"] = stance.into();
            format!("{pair}\n")
        })
        .collect();
    desk.write("mine.jsonl", &labelled);
    insta::assert_snapshot!(desk.run("evaluate stance --pairs mine.jsonl --judge rules --wrong 9").ok());
    insta::assert_snapshot!(desk.run("evaluate stance --pairs mine.jsonl --judge model --wrong 9").ok());
    let scores = desk.run("evaluate stance --pairs mine.jsonl --judge model --json").json();
    assert_eq!((&scores["scores"][0]["accuracy"], &scores["judge"]["answered"]), (&1.0.into(), &5.into()));

    // By family and category, where the file has several.
    let families: String = (labelled.lines().zip(["gates", "mills", "debts", "gates", "gates", "inns"]))
        .map(|(line, family)| {
            let mut pair: Value = serde_json::from_str(line).expect("JSON");
            (pair["family"], pair["category"]) =
                (family.into(), if family == "inns" { "copy" } else { "own" }.into());
            format!("{pair}\n")
        })
        .collect();
    desk.write("families.jsonl", &families);
    insta::assert_snapshot!(desk.run("evaluate stance --pairs families.jsonl --judge rules --families").ok());
    let scores = desk.run("evaluate stance --pairs families.jsonl --judge rules --json").json();
    assert_eq!(scores["scores"][0]["groups"].as_array().map(Vec::len), Some(6), "{scores}");
    let plain = desk.run("evaluate stance --pairs mine.jsonl --judge rules --families").ok();
    assert!(!plain.contains("by family"), "{plain}");

    desk.write("bad.jsonl", "{\"a\":\"x\",\"b\":\"y\",\"stance\":\"maybe\"}\n");
    desk.run("evaluate stance --pairs bad.jsonl").code_is(3, "bad.jsonl:1: ");
}

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
    let desk = desk();
    nights(&desk);
    let ruled = desk.run("sleep 2.jsonl --store town.db --judge rules --json").json();
    assert_eq!(ruled["report"]["corroborated"], 0);
    let judged = desk.run("sleep 2.jsonl --store town.db --judge model --json").json();
    assert_eq!(
        (&judged["report"]["corroborated"], &judged["report"]["judge"]["answered"]),
        (&1.into(), &1.into())
    );
    let plain = desk.run("sleep 2.jsonl --store town.db --judge model --apply").ok();
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
fn night_with_a_failing_judge_completes_and_counts_failures() {
    let desk = desk();
    nights(&desk);
    // A model whose numbers are none: for every pair the answer is an error.
    let server = FaultServer::start(|_, _| Reply::chat("…").into());
    let sleep = format!("sleep 2.jsonl --store town.db {MODEL} --language openai:{}", server.base_url());
    let ran = desk.run(&sleep).ok();
    assert!(
        ran.contains("judge test: 0 of 1 pair answered; failed: 1 malformed; 1 by the fail-safe (0 merged)"),
        "{ran}"
    );
    let merged = desk.run(&format!("{sleep} --set reconcile.fail~safe=0.84 --json")).json();
    assert_eq!(merged["report"]["judge"]["merged_by_fail_safe"], 1);
    assert_eq!(merged["report"]["corroborated"], 1);
    desk.run(&format!("{sleep} --apply")).ok();
    let listed = desk.run("list --store town.db").ok();
    assert!(listed.contains("locked") && listed.contains("shut"), "{listed}");
}
