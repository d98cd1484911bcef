//! Schemas of all JSON that leaves the program, matched by what every command prints.

mod checked;
mod validator;

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::Stdio,
};

use nightfold_store::testing::PostgresServer;
use serde_json::{Value, json};

use self::checked::{Checked, names};
use crate::{
    language::server::{FaultServer, Reply},
    looked_after::rot,
    mcp::session::Session,
    settle::rumour,
    support::{Desk, root},
};

/// Schemas that are kept as files, for readers without the program.
const KEPT: [&str; 5] = ["config", "memory", "plan", "scenario", "show"];
const DAYS: &str = "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl} \
    {scenarios/riverbend/days/3.jsonl} --by-day";
const STORE: &str = "--store town.db";

#[test]
fn every_schema_can_be_made_and_kept_ones_are_those_of_the_types() {
    let desk = Desk::new();
    let page = fs::read_to_string(root().join("docs/src/reference/json.md")).expect("the page");
    for name in names(&desk) {
        let schema = desk.run(&format!("generate schema {name}")).json();
        assert!(schema["title"].is_string() && schema["$comment"].is_string(), "{name}: {schema}");
        assert!(page.contains(&format!("| `{name}` |")), "the page of JSON shapes does not name {name}");
    }
    for name in KEPT {
        let kept = root().join(format!("docs/schemas/{name}.schema.json"));
        let fresh = desk.run(&format!("generate schema {name}")).ok();
        if std::env::var_os("NIGHTFOLD_ACCEPT").is_some() {
            fs::write(&kept, &fresh).expect("written");
        }
        let same = fs::read_to_string(&kept).is_ok_and(|kept| kept == fresh);
        assert!(same, "{name} is stale; NIGHTFOLD_ACCEPT=1 writes it anew: look at the difference then");
    }
    desk.run("generate schema nothing").code_is(2, "`nightfold generate schema` lists them");
}

/// A new command with `--json`, a new schema and a new field each fail it.
#[test]
fn all_json_that_leaves_the_program_matches_its_schema() {
    let mut checked = Checked::new();
    nights(&mut checked);
    store(&mut checked);
    settled(&mut checked);
    folder(&mut checked);
    days(&mut checked);
    language(&mut checked);
    scenarios(&mut checked);
    served(&mut checked);
    assistants(&mut checked);
    let mut excused = Vec::new();
    match PostgresServer::shared() {
        Some(server) => shared(&mut checked, &server.address()),
        None => excused.extend(["shards show", "shards", "worker"]),
    }
    checked.assert_complete(&excused);
}

/// Nights, what follows them, and their files.
fn nights(checked: &mut Checked) {
    let desk = Desk::new();
    checked.prints("plan", &desk, &format!("sleep {DAYS} --plan plan.json"));
    checked.file("plan", &desk, "plan.json");
    checked.prints("show", &desk, "show plan.json");
    let then = "--apply --then maintain,purge --summary-json summary.json --log-format json -v";
    let told =
        checked.prints_each(&["plan", "plan", "purge"], &desk, &format!("sleep {DAYS} {STORE} {then}"));
    checked.lines("log-line", &told);
    checked.file("summary", &desk, "summary.json");
    checked.prints("show", &desk, &format!("show plan.json {STORE}"));
    checked.prints("compare", &desk, "compare {scenarios/riverbend/days/1.jsonl} --with kmeans,single");
    checked.prints("bench", &desk, "bench --npcs 2 --memories 6");
}

/// Commands on a store of several nights.
fn store(checked: &mut Checked) {
    let desk = Desk::new();
    desk.run(&format!("sleep {DAYS} {STORE} --apply")).ok();
    let all = checked.prints("list", &desk, &format!("list {STORE} --all"));
    checked.prints(
        "recall",
        &desk,
        &format!("recall Mara_Thorne who_owes_Tom_money? {STORE} --touch --now 1204-05-06T00:00:00Z"),
    );
    checked.prints("why", &desk, &format!("why mara-d1-32 {STORE}"));
    let themes = checked.prints("themes", &desk, &format!("themes Mara_Thorne {STORE}"));
    checked.prints("theme-graph", &desk, &format!("themes Mara_Thorne --graph {STORE}"));
    let id = themes[0]["id"].as_str().expect("a theme");
    checked.prints("recall-theme", &desk, &format!("recall Mara_Thorne --theme {id} {STORE}"));
    checked.prints("stats", &desk, &format!("stats {STORE}"));
    checked.prints("check", &desk, &format!("check {STORE}"));
    for call in ["--save slot", "--save spare", "--forget spare", ""] {
        checked.prints("save-points", &desk, &format!("rewind {call} {STORE}"));
    }
    checked.prints("rewind", &desk, &format!("rewind --to 1204-05-04T12:00:00Z {STORE} --apply"));
    checked.prints("rewind", &desk, &format!("rewind --to slot {STORE} --apply"));
    desk.run(&format!("export {STORE} --to town.jsonl")).ok();
    checked.file_lines("export-line", &desk, "town.jsonl");
    desk.run(&format!("export {STORE} --entries --to entries.jsonl")).ok();
    checked.file_lines("entry-line", &desk, "entries.jsonl");
    checked.prints("collapse", &desk, &format!("collapse {STORE} --plan collapse.json"));
    checked.file("plan", &desk, "collapse.json");
    checked.prints("plan", &desk, &format!("cap {STORE} --set cap.max~insights=1"));
    checked.prints("plan", &desk, &format!("maintain {STORE} --now 1206-12-20T00:00:00Z --apply"));
    let is_pruned = |entry: &&Value| entry["archived_by"] == "unimportant-loose";
    let pruned = all.as_array().expect("a list").iter().find(is_pruned).expect("something is pruned");
    let (id, npc) = (&pruned["id"], &pruned["npc"]);
    let named = |name: &Value| name.as_str().expect("a name").replace(' ', "_");
    checked.prints("plan", &desk, &format!("restore {} --npc {} {STORE}", named(id), named(npc)));
    checked.prints("purge", &desk, &format!("purge --older-than-nights 1 {STORE}"));
    let erase = format!("erase --person Joss_Millard --npc-too {STORE}");
    checked.prints("erase", &desk, &erase);
    checked.prints("erase", &desk, &format!("{erase} --apply"));
    checked.prints("purge", &desk, &format!("purge {STORE} --apply"));
    rot(&desk, "town.db");
    checked.prints_with(&[1], "check", &desk, &format!("check {STORE}"));
}

