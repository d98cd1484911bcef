//! Errors of opening an entailment classifier.

use std::{error::Error, io, path::PathBuf};

use crate::ModelOpenError;

/// Error of opening an entailment classifier.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NliError {
    /// The folder does not exist.
    #[error("{} is no folder; give one that holds model.onnx, tokenizer.json and config.json", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
    },
    /// A file is missing.
    #[error("there is no {file} in {}; model.onnx, tokenizer.json and config.json are needed", folder.display())]
    Missing {
        /// The file.
        file: &'static str,
        /// The folder in which it was expected.
        folder: PathBuf,
    },
    /// A file cannot be read.
    #[error("{} cannot be read", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file exceeds its size limit.
    #[error("{} is {given} bytes large; at most {most} are opened", path.display())]
    TooLarge {
        /// The file; the first of them if a model has several.
        path: PathBuf,
        /// Size of all files of the model together, in bytes.
        given: u64,
        /// The size limit, in bytes.
        most: u64,
    },
    /// The configuration is not JSON, or has no map of labels.
    #[error("{} does not say what the model's numbers mean (`id2label`)", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// The JSON error.
        source: serde_json::Error,
    },
    /// The labels are not those of an entailment classifier.
    #[error(
        "{} names the labels {given:?}; expected are entailment, neutral and contradiction under \"0\", \"1\" and \"2\", \
         in any order and case",
        path.display()
    )]
    Labels {
        /// The file.
        path: PathBuf,
        /// The labels by number, at most the first eight.
        given: Vec<String>,
    },
    /// The tokenizer cannot be read.
    #[error("the tokenizer {} cannot be used", path.display())]
    Tokenizer {
        /// The file.
        path: PathBuf,
        /// The tokenizer's own error.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The ONNX Runtime library cannot be used.
    #[error(transparent)]
    Runtime(#[from] ModelOpenError),
    /// The model cannot be read by the runtime.
    #[error("ONNX Runtime cannot use the model {}", path.display())]
    Model {
        /// The file.
        path: PathBuf,
        /// The runtime's error.
        source: ort::Error,
    },
    /// The model has other inputs or outputs.
    #[error(
        "{} takes {inputs:?} and gives {outputs:?}; expected is int64 batch × sequence under the names input_ids, \
         attention_mask and token_type_ids, the first at least, to float32 batch × 3",
        path.display()
    )]
    Shape {
        /// The file.
        path: PathBuf,
        /// Names and types of its inputs.
        inputs: Vec<String>,
        /// Names and types of its outputs.
        outputs: Vec<String>,
    },
}
