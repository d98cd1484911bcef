//! Errors in labelled data.

use std::{io, path::PathBuf, str::Utf8Error};

use nightfold_formats::jsonl::JsonError;

/// Reason for rejecting labelled data.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// A file of the data is missing in the given folder.
    #[error("there is no {file} in {}; give the folder that holds it", dir.display())]
    Missing {
        /// Given folder.
        dir: PathBuf,
        /// Path of the missing file.
        file: String,
    },
    /// A file or folder exists but cannot be read.
    #[error("cannot read {}", path.display())]
    Open {
        /// Path of the file or folder.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// A folder or another kind of node stands in place of a file.
    #[error("{} is no file", path.display())]
    NoFile {
        /// Path of the node.
        path: PathBuf,
    },
    /// The file exceeds the size limit.
    #[error("{} is {given} bytes large; at most {most} are read", path.display())]
    TooLarge {
        /// Path of the file.
        path: PathBuf,
        /// Size in bytes.
        given: u64,
        /// Largest allowed size in bytes.
        most: u64,
    },
    /// A line is not UTF-8.
    #[error("{}:{line}: the line is not UTF-8", path.display())]
    Utf8 {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Position in the file, in bytes.
        source: Utf8Error,
    },
    /// A line is not JSON, or lacks expected fields.
    #[error("{}:{line}: not the JSON that belongs there", path.display())]
    Json {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Description of the error.
        source: JsonError,
    },
    /// A row does not fit the table.
    #[error("{}:{line}: not a row of `{columns}`", path.display())]
    Csv {
        /// Path of the file.
        path: PathBuf,
        /// Number of the row's first line, from 1.
        line: u64,
        /// Columns of a row.
        columns: &'static str,
        /// Description of the error.
        source: csv::Error,
    },
    /// A table has other columns.
    #[error("{}:1: the header is {given:?}; it must be `{columns}`", path.display())]
    Header {
        /// Path of the file.
        path: PathBuf,
        /// Columns in the header.
        given: Vec<String>,
        /// Expected columns.
        columns: &'static str,
    },
    /// A row has more or fewer cells than its table has columns.
    #[error("{}:{line}: {given} cells; a row has `{columns}`", path.display())]
    Cells {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Number of its cells.
        given: usize,
        /// Columns of a row.
        columns: &'static str,
    },
    /// A label is unknown.
    #[error("{}:{line}: the label is {given:?}; it must be ENTAILMENT, CONTRADICTION or NEUTRAL", path.display())]
    Label {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Label found.
        given: String,
    },
    /// A row of a treebank is no word of its sentence: a tag is unknown, or the word is not in the text.
    #[error("{}:{line}: {given:?} is no known tag, or no word of the text above", path.display())]
    Tag {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Value found.
        given: String,
    },
    /// A line is no reading of a change.
    #[error("{}:{line}: {given:?} is no reading; it must be a set, a change, `right` or `wrong`, an older and a newer id, \
            with tabs", path.display())]
    Reading {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Line found.
        given: String,
    },
    /// The data is empty.
    #[error("{} holds nothing that is labelled", path.display())]
    Empty {
        /// Path of the file or folder.
        path: PathBuf,
    },
    /// An intent belongs to no domain.
    #[error("{} puts the intent {intent:?} into no domain", path.display())]
    NoDomain {
        /// Path of the file of domains.
        path: PathBuf,
        /// Name of the intent.
        intent: String,
    },
    /// An intent belongs to two domains.
    #[error("{} puts the intent {intent:?} into {first:?} and into {second:?}", path.display())]
    TwoDomains {
        /// Path of the file of domains.
        path: PathBuf,
        /// Name of the intent.
        intent: String,
        /// First domain.
        first: String,
        /// Second domain.
        second: String,
    },
    /// A file among the days is not named by a number.
    #[error("{} is not named as a day is: a whole number from 0, such as 1.jsonl", path.display())]
    DayName {
        /// Path of the file.
        path: PathBuf,
    },
    /// A label does not belong to the memory beside it.
    #[error("{}:{line}: field `{field}` is {label:?}; the memory beside it in {} has {memory:?}",
            labels.display(), days.display())]
    Mismatch {
        /// Path of the file of labels.
        labels: PathBuf,
        /// Number of the label's line, from 1.
        line: usize,
        /// Name of the field that differs.
        field: &'static str,
        /// Value in the label.
        label: String,
        /// Path of the file of memories.
        days: PathBuf,
        /// Value in the memory.
        memory: String,
    },
    /// The evidence of a question is not a turn of its conversation.
    #[error("{}:{line}: the evidence {id:?} is no turn of that conversation", path.display())]
    Stray {
        /// Path of the file of questions.
        path: PathBuf,
        /// Number of the question's line, from 1.
        line: usize,
        /// Id of the missing turn.
        id: String,
    },
    /// A line belongs to another person than the lines of its run before it, or its id occurs twice.
    #[error("{}:{line}: {id:?} occurs twice in its run, or is another person's", path.display())]
    Foreign {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Id of the turn.
        id: String,
    },
    /// The numbers of memories and labels differ.
    #[error("{} holds {given} labels for the {memories} memories of {}; give each memory one, in the same order",
            labels.display(), days.display())]
    Count {
        /// Path of the file of labels.
        labels: PathBuf,
        /// Number of labels.
        given: usize,
        /// Path of the file of memories.
        days: PathBuf,
        /// Number of memories.
        memories: usize,
    },
}
