//! Searching a store for a person who was erased: by its rows, and by the bytes of its files.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, Read, Write},
    path::Path,
};

use nightfold::memory::{PersonNameError, PersonNames};
use nightfold_store::exported_tables;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{
    backups,
    needles::{MAX_BYTES, Needles},
};
use crate::{
    error::{CliError, Exit},
    store,
    terminal::clean,
};

/// Outcome of the search.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct CheckOutcome {
    /// Tables and files in which the person, or an erased text, was found; by name.
    pub(super) found: Vec<String>,
    /// Number of files whose bytes were searched.
    pub(super) files: usize,
    /// Number of names that were looked for in rows alone: they are short, or words of the file format.
    pub(super) names_by_row_only: usize,
    /// Number of erased texts that stand elsewhere in the same words, in entries that do not name the person.
    pub(super) texts_elsewhere: usize,
    /// Reason why the tables of a server could not be rewritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) not_rewritten: Option<String>,
}

/// Least length of a name that is looked for in bytes: shorter ones stand in vectors by chance.
const MIN_NAME_BYTES: usize = 5;

/// Fields of an export that hold words of this program.
const OWN_WORDS: &[&str] =
    &["form", "kind", "state", "archived_by", "confidence", "verb", "rule", "numbers", "centre", "known"];

/// Size of a part of a file that is searched at once.
const WINDOW: usize = 1 << 20;
/// Bytes that a part shares with the next: no name and no text is longer.
const OVERLAP: usize = 4 * MAX_BYTES;

/// A store that is searched.
pub(super) struct NameCheck<'a> {
    pub(super) path: &'a Path,
    pub(super) person: &'a PersonNames,
}

impl NameCheck<'_> {
    /// Searches all rows for the names, and all files for the names and the texts.
    pub(super) fn run(&self, mut needles: Needles) -> Result<CheckOutcome, CliError> {
        let mut outcome = CheckOutcome::default();
        let mut found = BTreeSet::new();
        let opened = store::read_only(self.path)?;
        let mut rows = RowSearch { person: self.person, line: Vec::new(), found: &mut found };
        opened.export(None, &mut rows).map_err(|error| CliError::new(Exit::Store, error))?;
        opened.texts_beside_export(&mut |table, text| {
            if self.person.are_in(text) {
                found.insert(format!("table {table}"));
            }
        })?;
        for npc in opened.npcs()? {
            for entry in opened.entries(&npc)? {
                outcome.texts_elsewhere += needles.drop_found(&entry.entry.text);
            }
        }
        drop(opened);
        let search = NameSearch::in_store(self.person)?;
        outcome.names_by_row_only =
            search.as_ref().map_or(self.person.written().len(), |search| search.left_out);
        if !store::is_on_a_server(self.path) {
            let files = backups::of_store(self.path).into_iter().chain(backups::of(self.path)?);
            for path in files {
                outcome.files += 1;
                let mut is_found = false;
                each_window(&path, &mut |bytes| {
                    is_found |= search.as_ref().is_some_and(|search| search.is_in(bytes))
                        || needles.find(bytes).is_some();
                })
                .map_err(|error| {
                    CliError::new(Exit::Store, SearchError { path: path.clone(), source: error })
                })?;
                if is_found {
                    found.insert(clean(&path.display().to_string()).into_owned());
                }
            }
        }
        outcome.found = found.into_iter().collect();
        Ok(outcome)
    }
}

/// A file cannot be searched.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be searched", path.display())]
struct SearchError {
    path: std::path::PathBuf,
    source: io::Error,
}

/// Takes the lines of an export and looks into each.
struct RowSearch<'a> {
    person: &'a PersonNames,
    line: Vec<u8>,
    found: &'a mut BTreeSet<String>,
}

impl Write for RowSearch<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.take_line()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl RowSearch<'_> {
    fn take_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let Value::Object(tables) = serde_json::from_slice(&line)? else { return Ok(()) };
        for (table, row) in tables {
            if names_in_value(&row, self.person, OWN_WORDS) {
                self.found.insert(format!("table {table}"));
            }
        }
        Ok(())
    }
}

/// True if a text in a value names the person: of an object the values of all fields but these, and of a text that is JSON
/// itself likewise.
pub(super) fn names_in_value(value: &Value, person: &PersonNames, except: &[&str]) -> bool {
    match value {
        Value::String(text) => match serde_json::from_str(text) {
            Ok(inner @ (Value::Array(_) | Value::Object(_))) => names_in_value(&inner, person, except),
            _ => person.are_in(text),
        },
        Value::Array(values) => values.iter().any(|value| names_in_value(value, person, except)),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| !except.contains(&name.as_str()) && names_in_value(value, person, except)),
        _ => false,
    }
}

/// Names as they stand in bytes.
pub(super) struct NameSearch {
    names: PersonNames,
    /// Number of names that are not looked for.
    pub(super) left_out: usize,
}

