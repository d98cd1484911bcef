//! Statements as they are compared: their assertions, with words as numbers.

use std::collections::BTreeMap;

use nightfold_memory::{
    Analysis, Assertion, GameTime, Kind, LanguagePack, MemoryRecord, RecordKind, Token, text::part,
};

use crate::collapse::DistinctMemory;

/// Largest number of words that a statement inserts if it only adds to another one.
const MOST_INSERTED: usize = 3;

/// A statement, split for comparison.
pub(super) struct ParsedStatement<'a> {
    /// Its assertions, in order. Each may hold a position.
    pub(super) assertions: Vec<(Assertion, WordIds)>,
    /// Assertions with short consecutive ones joined ([`LanguagePack::join_assertions`]), since a clause is best
    /// judged together with its neighbour.
    pub(super) joined: Vec<(Assertion, WordIds)>,
    pub(super) kind: Kind,
    /// Length of its text in bytes.
    pub(super) length: usize,
    pub(super) vector: &'a [f32],
    pub(super) at: GameTime,
    /// True if a memory may be merged into it: it is no reflection of an earlier night, and all that it says holds.
    pub(super) may_merge: bool,
}

/// Words of an assertion as numbers.
pub(super) struct WordIds {
    /// Content words, sorted.
    pub(super) all: Vec<u32>,
    /// Names, sorted.
    pub(super) names: Vec<u32>,
    /// True if it holds a position that has not ended.
    pub(super) is_position: bool,
    /// True for a position that ends only by being denied.
    pub(super) is_told_happening: bool,
    /// Words of its subject, sorted.
    pub(super) subject: Vec<u32>,
    /// Persons among them: the NPC itself, and whoever speaks.
    pub(super) persons: Vec<u32>,
    /// Content words and persons, sorted.
    pub(super) mentions: Vec<u32>,
    /// All words, in order.
    sequence: Vec<u32>,
    negations: usize,
}

/// Numbering of words, with the number of statements that contain each.
#[derive(Default)]
pub(super) struct WordNumbering {
    numbers: BTreeMap<String, u32>,
    counts: Vec<u32>,
    statements: u32,
}

/// Text of a statement, when it was said and by whom.
#[derive(Clone, Copy)]
struct Utterance<'a> {
    kind: Kind,
    text: &'a str,
    at: GameTime,
    actors: &'a [String],
}

/// Names the speaker of an assertion by the participants: "I" is somebody else in the mouth of another.
fn name_speaker(assertion: &mut Assertion, actors: &[String]) {
    let persons = [&mut assertion.subject, &mut assertion.mentions].into_iter().flatten();
    for stem in persons.filter(|stem| *stem == Assertion::SPEAKER) {
        *stem = format!("{} {}", Assertion::SPEAKER, actors.join(", "));
    }
}

impl WordNumbering {
    pub(super) fn parse_memory<'a>(
        &mut self,
        memory: &DistinctMemory,
        analysis: &Analysis,
        vector: &'a [f32],
        pack: &dyn LanguagePack,
    ) -> ParsedStatement<'a> {
        let said =
            Utterance { kind: memory.kind, text: &memory.text, at: memory.last_at, actors: &memory.actors };
        self.parse(said, analysis, vector, pack)
    }

    pub(super) fn parse_entry<'a>(
        &mut self,
        record: &MemoryRecord,
        vector: &'a [f32],
        pack: &dyn LanguagePack,
    ) -> ParsedStatement<'a> {
        let entry = &record.entry;
        let actors: Vec<&str> = entry.actors.iter().map(String::as_str).collect();
        let analysis = pack.analyze(&entry.text, &actors);
        let said =
            Utterance { kind: entry.kind, text: &entry.text, at: entry.last_at, actors: &entry.actors };
        let mut parsed = self.parse(said, &analysis, vector, pack);
        for (assertion, words) in &mut parsed.assertions {
            let stated = part(&entry.text, assertion.span.clone());
            if record.ended.iter().any(|position| position.text == stated) {
                words.is_position = false;
            }
        }
        let may_merge = entry.form != RecordKind::Reflection && record.ended.is_empty();
        ParsedStatement { may_merge, ..parsed }
    }

    fn parse<'a>(
        &mut self,
        said: Utterance<'_>,
        analysis: &Analysis,
        vector: &'a [f32],
        pack: &dyn LanguagePack,
    ) -> ParsedStatement<'a> {
        let Utterance { kind, text, at, actors } = said;
        let mut spans = pack.assertions(kind, text);
        spans.iter_mut().for_each(|assertion| name_speaker(assertion, actors));
        let joined = self.read(analysis, pack.join_assertions(text, &spans));
        let assertions = self.read(analysis, spans);
        let mut told: Vec<u32> = assertions.iter().flat_map(|(_, words)| words.all.iter().copied()).collect();
        for word in sorted(&mut told) {
            self.counts[*word as usize] += 1;
        }
        self.statements += 1;
        ParsedStatement { assertions, joined, kind, length: text.len(), vector, at, may_merge: true }
    }

    fn read(&mut self, analysis: &Analysis, assertions: Vec<Assertion>) -> Vec<(Assertion, WordIds)> {
        assertions
            .into_iter()
            .map(|assertion| {
                let words = self.words(analysis, &assertion);
                (assertion, words)
            })
            .collect()
    }

    fn words(&mut self, analysis: &Analysis, part: &Assertion) -> WordIds {
        let tokens = analysis.tokens_in(&part.span);
        let is_name = |t: &&Token| analysis.names.binary_search(&t.lower).is_ok();
        let is_content = |t: &&Token| !t.function && !t.negation;
        let stems = |keep: &dyn Fn(&&Token) -> bool| {
            tokens.iter().filter(keep).map(|t| t.stem.as_str()).collect::<Vec<_>>()
        };
        WordIds {
            all: self.sorted_numbers(stems(&is_content)),
            names: self.sorted_numbers(stems(&is_name)),
            is_position: part.is_position,
            is_told_happening: part.is_told_happening,
            subject: self.sorted_numbers(part.subject.iter().map(String::as_str)),
            persons: self.sorted_numbers(
                part.subject.iter().map(String::as_str).filter(|stem| Assertion::is_person(stem)),
            ),
            mentions: self.sorted_numbers(part.mentions.iter().map(String::as_str)),
            sequence: tokens.iter().map(|t| self.number(&t.stem)).collect(),
            negations: tokens.iter().filter(|t| t.negation).count(),
        }
    }

    fn sorted_numbers<'w>(&mut self, words: impl IntoIterator<Item = &'w str>) -> Vec<u32> {
        let mut numbers: Vec<u32> = words.into_iter().map(|word| self.number(word)).collect();
        sorted(&mut numbers);
        numbers
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(&known) = self.numbers.get(word) {
            return known;
        }
        let next = u32::try_from(self.counts.len()).unwrap_or(u32::MAX);
        self.numbers.insert(word.to_owned(), next);
        self.counts.push(0);
        next
    }

    /// Returns the inverse document frequency of a word, which is never zero: two statements that say the same contain
    /// the same words.
    fn weight(&self, word: u32) -> f64 {
        (1.0 + f64::from(self.statements) / f64::from(self.counts[word as usize].max(1))).ln()
    }

    /// True if few statements contain a word: at most this share of them, or this number.
    pub(super) fn is_distinctive(&self, word: u32, share: f64, number: f64) -> bool {
        f64::from(self.counts[word as usize]) <= (share * f64::from(self.statements)).max(number)
    }

    /// Returns the weight of some words.
    pub(super) fn weight_of(&self, words: impl IntoIterator<Item = u32>) -> f64 {
        words.into_iter().map(|word| self.weight(word)).sum()
    }

    /// Returns the share of the less informative part that the other part contains, by weight, 0 to 1.
    pub(super) fn shared_fraction(&self, a: &WordIds, b: &WordIds) -> f64 {
        let weight = |words: &WordIds| self.weight_of(words.all.iter().copied());
        let least = weight(a).min(weight(b));
        if least > 0.0 { self.weight_of(common(&a.all, &b.all)) / least } else { 0.0 }
    }
}

