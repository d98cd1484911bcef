//! Configurations.

use std::path::PathBuf;

use nightfold::memory::{self, ValidConfig};
use pyo3::prelude::*;

use crate::{convert, errors::refused};

/// Settings of the nights.
#[pyclass(frozen, module = "nightfold")]
pub(crate) struct Config {
    pub(crate) inner: ValidConfig,
}

#[pymethods]
impl Config {
    #[new]
    #[pyo3(signature = (settings = None, *, path = None))]
    fn new(settings: Option<&Bound<'_, PyAny>>, path: Option<PathBuf>) -> PyResult<Self> {
        let mut table = match path {
            Some(path) => {
                let text = std::fs::read_to_string(path)?;
                toml::from_str::<toml::Table>(&text).map_err(|error| refused("options", &error))?
            }
            None => toml::Table::new(),
        };
        if let Some(settings) = settings {
            let json = convert::mapping_to_json(settings)?;
            let given: toml::Table =
                serde_json::from_str(&json).map_err(|error| refused("options", &error))?;
            merge(&mut table, given);
        }
        let config: memory::Config =
            toml::Value::Table(table).try_into().map_err(|error| refused("options", &error))?;
        Ok(Self { inner: config.check().map_err(|error| refused("options", &error))? })
    }

    /// Return all settings with their values.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = serde_json::to_value(&*self.inner).map_err(|error| refused("options", &error))?;
        convert::as_python(py, &value)
    }
}

/// Puts the settings of one table over those of another.
fn merge(table: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (table.get_mut(&key), value) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(over)) => merge(inner, over),
            (_, value) => _ = table.insert(key, value),
        }
    }
}
