//! Why there is no model, and why it gives no answer.

use std::{io, path::PathBuf};

use llama_cpp_2::{DecodeError, LlamaContextLoadError, LlamaModelLoadError};

use crate::chat::{ChatFailed, ChatFailure};

/// Why there is no model to ask.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocalError {
    /// A setting that cannot be followed.
    #[error("{field} is {value:?}; allowed: {allowed}")]
    Setting {
        /// Which setting.
        field: &'static str,
        /// What it was set to.
        value: String,
        /// What it may be set to.
        allowed: String,
    },
    /// The file cannot be read.
    #[error("cannot read the language model {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file is of another kind.
    #[error("{} is no GGUF file", path.display())]
    NotGguf {
        /// The file.
        path: PathBuf,
    },
    /// llama.cpp does not take the file: it is damaged, or of a kind that this version does not know.
    #[error("llama.cpp cannot load {}; it is damaged, or newer than this program", path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// llama.cpp's own error.
        source: LlamaModelLoadError,
    },
    /// The model is none that writes on, word by word: one for vectors, or one that reads before it writes.
    #[error("the model in {} does not write", path.display())]
    NoWriter {
        /// The file.
        path: PathBuf,
    },
    /// There is no memory for what the model computes.
    #[error("no room for {context_tokens} tokens of {}", path.display())]
    Context {
        /// The file.
        path: PathBuf,
        /// Tokens of a question and its answer.
        context_tokens: u32,
        /// llama.cpp's own error.
        source: LlamaContextLoadError,
    },
    /// Another part of this program runs llama.cpp by itself.
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

/// Why a model that was opened gives no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocalAskError {
    /// The question and the answer it may have are more than the model can hold. Nothing was computed.
    #[error("{prompt} tokens and an answer of {max_tokens} are more than the {context_tokens} of the model")]
    TooLong {
        /// Tokens of the question.
        prompt: usize,
        /// Most tokens of its answer.
        max_tokens: u32,
        /// Tokens that both may have together.
        context_tokens: u32,
    },
    /// The answer needs more tokens than it was given.
    #[error("the answer did not end in {max_tokens} tokens")]
    CutShort {
        /// How many tokens it was given.
        max_tokens: u32,
    },
    /// No token of the model goes on as the schema wants it.
    #[error("the model has no way to go on after {tokens} tokens")]
    Stuck {
        /// Tokens of the answer until there.
        tokens: u32,
    },
    /// The answer is no UTF-8.
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
    /// The failure, where this much was paid.
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
