//! Words of statements as numbers: the words that two parts share, and their weight.

use std::collections::BTreeMap;

use nightfold_memory::{Analysis, Assertion, Kind, LanguagePack, Token};

/// Largest number of words that a statement inserts if it only adds to another one.
const MOST_INSERTED: usize = 3;

/// Numbers of the content words of a part and of its names, each sorted, with the number of its negations.
pub(super) struct WordIds {
    pub(super) all: Vec<u32>,
    pub(super) names: Vec<u32>,
    /// All words, in order.
    sequence: Vec<u32>,
    negations: usize,
    pub(super) activity: bool,
}

/// Numbering of words, with the number of statements that contain each.
#[derive(Default)]
pub(super) struct WordNumbering {
    numbers: BTreeMap<String, u32>,
    pub(super) counts: Vec<u32>,
    pub(super) statements: u32,
}

impl WordNumbering {
    fn number(&mut self, word: &str) -> u32 {
        if let Some(&known) = self.numbers.get(word) {
            return known;
        }
        let next = u32::try_from(self.counts.len()).unwrap_or(u32::MAX);
        self.numbers.insert(word.to_owned(), next);
        self.counts.push(0);
        next
    }

    pub(super) fn read(
        &mut self,
        kind: Kind,
        text: &str,
        analysis: &Analysis,
        pack: &dyn LanguagePack,
    ) -> Vec<(Assertion, WordIds)> {
        let parts: Vec<(Assertion, WordIds)> = pack
            .assertions(kind, text)
            .into_iter()
            .map(|assertion| {
                let words = self.words(analysis, &assertion);
                (assertion, words)
            })
            .collect();
        let mut told: Vec<u32> = parts.iter().flat_map(|(_, words)| words.all.iter().copied()).collect();
        for word in sorted(&mut told) {
            self.counts[*word as usize] += 1;
        }
        self.statements += 1;
        parts
    }

    /// Returns the parts of a statement that was read, with short consecutive ones joined.
    pub(super) fn joined_parts(
        &mut self,
        text: &str,
        analysis: &Analysis,
        parts: &[(Assertion, WordIds)],
        pack: &dyn LanguagePack,
    ) -> Vec<(Assertion, WordIds)> {
        let parts: Vec<Assertion> = parts.iter().map(|(assertion, _)| assertion.clone()).collect();
        let told = pack.join_assertions(text, &parts).into_iter();
        told.map(|assertion| {
            let words = self.words(analysis, &assertion);
            (assertion, words)
        })
        .collect()
    }

    fn words(&mut self, analysis: &Analysis, part: &Assertion) -> WordIds {
        let tokens = analysis.tokens_in(&part.span);
        let is_name = |t: &Token| analysis.names.binary_search(&t.lower).is_ok();
        let telling = tokens.iter().filter(|t| !t.function && !t.negation);
        let mut all: Vec<u32> = telling.map(|t| self.number(&t.stem)).collect();
        let mut names: Vec<u32> =
            tokens.iter().filter(|t| is_name(t)).map(|t| self.number(&t.stem)).collect();
        sorted(&mut all);
        sorted(&mut names);
        let negations = tokens.iter().filter(|t| t.negation).count();
        let sequence = tokens.iter().map(|t| self.number(&t.stem)).collect();
        WordIds { all, names, sequence, negations, activity: part.activity }
    }

    /// Returns the inverse document frequency of a word: a word in every statement weighs nothing.
    fn weight(&self, word: u32) -> f64 {
        (f64::from(self.statements + 1) / f64::from(self.counts[word as usize] + 1)).ln()
    }

    /// Returns the weight of the words of a part.
    pub(super) fn weight_of(&self, words: &WordIds) -> f64 {
        words.all.iter().map(|&w| self.weight(w)).sum()
    }

    /// Returns the weight of the words that two parts share.
    pub(super) fn shared_weight(&self, a: &WordIds, b: &WordIds) -> f64 {
        a.all.iter().filter(|w| b.all.binary_search(w).is_ok()).map(|&w| self.weight(w)).sum()
    }

    /// Returns the share of the less informative part that the other part contains, by weight, 0 to 1.
    pub(super) fn shared_fraction(&self, a: &WordIds, b: &WordIds) -> f64 {
        let least = self.weight_of(a).min(self.weight_of(b));
        if least > 0.0 { self.shared_weight(a, b) / least } else { 0.0 }
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
        let follows = |word| {
            let before = rest.by_ref().position(|w| w == word)?;
            inserted += before;
            Some(())
        };
        self.negations == other.negations
            && other.sequence.iter().try_for_each(follows).is_some()
            && inserted <= MOST_INSERTED
    }
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
    use nightfold_memory::Foundation;

    use super::*;

    fn extends(newer: &str, older: &str) -> bool {
        let mut book = WordNumbering::default();
        let mut words = |text: &str| {
            let analysis = English.analyze(text, &[]);
            let whole = Assertion { span: 0..text.len(), foundation: Foundation::Lived, activity: false };
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
