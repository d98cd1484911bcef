//! Memories read from lines, with their bounds checked.

use std::{
    collections::BTreeMap,
    io::BufRead,
    path::{Path, PathBuf},
};

use nightfold_memory::{Memory, ModelId, config::InputConfig};

use super::{JsonLineError, JsonLines, JsonlError, LineProblem, parse};

/// The model that vectors which come with memories must be of.
#[derive(Debug, Clone, Copy)]
pub struct VectorRule<'a> {
    /// Model the vectors are of, as their author says.
    pub given: Option<&'a str>,
    /// Model of this run.
    pub model: &'a ModelId,
    /// Number of components of its vectors.
    pub dimensions: usize,
}

impl VectorRule<'_> {
    fn check(&self, memory: &Memory) -> Result<(), LineProblem> {
        let Some(vector) = &memory.vector else { return Ok(()) };
        let given = self.given.ok_or(LineProblem::VectorOfNoModel)?;
        let ours = || self.model.clone();
        if given != self.model.as_str() {
            return Err(LineProblem::VectorModel { given: given.to_owned(), ours: ours() });
        }
        let size = vector.as_slice().len();
        if size != self.dimensions {
            return Err(LineProblem::VectorSize { given: size, expected: self.dimensions, ours: ours() });
        }
        Ok(())
    }
}

/// Checks a memory against the bounds on its text and its lists.
///
/// # Errors
/// [`LineProblem::LongText`] or [`LineProblem::LongList`].
pub fn check_bounds(memory: &Memory, limits: &InputConfig) -> Result<(), LineProblem> {
    let (given, most) = (memory.text.len(), limits.max_text_bytes);
    if given > most {
        return Err(LineProblem::LongText { field: "text", given, most });
    }
    let lists = [
        ("actors", memory.actors.len()),
        ("tags", memory.tags.len()),
        ("npc_tags", memory.npc_tags.as_ref().map_or(0, Vec::len)),
        ("sources", memory.sources.len()),
    ];
    if let Some(&(field, given)) = lists.iter().find(|(_, n)| *n > limits.max_list) {
        return Err(LineProblem::LongList { field, given, most: limits.max_list });
    }
    Ok(())
}

/// Memories of a reader, one by one: an iterator that ends after an error of the reader, but not after a bad line.
#[derive(Debug)]
pub struct MemoryLines<'a, R> {
    lines: JsonLines<R>,
    limits: &'a InputConfig,
    vectors: Option<VectorRule<'a>>,
    unread: BTreeMap<String, UnreadField>,
}

/// A field that memories have and that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadField {
    /// Line in which it stands first.
    pub line: usize,
    /// Number of lines in which it stands.
    pub lines: usize,
}

/// Number of names of unread fields that are noted.
const UNREAD: usize = 64;

impl<'a, R: BufRead> MemoryLines<'a, R> {
    /// Begins to read. Errors call the file `file`. A memory with a vector is refused, unless
    /// [`with_vectors`](Self::with_vectors) says which vectors are allowed.
    pub fn new(file: impl Into<PathBuf>, reader: R, limits: &'a InputConfig) -> Self {
        let lines = JsonLines::new(file, reader, limits.max_line_bytes);
        Self { lines, limits, vectors: None, unread: BTreeMap::new() }
    }

    /// Allows vectors that keep the rule.
    #[must_use]
    pub fn with_vectors(self, rule: VectorRule<'a>) -> Self {
        Self { vectors: Some(rule), ..self }
    }

    /// Returns the fields that were met until now and are not read, by name: the game's own, or misspelt ones. Of many
    /// different ones, 64 are noted.
    pub fn unread(&self) -> &BTreeMap<String, UnreadField> {
        &self.unread
    }
}

/// Checks a memory against the bounds and the rule for vectors, without which none is allowed.
fn check_memory(
    memory: &Memory,
    limits: &InputConfig,
    vectors: Option<&VectorRule<'_>>,
) -> Result<(), LineProblem> {
    check_bounds(memory, limits)?;
    match vectors {
        Some(rule) => rule.check(memory),
        None if memory.vector.is_some() => Err(LineProblem::VectorOfNoModel),
        None => Ok(()),
    }
}

impl<R: BufRead> Iterator for MemoryLines<'_, R> {
    type Item = Result<Memory, JsonlError>;

    fn next(&mut self) -> Option<Self::Item> {
        let unread = &mut self.unread;
        let memory = self.lines.next_value_noting::<Memory>(|line, field| {
            if let Some(noted) = unread.get_mut(field) {
                noted.lines += 1;
            } else if unread.len() < UNREAD {
                unread.insert(field.to_owned(), UnreadField { line, lines: 1 });
            }
        })?;
        Some(memory.and_then(|memory| {
            check_memory(&memory, self.limits, self.vectors.as_ref())
                .map_err(|problem| self.lines.error(problem))?;
            Ok(memory)
        }))
    }
}

/// Reads all memories of a reader, one JSON object a line. Errors call the file `file`.
///
/// # Errors
/// [`JsonlError`] of the first line that is bad, or of the reader. A memory with a vector is bad here;
/// [`MemoryLines::with_vectors`] allows vectors.
pub fn read(
    file: impl AsRef<Path>,
    reader: impl BufRead,
    limits: &InputConfig,
) -> Result<Vec<Memory>, JsonlError> {
    MemoryLines::new(file.as_ref(), reader, limits).collect()
}

