//! A save folder of Generative Agents as input.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Value, json};

use crate::support::{Desk, root, shared_folder};

const ANA: &str = "personas/Ana Weaver/bootstrap_memory/associative_memory/nodes.json";

fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copied(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}

/// Makes a desk with a small save of our own.
fn desk() -> Desk {
    let desk = Desk::new();
    copied(&root().join("tests/program/data/harbour"), &desk.path("harbour"));
    desk
}

/// Makes that desk with words of Ana's file replaced.
fn with(old: &str, new: &str) -> Desk {
    let desk = desk();
    let text = String::from_utf8(desk.read(&format!("harbour/{ANA}"))).expect("UTF-8");
    assert!(text.contains(old), "{old}");
    desk.write(&format!("harbour/{ANA}"), text.replace(old, new));
    desk
}

/// Returns the memories of a plan by NPC and id, with the fields that both a save and its conversion have.
fn memories(plan: &Value) -> BTreeMap<(String, String), Value> {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let last = |id: &str| id.rsplit('/').next().expect("an id").to_owned();
    let mut found = BTreeMap::new();
    for night in plan["nights"].as_array().expect("nights") {
        for memory in night["memories"].as_array().expect("memories") {
            let sources = memory["sources"].as_array().cloned().unwrap_or_default();
            let sources: Vec<_> = sources.iter().map(|id| last(&text(id))).collect();
            let told = json!({
                "at": memory["at"], "kind": memory["kind"], "text": memory["text"],
                "importance": memory["importance"], "sources": sources,
            });
            let before = found.insert((text(&night["npc"]), last(&text(&memory["id"]))), told);
            assert_eq!(before, None, "{memory}");
        }
    }
    found
}

#[test]
fn every_persona_of_a_save_becomes_an_npc() {
    let desk = desk();
    let ran = desk.run("sleep harbour --json");
    assert!(
        ran.err.contains("note: harbour: skipped 3 files without memories: kw_strength.json (2), meta.json"),
        "{}",
        ran.err
    );
    let found = memories(&ran.json());
    let of = |npc: &str, id: &str| found[&(npc.to_owned(), id.to_owned())].clone();
    assert_eq!(found.len(), 5);
    assert_eq!(
        of("Ana Weaver", "node_4"),
        json!({"at": "2031-03-04T19:40:00Z", "kind": "thought", "text": "Ana Weaver owes Bo Carter a new sail",
               "importance": 8, "sources": ["node_2", "node_3"]})
    );
    assert_eq!(of("Ana Weaver", "node_3")["sources"], json!(["node_2"]), "one name where a list is meant");
    assert_eq!(of("Ana Weaver", "node_2")["sources"], json!([]), "what was said is no source");
    assert_eq!(of("Ana Weaver", "node_2")["kind"], "chat");
    assert_eq!(of("Bo Carter", "node_1")["importance"], 7);
}

#[test]
fn evidence_of_a_thought_becomes_its_sources() {
    let desk = desk();
    desk.run("sleep harbour --store town.db --apply").ok();
    let told = desk.run("why node~4 --npc Ana_Weaver --store town.db --json").json();
    let from: Vec<_> = told["from"].as_array().expect("from").iter().map(|m| m["id"].clone()).collect();
    assert_eq!(from, [json!("node_2"), json!("node_3")]);
    let again = desk.run("sleep harbour --store town.db --apply").ok();
    assert!(again.contains("nothing to write"), "{again}");
}

#[test]
fn other_commands_accept_a_save() {
    let desk = desk();
    assert!(desk.run("compare harbour --with single,kmeans").ok().contains("single"));
    desk.run("collapse harbour").ok();
    desk.run("sleep harbour --npc Bo_Carter --until 2031-03-04T12:00:00Z").ok();
}

