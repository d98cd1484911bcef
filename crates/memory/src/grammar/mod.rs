//! Grammar of a text: its words with their parts of speech, relations and features.

mod bytes;
mod tags;
#[cfg(test)]
mod tests;

use std::{ops::Range, sync::Arc};

pub use tags::{Mood, Number, PartOfSpeech, Person, Relation, Tense, VerbForm};

use crate::text::part;

/// Number that marks a word without a head.
const NO_HEAD: u32 = 0xff;

/// Grammar of a text, cheap to clone. It is written as base64 of [`Grammar::to_bytes`].
///
/// The words are in order and do not overlap. Heads form trees: following them from any word ends at a word
/// without a head, the main word of a sentence. Words that the model did not read, because the text is too
/// long, are missing at the end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grammar(Arc<[Word]>);

/// Word of a text with its tags, twelve bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    start: u32,
    end: u32,
    /// Head in 8 bits, part of speech in 5, relation in 6, number, person and tense in 2 each, form of the verb
    /// in 3, mood in 2. A feature is 0 if absent, else one more than the number of its tag.
    tags: u32,
}

/// Tags of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordTags {
    /// Part of speech.
    pub part_of_speech: PartOfSpeech,
    /// Relation to the head.
    pub relation: Relation,
    /// Index of the head among the words; `None` for the main word of a sentence.
    pub head: Option<usize>,
    /// Grammatical number, if the word has one.
    pub number: Option<Number>,
    /// Grammatical person, if the word has one.
    pub person: Option<Person>,
    /// Tense, if the word has one.
    pub tense: Option<Tense>,
    /// Form, if the word is a verb.
    pub verb_form: Option<VerbForm>,
    /// Mood, if the word is a finite verb.
    pub mood: Option<Mood>,
}

impl WordTags {
    /// Returns the tags of a word without further features.
    #[must_use]
    pub const fn new(part_of_speech: PartOfSpeech, relation: Relation, head: Option<usize>) -> Self {
        let (number, person, tense, verb_form, mood) = (None, None, None, None, None);
        Self { part_of_speech, relation, head, number, person, tense, verb_form, mood }
    }
}

/// Reason why words are not a grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GrammarError {
    /// There are too many words.
    #[error("a grammar of {0} words; at most {max} are allowed", max = Grammar::MAX_WORDS)]
    TooManyWords(usize),
    /// A word is empty, or begins before the end of the previous one.
    #[error("word {0} is empty or out of order")]
    Order(usize),
    /// A word's span does not fit into 32 bits.
    #[error("a word lies at byte {0}, beyond 4 GiB")]
    TooFar(usize),
    /// The head of a word is not another word.
    #[error("word {word} has the head {head} among {words} words")]
    Head {
        /// Index of the word.
        word: usize,
        /// Index of its head.
        head: usize,
        /// Number of words.
        words: usize,
    },
    /// Heads lead back to the word.
    #[error("the heads of word {0} lead back to it")]
    Cycle(usize),
    /// Written tags are not those of a word.
    #[error("word {word} has unknown tags ({tags:#x})")]
    Tags {
        /// Index of the word.
        word: usize,
        /// The tags as a number.
        tags: u32,
    },
    /// Written words end early.
    #[error("the words of a grammar end early")]
    Short,
}

impl Word {
    /// Returns the word in a byte range of its text.
    ///
    /// # Errors
    /// [`GrammarError`] if the range does not fit into 32 bits, or the head is not below [`Grammar::MAX_WORDS`].
    pub fn new(span: Range<usize>, tags: WordTags) -> Result<Self, GrammarError> {
        let place = |byte: usize| u32::try_from(byte).map_err(|_| GrammarError::TooFar(byte));
        let head = match tags.head {
            None => NO_HEAD,
            Some(head) if head < Grammar::MAX_WORDS => head as u32,
            Some(head) => return Err(GrammarError::Head { word: head, head, words: Grammar::MAX_WORDS }),
        };
        let feature = |number: Option<u32>| number.map_or(0, |number| number + 1);
        let packed = head
            | (tags.part_of_speech as u32) << 8
            | (tags.relation as u32) << 13
            | feature(tags.number.map(|t| t as u32)) << 19
            | feature(tags.person.map(|t| t as u32)) << 21
            | feature(tags.tense.map(|t| t as u32)) << 23
            | feature(tags.verb_form.map(|t| t as u32)) << 25
            | feature(tags.mood.map(|t| t as u32)) << 28;
        Ok(Self { start: place(span.start)?, end: place(span.end)?, tags: packed })
    }

