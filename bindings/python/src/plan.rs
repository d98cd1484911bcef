//! Plans: what nights would change, to be looked at and applied.

use std::collections::BTreeMap;

use nightfold::memory::{Change, MemoryId};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::{
    convert,
    errors::refused,
    table::{Column, Table},
};

/// Planned nights, with every change and its reason.
#[pyclass(frozen, module = "nightfold")]
pub(crate) struct Plan {
    pub(crate) inner: nightfold::Plan,
    /// Number of nights that were written with it.
    pub(crate) written: usize,
}

/// Columns of `changes`.
const CHANGES: &[(&str, Column)] = &[
    ("npc", Column::Text),
    ("night", Column::Text),
    ("change", Column::Text),
    ("id", Column::Text),
    ("text", Column::Text),
    ("kind", Column::Text),
    ("importance", Column::Integer),
    ("sources", Column::Texts),
    ("rule", Column::Text),
    ("reason", Column::Text),
];

#[pymethods]
impl Plan {
    /// Returns the changes as readable text, night by night.
    fn diff(&self) -> String {
        self.inner.diff().to_string()
    }

    /// Return the plan as JSON, byte for byte as the command line writes it.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(self.inner.night_plan()).map_err(|error| refused("json", &error))
    }

    /// Return the plan as in a file of `nightfold sleep --plan`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        convert::to_python(py, &self.to_json()?)
    }

    /// All changes, one a row, with the rule and the reason of each.
    #[getter]
    fn changes(&self) -> PyResult<Table> {
        let mut rows = Vec::new();
        for night in self.inner.nights() {
            let lived: BTreeMap<&MemoryId, &str> =
                night.memories.iter().map(|memory| (&memory.id, memory.text.as_str())).collect();
            for change in &night.changes {
                let entry = change.entry();
                let text = entry.map(|entry| entry.text.as_str()).or_else(|| lived.get(change.id()).copied());
                let reason =
                    serde_json::to_string(change.reason()).map_err(|error| refused("json", &error))?;
                rows.push(json!({
                    "npc": night.npc.as_str(),
                    "night": night.night.as_str(),
                    "change": change.verb(),
                    "id": change.id().as_str(),
                    "text": text,
                    "kind": entry.map(|entry| entry.kind.as_str()),
                    "importance": entry.map(|entry| entry.importance.get()),
                    "sources": change.sources().iter().map(|id| id.as_str()).collect::<Vec<_>>(),
                    "rule": change.reason().rule.as_str(),
                    "reason": reason,
                }));
            }
        }
        Ok(Table::new(CHANGES, rows))
    }

    /// Counts over all nights.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let report = serde_json::to_value(self.inner.report()).map_err(|error| refused("json", &error))?;
        convert::as_python(py, &report)
    }

    /// Nights that were not planned or not written.
    #[getter]
    fn failures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let failed = self.inner.failures().iter();
        let failed =
            failed.map(|failure| json!({"npc": failure.npc.as_str(), "error": failure.error.to_string()}));
        convert::as_python(py, &Value::Array(failed.collect()))
    }

    /// Number of nights that the call wrote; 0 without `apply`.
    #[getter]
    fn written(&self) -> usize {
        self.written
    }

    fn __len__(&self) -> usize {
        self.inner.nights().len()
    }

    fn __repr__(&self) -> String {
        let counts = &self.inner.report().counts;
        let changes: usize =
            self.inner.nights().iter().map(|night| night.changes.iter().map(Change::id).count()).sum();
        format!(
            "<nightfold.Plan: {} nights, {} memories, {} kept, {changes} changes>",
            self.inner.nights().len(),
            counts.memories,
            counts.kept
        )
    }
}
