//! Matters of a text that people remember: what is promised, owed, threatened, given, suffered or hidden.

use nightfold_memory::Meaning;

use crate::{
    lexicon::{
        PhraseClass, WordClass,
        wordnet::{self, PartOfSpeech},
    },
    text::{spaced, statements, tokens},
};

/// Words and phrases of each matter.
const MATTERS: [(Meaning, WordClass, Option<PhraseClass>); 6] = [
    (Meaning::Commitment, WordClass::Commitment, Some(PhraseClass::Commitment)),
    (Meaning::Debt, WordClass::Debt, Some(PhraseClass::Debt)),
    (Meaning::Threat, WordClass::Threat, Some(PhraseClass::Threat)),
    (Meaning::Gift, WordClass::Gift, Some(PhraseClass::Gift)),
    (Meaning::Harm, WordClass::Harm, None),
    (Meaning::Secret, WordClass::Secret, Some(PhraseClass::Secret)),
];

/// Returns the matters of the statements of a text, each once, in the order of their names; what is only asked does
/// not count.
pub(crate) fn meanings(text: &str) -> Vec<Meaning> {
    let mut found: Vec<Meaning> = Vec::new();
    for statement in statements(text).filter(|sentence| !sentence.is_question()) {
        let words = tokens(statement.text);
        let spaced = spaced(statement.text);
        for (meaning, class, phrases) in MATTERS {
            let by_word = || words.iter().any(|token| is_of(class, &token.lower));
            if !found.contains(&meaning)
                && (phrases.is_some_and(|phrases| phrases.occurs_in(&spaced)) || by_word())
            {
                found.push(meaning);
            }
        }
    }
    found.sort_unstable();
    found
}

/// True for a word of the class, and for any form of a verb of the class.
fn is_of(class: WordClass, lower: &str) -> bool {
    class.has(lower)
        || wordnet::lemmas(lower)
            .iter()
            .any(|lemma| lemma.part == PartOfSpeech::Verb && class.has(lemma.word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matters_are_recognised_in_any_form_of_their_words() {
        for (text, meaning) in [
            ("I gave her my word that the grain would come.", Meaning::Commitment),
            ("She swore to come back.", Meaning::Commitment),
            ("Pell still owes me nine silver.", Meaning::Debt),
            ("I'll pay you back at harvest.", Meaning::Debt),
            ("He threatened the miller.", Meaning::Threat),
            ("Leave my land, or else.", Meaning::Threat),
            ("I want you to have this ring.", Meaning::Gift),
            ("The horse was stolen in the night.", Meaning::Harm),
            ("Tell no one about the cellar.", Meaning::Secret),
        ] {
            assert!(meanings(text).contains(&meaning), "{text}: {:?}", meanings(text));
        }
    }

    #[test]
    fn questions_and_everyday_words_mean_nothing_of_the_kind() {
        for text in
            ["Does Pell still owe you silver?", "We played dice all night.", "I swept the common room.", ""]
        {
            assert_eq!(meanings(text), [], "{text}");
        }
    }

    #[test]
    fn text_of_several_matters_has_each_once() {
        let text = "He owes me silver. He owes Tam silver too, and he swore he would pay his debt.";
        assert_eq!(meanings(text), [Meaning::Commitment, Meaning::Debt]);
    }
}
