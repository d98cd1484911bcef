//! Tables: rows as dictionaries, and as Arrow by the PyCapsule interface, which pandas, polars, pyarrow and DuckDB read and write.

use std::sync::Arc;

use arrow_array::{
    RecordBatch, RecordBatchIterator, RecordBatchReader,
    ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader},
};
use arrow_json::{LineDelimitedWriter, ReaderBuilder};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::{exceptions::PyImportError, intern, prelude::*, types::PyCapsule};
use serde_json::Value;

use crate::{convert, errors::refused};

/// Name of a stream's capsule in the Arrow PyCapsule interface.
const STREAM: &std::ffi::CStr = c"arrow_array_stream";

/// Rows with the same columns.
#[pyclass(frozen, module = "nightfold")]
pub(crate) struct Table {
    schema: SchemaRef,
    rows: Vec<Value>,
}

/// Type of a column.
#[derive(Clone, Copy)]
pub(crate) enum Column {
    Text,
    Integer,
    Flag,
    Texts,
}

impl Table {
    /// Makes a table of JSON objects.
    pub(crate) fn new(columns: &[(&str, Column)], rows: Vec<Value>) -> Self {
        let field = |&(name, column): &(&str, Column)| {
            let of = match column {
                Column::Text => DataType::Utf8,
                Column::Integer => DataType::Int64,
                Column::Flag => DataType::Boolean,
                Column::Texts => DataType::List(Arc::new(Field::new("item", DataType::Utf8, true))),
            };
            Field::new(name, of, true)
        };
        Self { schema: Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>())), rows }
    }

    fn batches(&self) -> Result<Vec<RecordBatch>, ArrowError> {
        let mut decoder = ReaderBuilder::new(Arc::clone(&self.schema)).build_decoder()?;
        decoder.serialize(&self.rows)?;
        Ok(decoder.flush()?.into_iter().collect())
    }
}

#[pymethods]
impl Table {
    fn __len__(&self) -> usize {
        self.rows.len()
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Return the rows as dictionaries.
    fn to_dicts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        convert::as_python(py, &Value::Array(self.rows.clone()))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.to_dicts(py)?.try_iter()?.into_any())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows a producer to give its own schema.
        let _ = requested_schema;
        let batches = self.batches().map_err(|error| refused("table", &error))?;
        let reader = RecordBatchIterator::new(batches.into_iter().map(Ok), Arc::clone(&self.schema));
        let stream = FFI_ArrowArrayStream::new(Box::new(reader) as Box<dyn RecordBatchReader + Send>);
        PyCapsule::new_with_value(py, stream, STREAM)
    }
}

/// Returns the rows of a Python value as JSON: dictionaries, a data frame, or anything with an Arrow stream.
pub(crate) fn json_rows(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let py = value.py();
    if value.hasattr(intern!(py, "__arrow_c_stream__"))? {
        match value.call_method0(intern!(py, "__arrow_c_stream__")) {
            Ok(capsule) => match rows_of_stream(capsule.cast::<PyCapsule>()?) {
                // A frame has rows too: polars gives columns without any value a form that is not read.
                Err(_) if value.hasattr(intern!(py, "to_dicts"))? => {}
                rows => return rows,
            },
            // pandas needs pyarrow for it, and has rows without.
            Err(error) if error.is_instance_of::<PyImportError>(py) => {}
            Err(error) => return Err(error),
        }
    }
    let json: String =
        py.import("nightfold._rows")?.call_method1(intern!(py, "to_json"), (value,))?.extract()?;
    Ok(json.into_bytes())
}

fn rows_of_stream(capsule: &Bound<'_, PyCapsule>) -> PyResult<Vec<u8>> {
    let pointer = capsule.pointer_checked(Some(STREAM))?;
    // SAFETY: a capsule of this name holds a stream, which the reader moves out and releases.
    let reader =
        unsafe { RecordBatchStreamReader::from_raw(pointer.as_ptr().cast::<FFI_ArrowArrayStream>()) };
    // Without the GIL: the producer may need it on threads of its own.
    let rows = capsule.py().detach(move || -> Result<Vec<u8>, ArrowError> {
        let mut writer = LineDelimitedWriter::new(Vec::new());
        for batch in reader? {
            writer.write(&batch?)?;
        }
        writer.finish()?;
        Ok(writer.into_inner())
    });
    rows.map_err(|error| refused("table", &error))
}
