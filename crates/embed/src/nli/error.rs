//! Why a classifier of entailment cannot be opened.

use std::{error::Error, io, path::PathBuf};

use crate::OpenError;

/// Why a classifier of entailment cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NliError {
    /// There is no such folder.
    #[error("{} is no folder; give one that holds model.onnx, tokenizer.json and config.json", folder.display())]
    Folder {
        /// What was named.
        folder: PathBuf,
    },
    /// A file is not there.
    #[error("there is no {file} in {}; model.onnx, tokenizer.json and config.json are needed", folder.display())]
    Missing {
        /// The file.
        file: &'static str,
        /// Where it was looked for.
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
    /// A file is larger than is read.
    #[error("{} is {given} bytes large; at most {most} are opened", path.display())]
    TooLarge {
        /// The file; of a model in several files the first.
        path: PathBuf,
        /// Its size, of all its files together.
        given: u64,
        /// The largest that is opened.
        most: u64,
    },
    /// The configuration is no JSON, or has no map of labels.
    #[error("{} does not say what the model's numbers mean (`id2label`)", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The labels are others than a classifier of entailment has.
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
    Runtime(#[from] OpenError),
    /// The model cannot be read by the runtime.
    #[error("ONNX Runtime cannot use the model {}", path.display())]
    Model {
        /// The file.
        path: PathBuf,
        /// The runtime's error.
        source: ort::Error,
    },
    /// The model takes or gives something else.
    #[error(
        "{} takes {inputs:?} and gives {outputs:?}; expected is int64 batch × sequence under the names input_ids, \
         attention_mask and token_type_ids, the first at least, to float32 batch × 3",
        path.display()
    )]
    Shape {
        /// The file.
        path: PathBuf,
        /// The names and types it takes.
        inputs: Vec<String>,
        /// The names and types it gives.
        outputs: Vec<String>,
    },
}
