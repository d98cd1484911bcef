//! Embedding of texts.

use crate::{
    grammar::Grammar,
    id::ModelId,
    vector::{VectorError, Vectors},
};

/// Vectors of some texts, and their grammar.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    /// Unit vectors, one for each text, in the order of the texts.
    pub vectors: Vectors,
    /// For each text, true if the model read only its beginning.
    pub truncated: Vec<bool>,
    /// Grammar of each text; `None` if the embedder reads none.
    pub grammar: Vec<Option<Grammar>>,
}

impl Embedded {
    /// Returns the vectors of an embedder that reads no grammar.
    pub fn without_grammar(vectors: Vectors, truncated: Vec<bool>) -> Self {
        let grammar = vec![None; truncated.len()];
        Self { vectors, truncated, grammar }
    }
}

/// Turns texts into unit vectors.
///
/// Contract, on which all later steps rely:
/// - one vector for each text, in order, finite and of length 1;
/// - the same text has the same vector, to the bit, and the same grammar, whatever texts are embedded with it,
///   on any number of threads and on every call;
/// - vectors of two embedders are comparable exactly if their [`Embedder::model`] is equal.
pub trait Embedder: Send + Sync {
    /// Returns the name of the model with its revision.
    fn model(&self) -> &ModelId;

    /// Returns the number of dimensions of a vector.
    fn dimensions(&self) -> usize;

    /// Embeds texts. Equal texts are embedded once.
    ///
    /// # Errors
    /// [`EmbedderError`] if the model fails; no vector is returned then.
    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError>;
}

macro_rules! forward_embedder {
    ($($pointer:ty),+) => {
        $(impl<E: Embedder + ?Sized> Embedder for $pointer {
            fn model(&self) -> &ModelId {
                (**self).model()
            }

            fn dimensions(&self) -> usize {
                (**self).dimensions()
            }

            fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
                (**self).embed(texts)
            }
        })+
    };
}

forward_embedder!(&E, Box<E>);

/// Reason why texts could not be embedded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedderError {
    /// The model could not be opened; it is opened when the first text needs it.
    #[error(transparent)]
    Open(Box<dyn std::error::Error + Send + Sync>),
    /// A text could not be split into tokens.
    #[error("text {index} could not be cut into tokens")]
    Tokenize {
        /// Index of the text, from 0.
        index: usize,
        /// Error of the tokenizer.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The model could not be run.
    #[error("the embedding model failed")]
    Run(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The model returned a vector that is not a unit vector.
    #[error("the embedding model gave no usable vector for text {index}")]
    Vector {
        /// Index of the text, from 0.
        index: usize,
        /// Error of the vector.
        source: VectorError,
    },
}
