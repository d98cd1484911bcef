//! Texts to vectors.

use crate::{ModelId, VectorError, Vectors};

/// What an embedder gives back.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    /// One unit vector for each text, in their order.
    pub vectors: Vectors,
    /// For each text, whether the model read its beginning only.
    pub truncated: Vec<bool>,
}

/// Turns texts into unit vectors.
///
/// Contract, on which everything after it relies:
/// - as many vectors as texts, in their order, each finite and of length 1;
/// - the same text gives the same vector, to the bit, whatever it is embedded with, on any number of threads
///   and on every call;
/// - vectors of two embedders are comparable exactly when their [`Embedder::model`] is equal.
pub trait Embedder: Send + Sync {
    /// The model with its revision.
    fn model(&self) -> &ModelId;

    /// How many numbers a vector has.
    fn dimensions(&self) -> usize;

    /// Embeds texts. Equal texts are embedded once.
    ///
    /// # Errors
    /// [`EmbedderError`] when the model fails; nothing is given back for any text then.
    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError>;
}

impl<E: Embedder + ?Sized> Embedder for Box<E> {
    fn model(&self) -> &ModelId {
        (**self).model()
    }

    fn dimensions(&self) -> usize {
        (**self).dimensions()
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        (**self).embed(texts)
    }
}

/// Why texts could not be embedded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedderError {
    /// The model, which is opened when the first text needs it, could not be.
    #[error(transparent)]
    Open(Box<dyn std::error::Error + Send + Sync>),
    /// The text could not be cut into tokens.
    #[error("text {index} could not be cut into tokens")]
    Tokenize {
        /// Which text, from 0.
        index: usize,
        /// The tokenizer's own error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The model could not be run.
    #[error("the embedding model failed")]
    Run(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The model gave what is no unit vector.
    #[error("the embedding model gave no usable vector for text {index}")]
    Vector {
        /// Which text, from 0.
        index: usize,
        /// What is wrong with it.
        source: VectorError,
    },
}
