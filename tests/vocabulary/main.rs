//! One vocabulary: the sources hold to `docs/src/glossary.md`.
//!
//! Three checks over the sources of all crates: no doc comment opens with a question word, no public item is named by a
//! retired word, and no type name is defined in two crates unless it is listed in `shared_type_names.txt`. Beside them, every test that
//! the page on reliability names is in the tree.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod reliability;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Words that a doc comment never opens with: it says what an item is or does.
const QUESTION_WORDS: &[&str] =
    &["What", "How", "Whether", "Who", "Whom", "Whose", "Where", "Which", "Why", "When"];

/// Words of the glossary's column "never", as parts of the names of public items.
const RETIRED: &[&str] = &["Knob", "Telling", "Tonight", "Upkeep", "Chores", "InBed", "LongTermMemory"];

/// Type names that two crates define, each on a line of its own. None may be added: a second type gets a name of its own.
const SHARED: &str = include_str!("shared_type_names.txt");

struct Source {
    path: PathBuf,
    krate: String,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The sources of all crates, with their tests, examples and benches.
fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    for krate in fs::read_dir(root().join("crates")).unwrap() {
        let krate = krate.unwrap().path();
        let name = krate.file_name().unwrap().to_string_lossy().into_owned();
        let mut files = Vec::new();
        rust_files(&krate, &mut files);
        found.extend(files.into_iter().map(|path| Source {
            text: fs::read_to_string(&path).unwrap(),
            krate: name.clone(),
            path,
        }));
    }
    assert!(found.len() > 300, "only {} files were found", found.len());
    found
}

/// The text of a doc comment's line, if it is one.
fn doc(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?;
    (!text.starts_with('/')).then(|| text.trim())
}

#[test]
fn no_doc_comment_opens_with_a_question_word() {
    let mut wrong = Vec::new();
    for source in sources() {
        let mut inside = false;
        for (number, line) in (1..).zip(source.text.lines()) {
            let text = doc(line);
            if let Some(text) = text.filter(|text| !inside && !text.is_empty()) {
                let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                if QUESTION_WORDS.contains(&first) {
                    wrong.push(format!("{}:{number}: {text}", source.path.display()));
                }
            }
            inside = text.is_some();
        }
    }
    assert!(wrong.is_empty(), "begin with what the item is or does:\n{}", wrong.join("\n"));
}

/// Names of the public items of a source, with their lines.
fn public_items(text: &str) -> impl Iterator<Item = (usize, &str)> {
    const KINDS: [&str; 8] = ["struct ", "enum ", "trait ", "type ", "fn ", "mod ", "const ", "static "];
    (1..).zip(text.lines()).filter_map(|(number, line)| {
        let item = line.trim_start().strip_prefix("pub ")?;
        let item = item
            .strip_prefix("const fn ")
            .or_else(|| item.strip_prefix("async fn "))
            .map_or_else(|| KINDS.iter().find_map(|kind| item.strip_prefix(kind)), Some)?;
        let name = item.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
        Some((number, name))
    })
}

#[test]
fn no_public_item_is_named_by_a_retired_word() {
    let camel = |name: &str| -> String {
        let parts = name.split('_').map(|part| {
            let mut letters = part.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        });
        parts.collect()
    };
    let mut wrong = Vec::new();
    for source in
        sources().iter().filter(|source| source.path.components().any(|part| part.as_os_str() == "src"))
    {
        for (number, name) in public_items(&source.text) {
            if let Some(word) = RETIRED.iter().find(|word| camel(name).contains(**word)) {
                wrong.push(format!("{}:{number}: `{name}` holds `{word}`", source.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "docs/src/glossary.md has the words:\n{}", wrong.join("\n"));
}

/// Names of the types that a source defines, its unit tests left out.
fn types(text: &str) -> impl Iterator<Item = &str> {
    let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    text.lines().filter_map(|line| {
        let line = line.trim_start();
        let item =
            ["pub(crate) ", "pub(super) ", "pub "].iter().find_map(|v| line.strip_prefix(v)).unwrap_or(line);
        let item =
            ["struct ", "enum ", "trait ", "union "].iter().find_map(|kind| item.strip_prefix(kind))?;
        item.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().filter(|name| !name.is_empty())
    })
}

#[test]
fn no_type_name_is_defined_in_two_crates() {
    let mut crates: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in sources() {
        let path = source.path.to_string_lossy();
        if !path.contains("/src/") || path.ends_with("tests.rs") {
            continue;
        }
        for name in types(&source.text) {
            crates.entry(name.to_owned()).or_default().insert(source.krate.clone());
        }
    }
    let shared: BTreeSet<&str> = SHARED.lines().filter(|line| !line.is_empty()).collect();
    let found: BTreeMap<&str, &BTreeSet<String>> =
        crates.iter().filter(|(_, of)| of.len() > 1).map(|(name, of)| (name.as_str(), of)).collect();
    let new: Vec<String> = found
        .iter()
        .filter(|(name, _)| !shared.contains(*name))
        .map(|(name, of)| format!("{name}: {}", of.iter().cloned().collect::<Vec<_>>().join(", ")))
        .collect();
    assert!(new.is_empty(), "type names that another crate has already:\n{}", new.join("\n"));
    let gone: Vec<&&str> = shared.iter().filter(|name| !found.contains_key(**name)).collect();
    assert!(gone.is_empty(), "no longer shared, take them out of shared_type_names.txt: {gone:?}");
}
