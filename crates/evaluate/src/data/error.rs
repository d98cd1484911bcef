//! Why labelled data cannot be used.

use std::{io, path::PathBuf, str::Utf8Error};

use nightfold_formats::jsonl::JsonError;

/// Why labelled data cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The folder that was given does not hold a file of the data.
    #[error("there is no {file} in {}; give the folder that holds it", dir.display())]
    Missing {
        /// The folder that was given.
        dir: PathBuf,
        /// What was looked for in it.
        file: String,
    },
    /// A file or folder that is there and cannot be read.
    #[error("cannot read {}", path.display())]
    Open {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A folder, or something stranger, where a file should be.
    #[error("{} is no file", path.display())]
    NoFile {
        /// What is there.
        path: PathBuf,
    },
    /// Larger than a data file may be.
    #[error("{} is {given} bytes large; at most {most} are read", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its bytes.
        given: u64,
        /// How many are allowed.
        most: u64,
    },
    /// A byte that is no text.
    #[error("{}:{line}: the line is not UTF-8", path.display())]
    Utf8 {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Where in the file, counted in bytes.
        source: Utf8Error,
    },
    /// No JSON, or not with the fields it should have.
    #[error("{}:{line}: not the JSON that belongs there", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: JsonError,
    },
    /// A row that does not fit the table.
    #[error("{}:{line}: not a row of `{columns}`", path.display())]
    Csv {
        /// The file.
        path: PathBuf,
        /// The line the row begins on, from 1.
        line: u64,
        /// The columns a row has.
        columns: &'static str,
        /// What is wrong with it.
        source: csv::Error,
    },
    /// A table with other columns.
    #[error("{}:1: the header is {given:?}; it must be `{columns}`", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// The columns it names.
        given: Vec<String>,
        /// The columns it must name.
        columns: &'static str,
    },
    /// A row with more or fewer cells than its table has columns.
    #[error("{}:{line}: {given} cells; a row has `{columns}`", path.display())]
    Cells {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// How many it has.
        given: usize,
        /// The columns a row has.
        columns: &'static str,
    },
    /// A label that is none of those known.
    #[error("{}:{line}: the label is {given:?}; it must be ENTAILMENT, CONTRADICTION or NEUTRAL", path.display())]
    Label {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What stands there.
        given: String,
    },
    /// Nothing in it to measure on.
    #[error("{} holds nothing that is labelled", path.display())]
    Empty {
        /// The file or folder.
        path: PathBuf,
    },
    /// An intent that belongs to no domain.
    #[error("{} puts the intent {intent:?} into no domain", path.display())]
    NoDomain {
        /// The file of domains.
        path: PathBuf,
        /// The intent.
        intent: String,
    },
    /// An intent that belongs to two domains.
    #[error("{} puts the intent {intent:?} into {first:?} and into {second:?}", path.display())]
    TwoDomains {
        /// The file of domains.
        path: PathBuf,
        /// The intent.
        intent: String,
        /// One domain.
        first: String,
        /// The other.
        second: String,
    },
    /// A file among the days that is not named by a number.
    #[error("{} is not named as a day is: a whole number from 0, such as 1.jsonl", path.display())]
    DayName {
        /// The file.
        path: PathBuf,
    },
    /// A label that belongs to another memory than the one it stands beside.
    #[error("{}:{line}: field `{field}` is {label:?}; the memory beside it in {} has {memory:?}",
            labels.display(), days.display())]
    Mismatch {
        /// The file of labels.
        labels: PathBuf,
        /// The line of the label, from 1.
        line: usize,
        /// Which field differs.
        field: &'static str,
        /// What the label has there.
        label: String,
        /// The file of memories.
        days: PathBuf,
        /// What the memory has there.
        memory: String,
    },
    /// Evidence that is no turn of the conversation that is asked about.
    #[error("{}:{line}: the evidence {id:?} is no turn of that conversation", path.display())]
    Stray {
        /// The file of questions.
        path: PathBuf,
        /// The line of the question, from 1.
        line: usize,
        /// The turn that is not there.
        id: String,
    },
    /// More memories than labels, or fewer.
    #[error("{} holds {given} labels for the {memories} memories of {}; give each memory one, in the same order",
            labels.display(), days.display())]
    Count {
        /// The file of labels.
        labels: PathBuf,
        /// How many it holds.
        given: usize,
        /// The file of memories.
        days: PathBuf,
        /// How many it holds.
        memories: usize,
    },
}
