//! Statements as they are compared: their assertions, with words as numbers.

use std::{collections::BTreeMap, ops::Range};

use nightfold_memory::{
    Analysis, Assertion, GameTime, Kind, LanguagePack, MemoryRecord, RecordKind, Token, text::part,
};

use crate::collapse::DistinctMemory;

/// Largest number of words that a statement inserts if it only adds to another one.
const MOST_INSERTED: usize = 3;

/// Maximum length, in bytes, of a statement that is compared as a whole; of longer ones the parts are.
const MAX_WHOLE_BYTES: usize = 240;

/// A statement, split for comparison.
pub(super) struct ParsedStatement<'a> {
    /// Its assertions, in order. Each may hold a position.
    pub(super) assertions: Vec<(Assertion, WordIds)>,
    /// Compared parts: the whole statement, or assertions with short consecutive ones joined
    /// ([`LanguagePack::join_assertions`]), since a clause is best judged together with its neighbour.
    pub(super) parts: Vec<(Range<usize>, WordIds)>,
    /// Content words of its assertions, sorted.
    pub(super) words: Vec<u32>,
    pub(super) kind: Kind,
    /// Length of its text in bytes.
    pub(super) length: usize,
    pub(super) vector: &'a [f32],
    pub(super) at: GameTime,
    /// True if a memory may be merged into it: it is no reflection of an earlier night, and all that it says holds.
    pub(super) may_merge: bool,
}

/// Words of a part of a statement as numbers.
pub(super) struct WordIds {
    /// Content words, sorted.
    pub(super) all: Vec<u32>,
    /// Names, sorted.
    names: Vec<u32>,
    /// True if it has not ended.
    pub(super) holds: bool,
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

impl WordNumbering {
    pub(super) fn parse_memory<'a>(
        &mut self,
        memory: &DistinctMemory,
        analysis: &Analysis,
        vector: &'a [f32],
        pack: &dyn LanguagePack,
    ) -> ParsedStatement<'a> {
        self.parse((memory.kind, &memory.text), memory.last_at, analysis, vector, pack)
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
        let mut parsed = self.parse((entry.kind, &entry.text), entry.last_at, &analysis, vector, pack);
        for (assertion, words) in &mut parsed.assertions {
            let stated = part(&entry.text, assertion.span.clone());
            words.holds = record.ended.iter().all(|position| position.text != stated);
        }
        let may_merge = entry.form != RecordKind::Reflection && record.ended.is_empty();
        ParsedStatement { may_merge, ..parsed }
    }

    fn parse<'a>(
        &mut self,
        (kind, text): (Kind, &str),
        at: GameTime,
        analysis: &Analysis,
        vector: &'a [f32],
        pack: &dyn LanguagePack,
    ) -> ParsedStatement<'a> {
        let spans = pack.assertions(kind, text);
        let joined = || pack.join_assertions(text, &spans).into_iter().map(|joined| joined.span).collect();
        let is_short = !spans.is_empty() && text.len() <= MAX_WHOLE_BYTES;
        let compared: Vec<Range<usize>> =
            if is_short { std::iter::once(0..text.len()).collect() } else { joined() };
        let parts = compared.into_iter().map(|span| (span.clone(), self.words(analysis, &span))).collect();
        let assertions: Vec<(Assertion, WordIds)> = spans
            .into_iter()
            .map(|assertion| {
                let words = self.words(analysis, &assertion.span);
                (assertion, words)
            })
            .collect();
        let mut words: Vec<u32> =
            assertions.iter().flat_map(|(_, words)| words.all.iter().copied()).collect();
        for word in sorted(&mut words) {
            self.counts[*word as usize] += 1;
        }
        self.statements += 1;
        ParsedStatement { assertions, parts, words, kind, length: text.len(), vector, at, may_merge: true }
    }

    fn words(&mut self, analysis: &Analysis, part: &Range<usize>) -> WordIds {
        let tokens = analysis.tokens_in(part);
        let is_name = |t: &&Token| analysis.names.binary_search(&t.lower).is_ok();
        let is_content = |t: &&Token| !t.function && !t.negation;
        let stems = |keep: &dyn Fn(&&Token) -> bool| {
            tokens.iter().filter(keep).map(|t| t.stem.as_str()).collect::<Vec<_>>()
        };
        WordIds {
            all: self.sorted_numbers(stems(&is_content)),
            names: self.sorted_numbers(stems(&is_name)),
            holds: true,
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

    /// Ends the numbering.
    pub(super) fn rarity(&self) -> WordRarity {
        let statements = f64::from(self.statements);
        let weight = |count: u32| (1.0 + statements / f64::from(count.max(1))).ln();
        WordRarity { weights: self.counts.iter().map(|&count| weight(count)).collect(), most: weight(1) }
    }
}

/// Rarity of words among statements: the inverse document frequency of each.
pub(super) struct WordRarity {
    weights: Vec<f64>,
    /// That of a word that one statement alone contains.
    most: f64,
}

impl WordRarity {
    /// Returns how rare some words are, in words that one statement alone contains.
    pub(super) fn distinctiveness(&self, words: impl IntoIterator<Item = u32>) -> f64 {
        let sum: f64 = words.into_iter().map(|word| self.weights[word as usize]).sum();
        sum / self.most
    }
}

impl WordIds {
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
    let mut others = b.iter().copied().peekable();
    a.iter().copied().filter(move |&word| {
        while others.next_if(|&other| other < word).is_some() {}
        others.next_if_eq(&word).is_some()
    })
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
            book.words(&analysis, &(0..text.len()))
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
