//! Results and refusals of tools and resources.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{riverbend, session::Session};
use crate::support::root;

/// Splits a text into words, since the server uses other column widths than a pipe.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

fn day_three() -> String {
    std::fs::read_to_string(root().join("scenarios/riverbend/days/3.jsonl")).expect("a day")
}

#[test]
fn tools_answer_like_the_commands() {
    let desk = riverbend();
    let mut session = Session::start(&desk, "--store town.db");
    let asked = json!({"npc": "Mara Thorne", "query": "who owes Tom money?", "limit": 4});
    let recalled = session.text("recall", &asked);
    let printed = desk.run("recall Mara_Thorne who_owes_Tom_money? --limit 4 --store town.db");
    assert_eq!(words(&recalled), words(&printed.ok()));
    let why = session.text("why", &json!({"id": "mara-d1-32"}));
    assert_eq!(words(&why), words(&desk.run("why mara-d1-32 --store town.db").ok()));
    let themes = session.text("themes", &json!({"npc": "Mara Thorne"}));
    assert_eq!(words(&themes), words(&desk.run("themes Mara_Thorne --store town.db").ok()));
    for text in [&recalled, &why, &themes] {
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
    let data = session.call("recall", &asked)["structuredContent"].take();
    assert_eq!(data["entries"].as_array().map(Vec::len), Some(4));
    assert!(data["entries"][0]["memory"]["text"].is_string() && data["entries"][0]["score"].is_number());
    assert_eq!(session.end().0, 0);
}

#[test]
fn contested_entries_are_returned_with_the_other_side() {
    let desk = crate::settle::rumour();
    let mut session = Session::start(&desk, "--store s.db");
    let asked = json!({"npc": "Mara", "query": "is the mill open?"});
    let recalled = session.text("recall", &asked);
    assert!(recalled.contains("? contested with seen: I saw with my own eyes"), "{recalled}");
    let data = session.call("recall", &asked)["structuredContent"].take();
    let entries = data["entries"].as_array().expect("entries");
    assert!(entries.iter().any(|entry| entry["memory"]["contested_with"] == json!(["seen"])), "{data}");
    let why = session.text("why", &json!({"id": "heard"}));
    assert!(why.contains("? contested with seen"), "{why}");
    let data = session.call("why", &json!({"id": "heard"}))["structuredContent"].take();
    assert_eq!(
        (&data["related"][0]["is"], &data["related"][0]["entry"]["id"]),
        (&json!("contested"), &json!("seen"))
    );
    assert_eq!(session.end().0, 0);
}

#[test]
fn consolidate_shows_the_diff_of_sleep_and_writes_nothing() {
    let desk = riverbend();
    let before = desk.read("town.db");
    let mut session = Session::start(&desk, "--store town.db {scenarios/riverbend/days/3.jsonl}");
    let columns = [("COLUMNS", "80")];
    let printed = desk
        .run_with("sleep {scenarios/riverbend/days/3.jsonl} --store town.db -v --vector-cache off", &columns)
        .ok();
    let (nights, _) = printed.split_once("dry run:").expect("it is one");
    let of_files = session.text("consolidate", &json!({}));
    let (shown, end) = of_files.split_once("dry run:").expect("it is one");
    let more = ("-vv shows every change", "verbose: true shows every change");
    assert_eq!(shown, nights.replace(more.0, more.1));
    assert_eq!(end.trim(), "nothing was written, and this server cannot write");
    assert!(shown.lines().filter(|line| line.starts_with(' ')).all(|line| line.chars().count() <= 80));

    // The same day brought along, as lines and as an array.
    let lines = day_three();
    let brought = session.text("consolidate", &json!({ "memories": lines }));
    assert_eq!(brought, of_files);
    let items: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let array = json!({ "memories": Value::Array(items).to_string() });
    let result = session.call("consolidate", &array);
    assert_eq!(result["content"][1]["text"], of_files);
    let data = &result["structuredContent"];
    assert_eq!(data["applied"], false);
    assert_eq!(data["nights"].as_array().map(Vec::len), Some(6), "{data}");
    assert!(data["totals"]["tokens"]["estimate"].is_number(), "{data}");

    // One NPC's, with reasons.
    let one = json!({"npcs": ["Mara Thorne"], "verbose": true});
    let sleep =
        "sleep {scenarios/riverbend/days/3.jsonl} --npc Mara_Thorne --store town.db -vv --vector-cache off";
    let printed = desk.run_with(sleep, &columns).ok();
    let shown = session.text("consolidate", &one);
    assert_eq!(shown.split("dry run:").next(), printed.split("dry run:").next());

    for applies in ["apply", "store", "plan"] {
        let error = session.error("consolidate", &json!({ applies: true }));
        assert!(error.contains(&format!("unknown field `{applies}`, expected one of `memories`")), "{error}");
    }
    assert_eq!(session.end().0, 0);
    assert_eq!(desk.read("town.db"), before);
}

#[test]
fn consolidate_groups_and_names_the_episodes_of_the_store() {
    let desk = crate::distilled::agent();
    let before = desk.read("agent.db");
    let mut session = Session::start(&desk, "--store agent.db");
    let text = session.text("consolidate", &json!({"episodes": true}));
    assert!(text.contains("Learned from several days") && text.contains("The middleware (caution"), "{text}");
    assert!(
        ["[e12]", "[e15]", "[e17]"].iter().all(|id| text.contains(id))
            && text.contains("dry run: nothing was written"),
        "{text}"
    );
    let data = session.call("consolidate", &json!({"episodes": true}))["structuredContent"].take();
    assert_eq!((&data["applied"], &data["totals"]["reflections"]), (&json!(false), &json!(1)), "{data}");
    let both = session.error("consolidate", &json!({"episodes": true, "memories": "[]"}));
    assert!(both.contains("leave out `memories`"), "{both}");
    assert_eq!(session.end().0, 0);
    assert_eq!(desk.read("agent.db"), before);
}

#[test]
fn pending_calls_are_answered_after_the_client_closes_its_input() {
    let desk = riverbend();
    let mut session = Session::start(&desk, "--store town.db {scenarios/riverbend/days/3.jsonl}");
    let call = |id: u8, tool: &str| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool}});
    session.send(&call(91, "consolidate").to_string());
    session.send(&call(92, "consolidate").to_string());
    let (code, said) = session.end();
    assert_eq!(code, 0);
    let answers: Vec<Value> = said.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    // The answers may come in any order.
    let ids: BTreeSet<Option<i64>> = answers.iter().map(|answer| answer["id"].as_i64()).collect();
    assert_eq!(ids, [Some(91), Some(92)].into());
    assert!(answers.iter().all(|answer| answer["result"]["isError"] == false), "{said:?}");
}

