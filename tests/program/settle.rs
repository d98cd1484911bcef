//! Contested entries: both stay active, and every view marks them, until `settle` decides between them.

use serde_json::{Value, json};

use crate::support::{Desk, sealed, unwrapped};

/// Returns a vector of the model's length.
fn direction(n: usize) -> Vec<f32> {
    (0..384).map(|i| if i == n { 1.0 } else { 0.0 }).collect()
}

/// Returns a saved plan of a night on which Mara sees that the mill is shut and hears twice that it is open;
/// written by hand, so that it does not depend on a judge.
pub(crate) fn rumour_plan() -> Value {
    let texts = [
        ("seen", 8, "I saw with my own eyes that the mill is shut."),
        ("heard", 5, "Tom says the mill is open."),
        ("told", 5, "A pedlar told me the mill is open again."),
        ("rain", 5, "It rained all day."),
    ];
    let at = |n: usize| format!("1204-05-03T0{}:00:00Z", n + 6);
    let memory = |(n, (id, importance, text)): (usize, &(&str, u8, &str))| json!({"id": id, "npc": "Mara", "at": at(n), "kind": "event", "text": text, "importance": importance});
    let store = |(n, (id, importance, text)): (usize, &(&str, u8, &str))| {
        json!({"do": "store", "id": id, "form": "verbatim", "kind": "event", "text": text, "at": at(n),
            "last_at": at(n), "importance": importance, "occurrences": 1, "sources": [], "vector": direction(n),
            "reason": {"rule": "within-budget", "values": {"budget": 4, "keep_score": 0.7}}})
    };
    let mut changes: Vec<Value> = texts.iter().enumerate().map(store).collect();
    changes.push(json!({"do": "contest", "id": "seen", "sources": ["heard", "told"],
        "reason": {"rule": "contested", "values": {"cosine": 0.71}}}));
    let counts = json!({"memories": 4, "distinct": 4, "kept": 4, "stored": 4, "pruned": 0, "chunked": 0,
        "syntheses": 0, "corroborated": 0, "superseded": 0, "contested": 1, "reflections": 0, "loose": 4,
        "clusters": [], "reduction": 0.0, "raw_reduction": 0.0, "important_kept": 1, "important": 1,
        "storage_budget": 4, "tokens": {"budget": 5000, "estimate": 0, "spent": 0},
        "input": {"blank": 0, "without_importance": 0, "repeated_rows": 0, "renamed_ids": 0,
            "mixed_importance": 0, "equal_times": 0, "already_slept_on": 0, "truncated_texts": 0}});
    let mut run = counts.clone();
    run["npcs"] = 1.into();
    run["nights"] = 1.into();
    run["clusters"] = 0.into();
    json!({"format": 1, "report": run, "nights": [{
        "npc": "Mara", "night": "1204-05-03", "at": "1204-05-04T03:00:00Z", "base_version": 0,
        "model": "all-MiniLM-L6-v2@f32-17faaf45f4e8",
        "memories": texts.iter().enumerate().map(memory).collect::<Vec<_>>(),
        "changes": changes, "report": counts}]})
}

/// Makes a store in which Mara's observation is contested with two rumours.
pub(crate) fn rumour() -> Desk {
    let desk = Desk::new();
    desk.write("plan.json", sealed(&rumour_plan()));
    desk.run("apply plan.json --store s.db").ok();
    desk
}

fn entry(desk: &Desk, id: &str) -> Value {
    let all = desk.run("list --store s.db --all --json").json();
    all.as_array().expect("entries").iter().find(|e| e["id"] == id).cloned().expect("an entry of this id")
}

fn states(desk: &Desk) -> Vec<(String, Value)> {
    let state = |id: &str| {
        let entry = entry(desk, id);
        (entry["state"].as_str().expect("a state").to_owned(), entry["contested_with"].clone())
    };
    ["seen", "heard", "told"].map(state).to_vec()
}

fn active(with: &[&str]) -> (String, Value) {
    ("active".to_owned(), if with.is_empty() { Value::Null } else { json!(with) })
}

fn archived() -> (String, Value) {
    ("archived".to_owned(), Value::Null)
}

#[test]
fn contested_entries_are_shown_with_the_other_side() {
    let desk = rumour();
    assert_eq!(states(&desk), [active(&["heard", "told"]), active(&["seen"]), active(&["seen"])]);
    let list = desk.run("list --store s.db").ok();
    assert!(list.contains("? contested with heard: Tom says the mill is open."), "{list}");
    assert_eq!(list.matches("? contested with seen: I saw with my own eyes").count(), 2, "{list}");
    let recalled = desk.run("recall Mara mill --store s.db --limit 4").ok();
    assert_eq!(recalled.matches("? contested with").count(), 4, "{recalled}");
    let recalled = desk.run("recall Mara mill --store s.db --limit 4 --json").json();
    let found = recalled.as_array().expect("entries").iter();
    let seen = found.map(|r| &r["memory"]).find(|memory| memory["id"] == "seen").expect("it comes to mind");
    assert_eq!(seen["contested_with"], json!(["heard", "told"]));
    let why = desk.run("why seen --store s.db").ok();
    assert!(
        why.contains("contest — contested: cosine 0.71") && why.contains("? contested with told:"),
        "{why}"
    );
    let why = desk.run("why heard --store s.db --json").json();
    assert_eq!(why["contested"][0]["id"], "seen");
    let drawn = desk.run("why heard --store s.db --graph").ok();
    assert_eq!(drawn.matches("label=\"contested with\"").count(), 2, "{drawn}");
}