impl ParsedStatement<'_> {
    /// Returns the parts that may end positions. Turns of talk change the subject from sentence to sentence, so their
    /// assertions are not joined.
    pub(super) fn news(&self) -> &[(Assertion, WordIds)] {
        if self.kind == Kind::Chat { &self.assertions } else { &self.joined }
    }
}

impl WordIds {
    /// True if one of the two parts negates what the other one does not.
    pub(super) fn denies(&self, other: &Self) -> bool {
        self.negations % 2 != other.negations % 2
    }

    /// True if this part contains every word of the other part and has the same number of negations.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.negations == other.negations && other.all.iter().all(|word| self.all.binary_search(word).is_ok())
    }

    /// True if this part repeats the other part word for word, with at most a few words inserted ("a
    /// student", "a college student") and any text after it. It then adds to the other part and contradicts
    /// nothing in it.
    pub(super) fn extends(&self, other: &Self) -> bool {
        let mut inserted = 0;
        let mut rest = self.sequence.iter();
        let is_name = |word: &u32| self.names.binary_search(word).is_ok();
        let follows = |word| {
            let mut names = 0;
            let before = rest
                .by_ref()
                .inspect(|w| names += usize::from(*w != word && is_name(w)))
                .position(|w| w == word)?;
            inserted += before;
            (names == 0).then_some(())
        };
        self.negations == other.negations
            && other.sequence.iter().try_for_each(follows).is_some()
            && inserted <= MOST_INSERTED
    }
}

/// Returns the numbers that two sorted lists share.
pub(super) fn common<'a>(a: &'a [u32], b: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
    a.iter().copied().filter(|word| b.binary_search(word).is_ok())
}

/// Sorts numbers and removes duplicates.
fn sorted(numbers: &mut Vec<u32>) -> &[u32] {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
#[cfg(test)]
mod tests {
    use nightfold_english::English;

    use super::*;

    fn extends(newer: &str, older: &str) -> bool {
        let mut book = WordNumbering::default();
        let mut words = |text: &str| {
            let analysis = English.analyze(text, &[]);
            let whole = English.assertions(Kind::Event, text).remove(0);
            book.words(&analysis, &whole)
        };
        let (newer, older) = (words(newer), words(older));
        newer.extends(&older)
    }

    #[test]
    fn statement_that_only_adds_to_another_extends_it() {
        assert!(extends("Maria is a college student.", "Maria is a student."));
        assert!(extends("The sofa is being used by Klaus and his friends.", "The sofa is being used."));
        for (newer, older) in [
            ("Maria is no student.", "Maria is a student."),
            ("Petrov and Halima have ended their engagement.", "Petrov is engaged to Halima."),
            (
                "Captain Strobel was dismissed at dawn; Hartwig commands the watch.",
                "Captain Strobel commands the watch.",
            ),
        ] {
            assert!(!extends(newer, older), "{newer}");
        }
    }
}