#[test]
fn nights_are_paged_resources() {
    let desk = riverbend();
    let guest = |n: usize| {
        let line = json!({"id": "g", "npc": format!("Guest {n:03}"), "at": "1204-05-03T10:00:00Z", "kind": "event",
            "text": "I slept at the Heron."});
        format!("{line}\n")
    };
    desk.write("guests.jsonl", (0..190).map(guest).collect::<String>());
    desk.run("sleep guests.jsonl --store town.db --apply").ok();
    let mut session = Session::start(&desk, "--store town.db");
    let (mut uris, mut cursor) = (Vec::new(), json!({}));
    let pages = loop {
        let listed = session.ask("resources/list", cursor);
        let page = listed["result"]["resources"].as_array().expect("resources").clone();
        assert!(page.len() <= 100);
        uris.extend(page.iter().map(|r| r["uri"].as_str().expect("a URI").to_owned()));
        match listed["result"].get("nextCursor") {
            Some(next) => cursor = json!({ "cursor": next }),
            None => break uris.len().div_ceil(100),
        }
    };
    assert_eq!((uris.len(), pages), (202, 3));
    let mara: Vec<&String> =
        uris.iter().filter(|uri| uri.starts_with("nightfold://night/Mara%20Thorne/")).collect();
    assert_eq!(mara.len(), 2);
    let read = session.ask("resources/read", json!({ "uri": mara[0] }));
    let contents = &read["result"]["contents"][0];
    assert_eq!((&contents["uri"], &contents["mimeType"]), (&json!(mara[0]), &json!("application/json")));
    let night: Value = serde_json::from_str(contents["text"].as_str().expect("a text")).expect("JSON");
    assert_eq!((&night["npc"], &night["night"]), (&json!("Mara Thorne"), &json!("1204-05-03")));
    let log = night["log"].as_array().expect("a log");
    assert_eq!(night["changes"], log.len());
    assert!(log.iter().all(|line| line["do"].is_string() && line["reason"]["rule"].is_string()), "{night}");

    for wrong in [
        "nightfold://night/Mara%20Thorne/0000000000000001",
        "file:///etc/passwd",
        "nightfold://night/../town.db",
    ] {
        let error = session.ask("resources/read", json!({ "uri": wrong }))["error"].take();
        assert_eq!(error["code"], -32002, "{error}");
        assert!(
            error["message"].as_str().is_some_and(|m| m.contains("resources/list names those")),
            "{error}"
        );
    }
    for wrong in ["202", "-1", "x", "99999999999999999999999"] {
        let error = session.ask("resources/list", json!({ "cursor": wrong }))["error"].take();
        assert_eq!(error["code"], -32602, "{wrong}: {error}");
    }
}

