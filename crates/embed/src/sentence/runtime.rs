//! The ONNX Runtime library, of which a process can load only one.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use ort::{
    environment::Environment,
    logging::LogLevel,
    session::{Session, builder::GraphOptimizationLevel},
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
    Session::builder(environment)?
        .with_optimization_level(GraphOptimizationLevel::All)?
        .with_intra_threads(1)?
        .with_inter_threads(1)?
        .with_intra_op_spinning(false)?
        .with_log_level(LogLevel::Error)?
        .commit_from_memory(model)
}
