//! Values that were checked against the schemas of the program.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::validator::Validator;

use crate::{
    reference::commands_with,
    support::{Desk, Ran},
};

/// Returns the names of the schemas of outputs, as `nightfold generate schema` lists them.
pub(super) fn names(desk: &Desk) -> Vec<String> {
    let list = desk.run("generate schema").ok();
    let (outputs, _) = list.split_once("\n\n").expect("outputs, then files");
    let names = outputs.lines().filter_map(|line| Some(line.strip_prefix("  ")?.split_once(' ')?.0));
    // Further lines of one schema are indented more.
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Schemas and commands, with those that a value was checked of.
pub(super) struct Checked {
    schemas: BTreeMap<String, Value>,
    /// Commands that have `--json`.
    commands: BTreeSet<String>,
    schemas_met: BTreeSet<String>,
    commands_met: BTreeSet<String>,
}

impl Checked {
    pub(super) fn new() -> Self {
        let desk = Desk::new();
        let schema = |name: String| {
            let schema = desk.run(&format!("generate schema {name}")).json();
            (name, schema)
        };
        Self {
            schemas: names(&desk).into_iter().map(schema).collect(),
            commands: commands_with(&desk, "--json"),
            schemas_met: BTreeSet::new(),
            commands_met: BTreeSet::new(),
        }
    }

    /// Checks a value against a schema.
    #[track_caller]
    pub(super) fn value(&mut self, schema: &str, value: &Value, of: &str) {
        let document = self.schemas.get(schema).unwrap_or_else(|| panic!("no schema {schema}"));
        let wrong = Validator::faults(document, "", value);
        assert!(wrong.is_empty(), "{of} is not as {schema} says:\n{}", wrong.join("\n"));
        self.schemas_met.insert(schema.to_owned());
    }

    /// Checks each line of a text.
    #[track_caller]
    pub(super) fn lines(&mut self, schema: &str, text: &str) {
        assert!(!text.is_empty(), "no {schema} was written");
        for line in text.lines() {
            let value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{schema}: {e}: {line}"));
            self.value(schema, &value, line);
        }
    }

    /// Checks a file that holds one value.
    #[track_caller]
    pub(super) fn file(&mut self, schema: &str, desk: &Desk, name: &str) {
        self.value(schema, &serde_json::from_slice(&desk.read(name)).expect("JSON"), name);
    }

    /// Checks each line of a file.
    #[track_caller]
    pub(super) fn file_lines(&mut self, schema: &str, desk: &Desk, name: &str) {
        self.lines(schema, &String::from_utf8(desk.read(name)).expect("a text"));
    }

    /// Checks what a call with `--json` prints; returns it.
    #[track_caller]
    pub(super) fn prints(&mut self, schema: &str, desk: &Desk, call: &str) -> Value {
        self.prints_with(&[0], schema, desk, call)
    }

    /// Checks what a call with `--json` prints that ends with one of these codes; returns it.
    #[track_caller]
    pub(super) fn prints_with(&mut self, codes: &[i32], schema: &str, desk: &Desk, call: &str) -> Value {
        let ran = self.run(desk, call);
        assert!(codes.contains(&ran.code), "{call}: {} {}", ran.code, ran.err);
        let value = serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{call}: {e}: {}", ran.out));
        self.value(schema, &value, call);
        value
    }

    /// Checks the lines that a call with `--json` prints, each against a schema of its own; returns what it tells on standard
    /// error.
    #[track_caller]
    pub(super) fn prints_each(&mut self, schemas: &[&str], desk: &Desk, call: &str) -> String {
        let ran = self.run(desk, call);
        assert_eq!(ran.code, 0, "{call}: {}", ran.err);
        let lines: Vec<&str> = ran.out.lines().collect();
        assert_eq!(lines.len(), schemas.len(), "{call}: {}", ran.out);
        schemas.iter().zip(lines).for_each(|(schema, line)| self.lines(schema, line));
        ran.err
    }

    #[track_caller]
    fn run(&mut self, desk: &Desk, call: &str) -> Ran {
        self.ran(call);
        desk.run(&format!("{call} --json"))
    }

    /// Notes the command of a call.
    #[track_caller]
    pub(super) fn ran(&mut self, call: &str) {
        let is_of = |command: &&String| call == *command || call.starts_with(&format!("{command} "));
        let command = self.commands.iter().find(is_of).unwrap_or_else(|| panic!("{call} has no --json"));
        self.commands_met.insert(command.clone());
    }

    /// Asserts that every command and every schema was met, except those that this machine cannot run.
    pub(super) fn assert_complete(&self, excused: &[&str]) {
        let left = |all: BTreeSet<&String>, met: &BTreeSet<String>| -> Vec<String> {
            let left =
                all.into_iter().filter(|name| !met.contains(*name) && !excused.contains(&name.as_str()));
            left.cloned().collect()
        };
        let commands = left(self.commands.iter().collect(), &self.commands_met);
        assert!(commands.is_empty(), "no JSON of these commands was checked: {commands:?}");
        let schemas = left(self.schemas.keys().collect(), &self.schemas_met);
        assert!(schemas.is_empty(), "nothing was checked against these schemas: {schemas:?}");
    }
}
