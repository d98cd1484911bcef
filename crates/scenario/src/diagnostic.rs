//! Errors in a scenario, shown with an excerpt of the file.

use std::{
    fmt,
    ops::Range,
    path::{Path, PathBuf},
};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use nightfold_formats::in_words;

use crate::nearest::nearest;

/// Number of diagnostics shown in full; the rest is counted.
const SHOWN: usize = 12;

/// Number of allowed words that are listed.
const LISTED: usize = 40;

/// Width of an excerpt in columns. Of longer lines the part around the place is shown.
const WIDTH: usize = 110;

/// A line, and the range of its bytes that is marked.
type Excerpt = (String, Range<usize>);

/// One error in a scenario, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Path of the file.
    pub path: PathBuf,
    /// Line, from 1; 0 for an error of the file as a whole.
    pub line: usize,
    /// Column, in characters from 1.
    pub column: usize,
    /// Description of the error.
    pub what: String,
    /// Text under the caret: most often a suggestion.
    pub label: String,
    /// Allowed values, or advice.
    pub help: Option<String>,
    /// Line without control characters, and the range of its bytes that is marked.
    excerpt: Option<Box<Excerpt>>,
}

impl Diagnostic {
    /// Creates a diagnostic of a file as a whole.
    pub(crate) fn of_file(path: &Path, what: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line: 0,
            column: 0,
            what: what.into(),
            label: String::new(),
            help: None,
            excerpt: None,
        }
    }

    #[must_use]
    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Suggests the allowed word nearest to the given one, if one is near.
    #[must_use]
    pub(crate) fn suggest<S: AsRef<str>>(self, given: &str, allowed: &[S]) -> Self {
        match nearest(given, allowed) {
            Some(near) => self.label(format!("did you mean `{}`?", near.as_ref())),
            None => self,
        }
    }

    /// Lists the allowed words, if there are any.
    #[must_use]
    pub(crate) fn allowed<S: AsRef<str>>(self, allowed: &[S]) -> Self {
        if allowed.is_empty() { self } else { self.help(format!("allowed: {}", listed(allowed))) }
    }

    /// Rephrases the message of the TOML or JSON parser for the author of the file, with a suggestion.
    #[must_use]
    pub(crate) fn rephrased(mut self) -> Self {
        let message = std::mem::take(&mut self.what);
        if let Some((before, field)) = message.split_once("missing field ") {
            self.what = format!("{before}the key {field} is missing");
            return self;
        }
        let unknown = [("unknown field ", "there is no key"), ("unknown variant ", "there is no")];
        let found = unknown.iter().find_map(|(words, instead)| Some((message.split_once(words)?, instead)));
        let Some(((before, rest), instead)) = found else {
            self.what = in_words(&message);
            return self;
        };
        // Serde puts words in backquotes: the given one, then the allowed ones.
        let mut words = rest.split('`').skip(1).step_by(2);
        let given = words.next().unwrap_or_default();
        let allowed: Vec<&str> = words.collect();
        self.what = format!("{before}{instead} `{given}` here");
        self.suggest(given, &allowed).allowed(&allowed)
    }

    fn render(&self, level: Level<'_>) -> String {
        let path = self.path.display().to_string();
        let place = match self.excerpt.as_deref() {
            Some((text, marked)) => level.primary_title(&self.what).element(
                Snippet::source(text).line_start(self.line).path(&path).annotation(
                    AnnotationKind::Primary
                        .span(marked.clone())
                        .label(Some(self.label.as_str()).filter(|l| !l.is_empty())),
                ),
            ),
            None => Group::with_title(level.primary_title(format!("{path}: {}", self.what))),
        };
        let place = match &self.help {
            Some(help) => place.element(Level::HELP.message(help)),
            None => place,
        };
        Renderer::plain().term_width(WIDTH).render(&[place])
    }
}

/// Returns words in backquotes, the first of many.
pub(crate) fn listed<S: AsRef<str>>(words: &[S]) -> String {
    let listed: Vec<String> = words.iter().take(LISTED).map(|word| format!("`{}`", word.as_ref())).collect();
    let more = match words.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", listed.join(", "))
}

/// Errors in a scenario: at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl fmt::Display for Diagnostics {
    /// Writes the first diagnostic without the word "error", which the caller puts before it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.0.iter().take(SHOWN).enumerate() {
            let level = if i == 0 { Level::ERROR.no_name() } else { Level::ERROR };
            let gap = if i == 0 { "" } else { "\n" };
            write!(f, "{gap}{}", diagnostic.render(level))?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n… and {more} more"),
        }
    }
}

impl std::error::Error for Diagnostics {}

