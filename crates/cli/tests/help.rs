//! Help, completions and man pages of the program, and the store that the environment names.

use std::{
    path::Path,
    process::{Command, Output},
};

/// Runs the program with these arguments, in a folder of its own where one is given.
fn run(arguments: &[&str], folder: Option<&Path>, store: Option<&Path>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nightfold"));
    command.args(arguments).env("COLUMNS", "100").env_remove("CLICOLOR_FORCE");
    match store {
        Some(store) => command.env("NIGHTFOLD_STORE", store),
        None => command.env_remove("NIGHTFOLD_STORE"),
    };
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    command.output().expect("the program starts")
}

fn printed(arguments: &[&str]) -> String {
    let output = run(arguments, None, None);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

/// Exit code and standard error of a run.
fn refused(arguments: &[&str], folder: &Path, store: Option<&Path>) -> (Option<i32>, String) {
    let output = run(arguments, Some(folder), store);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn help_lists_commands_by_group() {
    insta::assert_snapshot!("help", printed(&["-h"]));
}

#[test]
fn help_of_a_command_ends_with_examples() {
    insta::assert_snapshot!("help-maintain", printed(&["maintain", "--help"]));
}

#[test]
fn completions_know_commands_and_options_in_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = printed(&["generate", "completions", shell]);
        for word in ["maintain", "by-day", "generate"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
    }
    let (code, said) = refused(&["generate", "completions", "basic"], &std::env::temp_dir(), None);
    assert_eq!(code, Some(2));
    assert!(said.contains("[possible values: bash, elvish, fish, powershell, zsh]"), "{said}");
}

#[test]
fn man_writes_a_page_for_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("man1");
    let said = printed(&["generate", "man", &out.display().to_string()]);
    let pages = std::fs::read_dir(&out).expect("the folder was made").count();
    assert!(said.starts_with(&format!("{pages} man pages written to ")), "{said}");
    for name in ["nightfold.1", "nightfold-sleep.1", "nightfold-shards-show.1"] {
        assert!(out.join(name).is_file(), "{name}");
    }
    let sleep = std::fs::read_to_string(out.join("nightfold-sleep.1")).expect("a page");
    assert!(sleep.contains("NIGHTFOLD_STORE") && sleep.contains("nightfold sleep day.jsonl"), "{sleep}");
}

#[test]
fn store_option_overrides_the_environment() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let (of_environment, of_call) = (here.join("environment.db"), here.join("call.db"));
    let (code, said) = refused(&["list"], here, Some(&of_environment));
    assert_eq!(code, Some(5));
    assert!(said.contains("environment.db"), "{said}");
    let (code, said) = refused(&["list", "--store", "call.db"], here, Some(&of_environment));
    assert_eq!(code, Some(5));
    assert!(said.contains("call.db") && !said.contains("environment.db"), "{said}");
    assert!(!of_environment.exists() && !of_call.exists());
    assert!(printed(&["list", "-h"]).contains("[env: NIGHTFOLD_STORE]"));
}

#[test]
fn call_without_a_store_names_option_and_variable() {
    let folder = tempfile::tempdir().expect("a folder");
    for store in [None, Some(Path::new(""))] {
        let (code, said) = refused(&["themes", "Mara"], folder.path(), store);
        assert_eq!(code, Some(2));
        assert!(said.contains("--store <FILE>") && said.contains("NIGHTFOLD_STORE"), "{said}");
        assert!(said.contains("makes one"), "{said}");
    }
}

#[test]
fn default_store_does_not_contradict_a_call_about_days_or_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("town.db");
    let day =
        r#"{"id": "m-1", "npc": "Mara", "at": 1, "kind": "event", "text": "It rained", "importance": 2}"#;
    std::fs::write(folder.path().join("day.jsonl"), day).expect("written");
    std::fs::create_dir(folder.path().join("insights")).expect("made");
    for call in [["collapse", "day.jsonl"], ["cap", "insights"]] {
        let (code, said) = refused(&call, folder.path(), Some(&store));
        assert_eq!(code, Some(0), "{call:?}: {said}");
    }
    let (code, said) = refused(&["cap", "insights", "--store", "town.db"], folder.path(), Some(&store));
    assert_eq!(code, Some(2));
    assert!(said.contains("cannot be used with"), "{said}");
}
