//! Matters of a text that people remember: what is promised, owed, threatened, given, suffered or hidden.

use nightfold_memory::Meaning;

use crate::{
    lexicon::WordClass,
    stance::verb_lemmas,
    text::{spaced, statements, tokens},
};

/// Words and phrases of each matter.
const MATTERS: [(Meaning, WordClass); 6] = [
    (Meaning::Commitment, WordClass::Commitment),
    (Meaning::Debt, WordClass::Debt),
    (Meaning::Threat, WordClass::Threat),
    (Meaning::Gift, WordClass::Gift),
    (Meaning::Harm, WordClass::Harm),
    (Meaning::Secret, WordClass::Secret),
];

/// Returns the matters of the statements of a text, each once, in the order of their names; what is only asked does
/// not count.
pub(crate) fn meanings(text: &str) -> Vec<Meaning> {
    let asserted: Vec<_> = statements(text).filter(|sentence| !sentence.is_question()).collect();
    let is_said = |class: WordClass| {
        asserted.iter().any(|sentence| {
            let of_class = |lower: &str| verb_lemmas(lower).any(|lemma| class.has(lemma));
            class.occurs_in(&spaced(sentence.text))
                || tokens(sentence.text).iter().any(|token| of_class(&token.lower))
        })
    };
    let mut found: Vec<Meaning> =
        MATTERS.into_iter().filter(|(_, class)| is_said(*class)).map(|(meaning, _)| meaning).collect();
    found.sort_unstable();
    found
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
