//! Removal of small talk from chat: sentences that only ask, or hardly say anything.

use std::{borrow::Cow, collections::BTreeSet};

use crate::{
    lexicon::is_negation,
    text::{self, Analysis},
};

/// Minimum number of content words of a sentence that says something; "That's so cool!" and "Good to see
/// you!" have fewer.
const MIN_CONTENT_WORDS: usize = 2;

/// Minimum share of the text's content words that must be left.
const MIN_CONTENT_LEFT: f64 = 0.6;

/// Returns the text without its small talk. Sentences with names, numbers or negations stay; if little else
/// would be left, the text is unchanged.
pub(super) fn without_small_talk<'a>(text: &'a str, analysis: &Analysis) -> Cow<'a, str> {
    let sentences = read(text, analysis);
    let told: Vec<&ReadSentence<'_>> = sentences.iter().filter(|s| s.is_kept()).collect();
    let words = |content: &mut dyn Iterator<Item = &BTreeSet<String>>| -> usize {
        content.flatten().collect::<BTreeSet<_>>().len()
    };
    let left = words(&mut told.iter().map(|s| &s.content));
    let all = words(&mut sentences.iter().map(|s| &s.content));
    if told.len() == sentences.len() || left == 0 || (left as f64) < MIN_CONTENT_LEFT * all as f64 {
        return Cow::Borrowed(text);
    }
    Cow::Owned(told.iter().map(|s| s.text).collect::<Vec<_>>().join(" "))
}

struct ReadSentence<'a> {
    /// The sentence with its closing mark.
    text: &'a str,
    /// Stems of the content words.
    content: BTreeSet<String>,
    /// True if it holds a name, a number or a negation.
    has_facts: bool,
    asks: bool,
}

impl ReadSentence<'_> {
    fn is_kept(&self) -> bool {
        self.has_facts || !(self.asks || self.content.len() < MIN_CONTENT_WORDS)
    }
}

/// Reads the sentences of a text. Those without a word are skipped.
fn read<'a>(text: &'a str, analysis: &Analysis) -> Vec<ReadSentence<'a>> {
    let carries = |stem: &String| analysis.content.binary_search(stem).is_ok();
    let read = text::sentences(text).filter_map(|sentence| {
        let tokens = analysis.tokens_in(&sentence.span);
        let marked = tokens
            .iter()
            .any(|t| t.number || is_negation(&t.lower) || analysis.names.binary_search(&t.lower).is_ok());
        let content = tokens.iter().map(|t| t.stem.clone()).filter(carries).collect();
        let asks = sentence.is_question();
        (!tokens.is_empty()).then_some(ReadSentence { text: sentence.text, content, has_facts: marked, asks })
    });
    read.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::analyze;

    fn told(text: &str) -> String {
        without_small_talk(text, &analyze(text, ["Caroline"])).into_owned()
    }

    #[test]
    fn questions_and_empty_sentences_are_removed() {
        assert_eq!(
            told("That's so cool! I planted 3 pear trees behind the mill. What about you?"),
            "I planted 3 pear trees behind the mill."
        );
    }

    #[test]
    fn sentences_with_names_numbers_or_negations_are_kept() {
        for kept in [
            "I planted pear trees behind the mill. What will Caroline say?",
            "I planted pear trees behind the mill. Was it 1892?",
            "I planted pear trees behind the mill. Never again!",
        ] {
            assert_eq!(told(kept), kept);
        }
    }

    #[test]
    fn quotations_stay_whole() {
        for kept in [
            "I told Wren, \"You are a smith's girl,\" and she said, \"I know it. I still want the other.\"",
            "I planted pear trees behind the mill. Rana said, \u{201c}Lovely. Pear trees behind the mill!\u{201d}",
            "I planted pear trees behind the mill and Rana said 'Oh. Lovely.' of them",
            "I planted pear trees behind the mill and said: \u{ab} Good trees. Mine! \u{bb}",
            "I planted pear trees behind the mill, and \"Good trees. Mine!",
        ] {
            assert_eq!(told(kept), kept);
        }
        assert_eq!(
            told("So cool! I planted pear trees and said, \"Mine. All the trees.\""),
            "I planted pear trees and said, \"Mine. All the trees.\""
        );
    }

    #[test]
    fn text_of_mostly_questions_is_unchanged() {
        for kept in ["So cool! How are you?", "Where does the road behind the mill lead? I walked it."] {
            assert_eq!(told(kept), kept);
        }
    }
}
