//! The C library from C: calls that are done or refused, run plain, under a sanitizer of addresses and under valgrind; its symbols.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::process::Command;

use support::{compile, has, library_folder, root, run};

const C99: &[&str] = &["-std=gnu99", "-pthread", "-lm"];

#[test]
fn ten_thousand_random_calls_are_done_or_refused() {
    if !has("gcc", "--version") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("calls");
    compile("gcc", &root().join("tests/calls.c"), &program, C99);
    for seed in ["1", "2", "3", "4", "5"] {
        let told = run(Command::new(&program).args([seed, "2000"]));
        assert!(String::from_utf8_lossy(&told.stdout).contains("calls were done"));
    }
}

#[test]
fn no_memory_is_misused_or_leaked() {
    if !has("gcc", "--version") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = root().join("tests/calls.c");
    let sanitized = folder.path().join("sanitized");
    compile(
        "gcc",
        &source,
        &sanitized,
        &[C99, &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]].concat(),
    );
    run(Command::new(&sanitized).args(["11", "1000"]));
    if !has("valgrind", "--version") {
        return;
    }
    let plain = folder.path().join("plain");
    compile("gcc", &source, &plain, C99);
    // What statics hold for the life of the process is reachable, and no leak.
    run(Command::new("valgrind")
        .args([
            "--quiet",
            "--error-exitcode=9",
            "--leak-check=full",
            "--errors-for-leak-kinds=definite,indirect",
        ])
        .arg(&plain)
        .args(["12", "300"]));
}

#[test]
fn the_library_shows_nothing_but_its_own_names() {
    if !has("nm", "--version") {
        return;
    }
    let listed = run(Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(library_folder().join("libnightfold_c.so")));
    let names = String::from_utf8(listed.stdout).unwrap();
    let strangers: Vec<&str> = names
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .filter(|name| !name.starts_with("nf_"))
        .collect();
    assert!(strangers.is_empty(), "{strangers:?}");
    let header = std::fs::read_to_string(root().join("include/nightfold.h")).unwrap();
    for name in names.lines().filter_map(|line| line.split_whitespace().last()) {
        assert!(header.contains(&format!("{name}(")), "{name} is in the header");
    }
}
