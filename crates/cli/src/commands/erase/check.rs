//! Search of the rows of a store for a person who was erased.

use std::{
    collections::BTreeSet,
    io::{self, Write},
};

use nightfold::memory::PersonNames;
use nightfold_store::DurableStore;
use serde_json::Value;

use crate::error::{CliError, Exit};

/// Fields of an export that hold words of this program.
const OWN_WORDS: &[&str] =
    &["form", "kind", "state", "archived_by", "confidence", "verb", "rule", "numbers", "centre", "known"];

/// Returns the tables whose rows name the person.
pub(super) fn tables_that_name(
    person: &PersonNames,
    store: &dyn DurableStore,
) -> Result<Vec<String>, CliError> {
    let mut search = RowSearch { person, line: Vec::new(), found: BTreeSet::new() };
    store.export(None, &mut search).map_err(|error| CliError::new(Exit::Store, error))?;
    Ok(search.found.into_iter().collect())
}

/// Takes the lines of an export and looks into each.
struct RowSearch<'a> {
    person: &'a PersonNames,
    line: Vec<u8>,
    found: BTreeSet<String>,
}

impl Write for RowSearch<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line: Value = serde_json::from_slice(&std::mem::take(&mut self.line))?;
                let rows = line.as_object().into_iter().flatten();
                let named = rows.filter(|(_, row)| is_named_in(row, self.person));
                self.found.extend(named.map(|(table, _)| format!("table {table}")));
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// True if a text in a row names the person.
fn is_named_in(value: &Value, person: &PersonNames) -> bool {
    match value {
        Value::String(text) => person.are_in(text),
        Value::Array(values) => values.iter().any(|value| is_named_in(value, person)),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| !OWN_WORDS.contains(&name.as_str()) && is_named_in(value, person)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_of_rows_are_searched_for_names() {
        let person = PersonNames::new(["Active", "Mill"]).unwrap();
        let row = |reason: Value| serde_json::json!({"npc": "Ann", "state": "active", "reason": reason});
        assert!(!is_named_in(&row(serde_json::json!({"rule": "active", "values": {"mill": 1}})), &person));
        assert!(is_named_in(&row(serde_json::json!({"rule": "x", "values": {"subject": "mill"}})), &person));
    }
}
