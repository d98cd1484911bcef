//! The living town: the same commands and events as in the C library and over HTTP.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use nightfold_town::{EmbedderChoice, TownError, TownOptions};
use pyo3::{prelude::*, types::PyDict};

use crate::{
    convert,
    errors::{of_town, refused},
    models::Embedder,
};

/// A town of NPCs that sleep, remember and are asked.
#[pyclass(frozen, module = "nightfold")]
pub(crate) struct Town {
    inner: Mutex<nightfold_town::Town>,
}

impl Town {
    fn lock(&self) -> MutexGuard<'_, nightfold_town::Town> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut nightfold_town::Town) -> Result<T, TownError> + Send,
    ) -> PyResult<T> {
        py.detach(|| call(&mut self.lock())).map_err(|error| of_town(&error))
    }
}

#[pymethods]
impl Town {
    #[new]
    #[pyo3(signature = (options = None, *, embedder = None))]
    fn new(
        py: Python<'_>,
        options: Option<&Bound<'_, PyDict>>,
        embedder: Option<&Bound<'_, Embedder>>,
    ) -> PyResult<Self> {
        let options: TownOptions = match options {
            Some(options) => serde_json::from_str(&convert::to_json(options.as_any())?)
                .map_err(|error| refused("json", &error))?,
            None => TownOptions::default(),
        };
        let town = if options.embedder == EmbedderChoice::Minilm && options.models.is_none() {
            let config = options.config.clone().check().map_err(|error| refused("options", &error))?;
            let models = Embedder::of(py, embedder, &config)?;
            py.detach(|| nightfold_town::Town::with_models(options, &models))
        } else {
            py.detach(|| nightfold_town::Town::open(options))
        };
        Ok(Self { inner: Mutex::new(town.map_err(|error| of_town(&error))?) })
    }

    /// Carries a command out, written as JSON.
    fn do_json(&self, py: Python<'_>, command: &str) -> PyResult<String> {
        self.call(py, |town| town.do_json(command))
    }

    /// Carries a command out.
    #[pyo3(name = "do")]
    fn carry_out<'py>(&self, py: Python<'py>, command: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
        let reply = self.do_json(py, &convert::to_json(command.as_any())?)?;
        convert::to_python(py, &reply)
    }

    fn next_event_json(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let event = self.call(py, |town| Ok(town.next_event()))?;
        event.map(|event| serde_json::to_string(&event)).transpose().map_err(|error| refused("json", &error))
    }

    fn next_event<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.next_event_json(py)?.map(|event| convert::to_python(py, &event)).transpose()
    }

    fn step(&self, py: Python<'_>, budget_us: u64) -> PyResult<bool> {
        self.call(py, |town| Ok(town.step(Duration::from_micros(budget_us))))
    }
}
