//! An independent client: the official Python SDK.
//!
//! It is fetched once by pip. `NIGHTFOLD_MCP_CLIENT=off` skips this test, `required` fails it where it would
//! be skipped; `NIGHTFOLD_MCP_PYTHON` names another Python than `python3`.

use std::{
    env,
    ffi::OsString,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use super::riverbend;
use crate::{
    pip,
    support::{Desk, root},
};

/// Returns Python and the folder of the SDK; prints a note and returns `None` if there is none.
fn sdk() -> Option<(OsString, PathBuf)> {
    let wish = env::var("NIGHTFOLD_MCP_CLIENT").unwrap_or_default();
    let without = |why: &str| {
        assert!(wish != "required", "{why}");
        eprintln!("skipped: {why}");
    };
    if wish == "off" {
        without("NIGHTFOLD_MCP_CLIENT is off");
        return None;
    }
    let python = env::var_os("NIGHTFOLD_MCP_PYTHON").unwrap_or_else(|| "python3".into());
    // Some of the packages are built for one version of Python.
    let asked = Command::new(&python).args(["-I", "-c", "import sys; print(*sys.version_info[:2])"]).output();
    let Some(version) = asked.ok().filter(|told| told.status.success()) else {
        without("there is no Python");
        return None;
    };
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let Some(folder) = pip::packages(&python, "mcp", include_str!("client.txt"), &version, &[]) else {
        without("pip cannot fetch the SDK of the Model Context Protocol");
        return None;
    };
    Some((python, folder))
}

/// Returns the output of the SDK's client, connected to a server for Mara alone.
fn client_output(desk: &Desk, mode: &str, calls: &Value) -> Option<Value> {
    let (python, packages) = sdk()?;
    let mut client = pip::script(&python, &packages, include_str!("client.py"))
        .args([mode, env!("CARGO_BIN_EXE_nightfold-under-test"), "mcp"])
        .args(["--store", "town.db", "--npc", "Mara Thorne"])
        .arg(root().join("scenarios/riverbend/days/3.jsonl"))
        .current_dir(desk.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let mut input = client.stdin.take().expect("it is piped");
    input.write_all(calls.to_string().as_bytes()).expect("it reads");
    drop(input);
    let done = client.wait_with_output().expect("it ends");
    assert!(done.status.success(), "the client failed; its last words are on standard error");
    Some(serde_json::from_slice(&done.stdout).expect("JSON"))
}

/// Both ways to connect: with the handshake of the protocol's earlier revisions, and without one.
#[test]
fn official_client_lists_and_calls_every_tool() {
    let desk = riverbend();
    let before = desk.read("town.db");
    let nights = desk.run("list --store town.db --all --json").ok();
    for (mode, protocol) in [("legacy", "2025-11-25"), ("auto", "2026-07-28")] {
        let calls = json!([
            ["tools", {}],
            ["resources", {}],
            ["templates", {}],
            ["call", {"name": "consolidate", "arguments": {}}],
            ["call", {"name": "recall", "arguments": {"npc": "Mara Thorne", "query": "who owes Tom money?", "limit": 3}}],
            ["call", {"name": "why", "arguments": {"id": "mara-d1-32"}}],
            ["call", {"name": "themes", "arguments": {"npc": "Mara Thorne"}}],
            ["call", {"name": "themes", "arguments": {"npc": "Tom Aldous"}}],
            ["call", {"name": "consolidate", "arguments": {"apply": true}}],
            ["read", {"uri": "nightfold://night/Tom%20Aldous/0000000000000001"}],
        ]);
        let Some(told) = client_output(&desk, mode, &calls) else { return };
        assert_eq!(told["protocol"], protocol);
        assert_eq!(told["server"]["name"], "nightfold");
        assert!(told["instructions"].as_str().is_some_and(|text| text.contains("It cannot write")), "{told}");
        let answers = told["answers"].as_array().expect("answers");
        let names = |answer: &Value, list: &str| -> Vec<String> {
            let items = answer[list].as_array().expect("a list");
            items.iter().map(|item| item["name"].as_str().expect("a name").to_owned()).collect()
        };
        assert_eq!(names(&answers[0], "tools"), ["consolidate", "recall", "why", "themes"]);
        for tool in answers[0]["tools"].as_array().expect("tools") {
            assert_eq!(tool["annotations"]["readOnlyHint"], true);
            assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        }
        assert_eq!(names(&answers[1], "resources"), ["Mara Thorne 1204-05-03", "Mara Thorne 1204-05-04"]);
        assert_eq!(answers[2]["resourceTemplates"][0]["uriTemplate"], "nightfold://night/{npc}/{version}");
        for (answer, said) in answers[3..7].iter().zip([
            "dry run: nothing was written",
            "importance",
            "night of 1204-05-03",
            "Mara Thorne · ",
        ]) {
            assert_eq!(answer["isError"], false, "{answer}");
            assert!(answer["content"][0]["text"].as_str().is_some_and(|text| text.contains("is data")));
            assert!(
                answer["content"][1]["text"].as_str().is_some_and(|text| text.contains(said)),
                "{answer}"
            );
            assert!(answer["structuredContent"].is_object());
        }
        for (answer, said) in answers[7..9].iter().zip(["only for `Mara Thorne`", "unknown field `apply`"]) {
            assert_eq!(answer["isError"], true, "{answer}");
            assert!(
                answer["content"][0]["text"].as_str().is_some_and(|text| text.contains(said)),
                "{answer}"
            );
        }
        assert!(answers[9]["error"]["code"].is_number(), "{}", answers[9]);

        // A resource of the list.
        let uri = &answers[1]["resources"][0]["uri"];
        let read =
            client_output(&desk, mode, &json!([["read", { "uri": uri }]])).expect("it was there before");
        let text = read["answers"][0]["contents"][0]["text"].as_str().expect("a text");
        let night: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!((&night["npc"], &night["night"]), (&json!("Mara Thorne"), &json!("1204-05-03")));
        assert!(night["log"].as_array().is_some_and(|log| !log.is_empty()), "{night}");
    }
    assert_eq!(desk.read("town.db"), before);
    assert_eq!(desk.run("list --store town.db --all --json").ok(), nights);
}
