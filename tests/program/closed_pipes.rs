//! Readers that close the pipe, as in `nightfold list | head`, and a closed standard error.

use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

use crate::support::Desk;

/// Returns a pipe that nobody reads.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

fn closed_out(command: &mut Command) -> Output {
    command
        .stdout(closed())
        .stderr(Stdio::piped())
        .spawn()
        .and_then(std::process::Child::wait_with_output)
        .expect("it runs")
}

/// Makes a store with the first two nights of Mara and other NPCs.
fn village() -> Desk {
    let desk = Desk::new();
    desk.run("sleep {scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl} --by-day --store town.db --apply")
        .ok();
    desk
}

#[test]
fn every_command_exits_quietly_when_its_output_is_closed() {
    let desk = village();
    for command in [
        "--help",
        "--version",
        "help list",
        "generate config",
        "models list",
        "list --store town.db",
        "list --store town.db --all --json",
        "themes Mara_Thorne --store town.db",
        "why mara-d1-32 --store town.db",
        "why mara-d1-32 --store town.db --json",
        "why mara-d1-32 --store town.db --graph",
        "recall Mara_Thorne Tom --store town.db",
        "sleep {scenarios/riverbend/days/3.jsonl} --store town.db --plan three.json",
        "sleep {scenarios/riverbend/days/3.jsonl} --store town.db --json",
        "sleep {scenarios/riverbend/days/3.jsonl} --store town.db --markdown",
        "sleep {scenarios/riverbend/days/3.jsonl} --store town.db --plan /dev/stdout",
        "sleep {scenarios/riverbend/days/3.jsonl} --npc Mara_Thorne --report /dev/stdout",
        "show three.json",
        "show three.json --json",
        "compare {scenarios/riverbend/days/3.jsonl} --with kmeans,single",
        "collapse --store town.db",
        "cap --store town.db",
        "maintain --store town.db --json",
        "purge --store town.db --older-than-nights 1",
        "export --store town.db --to -",
        "export --store town.db --to - --entries",
        "replay {scenarios/betrayal}",
        "replay {scenarios/betrayal} --watch",
        "desk {scenarios/riverbend/days/1.jsonl}",
        "init made",
    ] {
        let ran = closed_out(&mut desk.command(command));
        let written = if command.ends_with("--plan three.json") { "plan: three.json\n" } else { "" };
        assert_eq!(String::from_utf8_lossy(&ran.stderr), written, "{command}");
        assert_eq!(ran.status.code(), Some(141), "{command}");
    }
    assert!(desk.path("made/nightfold.toml").exists(), "what was to be written is written");
}

#[test]
fn mcp_server_exits_quietly_when_its_output_is_closed() {
    let desk = village();
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    let initialize = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\
                      \"capabilities\":{},\"clientInfo\":{\"name\":\"x\",\"version\":\"1\"}}}\n";
    for request in [ping, initialize] {
        let mut command = desk.command("mcp --store town.db");
        command.stdin(Stdio::piped()).stdout(closed()).stderr(Stdio::piped());
        let mut server = command.spawn().expect("it starts");
        // It ends though more could be asked.
        let mut input = server.stdin.take().expect("it is piped");
        input.write_all(request.as_bytes()).expect("it reads");
        let ran = server.wait_with_output().expect("it ends");
        drop(input);
        assert_eq!(String::from_utf8_lossy(&ran.stderr), "", "{request}");
        assert_eq!(ran.status.code(), Some(141), "{request}");
    }
}

#[test]
fn closed_output_does_not_stop_writes() {
    let desk = village();
    let versions = || desk.run("list --store town.db --json").ok();
    let before = versions();
    let mut sleep =
        desk.command("sleep {scenarios/riverbend/days/3.jsonl} --npc Mara_Thorne --store town.db --apply");
    assert_eq!(closed_out(&mut sleep).status.code(), Some(141));
    assert_ne!(versions(), before);
    let mut undo = desk.command("undo --store town.db --npc Mara_Thorne --night 1204-05-03 --cascade");
    assert_eq!(closed_out(&mut undo).status.code(), Some(141));
    let entries = desk.run("list --store town.db --all --json").json();
    let entries = entries.as_array().expect("entries");
    let hers = |entry: &&serde_json::Value| entry["npc"] == "Mara Thorne";
    assert!(!entries.is_empty());
    assert_eq!(entries.iter().filter(hers).count(), 0, "all three nights are taken back");
}

#[test]
fn closed_standard_error_changes_neither_output_nor_exit_code() {
    let desk = village();
    let good = "{\"id\":\"a\",\"npc\":\"Bran\",\"at\":1,\"kind\":\"event\",\"text\":\"Odo has a fever.\"}\n";
    desk.write("half.jsonl", format!("{good}no memory\n"));
    for (command, code) in [
        ("list --store town.db", 0),
        ("-vvv list --store town.db", 0),
        ("-vvv sleep {scenarios/riverbend/days/3.jsonl} --store town.db", 0),
        ("sleep half.jsonl --on-bad-line skip", 0),
        ("sleep half.jsonl", 3),
        ("list --nonsense", 2),
        ("list --store none.db", 5),
        ("replay nowhere", 2),
        ("--set cluster.nonsense=1 sleep half.jsonl", 2),
        ("import half.jsonl --store new.db", 3),
    ] {
        let heard = desk.run(command);
        assert_eq!(heard.code, code, "{command}: {}", heard.err);
        let unheard = desk.command(command).stderr(closed()).output().expect("it runs");
        assert_eq!(unheard.status.code(), Some(code), "{command}");
        assert_eq!(String::from_utf8_lossy(&unheard.stdout), heard.out, "{command}");
    }
    for (command, code) in [("list --store town.db", 141), ("list --store none.db", 5)] {
        let unheard = desk.command(command).stdout(closed()).stderr(closed()).status().expect("it runs");
        assert_eq!(unheard.code(), Some(code), "{command}");
    }
}
