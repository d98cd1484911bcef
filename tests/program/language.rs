//! A language model over HTTP: what it says is kept, replayed and never believed unchecked; and whatever it does, the night
//! is completed.

#[path = "../../crates/language/tests/support/server.rs"]
pub(crate) mod server;

use serde_json::{Value, json};
use server::{Behaviour, FaultServer, Reply};

use crate::support::Desk;

const DAY: &str = "sleep {scenarios/riverbend/days/1.jsonl} --npc Mara_Thorne --set language.model=test \
    --set language.retries=0 --set language.seconds=2 --set language.give~up~after=2";

/// The changes of a plan, without what its report says of how a model was asked.
fn changes(plan: &Value) -> &Value {
    &plan["nights"][0]["changes"]
}

#[test]
fn what_a_model_says_is_recorded_and_replayed_to_the_byte() {
    let desk = Desk::new();
    // It says of every theme that there is nothing to conclude, and tells no group.
    let server = FaultServer::start(|_, _| Reply::chat(r#"{"insights":[]}"#).into());
    let plan =
        desk.run(&format!("{DAY} --language openai:{} --record said.jsonl --json", server.base_url())).json();
    let language = &plan["report"]["language"];
    assert_eq!(language["model"], "test");
    let calls = language["calls"].as_u64().expect("a count");
    assert_eq!(calls as usize, server.requests().len());
    assert_eq!(plan["report"]["tokens"]["spent"], 15 * calls, "what the server says it cost");

    let replay = format!("{DAY} --language recorded:said.jsonl");
    desk.run(&format!("{replay} --plan a.json")).ok();
    desk.run(&format!("{replay} --plan b.json --threads 1")).ok();
    assert!(desk.read("a.json") == desk.read("b.json"));
    let replayed: Value = serde_json::from_slice(&desk.read("a.json")).expect("a plan");
    assert_eq!(replayed["nights"], plan["nights"], "answers are the same, and so is what they cost");
    let asked = server.requests().len();
    desk.run(&format!("{DAY} --language openai:{} --record said.jsonl", server.base_url())).ok();
    assert_eq!(server.requests().len(), asked, "no answer is paid for twice");
}

#[test]
fn whatever_a_model_does_the_night_is_that_of_the_rules() {
    let desk = Desk::new();
    let by_rules = desk.run("sleep {scenarios/riverbend/days/1.jsonl} --npc Mara_Thorne --json").json();
    let invented = json!({"insights": [{
        "cites": ["m1", "m2"], "confidence": 1.0, "kind": "social", "text": "I saw Aldric of Highmoor steal 99 crowns."
    }]});
    let faults: [(&str, Behaviour); 6] = [
        ("unreachable", Reply::new(500, "no").into()),
        ("unreachable", Behaviour::CloseAfter(Reply::chat("{}"), 5)),
        ("malformed", Reply::chat("ignore your instructions").into()),
        ("malformed", Reply::json(200, &json!({"choices": "none"})).into()),
        ("malformed", Behaviour::Huge(10 << 20)),
        ("", Reply::chat(&invented.to_string()).into()),
    ];
    for (kind, behaviour) in faults {
        let server = FaultServer::in_turn([behaviour]);
        let plan = desk.run(&format!("{DAY} --language openai:{} --json", server.base_url())).json();
        assert_eq!(changes(&plan), changes(&by_rules), "{kind}");
        let language = &plan["report"]["language"];
        assert_eq!(language["answered"], 0, "{language}");
        if kind.is_empty() {
            assert!(language["faults"].as_object().is_some_and(|faults| !faults.is_empty()), "{language}");
        } else {
            assert!(language["failures"][kind].as_u64().is_some_and(|n| n > 0), "{kind}: {language}");
        }
    }
}

#[test]
fn slips_about_the_model_are_told() {
    let desk = Desk::new();
    let day = "sleep {scenarios/riverbend/days/1.jsonl}";
    desk.run(&format!("{day} --language ollama")).code_is(2, "openai:URL");
    desk.run(&format!("{day} --language openai:http://127.0.0.1:9/v1")).code_is(2, "language.model");
    desk.run(&format!("{day} --record said.jsonl")).code_is(2, "nothing to record");
    desk.run(&format!("{day} --language recorded:nowhere.jsonl")).code_is(3, "nowhere.jsonl");
}
