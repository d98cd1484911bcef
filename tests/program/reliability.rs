//! The page on reliability: every test that it names is in the tree.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use crate::support::root;

/// Names of tests in a page: spans of code that are names of four words or more.
fn named_tests(page: &str) -> BTreeSet<&str> {
    let spans = page.split('`').skip(1).step_by(2);
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    spans.filter(|span| span.split('_').count() >= 4 && span.split('_').all(is_word)).collect()
}

/// Adds the Rust sources of a folder and of those below it.
fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_test_named_by_the_reliability_page_exists() {
    let page = fs::read_to_string(root().join("docs/src/measured/reliability.md")).unwrap();
    let named = named_tests(&page);
    assert!(named.len() >= 50, "only {} tests were found in the page", named.len());
    let mut files = Vec::new();
    for folder in ["crates", "tests", "bindings", "lab/fuzz/readers"] {
        rust_files(&root().join(folder), &mut files);
    }
    let mut tests = BTreeSet::new();
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        let mut marked = false;
        for line in text.lines().map(str::trim_start) {
            marked |= line == "#[test]";
            let Some((name, of)) = line.strip_prefix("fn ").and_then(|line| line.split_once('(')) else {
                continue;
            };
            // Every kind of store is put through the second kind of tests.
            if marked || of.starts_with("store: &dyn MemoryStore)") {
                tests.insert(name.to_owned());
            }
            marked = false;
        }
    }
    let missing: Vec<_> = named.into_iter().filter(|name| !tests.contains(*name)).collect();
    assert!(missing.is_empty(), "the page names tests that there are not: {missing:#?}");
}