impl NameSearch {
    /// Looks for all names, as JSON has them too.
    pub(super) fn in_files(person: &PersonNames) -> Result<Self, PersonNameError> {
        let names = person.written().iter().flat_map(|name| as_in_json(name));
        Ok(Self { names: PersonNames::new(names)?, left_out: 0 })
    }

    /// Looks for the names that are in the bytes of a store only if somebody has them; `None` if there is none.
    fn in_store(person: &PersonNames) -> Result<Option<Self>, PersonNameError> {
        let (names, left): (Vec<_>, Vec<_>) = person
            .written()
            .iter()
            .partition(|name| name.len() >= MIN_NAME_BYTES && !is_word_of_format(name));
        if names.is_empty() {
            return Ok(None);
        }
        let names = PersonNames::new(names.into_iter().flat_map(|name| as_in_json(name)))?;
        Ok(Some(Self { names, left_out: left.len() }))
    }

    pub(super) fn is_in(&self, bytes: &[u8]) -> bool {
        self.names.are_in(&String::from_utf8_lossy(bytes))
    }
}

/// Returns the forms that a name has in text, in JSON, in JSON of a page, and in JSON of nothing but ASCII.
fn as_in_json(name: &str) -> Vec<String> {
    let json = Value::from(name).to_string();
    let inner = json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or(name);
    let escaped = |is_plain: fn(char) -> bool| {
        let mut form = String::new();
        for c in inner.chars() {
            if is_plain(c) {
                form.push(c);
            } else {
                form.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
            }
        }
        form
    };
    let of_page = escaped(|c| !matches!(c, '<' | '>' | '&'));
    let mut forms = vec![name.to_owned(), inner.to_owned(), of_page, escaped(|c| c.is_ascii())];
    // A name can grow beyond what a name may be; the store then holds it in no such form.
    forms.retain(|form| form.len() <= nightfold::memory::MAX_ID_BYTES);
    forms
}

/// True for a name that stands in every store, as the name of a table, of a column or of a state.
fn is_word_of_format(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    let mut columns = exported_tables()
        .flat_map(|(table, columns)| std::iter::once(table).chain(columns.iter().map(|column| column.name)));
    let words = [
        "active",
        "archived",
        "create",
        "table",
        "integer",
        "normal",
        "verbatim",
        "synthesis",
        "reflection",
        "event",
        "thought",
        "status",
    ];
    columns.any(|word| word == name) || words.contains(&name.as_str())
}

/// Passes the bytes of a file to `take`, part by part; parts overlap, and an edge that is none of the file's has a letter
/// beside it, so that half a word is not taken for a whole one.
pub(super) fn each_window(path: &Path, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut window: Vec<u8> = Vec::with_capacity(WINDOW + OVERLAP + 2);
    loop {
        let held = window.len();
        let read = (&mut file).take(WINDOW as u64).read_to_end(&mut window)?;
        let is_last = read < WINDOW;
        if !is_last {
            window.push(b'a');
        }
        if window.len() > held || held == 0 {
            take(&window);
        }
        if is_last {
            return Ok(());
        }
        window.pop();
        let kept = window.len().saturating_sub(OVERLAP);
        window.drain(..kept);
        window.insert(0, b'a');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_at_the_edges_of_windows_are_found_once_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        let search = NameSearch::in_store(&PersonNames::new(["Conan"]).unwrap()).unwrap().unwrap();
        let is_found = |at: usize, text: &str| {
            let mut bytes = vec![b'.'; 2 * WINDOW + 77];
            bytes[at..at + text.len()].copy_from_slice(text.as_bytes());
            std::fs::write(&path, bytes).unwrap();
            let mut found = false;
            each_window(&path, &mut |bytes| found |= search.is_in(bytes)).unwrap();
            found
        };
        for at in [0, 1, WINDOW - 6, WINDOW - 5, WINDOW - 3, WINDOW, 2 * WINDOW - 2, 2 * WINDOW + 72] {
            assert!(is_found(at, "conan"), "{at}");
        }
        for at in (WINDOW - OVERLAP - 12..WINDOW - OVERLAP + 2).chain(WINDOW - 12..WINDOW + 2) {
            assert!(!is_found(at, "deConande"), "{at}");
        }
    }

    #[test]
    fn only_texts_of_rows_are_searched_for_names() {
        let person = PersonNames::new(["Active", "Mill"]).unwrap();
        let row = |text: &str| serde_json::json!({"npc": "Ann", "state": "active", "reason": text});
        assert!(!names_in_value(&row(r#"{"rule":"active","values":{"mill":1}}"#), &person, OWN_WORDS));
        assert!(names_in_value(&row(r#"{"rule":"x","values":{"subject":"mill"}}"#), &person, OWN_WORDS));
        assert!(NameSearch::in_store(&PersonNames::new(["Night", "Ada"]).unwrap()).unwrap().is_none());
    }
}