/// Reads all memories of a text: one JSON object a line, or one JSON array of them, whose items count as lines then.
///
/// ```
/// use nightfold_formats::jsonl;
/// use nightfold_memory::config::InputConfig;
///
/// let text = r#"[{"id":"m-1","npc":"Mara","at":0,"kind":"event","text":"I woke up"}]"#;
/// let memories = jsonl::read_text("memories", text, &InputConfig::default(), None)?;
/// assert_eq!(memories[0].text, "I woke up");
/// # Ok::<(), jsonl::JsonlError>(())
/// ```
///
/// # Errors
/// [`JsonlError`] of the first line or item that is bad. Without a rule a memory with a vector is.
pub fn read_text(
    file: impl AsRef<Path>,
    text: &str,
    limits: &InputConfig,
    vectors: Option<VectorRule<'_>>,
) -> Result<Vec<Memory>, JsonlError> {
    let file = file.as_ref();
    let array = text.trim_start().starts_with('[').then(|| array_lines(file, text)).transpose()?;
    let text = array.as_deref().unwrap_or(text);
    MemoryLines { vectors, ..MemoryLines::new(file, text.as_bytes(), limits) }.collect()
}

/// Returns the items of a JSON array, one per line.
fn array_lines(file: &Path, text: &str) -> Result<String, JsonLineError> {
    let wrong = |error| JsonLineError { file: file.to_owned(), line: 1, problem: LineProblem::Json(error) };
    let items: Vec<serde_json::Value> = parse(text).map_err(wrong)?;
    Ok(items.into_iter().map(|item| format!("{item}\n")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMORY: &str = r#"{"id":"a","npc":"n","at":0,"kind":"event","text":"t"}"#;

    fn with(field: &str) -> String {
        MEMORY.replace('}', &format!(",{field}}}"))
    }

    fn first(line: &str) -> String {
        let limits = InputConfig::default().with(|c| c.max_line_bytes = 1024);
        read("day.jsonl", line.as_bytes(), &limits).unwrap_err().to_string()
    }

    #[test]
    fn bad_line_is_reported_with_column_field_and_allowed_range() {
        let error = first(&format!("\n{}", with("\"importance\":11")));
        assert!(error.starts_with("day.jsonl:2: column "), "{error}");
        assert!(
            error.contains("`importance`") && error.contains("11") && error.contains("1 to 10"),
            "{error}"
        );
        assert!(first("{\"id\":\"a\"").contains("it ends before the JSON is whole"));
        assert!(
            first("{\"id\":\"a\",\"at\":0,\"kind\":\"event\",\"text\":\"t\"}")
                .contains("missing field `npc`")
        );
        assert!(first("{\"id\":\"a\",\"npc\":\"n\",\"at\":NaN}").contains("field `at`"));
    }

    #[test]
    fn vector_of_another_model_or_size_is_refused() {
        let (limits, model) = (InputConfig::default(), ModelId::new("m").unwrap());
        let line = with("\"vector\":[0.6,0.8]");
        let told = |given, dimensions| {
            let rule = VectorRule { given, model: &model, dimensions };
            let read = MemoryLines::new("f", line.as_bytes(), &limits).with_vectors(rule).next().unwrap();
            read.map(drop).map_err(|error| error.to_string())
        };
        assert_eq!(told(Some("m"), 2), Ok(()));
        assert_eq!(told(Some("m"), 3).unwrap_err(), "f:1: field `vector`: 2 numbers; m has 3");
        assert_eq!(told(Some("x"), 2).unwrap_err(), "f:1: field `vector`: of x, and this run embeds with m");
        let unnamed = "f:1: field `vector`: of an unnamed model";
        assert_eq!(told(None, 2).unwrap_err(), unnamed);
        assert_eq!(read("f", line.as_bytes(), &limits).unwrap_err().to_string(), unnamed);
    }

    #[test]
    fn items_of_an_array_count_as_lines() {
        let limits = InputConfig::default();
        let array = format!("\n [{MEMORY},\n\n{MEMORY}]");
        assert_eq!(read_text("f", &array, &limits, None).unwrap().len(), 2);
        let Err(JsonlError::Line(error)) = read_text("f", &format!("[{MEMORY},{{}}]"), &limits, None) else {
            panic!("the second item is no memory");
        };
        assert_eq!((error.line, error.column()), (2, Some(2)));
        assert!(read_text("f", "[] x", &limits, None).is_err());
        assert!(read_text("f", "", &limits, None).unwrap().is_empty());
    }

    #[test]
    fn text_or_list_beyond_its_bound_is_named_with_the_bound() {
        let limits = InputConfig::default().with(|c| {
            c.max_text_bytes = 3;
            c.max_list = 1;
        });
        let told = |line: &str| read("f", line.as_bytes(), &limits).unwrap_err().to_string();
        let text = MEMORY.replace("\"t\"", "\"text\"");
        assert_eq!(told(&text), "f:1: field `text`: 4 bytes; at most 3 are allowed (input.max_text_bytes)");
        let list = "f:1: field `tags`: 2 items; at most 1 are allowed (input.max_list)";
        assert_eq!(told(&with("\"tags\":[\"a\",\"b\"]")), list);
    }
}
