//! OpenVINO: computes the sentence model in 16-bit brain floating point.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use nightfold_memory::EmbedderError;
use openvino::{
    CompiledModel, Core, DeviceType, ElementType, InferRequest, InferenceError, RwPropertyKey, Shape, Tensor,
};

use super::{error::ModelOpenError, pool::DIMENSIONS, session::SentenceSession};

/// Library that this process has loaded, and stays with.
static LOADED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// The model as compiled by OpenVINO. Its sessions share the weights.
pub(super) struct Bf16Model {
    compiled: Mutex<CompiledModel>,
    path: PathBuf,
    readings: usize,
}

impl Bf16Model {
    /// Loads the library, and compiles a model of which up to `sessions` sessions compute at once, each on one thread.
    ///
    /// `model` is what was read from `path`, with the heads that give `readings` numbers for each token.
    pub(super) fn new(
        library: &Path,
        path: &Path,
        model: &[u8],
        readings: usize,
        sessions: usize,
    ) -> Result<Self, ModelOpenError> {
        load(library)?;
        let mut core = Core::new().map_err(ModelOpenError::file("library", library, "loaded"))?;
        let compiled = compiled(&mut core, model, sessions).map_err(unusable(path))?;
        Ok(Self { compiled: Mutex::new(compiled), path: path.to_owned(), readings })
    }

    /// Opens a session.
    pub(super) fn session(&self) -> Result<Box<dyn SentenceSession>, ModelOpenError> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let mut request = compiled.create_infer_request().map_err(unusable(&self.path))?;
        // Two tokens show what the model gives; the sizes that it declares are open.
        let mut fits = false;
        infer(&mut request, &[101, 102], [1, 2], &mut |states, read| {
            fits = states.len() == 2 * DIMENSIONS && read.len() == 2 * self.readings;
        })
        .map_err(unusable(&self.path))?;
        if fits {
            return Ok(Box::new(request));
        }
        let problem = "it gives other numbers than the sentence model";
        Err(ModelOpenError::file("model", &self.path, "used by OpenVINO")(problem))
    }
}

fn unusable(path: &Path) -> impl Fn(InferenceError) -> ModelOpenError {
    ModelOpenError::file("model", path, "used by OpenVINO")
}

/// Loads the library, unless this process has loaded it already.
fn load(library: &Path) -> Result<(), ModelOpenError> {
    let library = library.canonicalize().map_err(ModelOpenError::file("library", library, "reached"))?;
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    match &*loaded {
        Some(other) if *other != library => {
            return Err(ModelOpenError::OtherRuntime { loaded: other.clone(), asked: library });
        }
        Some(_) => return Ok(()),
        None => {}
    }
    openvino_sys::library::load_from(library.clone())
        .map_err(ModelOpenError::file("library", &library, "loaded"))?;
    *loaded = Some(library);
    Ok(())
}

fn compiled(core: &mut Core, model: &[u8], sessions: usize) -> Result<CompiledModel, InferenceError> {
    let sessions = sessions.to_string();
    core.set_properties(
        &DeviceType::CPU,
        [
            (RwPropertyKey::HintInferencePrecision, "bf16"),
            (RwPropertyKey::NumStreams, &*sessions),
            (RwPropertyKey::InferenceNumThreads, &*sessions),
            // Other work of the process runs on the same cores.
            (RwPropertyKey::HintEnableCpuPinning, "NO"),
        ],
    )?;
    let model = core.read_model_from_buffer(model, None)?;
    core.compile_model(&model, DeviceType::CPU)
}

fn infer(
    request: &mut InferRequest,
    ids: &[i64],
    shape: [usize; 2],
    take: &mut dyn FnMut(&[f32], &[f32]),
) -> Result<(), InferenceError> {
    // A batch holds some thousands of tokens.
    let shape = Shape::new(&shape.map(|size| i64::try_from(size).unwrap_or(i64::MAX)))?;
    let mut input = Tensor::new(ElementType::I64, &shape)?;
    input.get_data_mut::<i64>()?.copy_from_slice(ids);
    request.set_input_tensor(&input)?;
    request.infer()?;
    let (states, readings) = (request.get_output_tensor_by_index(0)?, request.get_output_tensor_by_index(1)?);
    take(states.get_data::<f32>()?, readings.get_data::<f32>()?);
    Ok(())
}

impl SentenceSession for InferRequest {
    fn run(
        &mut self,
        ids: &[i64],
        shape: [usize; 2],
        take: &mut dyn FnMut(&[f32], &[f32]),
    ) -> Result<(), EmbedderError> {
        infer(self, ids, shape, take).map_err(|source| EmbedderError::Run(Box::new(source)))
    }
}