#[test]
fn scoped_server_reveals_no_other_npc() {
    let desk = riverbend();
    let mut all = Session::start(&desk, "--store town.db");
    let listed = all.ask("resources/list", json!({}))["result"]["resources"].take();
    let uris =
        listed.as_array().expect("resources").iter().map(|r| r["uri"].as_str().expect("a URI").to_owned());
    let tom: Vec<String> = uris.filter(|uri| !uri.contains("Mara")).collect();
    assert!(all.call("why", &json!({"id": "tom-d1-01"}))["isError"] == false, "the id is one");

    let mut session =
        Session::start(&desk, "--store town.db --npc Mara_Thorne {scenarios/riverbend/days/3.jsonl}");
    for (tool, arguments) in [
        ("recall", json!({"npc": "Tom Aldous", "query": "money"})),
        ("themes", json!({"npc": "Tom Aldous"})),
        ("why", json!({"id": "tom-d1-01", "npc": "Tom Aldous"})),
        ("consolidate", json!({"npcs": ["Tom Aldous"]})),
        ("consolidate", json!({"memories": day_three()})),
    ] {
        let error = session.error(tool, &arguments);
        assert!(
            error.ends_with("only for `Mara Thorne`") && error.contains("does not answer for"),
            "{tool}: {error}"
        );
    }
    // The id of another NPC's memory is reported like an unknown id.
    let (others, nobodys) = (json!({"id": "tom-d1-01"}), json!({"id": "tom-d1-99"}));
    assert_eq!(session.error("why", &others), session.error("why", &nobodys).replace("-99", "-01"));
    // Of the files only the day of those in scope is slept on.
    let shown = session.text("consolidate", &json!({}));
    assert!(
        shown.contains("Mara Thorne · night of 1204-05-05") && shown.contains("1 NPC, 1 night"),
        "{shown}"
    );
    let listed = session.ask("resources/list", json!({}))["result"]["resources"].take();
    let own = listed.as_array().expect("resources");
    assert!(own.len() == 2 && own.iter().all(|r| r["name"].as_str().is_some_and(|n| n.starts_with("Mara"))));
    assert_eq!(tom.len(), 10);
    for uri in tom {
        assert_eq!(session.ask("resources/read", json!({ "uri": uri }))["error"]["code"], -32002);
    }
}

#[test]
fn exceeded_limits_are_reported_with_their_keys() {
    let desk = riverbend();
    let bounds = "--set input.max~file~bytes=20000 --set input.max~memories=3 --set recall.min~relevance=0";
    let mut session = Session::start(&desk, &format!("--store town.db {bounds}"));
    let four: String = day_three().lines().take(4).map(|line| format!("{line}\n")).collect();
    let error = session.error("consolidate", &json!({ "memories": four }));
    assert!(error.contains("4 memories; one call may sleep on 3 (input.max_memories)"), "{error}");
    // A longer line is skipped, and the session goes on.
    session.send(
        &json!({"jsonrpc": "2.0", "id": 900, "method": "ping", "params": {"x": "x".repeat(21_000)}})
            .to_string(),
    );
    session.text("recall", &json!({"npc": "Mara Thorne", "query": "money", "limit": 1000}));
    for (limit, said) in
        [(json!(0), "between 1 and 1000"), (json!(1001), "between 1 and 1000"), (json!(-1), "limit")]
    {
        let error = session.error("recall", &json!({"npc": "Mara Thorne", "query": "money", "limit": limit}));
        assert!(error.contains(said), "{error}");
    }
    let error = session.error("consolidate", &json!({}));
    assert!(error.contains("give `memories`"), "{error}");
    let error = session.error("consolidate", &json!({"memories": "{\"id\":\"a\",\"npc\":\"Mara Thorne\""}));
    assert!(error.starts_with("memories:1: column "), "{error}");
    let error = session.error("forget", &json!({}));
    assert!(
        error.contains("no tool `forget`; there are `consolidate`, `recall`, `why`, `themes`"),
        "{error}"
    );
    assert_eq!(session.end().0, 0);
}

#[test]
fn model_is_loaded_on_first_use() {
    let desk = riverbend();
    std::fs::create_dir(desk.path("empty")).expect("a folder");
    let mut session = Session::start_without_model(&desk, "--store town.db --offline --models empty");
    session.text("themes", &json!({"npc": "Mara Thorne"}));
    session.text("why", &json!({"id": "mara-d1-32"}));
    let error = session.error("recall", &json!({"npc": "Mara Thorne", "query": "money"}));
    assert!(error.contains("empty"), "{error}");
    session.text("themes", &json!({"npc": "Mara Thorne"}));
    assert_eq!(session.end().0, 0);
}

#[test]
fn unusable_server_does_not_start() {
    let desk = riverbend();
    desk.run("mcp --store none.db").code_is(5, "there is no store at");
    desk.run("mcp --store town.db --npc Nobody")
        .code_is(2, "the store or the input has no NPC of the name `Nobody`");
    desk.run("mcp --store town.db -").code_is(2, "standard input carries the protocol");
    desk.run("mcp --store town.db none.jsonl").code_is(3, "cannot read none.jsonl");
    desk.run("mcp --store town.db --set judge.by=language").code_is(2, "this server asks none");
    desk.run("mcp --store town.db --set input.max~memories=0")
        .code_is(2, "input.max_memories is 0; it must lie between 1 and 1000000");
    // Nobody asks: it ends as it should.
    assert_eq!(desk.run("mcp --store town.db").ok(), "");
}
