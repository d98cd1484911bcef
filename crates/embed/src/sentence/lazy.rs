//! Sentence model that is opened at its first use.

use nightfold_memory::{Embedded, Embedder, EmbedderError, ModelId, Vectors};

use super::{DIMENSIONS, MiniLm, MiniLmOptions};
use crate::{grammar, opened_once::OpenedOnce, provision::ModelFiles};

/// Sentence model whose files exist, and which is opened by the first text to embed: a run whose vectors are
/// all cached opens no model.
#[derive(Debug)]
pub struct LazyMiniLm {
    files: ModelFiles,
    options: MiniLmOptions,
    opened: OpenedOnce<MiniLm>,
}

impl LazyMiniLm {
    /// Prepares the model of these files. Nothing is opened.
    pub fn new(files: ModelFiles, options: MiniLmOptions) -> Self {
        Self { files, options, opened: OpenedOnce::new() }
    }

    /// True if a text has needed the model.
    pub fn is_open(&self) -> bool {
        self.opened.get().is_some()
    }

    /// Returns the number of tokens for which the model has computed so far.
    pub fn computed_tokens(&self) -> usize {
        self.opened.get().map_or(0, MiniLm::computed_tokens)
    }

    /// Identifies everything except the model's id that decides the last bits of a vector and the grammar.
    pub fn made_by(&self) -> String {
        made_by(&self.files)
    }
}

/// Identifies what decides the last bits of a vector and the grammar: the model's file, the heads that read grammar, the
/// build of the runtime, and the processor's features, by which the runtime chooses its instructions.
pub(super) fn made_by(files: &ModelFiles) -> String {
    let openvino = files.openvino.iter().map(|files| format!("{} ", files.build)).collect::<String>();
    format!("{} {openvino}{} {}", files.build, grammar::made_by(), processor())
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
            return Ok(Embedded::without_grammar(Vectors::with_capacity(DIMENSIONS, 0), Vec::new()));
        }
        let model = self.opened.get_or_open(|| {
            tracing::info!(model = %self.files.model.display(), "the embedding model is opened");
            MiniLm::open(&self.files, self.options)
        });
        model.map_err(|error| EmbedderError::Open(Box::new(error)))?.embed(texts)
    }
}

/// Returns the processor's family, and those of its extensions that kernels for 32-bit numbers are written
/// for.
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
