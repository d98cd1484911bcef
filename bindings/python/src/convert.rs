//! Values between Python and Rust, by JSON: dictionaries, lists, numbers, texts.

use pyo3::{
    intern,
    prelude::*,
    types::{PyDict, PyString},
};
use serde_json::Value;

use crate::errors::refused;

/// Returns a Python value as JSON.
pub(crate) fn to_json(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let json = value.py().import("json")?;
    json.call_method1(intern!(value.py(), "dumps"), (value,))?.extract()
}

/// Returns a Python mapping as JSON.
pub(crate) fn mapping_to_json(value: &Bound<'_, PyAny>) -> PyResult<String> {
    to_json(&value.py().get_type::<PyDict>().call1((value,))?)
}

/// Returns JSON as a Python value.
pub(crate) fn to_python<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1(intern!(py, "loads"), (PyString::new(py, json),))
}

/// Returns a value that serialises as a Python value.
pub(crate) fn as_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let json = serde_json::to_string(value).map_err(|error| refused("json", &error))?;
    to_python(py, &json)
}
