//! The contents of a folder, as far as a command may change them, in a form that can be compared.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde_json::Value;

use super::injected::run;
use crate::support::Desk;

/// Ends of the names of files that no call takes for whole: what SQLite keeps beside a database, and a backup under way.
const UNFINISHED: [&str; 4] = ["-wal", "-shm", "-journal", ".part"];

/// Files whose bytes differ from run to run: figures of time, and the vectors that a later call need not compute again.
const VOLATILE: [&str; 4] = ["summary.json", "metrics.prom", "vectors.cache", "cold.cache"];

/// Contents of a folder.
#[derive(Debug, Clone, Default)]
pub(super) struct Picture {
    /// Names of all files and folders; stamps of time are taken out of them.
    pub(super) names: BTreeSet<String>,
    /// Files that are whole, with their bytes.
    files: BTreeMap<String, Vec<u8>>,
    /// Stores by name and NPC: the lines of the export, without the numbers of runs, which a second run has others of.
    stores: BTreeMap<String, BTreeMap<String, String>>,
}

impl Picture {
    /// Looks at a folder.
    ///
    /// # Errors
    /// A store that is damaged, or cannot be read, though it is not one that was only begun.
    pub(super) fn of(desk: &Desk) -> Result<Self, String> {
        let mut picture = Self { names: Self::names_of(desk), ..Self::default() };
        for path in paths(desk) {
            let file = desk.path(&path);
            if file.is_dir() || is_unfinished(&path) || VOLATILE.iter().any(|name| path.ends_with(name)) {
                continue;
            }
            if file.extension().is_some_and(|end| end == "db") {
                if let Some(store) = store(desk, &path)? {
                    picture.stores.insert(path, store);
                }
            } else {
                let bytes = fs::read(&file).map_err(|error| format!("{path}: {error}"))?;
                picture.files.insert(unstamped(&path), bytes);
            }
        }
        Ok(picture)
    }

    /// Returns the names of all files and folders, but for the write-ahead log of a store: it holds nights, and whoever
    /// writes to the store next folds it in.
    pub(super) fn names_of(desk: &Desk) -> BTreeSet<String> {
        let is_log = |path: &String| ["-wal", "-shm"].iter().any(|end| path.ends_with(end));
        paths(desk).iter().filter(|path| !is_log(path)).map(|path| unstamped(path)).collect()
    }

    /// Replaces the names by those from before the stores were read, which may leave files beside them.
    pub(super) fn with_names(self, names: BTreeSet<String>) -> Self {
        Self { names, ..self }
    }

    /// True if two folders hold the same, but for the names of what is not whole.
    pub(super) fn holds_the_same(&self, other: &Self) -> bool {
        self.files == other.files && self.stores == other.stores
    }

    /// Checks that each file and each NPC of each store is as it was at one of these stages.
    pub(super) fn check_nothing_half(&self, stages: &[Self]) -> Result<(), String> {
        let names = |of: fn(&Self) -> Vec<&String>| -> BTreeSet<&String> {
            stages.iter().chain([self]).flat_map(of).collect()
        };
        for name in names(|picture| picture.files.keys().collect()) {
            let found = self.files.get(name);
            if !stages.iter().any(|stage| stage.files.get(name) == found) {
                return Err(format!("{name} is half written: {} bytes", found.map_or(0, Vec::len)));
            }
        }
        let none = BTreeMap::new();
        for name in names(|picture| picture.stores.keys().collect()) {
            let of = |picture: &Self| picture.stores.get(name).unwrap_or(&none).clone();
            let (found, stages): (_, Vec<_>) = (of(self), stages.iter().map(of).collect());
            let npcs: BTreeSet<_> = stages.iter().chain([&found]).flat_map(BTreeMap::keys).collect();
            for npc in npcs {
                if !stages.iter().any(|stage| stage.get(npc) == found.get(npc)) {
                    return Err(format!("{npc} of {name} is in a state between two"));
                }
            }
        }
        Ok(())
    }

    /// Describes the first differences of a folder from the one that it should be.
    pub(super) fn differences(&self, expected: &Self) -> String {
        let mut text = String::new();
        for (said, names) in [
            ("left over", self.names.difference(&expected.names)),
            ("missing", expected.names.difference(&self.names)),
        ] {
            let names: Vec<_> = names.map(String::as_str).collect();
            if !names.is_empty() {
                text.push_str(&format!("{said}: {}; ", names.join(", ")));
            }
        }
        for (name, bytes) in &expected.files {
            if self.files.get(name).is_some_and(|found| found != bytes) {
                text.push_str(&format!("{name} differs; "));
            }
        }
        for (name, npcs) in &expected.stores {
            for (npc, lines) in npcs {
                let found = self.stores.get(name).and_then(|store| store.get(npc)).map_or("", String::as_str);
                let differs =
                    lines.lines().zip(found.lines().chain(std::iter::repeat(""))).find(|(a, b)| a != b);
                if let Some((expected, found)) = differs {
                    text.push_str(&format!("{npc} of {name} has {found:.200} and not {expected:.200}; "));
                }
            }
        }
        text
    }
}

