//! The README and the book: every command runs, every link leads somewhere.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs,
    path::{Component, Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::TempDir;

use crate::support::{TEST_VECTORS, VECTORS, root};

/// Pages that users read.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].iter().map(|page| root().join(page)).collect();
    let mut folders = vec![root().join("docs/src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the book") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    assert!(pages.len() > 20, "{pages:?}");
    pages
}

/// The shell commands of a page or a part of it, block after block: fenced code marked `sh`.
pub(crate) fn commands(page: &str) -> String {
    let mut inside = false;
    let mut commands = String::new();
    for line in page.lines() {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            line if inside => {
                commands.push_str(line);
                commands.push('\n');
            }
            _ => {}
        }
    }
    commands
}

/// A folder with the program as `nightfold`, and nothing else.
pub(crate) struct Programs(TempDir);

impl Programs {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let program = env!("CARGO_BIN_EXE_nightfold-under-test");
        fs::copy(program, folder.path().join("nightfold")).expect("the program is copied");
        Self(folder)
    }

    /// Returns a shell that runs commands in a folder as a user types them, and stops at the first that fails.
    pub(crate) fn shell(&self, commands: &str, folder: &Path) -> Command {
        let mut path = OsString::from(self.0.path());
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut shell = Command::new("sh");
        shell.args(["-eu", "-c", commands]).current_dir(folder).stdin(Stdio::null());
        shell.env("PATH", path).env("NIGHTFOLD_VECTOR_CACHE", "off").env_remove("NIGHTFOLD_STORE");
        shell.env(TEST_VECTORS, &*VECTORS);
        shell
    }
}

#[test]
fn every_command_of_the_readme_and_the_book_runs_in_an_empty_folder() {
    let programs = Programs::new();
    let mut ran = 0;
    for page in pages() {
        let commands = commands(&fs::read_to_string(&page).expect("a page"));
        if commands.is_empty() {
            continue;
        }
        ran += 1;
        let folder = TempDir::new().expect("an empty folder");
        let output = programs.shell(&commands, folder.path()).output().expect("a shell");
        assert!(
            output.status.success(),
            "{}:\n{commands}\n{}",
            page.display(),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    assert!(ran > 5, "only {ran} pages hold commands");
}

/// Targets of the links of a page, outside of fenced code.
fn links(page: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    let prose = page.lines().filter(move |line| {
        fenced ^= line.trim_start().starts_with("```");
        !fenced
    });
    prose.flat_map(|line| {
        line.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(link, _)| link))
    })
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

#[test]
fn every_link_leads_to_a_file_and_every_page_is_in_the_summary() {
    let book = root().join("docs/src");
    let summary = fs::read_to_string(book.join("SUMMARY.md")).expect("the summary");
    let listed: BTreeSet<PathBuf> = links(&summary).map(|link| normal(&book.join(link))).collect();
    let mut wrong = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let folder = page.parent().expect("a folder");
        for link in links(&text).filter(|link| !link.contains("://") && !link.starts_with('#')) {
            let file = link.split('#').next().unwrap_or_default();
            if !normal(&folder.join(file)).exists() {
                wrong.push(format!("{}: {link}", page.display()));
            }
        }
        if page.starts_with(&book)
            && page.file_name().is_none_or(|name| name != "SUMMARY.md")
            && !listed.contains(&page)
        {
            wrong.push(format!("{} is not in the summary", page.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn readme_is_short() {
    let lines = fs::read_to_string(root().join("README.md")).expect("the README").lines().count();
    assert!(lines <= 120, "{lines} lines");
}