impl Diagnostics {
    /// Refuses if there are any.
    pub(crate) fn refuse(found: Vec<Diagnostic>) -> Result<(), Self> {
        if found.is_empty() { Ok(()) } else { Err(Self(found)) }
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

/// File that diagnostics point into.
#[derive(Debug, Clone)]
pub(crate) struct SourceFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl SourceFile {
    /// Creates a diagnostic of these bytes of the file, or of the file as a whole.
    pub(crate) fn at(&self, span: Option<Range<usize>>, what: impl Into<String>) -> Diagnostic {
        match span {
            Some(span) => self.diagnostic(span, what),
            None => Diagnostic::of_file(&self.path, what),
        }
    }

    /// Creates a diagnostic of these bytes of the file.
    pub(crate) fn diagnostic(&self, span: Range<usize>, what: impl Into<String>) -> Diagnostic {
        let start = floor(&self.text, span.start);
        let (before, rest) = self.text.split_at_checked(start).unwrap_or((&self.text, ""));
        let begun = before.rsplit('\n').next().unwrap_or_default();
        let line_start = start - begun.len();
        let line = before.matches('\n').count() + 1;
        let line_end = rest.find('\n').map_or(self.text.len(), |at| start + at);
        let text = self.text.get(line_start..line_end).unwrap_or_default().trim_end_matches('\r');
        let end = floor(&self.text, span.end).clamp(start, line_start + text.len().max(start - line_start));
        Diagnostic {
            column: begun.chars().count() + 1,
            line,
            excerpt: Some(Box::new(sanitized(text, start - line_start..end - line_start))),
            ..Diagnostic::of_file(&self.path, what)
        }
    }

    /// Creates a diagnostic of these bytes of a line, counted from 1.
    pub(crate) fn diagnostic_on(
        &self,
        line: usize,
        span: Range<usize>,
        what: impl Into<String>,
    ) -> Diagnostic {
        let start = self.start_of(line);
        self.diagnostic(start + span.start..start + span.end, what)
    }

    /// Returns the position of the first byte of a line.
    fn start_of(&self, line: usize) -> usize {
        self.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum()
    }

    /// Returns the text of a line without its line break.
    pub(crate) fn line(&self, line: usize) -> &str {
        self.text.get(self.start_of(line)..).and_then(|rest| rest.lines().next()).unwrap_or_default()
    }
}

fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

/// Replaces every control character of a line by a harmless one; returns the marked bytes in the result.
fn sanitized(line: &str, marked: Range<usize>) -> Excerpt {
    let mut out = String::with_capacity(line.len());
    let mut at = 0..0;
    for (i, c) in line.char_indices() {
        if i == marked.start {
            at.start = out.len();
        }
        if i == marked.end {
            at.end = out.len();
        }
        out.push(match c {
            '\t' => ' ',
            c if c.is_control() => char::REPLACEMENT_CHARACTER,
            c => c,
        });
    }
    if marked.start >= line.len() {
        at.start = out.len();
    }
    if marked.end >= line.len() {
        at.end = out.len();
    }
    let end = at.end.max(at.start);
    (out, at.start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> SourceFile {
        SourceFile { path: "scenario.toml".into(), text: text.to_owned() }
    }

    #[test]
    fn diagnostic_place_is_counted_in_lines_and_characters() {
        let source = source("title = \"ü\"\nkeptt = 1\r\n");
        let at = source.text.find("keptt").unwrap();
        let diagnostic =
            source.diagnostic(at..at + 5, "there is no key `keptt`").label("did you mean `kept`?");
        assert_eq!((diagnostic.line, diagnostic.column), (2, 1));
        let told = Diagnostics::from(diagnostic).to_string();
        assert!(told.contains("scenario.toml:2:1"), "{told}");
        assert!(told.contains("2 | keptt = 1\n  | ^^^^^ did you mean `kept`?"), "{told}");
        assert_eq!(source.line(1), "title = \"ü\"");
    }

    #[test]
    fn control_characters_are_replaced_and_the_caret_stays_in_place() {
        let source = source("\"\u{1b}[2J\u{9b}\" oops");
        let at = source.text.find("oops").unwrap();
        let told = Diagnostics::from(source.diagnostic(at..at + 4, "no value").label("here")).to_string();
        assert!(!told.contains(['\u{1b}', '\u{9b}']), "{told:?}");
        let line = told.lines().find(|l| l.contains("oops")).unwrap();
        let carets = told.lines().find(|l| l.contains("^^^^")).unwrap();
        let column = |line: &str, what: &str| line.split_once(what).unwrap().0.chars().count();
        assert_eq!(column(line, "oops"), column(carets, "^^^^"), "{told}");
    }

    #[test]
    fn span_past_the_end_of_its_line_is_cut() {
        let source = source("a = [1,\n2]");
        let diagnostic = source.diagnostic(4..10, "no");
        assert_eq!((diagnostic.line, diagnostic.excerpt.unwrap().1), (1, 4..7));
        let at_the_end = source.diagnostic(99..120, "no");
        assert_eq!(at_the_end.line, 2);
    }
}
