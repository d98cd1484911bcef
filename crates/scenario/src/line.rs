//! One line of a file: a JSON object within bounds, and what is wrong with one that is not.

use nightfold_memory::{InputConfig, Memory, ModelId};
use serde::Deserialize;

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// No JSON, or not the fields that belong there.
    #[error("column {column}: {}{message}", field.as_ref().map(|f| format!("field `{f}`: ")).unwrap_or_default())]
    Json {
        /// The byte after which reading stopped, counted from 1.
        column: usize,
        /// The way to the field, where it is known.
        field: Option<String>,
        /// The parser's words.
        message: String,
    },
    /// Longer than a line may be.
    #[error("the line is longer than {most} bytes (input.max_line_bytes)")]
    LongLine {
        /// How many bytes are allowed.
        most: usize,
    },
    /// A byte that is no text.
    #[error("the line is not UTF-8 from byte {at} on")]
    Utf8 {
        /// How many bytes before it are.
        at: usize,
    },
    /// Longer than a text may be.
    #[error("field `{field}`: {given} bytes; at most {most} are allowed (input.max_text_bytes)")]
    LongText {
        /// Which field.
        field: &'static str,
        /// Its bytes.
        given: usize,
        /// How many are allowed.
        most: usize,
    },
    /// More items than a list may have.
    #[error("field `{field}`: {given} items; at most {most} are allowed (input.max_list)")]
    LongList {
        /// Which field.
        field: &'static str,
        /// Its items.
        given: usize,
        /// How many are allowed.
        most: usize,
    },
    /// A vector of nobody knows which model.
    #[error("field `vector`: of an unnamed model; name it with --vector-model")]
    VectorOfNoModel,
    /// A vector of another model.
    #[error("field `vector`: of {given}, and this run embeds with {ours}")]
    VectorModel {
        /// The model it is of.
        given: String,
        /// The model of this run.
        ours: ModelId,
    },
    /// A vector of another length.
    #[error("field `vector`: {given} numbers; {ours} has {expected}")]
    VectorSize {
        /// Its numbers.
        given: usize,
        /// How many there should be.
        expected: usize,
        /// The model of this run.
        ours: ModelId,
    },
}

/// What vectors that come with memories must be of.
#[derive(Debug, Clone, Copy)]
pub struct VectorRule<'a> {
    /// The model the user says they are of.
    pub given: Option<&'a str>,
    /// The model of this run.
    pub model: &'a ModelId,
    /// How many numbers a vector of it has.
    pub dimensions: usize,
}

/// Reads one JSON object.
///
/// # Errors
/// [`Problem::Json`] with the field that is wrong, where it is known.
pub fn parse<'de, T: Deserialize<'de>>(line: &'de str) -> Result<T, Problem> {
    let mut json = serde_json::Deserializer::from_str(line);
    let value: T = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        json_problem(error.inner(), Some(path).filter(|p| p != "." && p != "?"))
    })?;
    json.end().map_err(|e| json_problem(&e, None))?;
    Ok(value)
}

/// The parser's words without the place, which is the file's to tell.
pub fn json_problem(error: &serde_json::Error, field: Option<String>) -> Problem {
    let text = error.to_string();
    // The message ends in "at line 1 column 7": the line is the file's, and told by us.
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(m, _)| m).to_owned();
    Problem::Json { column: error.column(), field, message }
}

/// Holds a memory to the bounds on what is read, and its vector, if it has one, to the model of this run.
///
/// # Errors
/// [`Problem`] names the first bound that does not hold.
pub fn check(memory: &Memory, limits: &InputConfig, vectors: &VectorRule<'_>) -> Result<(), Problem> {
    check_bounds(memory, limits)?;
    check_vector(memory, vectors)
}

/// Holds a memory to the bounds on what is read.
///
/// # Errors
/// [`Problem::LongText`] or [`Problem::LongList`].
pub fn check_bounds(memory: &Memory, limits: &InputConfig) -> Result<(), Problem> {
    if memory.text.len() > limits.max_text_bytes {
        return Err(Problem::LongText {
            field: "text",
            given: memory.text.len(),
            most: limits.max_text_bytes,
        });
    }
    let lists =
        [("actors", memory.actors.len()), ("tags", memory.tags.len()), ("sources", memory.sources.len())];
    if let Some(&(field, given)) = lists.iter().find(|(_, n)| *n > limits.max_list) {
        return Err(Problem::LongList { field, given, most: limits.max_list });
    }
    Ok(())
}

fn check_vector(memory: &Memory, vectors: &VectorRule<'_>) -> Result<(), Problem> {
    let Some(vector) = &memory.vector else { return Ok(()) };
    let given = vectors.given.ok_or(Problem::VectorOfNoModel)?;
    let ours = || vectors.model.clone();
    if given != vectors.model.as_str() {
        return Err(Problem::VectorModel { given: given.to_owned(), ours: ours() });
    }
    let size = vector.as_slice().len();
    if size != vectors.dimensions {
        return Err(Problem::VectorSize { given: size, expected: vectors.dimensions, ours: ours() });
    }
    Ok(())
}
