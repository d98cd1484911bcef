//! Errors of opening and asking a local model.

use std::{io, path::PathBuf};

use llama_cpp_2::{DecodeError, LlamaContextLoadError, LlamaModelLoadError};

use crate::chat::{ChatFailed, ChatFailure};

/// Error of opening a local model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocalError {
    /// A setting is out of range.
    #[error("{field} is {value:?}; allowed: {allowed}")]
    Setting {
        /// Name of the setting.
        field: &'static str,
        /// Value of the setting.
        value: String,
        /// The allowed values.
        allowed: String,
    },
    /// The file cannot be read.
    #[error("cannot read the language model {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's own error.
        source: io::Error,
    },
    /// The file is not a GGUF file.
    #[error("{} is no GGUF file", path.display())]
    NotGguf {
        /// The file.
        path: PathBuf,
    },
    /// llama.cpp rejects the file: it is damaged, or of a kind that this version does not support.
    #[error("llama.cpp cannot load {}; it is damaged, or newer than this program", path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// llama.cpp's own error.
        source: LlamaModelLoadError,
    },
    /// The model is not a generative decoder: an embedding model, or an encoder-decoder.
    #[error("the model in {} does not write", path.display())]
    NoWriter {
        /// The file.
        path: PathBuf,
    },
    /// There is not enough memory for the model's context.
    #[error("no room for {context_tokens} tokens of {}", path.display())]
    Context {
        /// The file.
        path: PathBuf,
        /// Maximum tokens of a question and its answer together.
        context_tokens: u32,
        /// llama.cpp's own error.
        source: LlamaContextLoadError,
    },
    /// Another part of this program has initialised llama.cpp itself.
    #[error("llama.cpp is in use already, by another part of this program")]
    InUse,
    /// The model's thread did not start.
    #[error("the language model's thread did not start")]
    Thread(#[source] io::Error),
    /// The model's thread ended before it was ready.
    #[error("the language model's thread ended while {} was loaded", path.display())]
    Ended {
        /// The file.
        path: PathBuf,
    },
}

/// Error of asking an opened model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocalAskError {
    /// The question and its maximum answer exceed the model's context. Nothing was computed.
    #[error("{prompt} tokens and an answer of {max_tokens} are more than the {context_tokens} of the model")]
    TooLong {
        /// Tokens of the question.
        prompt: usize,
        /// Maximum tokens of its answer.
        max_tokens: u32,
        /// Maximum number of tokens of the question and its answer together.
        context_tokens: u32,
    },
    /// The answer needs more tokens than allowed.
    #[error("the answer did not end in {max_tokens} tokens")]
    CutShort {
        /// Maximum number of tokens of the answer.
        max_tokens: u32,
    },
    /// None of the model's tokens continues the answer as the schema demands.
    #[error("the model has no way to go on after {tokens} tokens")]
    Stuck {
        /// Tokens of the answer up to this point.
        tokens: u32,
    },
    /// The answer is not valid UTF-8.
    #[error("the answer is no UTF-8")]
    NoText,
    /// llama.cpp failed to compute.
    #[error("llama.cpp failed to compute")]
    Compute(#[from] DecodeError),
    /// The model's thread has ended.
    #[error("the language model's thread has ended")]
    Ended,
}

impl LocalAskError {
    /// Converts to a [`ChatFailed`] with this number of tokens paid.
    pub(super) fn paid(self, paid: Option<usize>) -> ChatFailed {
        let kind = match self {
            Self::TooLong { .. } => ChatFailure::Refused,
            Self::CutShort { .. } => ChatFailure::CutShort,
            Self::Stuck { .. } | Self::NoText => ChatFailure::Shape,
            Self::Compute(_) | Self::Ended => ChatFailure::Unreachable,
        };
        ChatFailed { kind, paid, source: Box::new(self) }
    }
}
