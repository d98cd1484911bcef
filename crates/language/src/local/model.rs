//! Opening of a model file.

use std::{fs::File, io::Read as _, path::Path, sync::OnceLock};

use llama_cpp_2::{
    llama_backend::LlamaBackend,
    model::{LlamaModel, params::LlamaModelParams},
};

use super::{error::LocalError, settings::ValidLocalSettings};

/// Vocabularies of models that are not generative decoders: no vocabulary, BERT's, T5's. llama.cpp aborts the
/// process if tokens are requested from a model without a vocabulary.
const OF_NO_WRITER: [&str; 4] = ["none", "no_vocab", "bert", "t5"];

/// Returns llama.cpp's backend, initialised once per process, with its log silenced.
pub(super) fn backend() -> Result<&'static LlamaBackend, LocalError> {
    static BACKEND: OnceLock<Option<LlamaBackend>> = OnceLock::new();
    let backend = BACKEND.get_or_init(|| {
        let mut backend = LlamaBackend::init().ok()?;
        backend.void_logs();
        Some(backend)
    });
    backend.as_ref().ok_or(LocalError::InUse)
}

/// Loads a model from its file.
pub(super) fn load(backend: &LlamaBackend, settings: &ValidLocalSettings) -> Result<LlamaModel, LocalError> {
    let path = settings.path();
    // llama.cpp says only that something is wrong; what can be known is found out before it is asked.
    if !is_gguf(path).map_err(|source| LocalError::Read { path: path.to_owned(), source })? {
        return Err(LocalError::NotGguf { path: path.to_owned() });
    }
    let model = LlamaModel::load_from_file(backend, path, &LlamaModelParams::default())
        .map_err(|source| LocalError::Load { path: path.to_owned(), source })?;
    let vocabulary = model.meta_val_str("tokenizer.ggml.model").unwrap_or_default();
    if vocabulary.is_empty() || OF_NO_WRITER.contains(&vocabulary.as_str()) {
        return Err(LocalError::NoWriter { path: path.to_owned() });
    }
    Ok(model)
}

/// True if the file begins with the magic bytes of GGUF.
fn is_gguf(path: &Path) -> std::io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(4).read_to_end(&mut start)?;
    Ok(start == b"GGUF")
}