/// Returns all files of a folder, with their bytes.
pub(super) fn bytes(desk: &Desk) -> BTreeMap<String, Vec<u8>> {
    let files = paths(desk).into_iter().filter(|path| desk.path(path).is_file());
    files.map(|path| (path.clone(), desk.read(&path))).collect()
}

/// Copies what is in one folder into another.
pub(super) fn copy(from: &Desk, to: &Desk) {
    for path in paths(from) {
        let (source, target) = (from.path(&path), to.path(&path));
        if source.is_dir() {
            fs::create_dir_all(target).expect("a folder");
        } else {
            fs::copy(&source, &target).expect("copied");
            // What is touched first is capped first, and moved only if it is as it was.
            let modified = fs::metadata(&source).and_then(|found| found.modified()).expect("a time");
            let times = fs::FileTimes::new().set_modified(modified);
            // A file that may not be written keeps the time of the copy.
            let _ = fs::File::options().append(true).open(&target).and_then(|file| file.set_times(times));
        }
    }
}

fn paths(desk: &Desk) -> Vec<String> {
    let mut paths = Vec::new();
    walk(&desk.path(""), "", &mut paths);
    paths
}

/// Lists files and folders below a folder, each folder before what is in it.
fn walk(folder: &Path, below: &str, paths: &mut Vec<String>) {
    let mut names: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    names.sort();
    for name in names {
        let path = format!("{below}{}", name.to_str().expect("UTF-8"));
        paths.push(path.clone());
        if folder.join(&name).is_dir() {
            walk(&folder.join(&name), &format!("{path}/"), paths);
        }
    }
}

/// True for a file that no call takes for whole: one that is being written, or that SQLite keeps beside another.
fn is_unfinished(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.starts_with("tmp/")
        || name.starts_with(".nightfold-")
        || UNFINISHED.iter().any(|end| name.ends_with(end))
}

/// Returns a path without the moment in the name of an archive of insights.
pub(super) fn unstamped(path: &str) -> String {
    let part = |part: &str| match part.strip_prefix("insights-dedup-") {
        Some(_) => "insights-dedup".to_owned(),
        None => part.to_owned(),
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Returns the lines of each NPC, and of the store itself; none for a file from which a store was only begun.
fn store(desk: &Desk, name: &str) -> Result<Option<BTreeMap<String, String>>, String> {
    let checked = run(desk, &format!("check --store {name}"));
    // No table is there yet, so it is as if there were no file.
    if checked.code == Some(5) && checked.err.contains("there is no store") {
        return Ok(None);
    }
    if checked.code != Some(0) {
        return Err(format!("{name} is damaged: {}{}", checked.out, checked.err));
    }
    let exported = run(desk, &format!("export --store {name} --to -"));
    if exported.code != Some(0) {
        return Err(format!("{name} cannot be exported: {}", exported.err));
    }
    let mut rows = BTreeMap::<String, Vec<Value>>::new();
    // The first line counts what is in the store, and the last is a checksum of all before.
    let lines: Vec<&str> = exported.out.lines().collect();
    for line in lines.get(1..lines.len().saturating_sub(1)).unwrap_or_default() {
        let line: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let npc = row(&line).and_then(|row| row.get("npc")?.as_str()).unwrap_or_default().to_owned();
        rows.entry(npc).or_default().push(line);
    }
    let mut npcs: BTreeMap<_, _> = rows.into_iter().map(|(npc, rows)| (npc, lines_of_npc(rows))).collect();
    npcs.insert("(save points)".to_owned(), run(desk, &format!("rewind --store {name} --json")).out);
    Ok(Some(npcs))
}

/// Returns the row of a line: `{"night":{…}}`.
fn row(line: &Value) -> Option<&serde_json::Map<String, Value>> {
    line.as_object()?.values().next()?.as_object()
}

/// Returns the rows of an NPC as lines, with the NPC's own count of its nights: the numbers of runs and nights count those of
/// all NPCs.
fn lines_of_npc(mut rows: Vec<Value>) -> String {
    let night = |row: &Value| row.get("seq").and_then(Value::as_u64);
    let nights: BTreeSet<u64> =
        rows.iter().filter_map(|line| night(line.as_object()?.values().next()?)).collect();
    for row in rows.iter_mut().filter_map(|line| line.as_object_mut()?.values_mut().next()) {
        if let Some(seq) = night(row) {
            row["seq"] = nights.range(..seq).count().into();
        }
        row.as_object_mut().and_then(|row| row.remove("run"));
    }
    rows.iter().map(|line| format!("{line}\n")).collect()
}
