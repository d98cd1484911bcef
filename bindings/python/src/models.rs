//! The embedder and its vectors.

use std::{
    collections::BTreeMap,
    num::NonZeroUsize,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use nightfold::memory::{RecordCache, ValidConfig, config::EmbedEngine};
use nightfold_embed::{Engine, ModelOptions, Models};
use nightfold_town::TownModels;
use pyo3::{prelude::*, types::PyDict};

use crate::{
    config::Config,
    errors::{of_town, refused, with_code},
    store::Store,
};

/// all-MiniLM-L6-v2, and the model that compares statements.
#[pyclass(frozen, module = "nightfold")]
pub(crate) struct Embedder {
    models: TownModels,
    engine: EmbedEngine,
}

/// Models of calls that name no embedder, by engine.
static DEFAULTS: Mutex<BTreeMap<&'static str, TownModels>> = Mutex::new(BTreeMap::new());

/// Most copies of a model that are opened unless more are asked for: each takes some 160 MB.
const MAX_DEFAULT_THREADS: usize = 4;

impl Embedder {
    /// Returns the models of a call: those of the embedder it names, or the default ones.
    pub(crate) fn of(
        py: Python<'_>,
        given: Option<&Bound<'_, Self>>,
        config: &ValidConfig,
    ) -> PyResult<TownModels> {
        let engine = config.embed.engine;
        if let Some(given) = given {
            let given = given.get();
            if given.engine != engine && engine != EmbedEngine::default() {
                let message = "the configuration asks for another engine (embed.engine) than the embedder was opened with";
                return Err(with_code("options", message.to_owned()));
            }
            return Ok(given.models.clone());
        }
        py.detach(|| {
            let mut defaults = DEFAULTS.lock().unwrap_or_else(PoisonError::into_inner);
            let name = match engine {
                EmbedEngine::Exact => "exact",
                EmbedEngine::Bf16 => "bf16",
                EmbedEngine::Auto => "auto",
            };
            if let Some(models) = defaults.get(name) {
                return Ok(models.clone());
            }
            let models = open(None, false, None, config, None)?;
            defaults.insert(name, models.clone());
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
    shared: Option<Arc<dyn RecordCache>>,
) -> PyResult<TownModels> {
    let engine = Engine::of(config.embed.engine);
    engine.check().map_err(|error| refused("model", &error))?;
    let mut options = ModelOptions { engine, ..ModelOptions::from_env() };
    options.dir = folder;
    options.offline |= offline;
    let files = Models::new(options).provide(&|_| {}).map_err(|error| refused("model", &error))?;
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = threads.unwrap_or(cores.min(MAX_DEFAULT_THREADS));
    let sessions = NonZeroUsize::new(threads)
        .ok_or_else(|| with_code("options", "threads is 0; an embedder needs at least one".to_owned()))?;
    // One more for questions, which wait for no night.
    TownModels::of_files(&files, config, sessions, 1, shared.as_ref()).map_err(|error| of_town(&error))
}

#[pymethods]
impl Embedder {
    #[new]
    #[pyo3(signature = (models = None, *, offline = false, threads = None, config = None, cache = None))]
    fn new(
        py: Python<'_>,
        models: Option<PathBuf>,
        offline: bool,
        threads: Option<usize>,
        config: Option<&Bound<'_, Config>>,
        cache: Option<&Bound<'_, Store>>,
    ) -> PyResult<Self> {
        let config = config.map_or_else(ValidConfig::default, |config| config.get().inner.clone());
        let engine = config.embed.engine;
        let shared = cache.map(|store| store.get().shared_records()).transpose()?;
        Ok(Self { models: py.detach(|| open(models, offline, threads, &config, shared))?, engine })
    }

    /// Name and version of the model; a store takes vectors of one model only.
    #[getter]
    fn model(&self) -> String {
        self.models.embedder().model().to_string()
    }

    /// Numbers of a vector.
    #[getter]
    fn dimensions(&self) -> usize {
        self.models.embedder().dimensions()
    }

    /// Return one vector for each text, in order.
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

    /// Return the rows as lists.
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