/// A decision between contested entries.
fn settled(checked: &mut Checked) {
    let desk = rumour();
    checked.prints("show", &desk, "show plan.json --store s.db");
    checked.prints("list", &desk, "list --store s.db");
    checked.prints("why", &desk, "why seen --store s.db");
    checked.prints("plan", &desk, "settle seen --for --store s.db --apply");
}

/// A folder of insights, one of which is none.
fn folder(checked: &mut Checked) {
    let desk = Desk::new();
    fs::create_dir(desk.path("insights")).expect("a folder");
    for name in ["river-town-1.md", "river-town-2.md", "river-town-3.md", "river-town-4.md", "none.bin"] {
        desk.write(&format!("insights/{name}"), "a text");
    }
    checked.prints("cap", &desk, "cap insights --set cap.max~insights=2");
    checked.prints("cap", &desk, "cap insights --set cap.max~insights=2 --apply");
}

/// Days without a store.
fn days(checked: &mut Checked) {
    let desk = Desk::new();
    let line = |n: u32| {
        let text = format!("guard post status: {n} patrols, {} fires", n + 1);
        let at = format!("1204-05-03T0{n}:00:00Z");
        format!(
            "{}\n",
            json!({"id": format!("g{n}"), "npc": "Bran", "at": at, "kind": "status", "text": text})
        )
    };
    desk.write("status.jsonl", (1..5).map(line).collect::<String>());
    checked.prints("collapse", &desk, "collapse status.jsonl");
}

/// Answers of a language model, some of them unusable.
fn language(checked: &mut Checked) {
    const DAY: &str = "{scenarios/riverbend/days/1.jsonl} --npc Mara_Thorne --set language.model=test \
        --set budget.tokens=100000";
    const INSIGHTS: &str = r#"{"insights":[{"cites":["m1","m2"],"confidence":0.8,"kind":"pattern","text":"I often see this."}]}"#;
    let desk = Desk::new();
    let server = FaultServer::start(|_, _| Reply::chat(INSIGHTS).into());
    let asked =
        format!("sleep {DAY} --language openai:{} --record said.jsonl --judge language", server.base_url());
    checked.prints("plan", &desk, &asked);
    checked.file_lines("record-line", &desk, "said.jsonl");
}

/// A scenario that is accepted, and one that no longer holds.
fn scenarios(checked: &mut Checked) {
    let desk = Desk::new();
    desk.run("init").ok();
    checked.prints("replay", &desk, "replay scenarios");
    checked.prints("replay", &desk, "replay scenarios --update");
    checked.file("outcome", &desk, "scenarios/first-nights/outcome.json");
    checked.prints_with(&[1], "replay", &desk, "replay scenarios --set triage.important=10");
    let kept = fs::read_dir(root().join("scenarios")).expect("the scenarios");
    for folder in kept.map(|entry| entry.expect("an entry").path()) {
        let outcome = folder.join("outcome.json");
        if outcome.exists() {
            checked.value("outcome", &read(&outcome), &outcome.display().to_string());
        }
    }
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("read")).expect("JSON")
}

/// The address of a server that is stopped again.
fn served(checked: &mut Checked) {
    let desk = Desk::new();
    let mut server = desk.command("serve --json").stdout(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    let out = server.stdout.take().expect("it is piped");
    BufReader::new(out).read_line(&mut line).expect("it tells its address");
    server.kill().and_then(|()| server.wait()).expect("it ends");
    checked.lines("serve", &line);
    checked.ran("serve");
}

/// Data that an assistant is given.
fn assistants(checked: &mut Checked) {
    let desk = Desk::new();
    desk.run(&format!("sleep {DAYS} {STORE} --apply")).ok();
    let arguments = format!("{STORE} {{scenarios/riverbend/days/4.jsonl}}");
    let mut session = Session::start(&desk, &arguments);
    for (tool, asked) in [
        ("consolidate", json!({})),
        ("recall", json!({"npc": "Mara Thorne", "query": "who owes Tom money?"})),
        ("why", json!({"id": "mara-d1-32"})),
        ("themes", json!({"npc": "Mara Thorne"})),
    ] {
        let data = session.call(tool, &asked)["structuredContent"].take();
        checked.value(&format!("mcp-{tool}"), &data, tool);
    }
    let listed = session.ask("resources/list", json!({}));
    let night = &listed["result"]["resources"][0]["uri"];
    let read = session.ask("resources/read", json!({ "uri": night }));
    checked.lines("mcp-night", read["result"]["contents"][0]["text"].as_str().expect("a text"));
    assert_eq!(session.end().0, 0);
}

/// Workers that share a run.
fn shared(checked: &mut Checked, address: &str) {
    let desk = Desk::new();
    desk.run(&format!("shards pack {DAYS} --to days --shards 2").replace("--by-day ", "")).ok();
    checked.prints("worker", &desk, &format!("sleep days --by-day --store {address} --apply"));
    checked.prints("shards", &desk, &format!("shards show --store {address}"));
    checked.prints("stats", &desk, &format!("stats --store {address}"));
}
