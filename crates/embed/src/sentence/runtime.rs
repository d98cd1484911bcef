//! The ONNX Runtime library, of which a process can load only one.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use memmap2::Mmap;
use ort::{
    environment::Environment,
    logging::LogLevel,
    session::{
        Session,
        builder::{GraphOptimizationLevel, SessionBuilder},
    },
};

use super::error::ModelOpenError;

/// Library that this process has loaded. It stays loaded, even if its environment was refused.
struct Loaded {
    library: PathBuf,
    environment: Option<Environment>,
}

static LOADED: Mutex<Option<Loaded>> = Mutex::new(None);

/// Returns the environment of this library, which is loaded at the first call.
///
/// `ort` would return the library that is loaded already, whatever the requested path; here another path is
/// an error.
pub(crate) fn environment(library: &Path) -> Result<Environment, ModelOpenError> {
    // The dynamic loader takes a bare file name for one to search, so the path has to be absolute.
    let library = library.canonicalize().map_err(ModelOpenError::file("library", library, "reached"))?;
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    match &*loaded {
        Some(Loaded { library: other, .. }) if *other != library => {
            return Err(ModelOpenError::OtherRuntime { loaded: other.clone(), asked: library });
        }
        Some(Loaded { environment: Some(environment), .. }) => return Ok(environment.clone()),
        _ => {}
    }
    let builder = ort::init_from(&library).map_err(ModelOpenError::file("library", &library, "loaded"))?;
    let slot = loaded.insert(Loaded { library, environment: None });
    let environment = builder.with_name("nightfold").with_telemetry(false).build();
    let environment = environment.map_err(ModelOpenError::part("ONNX Runtime does not start"))?;
    slot.environment = Some(environment.clone());
    Ok(environment)
}

/// Creates a session of a model, which computes on the calling thread alone.
pub(crate) fn session(environment: &Environment, model: &[u8]) -> Result<Session, ort::Error> {
    builder(environment, GraphOptimizationLevel::All)?.commit_from_memory(model)
}

/// Creates a session as [`session`] does, and writes the model as it was optimised.
pub(super) fn prepare(environment: &Environment, model: &[u8], to: &Path) -> Result<Session, ort::Error> {
    builder(environment, GraphOptimizationLevel::All)?
        .with_optimized_model_path(to)?
        .with_config_entry("session.save_model_format", "ORT")?
        .commit_from_memory(model)
}

/// Session of the sentence model, and the file that it reads as long as it lives, which is dropped after it.
pub(super) struct OnnxSession {
    pub(super) session: Session,
    _model: Option<Arc<Mmap>>,
}

impl OnnxSession {
    /// Creates a session as [`session`] does.
    pub(super) fn new(environment: &Environment, model: &[u8]) -> Result<Self, ort::Error> {
        Ok(Self { session: session(environment, model)?, _model: None })
    }

    /// Creates a session of a model that [`prepare`] wrote. The weights stay where they are.
    pub(super) fn mapped(environment: &Environment, model: Arc<Mmap>) -> Result<Self, ort::Error> {
        let session = builder(environment, GraphOptimizationLevel::Disable)?
            .with_config_entry("session.use_ort_model_bytes_directly", "1")?
            .with_config_entry("session.use_ort_model_bytes_for_initializers", "1")?
            .commit_from_memory(&model)?;
        Ok(Self { session, _model: Some(model) })
    }
}

fn builder(environment: &Environment, level: GraphOptimizationLevel) -> Result<SessionBuilder, ort::Error> {
    Ok(Session::builder(environment)?
        .with_optimization_level(level)?
        .with_intra_threads(1)?
        .with_inter_threads(1)?
        .with_intra_op_spinning(false)?
        .with_log_level(LogLevel::Error)?)
}
