//! Agreement of the grammar that an embedder reads with people's tags.

use nightfold_memory::{Grammar, grammar::Word};
use serde::Serialize;

use super::CorrectCount;
use crate::data::{TreebankSentence, TreebankWord};

/// Result of a treebank: words that are tagged as people did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GrammarScore {
    /// Number of sentences.
    pub sentences: usize,
    /// Words that stand alone in both: the share on which the other counts rest more firmly.
    pub words: CorrectCount,
    /// Parts of speech.
    pub parts_of_speech: CorrectCount,
    /// Relations, whatever the head.
    pub relations: CorrectCount,
    /// Heads (unlabelled attachment).
    pub heads: CorrectCount,
    /// Heads with their relations (labelled attachment).
    pub heads_with_relations: CorrectCount,
    /// Grammatical numbers, absence included.
    pub numbers: CorrectCount,
    /// Grammatical persons, absence included.
    pub persons: CorrectCount,
    /// Tenses, absence included.
    pub tenses: CorrectCount,
    /// Forms of verbs, absence included.
    pub verb_forms: CorrectCount,
    /// Moods, absence included.
    pub moods: CorrectCount,
}

/// Compares grammars with the sentences' tags. Each word of the treebank is compared with the word that shares
/// most characters with it; a word of which nothing was read counts as wrong.
pub fn grammar(sentences: &[TreebankSentence], read: &[Option<Grammar>]) -> GrammarScore {
    let mut score = GrammarScore { sentences: sentences.len(), ..GrammarScore::default() };
    for (sentence, read) in sentences.iter().zip(read) {
        let words = read.as_ref().map(Grammar::words).unwrap_or_default();
        let found: Vec<Option<usize>> =
            sentence.words.iter().map(|word| nearest(&word.span, words)).collect();
        for (expected, at) in sentence.words.iter().zip(&found) {
            score.count(expected, at.and_then(|at| words.get(at)), |head| found[head], sentence);
        }
    }
    score
}

impl GrammarScore {
    fn count(
        &mut self,
        expected: &TreebankWord,
        word: Option<&Word>,
        found: impl Fn(usize) -> Option<usize>,
        sentence: &TreebankSentence,
    ) {
        let tags = word.map(Word::tags);
        let mut mark = |count: fn(&mut Self) -> &mut CorrectCount, is_right: bool| {
            let count = count(self);
            count.all += 1;
            count.right += usize::from(is_right);
        };
        let head = match expected.tags.head {
            None => tags.is_some_and(|tags| tags.head.is_none()),
            Some(head) => {
                let head = sentence.words.get(head).and_then(|_| found(head));
                head.is_some() && tags.is_some_and(|tags| tags.head == head)
            }
        };
        let relation = tags.is_some_and(|tags| tags.relation == expected.tags.relation);
        mark(|s| &mut s.words, word.is_some_and(|word| word.span() == expected.span));
        mark(
            |s| &mut s.parts_of_speech,
            tags.is_some_and(|tags| tags.part_of_speech == expected.tags.part_of_speech),
        );
        mark(|s| &mut s.relations, relation);
        mark(|s| &mut s.heads, head);
        mark(|s| &mut s.heads_with_relations, head && relation);
        mark(|s| &mut s.numbers, tags.is_some_and(|tags| tags.number == expected.tags.number));
        mark(|s| &mut s.persons, tags.is_some_and(|tags| tags.person == expected.tags.person));
        mark(|s| &mut s.tenses, tags.is_some_and(|tags| tags.tense == expected.tags.tense));
        mark(|s| &mut s.verb_forms, tags.is_some_and(|tags| tags.verb_form == expected.tags.verb_form));
        mark(|s| &mut s.moods, tags.is_some_and(|tags| tags.mood == expected.tags.mood));
    }
}

/// Returns the word with most bytes in common, of equals the first.
fn nearest(span: &std::ops::Range<usize>, words: &[Word]) -> Option<usize> {
    let first = words.partition_point(|word| word.span().end <= span.start);
    let overlap = |word: &Word| word.span().end.min(span.end) - word.span().start.max(span.start);
    let touching = words.iter().enumerate().skip(first).take_while(|(_, word)| word.span().start < span.end);
    let best = touching.reduce(|best, next| if overlap(next.1) > overlap(best.1) { next } else { best });
    best.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use nightfold_memory::grammar::{Number, PartOfSpeech, Relation, WordTags};

    use super::*;

    fn tags(part_of_speech: PartOfSpeech, relation: Relation, head: Option<usize>) -> WordTags {
        let (number, person, tense, verb_form, mood) = (None, None, None, None, None);
        WordTags { part_of_speech, relation, head, number, person, tense, verb_form, mood }
    }

    fn count(right: usize, all: usize) -> CorrectCount {
        CorrectCount { right, all }
    }

    #[test]
    fn words_that_are_split_otherwise_are_compared_by_their_characters() {
        use PartOfSpeech::{Auxiliary, Particle, Verb};
        use Relation::{AdverbialModifier, Auxiliary as Aux, Root};
        let expected = [
            (0..2, tags(Auxiliary, Aux, Some(2))),
            (2..5, tags(Particle, AdverbialModifier, Some(2))),
            (6..8, tags(Verb, Root, None)),
        ];
        let sentence = TreebankSentence {
            text: "don't go".to_owned(),
            words: expected.map(|(span, tags)| TreebankWord { span, tags }).to_vec(),
        };
        let plural = WordTags { number: Some(Number::Plural), ..tags(Verb, Root, None) };
        let read = [
            (0..3, tags(Auxiliary, Aux, Some(2))),
            (3..5, tags(Particle, Relation::Case, Some(0))),
            (6..8, plural),
        ];
        let words: Vec<Word> = read.map(|(span, tags)| Word::new(span, tags).unwrap()).to_vec();
        let score = grammar(std::slice::from_ref(&sentence), &[Some(Grammar::new(words).unwrap())]);
        assert_eq!(score.words, count(1, 3));
        assert_eq!((score.parts_of_speech, score.relations), (count(3, 3), count(2, 3)));
        assert_eq!((score.heads, score.heads_with_relations), (count(2, 3), count(2, 3)));
        assert_eq!((score.numbers, score.tenses), (count(2, 3), count(3, 3)));
        let nothing = grammar(&[sentence], &[None]);
        assert_eq!((nothing.parts_of_speech, nothing.numbers), (count(0, 3), count(0, 3)));
    }
}
