//! One story through every binding on the real model: the same replies and events, to the byte.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{path::PathBuf, process::Command};

use nightfold_town::testing::tell_story;
use support::{compile, has, library_folder, provide_model, root, run};

/// Lockstep: every event has its tick. Nights are written after an hour of game time and told after another.
const OPTIONS: &str = r#"{"timing":{"lockstep":{"plan_seconds":10800,"write_seconds":3600}},"threads":1}"#;

fn story() -> PathBuf {
    root().join("../conformance/story.jsonl")
}

fn told_by(command: &mut Command) -> String {
    String::from_utf8(run(command.arg(story()).arg(OPTIONS)).stdout).unwrap()
}

#[test]
fn every_binding_tells_the_same_story() {
    provide_model();
    let lines = std::fs::read_to_string(story()).unwrap();
    let expected = tell_story(&lines, serde_json::from_str(OPTIONS).unwrap()).unwrap();
    for part in [
        "\"event\":\"answered\"",
        "\"event\":\"consolidated\"",
        "\"why\":\"woken\"",
        "refused no_night",
        "\"written\":1",
    ] {
        assert!(expected.contains(part), "{part} is in\n{expected}");
    }
    assert!(!expected.contains("\"event\":\"failed\""), "{expected}");
    // For bindings that are tested elsewhere.
    if let Some(file) = std::env::var_os("NIGHTFOLD_STORY_TO") {
        std::fs::write(file, &expected).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    if has("gcc", "--version") {
        let program = folder.path().join("story-c");
        compile("gcc", &root().join("examples/story.c"), &program, &["-std=c99"]);
        assert_eq!(told_by(&mut Command::new(&program)), expected, "C");
        let town = folder.path().join("town");
        compile("gcc", &root().join("examples/town.c"), &town, &["-std=gnu99"]);
        let morning = String::from_utf8(run(&mut Command::new(&town)).stdout).unwrap();
        assert!(morning.contains("consolidated") && morning.contains("14 silver"), "{morning}");
    }
    if has("g++", "--version") {
        let program = folder.path().join("story-cpp");
        compile("g++", &root().join("examples/story.cpp"), &program, &["-std=c++17"]);
        assert_eq!(told_by(&mut Command::new(&program)), expected, "C++");
    }
    if has("mcs", "--version") && has("mono", "--version") {
        let program = folder.path().join("Story.exe");
        let csharp = root().join("../csharp");
        run(Command::new("mcs")
            .arg("-warnaserror")
            .arg(format!("-out:{}", program.display()))
            .arg(csharp.join("examples/Story.cs"))
            .arg(csharp.join("Runtime/NightfoldTown.cs")));
        let mut mono = Command::new("mono");
        mono.env("LD_LIBRARY_PATH", library_folder()).arg(&program);
        assert_eq!(told_by(&mut mono), expected, "C#");
    }
}