#[test]
fn bad_node_is_reported_with_file_line_and_path() {
    for (old, new, said) in [
        ("\"poignancy\": 8", "\"poignancy\": 11", "nodes.json:5: column 84: "),
        ("\"poignancy\": 8", "\"poignancy\": 11", "field `node_4.poignancy`: importance 11 is out of range"),
        (
            "2031-03-04 19:40:00",
            "yesterday",
            "nodes.json:2: column 34: field `node_4.created`: \"yesterday\"",
        ),
        (
            "\"type\": \"chat\"",
            "\"type\": \"dream\"",
            "field `node_2.type`: there is no `dream`; allowed: `event`",
        ),
        ("\"node_2\", \"node_3\"", "7", "field `node_4.filling`: the filling is a list of node names"),
        ("\"type\": \"chat\", ", "", "field `node_2`: missing field `type`"),
        ("\"node_3\": {", "\"\": {", "the name of the node is empty"),
        ("\"filling\": []}}", "\"filling\": []}", "it ends before the JSON is whole"),
        ("\"filling\": []}}", "\"filling\": []}} more", "trailing characters"),
        ("\"filling\": []}}", "\"filling\": [", "nodes.json:2"),
        ("{\"node_4\"", "[\"node_4\"", "is not one object of nodes by their names"),
    ] {
        let desk = with(old, new);
        let ran = desk.run("sleep harbour --store town.db --apply");
        assert!(ran.err.contains(ANA), "{}", ran.err);
        ran.code_is(3, said);
        assert!(!desk.path("town.db").exists(), "nothing is written");
    }
}

#[test]
fn bad_node_can_be_skipped() {
    let desk = with("\"poignancy\": 8", "\"poignancy\": 11");
    let ran = desk.run("sleep harbour --on-bad-line skip --json");
    assert!(ran.err.contains("warning: skipped") && ran.err.contains("node_4.poignancy"), "{}", ran.err);
    assert_eq!(memories(&ran.json()).len(), 4);
}

#[test]
fn save_obeys_input_limits() {
    let refused = |set: &str, said: &str| {
        desk().run(&format!("sleep harbour --set {set}").replace('_', "~")).code_is(3, said);
    };
    refused("input.max_text_bytes=40", "field `description`");
    refused("input.max_list=1", "field `filling`: 2 items; at most 1 are allowed");
    refused("input.max_file_bytes=1024", "larger than 1024 bytes (input.max_file_bytes)");
    refused("input.max_files=5", "more than 5 files and folders (input.max_files)");
}

#[test]
fn folder_without_a_save_is_refused() {
    let desk = Desk::new();
    std::fs::create_dir_all(desk.path("empty/personas")).expect("a folder");
    desk.run("sleep .").code_is(3, "the folder . holds no memories");
    desk.run("sleep empty").code_is(3, "empty holds no memories");
    std::fs::create_dir_all(desk.path("empty/personas/Mara")).expect("a folder");
    desk.run("sleep empty").code_is(3, "cannot read empty/personas/Mara/bootstrap_memory");
}

#[test]
fn real_save_equals_its_conversion() {
    let Some(data) =
        shared_folder(&["generative_agents/july1_step-3-20/personas", "generative_agents/july1.jsonl"])
    else {
        return;
    };
    let desk = Desk::new();
    let link = |name: &str, to: &str| {
        std::os::unix::fs::symlink(data.join("generative_agents").join(name), desk.path(to)).expect("a link");
    };
    link("july1_step-3-20", "save");
    link("july1.jsonl", "days.jsonl");
    let (save, days) = (desk.run("sleep save --json").json(), desk.run("sleep days.jsonl --json").json());
    assert_eq!(save["report"]["input"], days["report"]["input"]);
    let (save, days) = (memories(&save), memories(&days));
    // Who wrote `node_881`'s evidence as a text and not as a list changed nothing of what it says.
    assert!(save.len() > 1_000, "{}", save.len());
    assert_eq!(save, days, "ids but for the name of the save, times, kinds, texts, importance and evidence");
}
