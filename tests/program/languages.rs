//! Nights in other languages than English.

use serde_json::{Value, json};

use crate::support::Desk;

const OPEN: &str = "Das Stadttor ist offen.";
const SHUT: &str = "Das Stadttor ist nicht offen.";

fn day(npc: &str, texts: &[&str]) -> String {
    let line = |(hour, text): (usize, &&str)| {
        let at = format!("1204-05-03T{:02}:00:00Z", 6 + hour);
        let id = format!("{}-{hour}", npc.to_lowercase());
        json!({"id": id, "npc": npc, "at": at, "kind": "event", "text": text, "importance": 4})
    };
    texts.iter().enumerate().map(line).map(|memory| format!("{memory}\n")).collect()
}

fn plan(desk: &Desk, arguments: &str) -> Value {
    desk.run(&format!("sleep {arguments} --plan plan.json")).ok();
    serde_json::from_slice(&desk.read("plan.json")).expect("a plan")
}

fn verbs(plan: &Value) -> Vec<&str> {
    let changes = plan["nights"][0]["changes"].as_array().expect("changes");
    changes.iter().filter_map(|change| change["do"].as_str()).collect()
}

#[test]
fn german_contradictions_are_neither_merged_nor_superseded() {
    let desk = Desk::new();
    let texts = [
        OPEN,
        SHUT,
        "Ich habe die Stube gefegt.",
        "Ich habe die Stube gefegt und gelüftet.",
        "Der Müller schuldet mir 14 Taler.",
        "Der Müller schuldet mir 15 Taler.",
    ];
    desk.write("1.jsonl", day("Ilse", &texts));
    // A small budget, so that memories must be put together.
    let first = plan(&desk, "1.jsonl --set budget.storage=0.2");
    assert_eq!(first["nights"][0]["report"]["pack"], "neutral");
    assert_eq!(first["report"]["packs"], json!({"neutral": 1}));
    let verbs = verbs(&first);
    for verb in ["corroborate", "supersede", "contest", "reflect"] {
        assert!(!verbs.contains(&verb), "{verbs:?}");
    }
    for change in first["nights"][0]["changes"].as_array().expect("changes") {
        if change["do"] == "chunk" {
            let text = change["text"].as_str().expect("a text");
            let told = texts.iter().filter(|source| text.contains(**source)).count();
            assert_eq!(told, change["sources"].as_array().expect("sources").len(), "{text}");
            assert!(!text.contains("morning") && !text.contains("then"), "{text}");
        }
    }
    // On the next night the same words are known, and other words are not.
    let shown =
        desk.run("sleep 1.jsonl --store s.db --apply --set budget.storage=1 --set triage.similar=1").ok();
    assert!(shown.contains("language packs: 1 night neutral\n"), "{shown}");
    let again = |id: &str, text: &str| json!({"id": id, "npc": "Ilse", "at": "1204-05-04T08:00:00Z", "kind": "event", "text": text, "importance": 4});
    desk.write("2.jsonl", format!("{}\n{}\n", again("open", OPEN), again("shut", "Das Stadttor ist zu.")));
    let second = plan(&desk, "2.jsonl --store s.db");
    let known = second["nights"][0]["changes"].as_array().expect("changes");
    let corroborated: Vec<&Value> = known.iter().filter(|change| change["do"] == "corroborate").collect();
    assert_eq!(corroborated.len(), 1, "{known:?}");
    assert_eq!(corroborated[0]["sources"], json!(["open"]));
}

#[test]
fn language_is_detected_for_each_npc_or_set() {
    let desk = Desk::new();
    let english = ["The town gate is open.", "I swept the common room.", "Tom owes me 14 silver."];
    desk.write("both.jsonl", day("Ada", &english) + &day("Ilse", &[OPEN, "Ich habe die Stube gefegt."]));
    let packs = |plan: &Value| {
        let nights = plan["nights"].as_array().expect("nights").iter();
        nights.map(|night| night["report"]["pack"].clone()).collect::<Vec<_>>()
    };
    // English is the pack of reports that name none.
    assert_eq!(packs(&plan(&desk, "both.jsonl")), [Value::Null, json!("neutral")]);
    assert_eq!(packs(&plan(&desk, "both.jsonl --set language.pack=english")), [Value::Null, Value::Null]);
    let neutral = plan(&desk, "both.jsonl --set language.pack=neutral");
    assert_eq!(packs(&neutral), [json!("neutral"), json!("neutral")]);
    desk.run("sleep both.jsonl --set language.pack=klingon")
        .code_is(2, "language.pack is `klingon`; it must be auto or one of: english, neutral");
}
