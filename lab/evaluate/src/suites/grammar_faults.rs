//! Checks of a text by its grammar, read back from the text.

use nightfold_memory::{
    Grammar,
    grammar::{Number, PartOfSpeech, Relation, Tense, Word},
};

/// Words of which only one can begin a noun phrase.
const DETERMINERS: [&str; 15] = [
    "a", "an", "the", "my", "your", "his", "its", "our", "their", "this", "that", "these", "those", "every",
    "no",
];

/// Number of faults by kind: sentences without a verb, auxiliary or copula as their main word; two determiners of one noun
/// ("the my"); sentences that end with a preposition that awaits its noun, a conjunction or a determiner; verbs in another
/// number than their subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct GrammarFaults([usize; 4]);

impl GrammarFaults {
    /// Returns the faults of a text.
    pub(super) fn of(text: &str, grammar: &Grammar) -> Self {
        let words = grammar.words();
        let lower = |word: &Word| word.written(text).to_lowercase();
        let is_determiner = |word: &Word| {
            word.part_of_speech() != PartOfSpeech::Pronoun || word.relation() != Relation::Subject
        };
        let verbless = (0..words.len()).filter(|&at| is_verbless(grammar, at) && !is_label(text, words, at));
        let doubled = words.windows(2).filter(|pair| {
            pair.iter().all(|word| is_determiner(word) && DETERMINERS.contains(&lower(word).as_str()))
        });
        let dangling = last_words(text, words).filter(|word| dangles(word));
        let disagreeing = (0..words.len()).filter(|&at| disagrees(grammar, at));
        Self([verbless.count(), doubled.count(), dangling.count(), disagreeing.count()])
    }

    /// Returns the faults of two texts.
    pub(super) fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|kind| self.0[kind] + other.0[kind]))
    }

    /// True if there is any fault.
    pub(super) fn any(self) -> bool {
        self != Self::default()
    }

    /// True if there are more faults of a kind than the sources have.
    pub(super) fn beyond(self, sources: Self) -> bool {
        self.0.iter().zip(sources.0).any(|(own, theirs)| *own > theirs)
    }
}

/// True for the main word of a sentence if that has no verb and no copula.
fn is_verbless(grammar: &Grammar, at: usize) -> bool {
    let word = &grammar.words()[at];
    let is_verb = |word: &Word| {
        matches!(word.part_of_speech(), PartOfSpeech::Verb | PartOfSpeech::Auxiliary)
            || word.relation() == Relation::Copula
    };
    word.relation() == Relation::Root
        && word.part_of_speech() != PartOfSpeech::Punctuation
        && !is_verb(word)
        && !grammar.dependents(at).any(|(_, below)| is_verb(below))
}

/// True for a word of what stands before a colon: "Two days ago: …" needs no verb.
fn is_label(text: &str, words: &[Word], at: usize) -> bool {
    let mark = words[at..].iter().find(|word| word.part_of_speech() == PartOfSpeech::Punctuation);
    mark.is_some_and(|mark| mark.written(text) == ":")
}

/// Returns the last word of each sentence, marks left out.
fn last_words<'g>(text: &'g str, words: &'g [Word]) -> impl Iterator<Item = &'g Word> {
    words.iter().enumerate().filter_map(move |(at, word)| {
        let ends = |next: &Word| matches!(next.written(text), "." | "!" | "?");
        let is_last = words.get(at + 1).is_none_or(ends);
        (is_last && word.part_of_speech() != PartOfSpeech::Punctuation).then_some(word)
    })
}

fn dangles(word: &Word) -> bool {
    match word.part_of_speech() {
        PartOfSpeech::Adposition => word.relation() == Relation::Case,
        PartOfSpeech::Coordinator => true,
        PartOfSpeech::Subordinator => word.relation() == Relation::Marker,
        PartOfSpeech::Determiner => word.relation() == Relation::Determiner,
        _ => false,
    }
}

/// True for a subject whose number is known and not that of its verb in the present tense.
fn disagrees(grammar: &Grammar, at: usize) -> bool {
    let words = grammar.words();
    let subject = &words[at];
    let is_subject = subject.relation() == Relation::Subject
        && (subject.is_noun() || subject.part_of_speech() == PartOfSpeech::Pronoun);
    let Some(verb) = subject.head().filter(|_| is_subject) else { return false };
    let is_joined = grammar.dependents(at).any(|(_, below)| below.relation() == Relation::Conjunct);
    let auxiliary = grammar
        .dependents(verb)
        .find(|(_, below)| matches!(below.relation(), Relation::Auxiliary | Relation::Copula));
    let finite = auxiliary.map_or(&words[verb], |(_, auxiliary)| auxiliary);
    let numbers = subject.number().zip(finite.number());
    let is_present = finite.tense() == Some(Tense::Present);
    !is_joined
        && is_present
        && numbers.is_some_and(|(own, of_verb)| (own == Number::Plural) != (of_verb == Number::Plural))
}

#[cfg(test)]
mod tests {
    use nightfold_memory::grammar::WordTags;

    use super::*;

    type Tagged<'a> = (&'a str, PartOfSpeech, Relation, Option<usize>, Option<Number>);

    fn faults(tagged: &[Tagged<'_>]) -> GrammarFaults {
        let mut text = String::new();
        let mut words = Vec::new();
        for &(written, part_of_speech, relation, head, number) in tagged {
            let start = text.len();
            text.push_str(written);
            let tense = (number.is_some() && part_of_speech == PartOfSpeech::Verb).then_some(Tense::Present);
            let (person, verb_form, mood) = (None, None, None);
            let tags = WordTags { part_of_speech, relation, head, number, person, tense, verb_form, mood };
            words.push(Word::new(start..text.len(), tags).unwrap());
            text.push(' ');
        }
        GrammarFaults::of(&text, &Grammar::new(words).unwrap())
    }

    #[test]
    fn sound_sentence_has_no_faults() {
        use PartOfSpeech::{Determiner, Noun, Punctuation, Verb};
        let one = Some(Number::Singular);
        let sound = faults(&[
            ("The", Determiner, Relation::Determiner, Some(1), None),
            ("fever", Noun, Relation::Subject, Some(2), one),
            ("rises", Verb, Relation::Root, None, one),
            (".", Punctuation, Relation::Punctuation, Some(2), None),
        ]);
        assert_eq!(sound, GrammarFaults::default());
    }

    #[test]
    fn faults_are_counted() {
        use PartOfSpeech::{Adposition, Determiner, Noun, Pronoun, Verb};
        let one = Some(Number::Singular);
        let found = faults(&[
            ("The", Determiner, Relation::Determiner, Some(2), None),
            ("my", Pronoun, Relation::NominalModifier, Some(2), None),
            ("hooks", Noun, Relation::Subject, Some(3), Some(Number::Plural)),
            ("rises", Verb, Relation::Root, None, one),
            ("of", Adposition, Relation::Case, Some(3), None),
        ]);
        assert_eq!(found, GrammarFaults([0, 1, 1, 1]));
        assert!(found.beyond(GrammarFaults([9, 1, 1, 0])) && !found.beyond(found));
        assert_eq!(faults(&[("fever", Noun, Relation::Root, None, None)]), GrammarFaults([1, 0, 0, 0]));
    }
}
