//! The living town: the same commands and events as in the C library and over HTTP.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use nightfold::catch_panic;
use nightfold_town::{EmbedderChoice, TownError, TownOptions};
use pyo3::prelude::*;

use crate::{
    convert,
    errors::{of_town, refused, with_code},
    models::Embedder,
};

/// A town of NPCs that live, sleep and are asked, tick by tick.
#[pyclass(frozen, module = "nightfold")]
pub(crate) struct Town {
    /// `None` once it is closed, or broken by a panic.
    inner: Mutex<Option<nightfold_town::Town>>,
}

impl Town {
    fn call<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut nightfold_town::Town) -> Result<T, TownError> + Send,
    ) -> PyResult<T> {
        let called = py.detach(|| {
            let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            let called = inner.as_mut().map(|town| catch_panic(|| call(town)));
            if matches!(called, Some(Err(_))) {
                // A town that a panic has left half-way is not used again.
                *inner = None;
            }
            called
        });
        match called {
            Some(Ok(result)) => result.map_err(|error| of_town(&error)),
            Some(Err(panic)) => {
                Err(with_code("broken", format!("an internal error has broken the town: {panic}")))
            }
            None => Err(with_code("no_town", "the town is closed".to_owned())),
        }
    }
}

#[pymethods]
impl Town {
    #[new]
    #[pyo3(signature = (options = None, *, embedder = None))]
    fn new(
        py: Python<'_>,
        options: Option<&Bound<'_, PyAny>>,
        embedder: Option<&Bound<'_, Embedder>>,
    ) -> PyResult<Self> {
        let options: TownOptions = match options {
            Some(options) => serde_json::from_str(&convert::mapping_to_json(options)?)
                .map_err(|error| refused("json", &error))?,
            None => TownOptions::default(),
        };
        let computes = options.embedder == EmbedderChoice::Minilm;
        if embedder.is_some() && (!computes || options.models.is_some()) {
            let message = "the options name a source of vectors already: leave embedder out, or options.embedder and options.models";
            return Err(with_code("options", message.to_owned()));
        }
        let town = if computes && options.models.is_none() {
            let config = options.config.clone().check().map_err(|error| refused("options", &error))?;
            let models = Embedder::of(py, embedder, &config)?;
            py.detach(|| nightfold_town::Town::with_models(options, &models))
        } else {
            py.detach(|| nightfold_town::Town::open(options))
        };
        Ok(Self { inner: Mutex::new(Some(town.map_err(|error| of_town(&error))?)) })
    }

    /// Carry a command out that is written as JSON; return the reply as JSON.
    fn do_json(&self, py: Python<'_>, command: &str) -> PyResult<String> {
        self.call(py, |town| town.do_json(command))
    }

    /// Carry a command out, such as `{"do": "tick", "now": 5}`.
    #[pyo3(name = "do")]
    fn carry_out<'py>(&self, py: Python<'py>, command: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let reply = self.do_json(py, &convert::mapping_to_json(command)?)?;
        convert::to_python(py, &reply)
    }

    /// Remove and return the next event as JSON.
    fn next_event_json(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let event = self.call(py, |town| Ok(town.next_event()))?;
        event.map(|event| serde_json::to_string(&event)).transpose().map_err(|error| refused("json", &error))
    }

    /// Remove and return the next event.
    fn next_event<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.next_event_json(py)?.map(|event| convert::to_python(py, &event)).transpose()
    }

    /// Compute for about this long in a town without threads; return True if more work waits.
    fn step(&self, py: Python<'_>, budget_us: u64) -> PyResult<bool> {
        self.call(py, |town| Ok(town.step(Duration::from_micros(budget_us))))
    }

    /// Close the town: nights that are planned are given up, those that are written are written.
    fn close(&self, py: Python<'_>) {
        // Its threads end without the GIL.
        py.detach(|| drop(self.inner.lock().unwrap_or_else(PoisonError::into_inner).take()));
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        _kind: &Bound<'_, PyAny>,
        _error: &Bound<'_, PyAny>,
        _trace: &Bound<'_, PyAny>,
    ) {
        self.close(py);
    }
}

impl Drop for Town {
    fn drop(&mut self) {
        Python::attach(|py| self.close(py));
    }
}
