//! Normal form of a text: what is measured of it does not depend on who wrote it down.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{
    grammar::{Grammar, Word},
    text::part,
};

/// Replacement in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// Byte range of the text that is replaced.
    pub span: Range<usize>,
    /// Text that stands there instead.
    pub with: String,
}

/// Text with replacements, which is measured in the place of the text that it was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NormalForm {
    text: String,
    edits: Vec<Edit>,
}

impl NormalForm {
    /// Makes replacements, which are in order and do not overlap; `None` if there are none.
    pub fn new(text: &str, edits: Vec<Edit>) -> Option<Self> {
        let last = edits.last()?.span.end;
        let mut normal = String::with_capacity(text.len());
        let mut written_to = 0;
        for edit in &edits {
            normal.push_str(part(text, written_to..edit.span.start));
            normal.push_str(&edit.with);
            written_to = edit.span.end;
        }
        normal.push_str(part(text, last..text.len()));
        Some(Self { text: normal, edits })
    }

    /// Returns the text with its replacements.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the grammar of the original text, given that of the normal form; `None` if a word has no place there.
    pub fn source_grammar(&self, grammar: &Grammar) -> Option<Grammar> {
        let word = |word: &Word| {
            let span = word.span();
            Word::new(self.source(span.start, false)..self.source(span.end, true), word.tags()).ok()
        };
        let words: Option<Vec<Word>> = grammar.words().iter().map(word).collect();
        Grammar::new(words?).ok()
    }

    /// Returns the byte of the original text for a byte of the normal form: of a replacement its beginning or its end.
    fn source(&self, byte: usize, is_end: bool) -> usize {
        let (mut source, mut normal) = (0, 0);
        for Edit { span, with } in &self.edits {
            let start = normal + (span.start - source);
            let end = start + with.len();
            if byte < start || is_end && byte == start {
                break;
            }
            if byte < end || is_end && byte == end {
                return if is_end { span.end } else { span.start };
            }
            (source, normal) = (span.end, end);
        }
        source + (byte - normal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::{PartOfSpeech, Relation, WordTags};

    #[test]
    fn grammar_of_a_normal_form_lies_in_the_original_text() {
        let text = "[seen] Mara Voss is ill.";
        let edit = |span, with: &str| Edit { span, with: with.to_owned() };
        let normal =
            NormalForm::new(text, vec![edit(0..7, ""), edit(7..16, "I"), edit(17..19, "am")]).unwrap();
        assert_eq!(normal.text(), "I am ill.");
        let word = |span| Word::new(span, WordTags::new(PartOfSpeech::Noun, Relation::Root, None)).unwrap();
        let read = Grammar::new(vec![word(0..1), word(2..4), word(5..8), word(8..9)]).unwrap();
        let grammar = normal.source_grammar(&read).unwrap();
        let written: Vec<&str> = grammar.words().iter().map(|word| word.written(text)).collect();
        assert_eq!(written, ["Mara Voss", "is", "ill", "."]);
    }

    #[test]
    fn text_without_edits_has_no_normal_form() {
        assert_eq!(NormalForm::new("I am ill.", Vec::new()), None);
    }
}
