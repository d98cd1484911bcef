//! Errors of a town, with codes that programs can go by.

use nightfold::{RunError, formats::jsonl::JsonlError};
use nightfold_ecs::{
    CheckpointError, MemoryError, PoolError,
    memory::{ConfigError, EmbedderError, IdError, PlanError, SleepError, StoreError, clean},
};
use nightfold_embed::{CacheError, EngineError, ModelOpenError, ProvisionError};
use nightfold_store::{ExportError, ImportError, OpenError};

/// Reason for refusing a call on a town. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TownError {
    /// The town cannot do it: a name, an order of calls, a number or an option is wrong.
    #[error("{message}")]
    Refused {
        /// Name of the kind of error ([`TownError::code`]).
        code: &'static str,
        /// Sentence for people: the fault, with its values.
        message: String,
    },
    /// The text is not JSON, or not of the expected shape.
    #[error("the JSON cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// The name is not one that an NPC can have.
    #[error(transparent)]
    Name(#[from] IdError),
    /// The memory exceeds a bound.
    #[error("the memory is refused: {0}")]
    Memory(#[from] MemoryError),
    /// The sleep is impossible.
    #[error(transparent)]
    Sleep(#[from] SleepError),
    /// The nights of the saved town cannot be resumed.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The configuration is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The engine of the configuration does not run here.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A file of the model is missing.
    #[error("the model's files are not here; `nightfold models fetch` brings them: {0}")]
    ModelMissing(#[from] ProvisionError),
    /// The model cannot be opened.
    #[error(transparent)]
    ModelOpen(#[from] ModelOpenError),
    /// The vectors cannot be kept.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The store cannot be opened.
    #[error(transparent)]
    StoreOpen(#[from] OpenError),
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store cannot be written out.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The memory of a saved town cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] PoolError),
    /// The nights cannot be planned or applied.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A memory cannot be read.
    #[error(transparent)]
    Memories(#[from] JsonlError),
    /// The plan cannot be used.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A text cannot be embedded.
    #[error(transparent)]
    Embedder(#[from] EmbedderError),
}

impl TownError {
    pub(crate) fn refused(code: &'static str, message: impl Into<String>) -> Self {
        Self::Refused { code, message: message.into() }
    }

    /// Returns the name of the kind of error, which programs can go by.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused { code, .. } => code,
            Self::Json(_) | Self::Memories(_) => "json",
            Self::Name(_) => "name",
            Self::Memory(_) => "memory",
            Self::Sleep(_) => "sleep",
            Self::Config(_) | Self::Engine(_) => "options",
            Self::Checkpoint(_) | Self::Import(_) => "saved_town",
            Self::ModelMissing(_) | Self::ModelOpen(_) | Self::Cache(_) | Self::Embedder(_) => "model",
            Self::StoreOpen(_) | Self::Store(_) | Self::Export(_) => "store",
            Self::Threads(_) => "threads",
            Self::Run(_) => "night",
            Self::Plan(_) => "plan",
        }
    }
    /// Returns the message with those of its causes, each once.
    pub fn message(&self) -> String {
        with_causes(self)
    }
}

/// Returns the message of an error with those of its causes that say more, on one line. Errors may cite what they were given,
/// so characters that could steer a terminal are escaped.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.contains(&text) {
            message.push_str(": ");
            message.push_str(&text);
        }
        cause = error.source();
    }
    clean(&message).into_owned()
}
