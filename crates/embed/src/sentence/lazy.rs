//! The model, opened when the first text needs it.

use std::sync::{Mutex, OnceLock, PoisonError};

use nightfold_memory::{Embedded, Embedder, EmbedderError, ModelId, Vectors};

use super::{DIMENSIONS, MiniLm, MiniLmOptions, OpenError};
use crate::provision::ModelFiles;

/// The sentence model whose files are there, and which is opened by the first text that is to be embedded: a run whose
/// vectors are all known opens no model.
#[derive(Debug)]
pub struct LazyMiniLm {
    files: ModelFiles,
    options: MiniLmOptions,
    opened: OnceLock<MiniLm>,
    /// Held while it is opened: several threads open it once.
    opening: Mutex<()>,
}

impl LazyMiniLm {
    /// The model of these files. Nothing is opened.
    pub fn new(files: ModelFiles, options: MiniLmOptions) -> Self {
        Self { files, options, opened: OnceLock::new(), opening: Mutex::new(()) }
    }

    /// Whether a text has needed it yet.
    pub fn is_open(&self) -> bool {
        self.opened.get().is_some()
    }

    /// What decides the last bits of a vector beside the model: its file, the build of the runtime, and what the processor can do, by
    /// which the runtime chooses its instructions.
    pub fn made_by(&self) -> String {
        format!("{} {}", self.files.build, processor())
    }

    fn opened(&self) -> Result<&MiniLm, OpenError> {
        // Nothing is half done under the lock that a panic could leave behind.
        let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = self.opened.get() {
            return Ok(model);
        }
        tracing::info!(model = %self.files.model.display(), "the embedding model is opened");
        let model = MiniLm::open(&self.files, self.options)?;
        Ok(self.opened.get_or_init(|| model))
    }
}

impl Embedder for LazyMiniLm {
    fn model(&self) -> &ModelId {
        &self.files.model_id
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        if texts.is_empty() {
            return Ok(Embedded { vectors: Vectors::with_capacity(DIMENSIONS, 0), truncated: Vec::new() });
        }
        let model = match self.opened.get() {
            Some(model) => model,
            None => self.opened().map_err(|error| EmbedderError::Open(Box::new(error)))?,
        };
        model.embed(texts)
    }
}

/// The processor's family, and those of its extensions that kernels for numbers of 32 bits are written for.
pub(crate) fn processor() -> String {
    #[cfg(target_arch = "x86_64")]
    let extensions = [
        ("avx", std::arch::is_x86_feature_detected!("avx")),
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("fma", std::arch::is_x86_feature_detected!("fma")),
        ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let extensions: [(&str, bool); 0] = [];
    let has = extensions.iter().filter(|(_, has)| *has).map(|(name, _)| *name);
    [std::env::consts::OS, std::env::consts::ARCH].into_iter().chain(has).collect::<Vec<_>>().join(" ")
}
