//! The embedder and its vectors.

use std::{
    num::NonZeroUsize,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use nightfold::memory::ValidConfig;
use nightfold_embed::{Engine, ModelOptions, Models};
use nightfold_town::TownModels;
use pyo3::{prelude::*, types::PyDict};

use crate::{
    config::Config,
    errors::{of_town, refused},
};

/// all-MiniLM-L6-v2, and the model that compares statements.
#[pyclass(frozen, module = "nightfold")]
pub(crate) struct Embedder {
    pub(crate) models: TownModels,
}

/// The embedder of calls that name none.
static USUAL: Mutex<Option<TownModels>> = Mutex::new(None);

impl Embedder {
    /// Returns the models of a call: those of the embedder it names, or the usual ones.
    pub(crate) fn of(
        py: Python<'_>,
        given: Option<&Bound<'_, Self>>,
        config: &ValidConfig,
    ) -> PyResult<TownModels> {
        if let Some(given) = given {
            return Ok(given.get().models.clone());
        }
        py.detach(|| {
            let mut usual = USUAL.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(models) = &*usual {
                return Ok(models.clone());
            }
            let models = open(None, false, None, config)?;
            *usual = Some(models.clone());
            Ok(models)
        })
    }
}

/// Opens the models; files that are missing are fetched, checked, and kept in the user's cache.
fn open(
    folder: Option<PathBuf>,
    offline: bool,
    threads: Option<usize>,
    config: &ValidConfig,
) -> PyResult<TownModels> {
    let engine = Engine::of(config.embed.engine);
    engine.check().map_err(|error| refused("model", &error))?;
    let mut options = ModelOptions { engine, ..ModelOptions::from_env() };
    options.dir = folder;
    options.offline |= offline;
    let files = Models::new(options).provide(&|_| {}).map_err(|error| refused("model", &error))?;
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let sessions = threads.and_then(NonZeroUsize::new).unwrap_or(cores);
    TownModels::of_files(&files, config, sessions, 0).map_err(|error| of_town(&error))
}

#[pymethods]
impl Embedder {
    #[new]
    #[pyo3(signature = (models = None, *, offline = false, threads = None, config = None))]
    fn new(
        py: Python<'_>,
        models: Option<PathBuf>,
        offline: bool,
        threads: Option<usize>,
        config: Option<&Bound<'_, Config>>,
    ) -> PyResult<Self> {
        let config = config.map_or_else(ValidConfig::default, |config| config.get().inner.clone());
        Ok(Self { models: py.detach(|| open(models, offline, threads, &config))? })
    }

    #[getter]
    fn model(&self) -> String {
        self.models.embedder().model().to_string()
    }

    #[getter]
    fn dimensions(&self) -> usize {
        self.models.embedder().dimensions()
    }

    fn embed(&self, py: Python<'_>, texts: Vec<String>) -> PyResult<Vectors> {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let embedder = Arc::clone(self.models.embedder());
        let embedded = py.detach(|| embedder.embed(&texts)).map_err(|error| refused("model", &error))?;
        let numbers = embedded.vectors.rows().flatten().copied().collect();
        Ok(Vectors { numbers, dimensions: embedder.dimensions() })
    }
}

/// Unit vectors, row after row, which `numpy.asarray` takes without a copy.
#[pyclass(frozen, module = "nightfold")]
pub(crate) struct Vectors {
    numbers: Vec<f32>,
    dimensions: usize,
}

#[pymethods]
impl Vectors {
    fn __len__(&self) -> usize {
        self.numbers.len() / self.dimensions.max(1)
    }

    fn to_lists(&self) -> Vec<Vec<f32>> {
        self.numbers.chunks_exact(self.dimensions.max(1)).map(<[f32]>::to_vec).collect()
    }

    /// NumPy's protocol: it keeps this object alive as long as its array, and may not write.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let array = PyDict::new(py);
        array.set_item("version", 3)?;
        array.set_item("shape", (self.__len__(), self.dimensions))?;
        array.set_item("typestr", if cfg!(target_endian = "little") { "<f4" } else { ">f4" })?;
        array.set_item("data", (self.numbers.as_ptr().addr(), true))?;
        Ok(array)
    }
}
