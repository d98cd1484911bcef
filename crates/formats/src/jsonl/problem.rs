//! Faults of a line.

use nightfold_memory::ModelId;

use super::JsonError;

/// A fault of a line: no JSON object, or one that exceeds a bound.
///
/// Messages name the key of [`InputConfig`](nightfold_memory::config::InputConfig) that sets the bound.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineProblem {
    /// The line is not JSON, or a field is missing or of another type.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The line is longer than the limit.
    #[error("the line is longer than {most} bytes (input.max_line_bytes)")]
    LongLine {
        /// Most bytes allowed.
        most: usize,
    },
    /// Bytes that are not UTF-8.
    #[error("the line is not UTF-8 from byte {at} on")]
    Utf8 {
        /// Number of bytes before the first that is not.
        at: usize,
    },
    /// Longer than a text may be.
    #[error("field `{field}`: {given} bytes; at most {most} are allowed (input.max_text_bytes)")]
    LongText {
        /// Name of the field.
        field: &'static str,
        /// Length in bytes.
        given: usize,
        /// Most that are allowed.
        most: usize,
    },
    /// More items than a list may have.
    #[error("field `{field}`: {given} items; at most {most} are allowed (input.max_list)")]
    LongList {
        /// Name of the field.
        field: &'static str,
        /// Number of items.
        given: usize,
        /// Most that are allowed.
        most: usize,
    },
    /// A vector whose model nobody has named.
    #[error("field `vector`: of an unnamed model")]
    VectorOfNoModel,
    /// A vector of another model.
    #[error("field `vector`: of {given}, and this run embeds with {ours}")]
    VectorModel {
        /// Model of the vector.
        given: String,
        /// Model of this run.
        ours: ModelId,
    },
    /// A vector of another length.
    #[error("field `vector`: {given} numbers; {ours} has {expected}")]
    VectorSize {
        /// Number of its components.
        given: usize,
        /// Number of components of a vector of this run.
        expected: usize,
        /// Model of this run.
        ours: ModelId,
    },
}

impl LineProblem {
    /// Returns the column in bytes, from 1, where it is known.
    pub fn column(&self) -> Option<usize> {
        match self {
            Self::Json(error) => Some(error.column),
            Self::Utf8 { at } => Some(at + 1),
            _ => None,
        }
    }

    /// Returns the path to the field that is wrong, where it is known.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Json(error) => error.field.as_deref(),
            Self::LongText { field, .. } | Self::LongList { field, .. } => Some(field),
            Self::VectorOfNoModel | Self::VectorModel { .. } | Self::VectorSize { .. } => Some("vector"),
            Self::LongLine { .. } | Self::Utf8 { .. } => None,
        }
    }
}