    /// Byte range of the word in its text.
    pub fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the word as written in its text.
    pub fn written<'t>(&self, text: &'t str) -> &'t str {
        part(text, self.span())
    }

    /// Part of speech.
    pub fn part_of_speech(&self) -> PartOfSpeech {
        PartOfSpeech::from_number(self.bits(8, 5)).unwrap_or(PartOfSpeech::Other)
    }

    /// Relation to the head.
    pub fn relation(&self) -> Relation {
        Relation::from_number(self.bits(13, 6)).unwrap_or(Relation::Dependency)
    }

    /// Index of the head among the words; `None` for the main word of a sentence.
    pub fn head(&self) -> Option<usize> {
        let head = self.bits(0, 8);
        (head != NO_HEAD).then_some(head as usize)
    }

    /// Grammatical number, if the word has one.
    pub fn number(&self) -> Option<Number> {
        Number::from_number(self.bits(19, 2).checked_sub(1)?)
    }

    /// Grammatical person, if the word has one.
    pub fn person(&self) -> Option<Person> {
        Person::from_number(self.bits(21, 2).checked_sub(1)?)
    }

    /// Tense, if the word has one.
    pub fn tense(&self) -> Option<Tense> {
        Tense::from_number(self.bits(23, 2).checked_sub(1)?)
    }

    /// Form, if the word is a verb.
    pub fn verb_form(&self) -> Option<VerbForm> {
        VerbForm::from_number(self.bits(25, 3).checked_sub(1)?)
    }

    /// Mood, if the word is a finite verb.
    pub fn mood(&self) -> Option<Mood> {
        Mood::from_number(self.bits(28, 2).checked_sub(1)?)
    }

    /// Returns all tags.
    pub fn tags(&self) -> WordTags {
        WordTags {
            part_of_speech: self.part_of_speech(),
            relation: self.relation(),
            head: self.head(),
            number: self.number(),
            person: self.person(),
            tense: self.tense(),
            verb_form: self.verb_form(),
            mood: self.mood(),
        }
    }

    /// True for a common or proper noun.
    pub fn is_noun(&self) -> bool {
        matches!(self.part_of_speech(), PartOfSpeech::Noun | PartOfSpeech::ProperNoun)
    }

    fn bits(&self, from: u32, count: u32) -> u32 {
        (self.tags >> from) & ((1 << count) - 1)
    }
}

impl Grammar {
    /// Maximum number of words.
    pub const MAX_WORDS: usize = 255;
    /// Maximum length of [`Grammar::to_bytes`].
    pub const MAX_BYTES: usize = Self::MAX_WORDS * 14;

    /// Returns the grammar of these words.
    ///
    /// # Errors
    /// [`GrammarError`] if the words are not in order, or their heads form no trees.
    pub fn new(words: impl Into<Arc<[Word]>>) -> Result<Self, GrammarError> {
        let words = words.into();
        if words.len() > Self::MAX_WORDS {
            return Err(GrammarError::TooManyWords(words.len()));
        }
        let mut before = 0;
        for (index, word) in words.iter().enumerate() {
            if word.start < before || word.end <= word.start {
                return Err(GrammarError::Order(index));
            }
            before = word.end;
            if let Some(head) = word.head()
                && (head >= words.len() || head == index)
            {
                return Err(GrammarError::Head { word: index, head, words: words.len() });
            }
        }
        let grammar = Self(words);
        match (0..grammar.0.len()).find(|&index| grammar.ancestors(index).count() >= grammar.0.len()) {
            Some(index) => Err(GrammarError::Cycle(index)),
            None => Ok(grammar),
        }
    }

    /// Words, in order.
    pub fn words(&self) -> &[Word] {
        &self.0
    }

    /// Returns the head of a word, the head's head and so on, at most as many as there are words.
    pub fn ancestors(&self, word: usize) -> impl Iterator<Item = usize> {
        let head = |word: usize| self.0.get(word).and_then(Word::head);
        std::iter::successors(head(word), move |&word| head(word)).take(self.0.len())
    }

    /// Returns the words whose head is this word, in order.
    pub fn dependents(&self, head: usize) -> impl Iterator<Item = (usize, &Word)> {
        self.0.iter().enumerate().filter(move |(_, word)| word.head() == Some(head))
    }

    /// Returns the index of the word that a byte of the text belongs to.
    pub fn at(&self, byte: usize) -> Option<usize> {
        let index = self.0.partition_point(|word| word.end as usize <= byte);
        self.0.get(index).filter(|word| word.span().contains(&byte)).map(|_| index)
    }
}