#[test]
fn plan_shows_contested_entries() {
    let desk = rumour();
    let summary = unwrapped(&desk.run("show plan.json").ok());
    // Three statements, two contradictions: each is told once.
    assert_eq!(summary.matches("? contested [").count(), 2, "{summary}");
    let shown = unwrapped(&desk.run("show plan.json -v").ok());
    assert!(shown.contains("? contested") && shown.contains("? [seen] “I saw"), "{shown}");
    assert!(shown.contains("contested with [heard] “Tom says the mill is open.”"), "{shown}");
    assert!(shown.contains("0 beliefs superseded, 1 contested;"), "{shown}");
    let markdown = desk.run("show plan.json --markdown").ok();
    assert!(markdown.contains("- `?` <code>heard</code>"), "{markdown}");
    assert!(markdown.contains("contested with <code>seen</code>"), "{markdown}");
    desk.run("show plan.json --report night.html").ok();
    let page = String::from_utf8(desk.read("night.html")).expect("UTF-8");
    assert!(page.contains(r#""fate":"?","by":"#), "the page has the mark and the other side");
}

#[test]
fn contest_can_be_declined_or_applied_alone() {
    let desk = Desk::new();
    desk.write("plan.json", sealed(&rumour_plan()));
    let alone = "--only contest:seen,store:seen,store:heard,store:told";
    for (part, contested) in [
        ("--except contest:seen", None),
        ("--except store:seen", None),
        ("--except store:heard", Some(json!(["told"]))),
        ("--except store:heard,store:told", None),
        (alone, Some(json!(["heard", "told"]))),
    ] {
        desk.run(&format!("apply plan.json --store s.db {part}")).ok();
        assert_eq!(entry(&desk, "seen").get("contested_with"), contested.as_ref(), "{part}");
        desk.run("undo --store s.db").ok();
    }
    desk.run("apply plan.json --store s.db --except contest:heard").code_is(2, "contest:heard");
}

#[test]
fn settling_for_an_entry_supersedes_its_contesters() {
    let desk = rumour();
    let before = desk.run("list --store s.db --all --json").ok();
    let dry = desk.run("settle seen --for --store s.db").ok();
    assert!(dry.contains("superseded (2)") && dry.contains("dry run"), "{dry}");
    assert!(dry.contains("2 entries superseded"), "{dry}");
    assert_eq!(desk.run("list --store s.db --all --json").ok(), before);

    desk.run("settle seen --for --store s.db --apply").ok();
    assert_eq!(states(&desk), [active(&[]), archived(), archived()]);
    let heard = entry(&desk, "heard");
    assert_eq!((&heard["archived_by"], &heard["superseded_by"]), (&json!("settled"), &json!("seen")));
    let why = desk.run("why heard --store s.db").ok();
    assert!(why.contains("supersede — settled: for seen"), "{why}");
    desk.run("undo --store s.db").ok();
    assert_eq!(desk.run("list --store s.db --all --json").ok(), before);
}

#[test]
fn settling_against_an_entry_supersedes_it_by_its_latest_contester() {
    let desk = rumour();
    let plan = desk.run("settle seen --against --store s.db --json").json();
    let changes = plan["nights"][0]["changes"].as_array().expect("changes");
    assert_eq!(changes.len(), 1);
    assert_eq!((&changes[0]["do"], &changes[0]["sources"]), (&json!("supersede"), &json!(["told"])));
    desk.run("settle seen --against --store s.db --npc Mara --apply").ok();
    assert_eq!(states(&desk), [archived(), active(&[]), active(&[])]);
    desk.run("undo --store s.db").ok();
    // One rumour is dropped, the other one still stands against what was seen.
    desk.run("settle heard --against --store s.db --plan settled.json").ok();
    desk.run("apply settled.json --store s.db").ok();
    assert_eq!(states(&desk), [active(&["told"]), archived(), active(&["seen"])]);
}

#[test]
fn uncontested_entry_cannot_be_settled() {
    let desk = rumour();
    desk.run("settle rain --for --store s.db")
        .code_is(2, "rain of Mara is not contested: there is nothing to settle");
    let refused = desk.run("settle rain --against --store s.db --apply");
    refused.code_is(2, "`nightfold list` shows what is contested");
    desk.run("settle nobody --for --store s.db").code_is(2, "no NPC has a memory nobody");
    desk.run("settle seen --store s.db").code_is(2, "--for");
    desk.run("settle seen --for --against --store s.db").code_is(2, "cannot be used with");
    desk.run("settle seen --for --store nothing.db").code_is(5, "nothing.db");
    desk.run("settle seen --for --store s.db --apply").ok();
    desk.run("settle seen --for --store s.db --apply").code_is(2, "is not contested");
}

#[test]
fn contests_survive_export_and_import() {
    let desk = rumour();
    let before = desk.run("list --store s.db --all --json").ok();
    desk.run("export --store s.db --to out.jsonl").ok();
    desk.run("import out.jsonl --store out.db").ok();
    assert_eq!(desk.run("list --store out.db --all --json").ok(), before);
    desk.run("export --store s.db --entries --to entries.jsonl").ok();
    let entries = String::from_utf8(desk.read("entries.jsonl")).expect("UTF-8");
    assert!(entries.contains(r#""contested_with":["heard","told"]"#), "{entries}");
}
