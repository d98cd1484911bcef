//! Subjects of memories by grammar: things that are spoken of, without a guess from the words around them.

use nightfold_memory::grammar::{Grammar, Number, PartOfSpeech, Relation};

use super::subject::{NounPhrase, may_have_owner};
use crate::{
    lexicon::WordClass,
    text::{Analysis, NounGroup, Token, is_possessive, noun_groups, token_of, words_text},
};

/// Returns the noun phrases of a memory that name things. `own` is the analysis of the NPC's name.
pub(super) fn noun_phrases_by_grammar(
    text: &str,
    analysis: &Analysis,
    grammar: &Grammar,
    own: &Analysis,
) -> Vec<NounPhrase> {
    let reader = Reader { text, analysis, grammar, own };
    noun_groups(grammar).iter().filter_map(|group| reader.phrase(group)).collect()
}

struct Reader<'a> {
    text: &'a str,
    analysis: &'a Analysis,
    grammar: &'a Grammar,
    own: &'a Analysis,
}

impl Reader<'_> {
    fn token(&self, word: usize) -> Option<&Token> {
        self.analysis.tokens.get(token_of(self.analysis, self.grammar, word)?)
    }

    fn phrase(&self, group: &NounGroup) -> Option<NounPhrase> {
        let noun_index = token_of(self.analysis, self.grammar, group.head)?;
        let head = self.analysis.tokens.get(noun_index)?;
        let word = self.grammar.words().get(group.head)?;
        let is_name = head.capital && self.analysis.names.binary_search(&head.lower).is_ok();
        let names_nothing = !head.names_theme || WordClass::Meal.has(&head.lower);
        if word.part_of_speech() != PartOfSpeech::Noun || is_name || names_nothing || self.describes(group) {
            return None;
        }
        let determiner = group.determiner.and_then(|at| self.token(at)).map(|t| t.lower.as_str());
        let owner = self.owner(group);
        let is_bare = group.number.is_none() && self.is_without_determiner(group);
        let number = group.number.as_ref().map(|number| words_text(self.text, self.grammar, number));
        let words = group.core.start..group.head + 1;
        Some(NounPhrase {
            stem: head.stem.clone(),
            words: words_text(self.text, self.grammar, &words).split(' ').map(str::to_owned).collect(),
            number,
            owner_open: match group.owner.as_ref().and_then(|owner| self.token(owner.start)) {
                Some(possessive) => owner.is_none() && may_have_owner(&possessive.lower),
                None => determiner.is_none_or(may_have_owner),
            },
            owner,
            of_phrase: group.tail.as_ref().map(|tail| words_text(self.text, self.grammar, tail)),
            without_article: is_bare && word.number() != Some(Number::Plural),
            is_place: self.is_place(group),
            noun_index,
        })
    }

    /// True if neither the grammar nor the word before the phrase knows a determiner or owner of it.
    fn is_without_determiner(&self, group: &NounGroup) -> bool {
        let first = token_of(self.analysis, self.grammar, group.core.start);
        let tokens = first.and_then(|first| self.analysis.tokens.get(first.saturating_sub(1)..=first));
        group.determiner.is_none()
            && group.owner.is_none()
            && tokens.unwrap_or_default().iter().all(|token| {
                !WordClass::Determiner.has(&token.lower)
                    && !WordClass::Attributive.has(&token.lower)
                    && !is_possessive(token.written(self.text))
            })
    }

    /// True for a noun that describes somebody: "Ida is a smith" mentions no smith.
    fn describes(&self, group: &NounGroup) -> bool {
        let article = group.determiner.and_then(|at| self.token(at));
        article.is_some_and(|article| matches!(article.lower.as_str(), "a" | "an"))
            && self.grammar.dependents(group.head).any(|(_, word)| word.relation() == Relation::Copula)
    }

    /// True for the place of an event: "at the mill".
    fn is_place(&self, group: &NounGroup) -> bool {
        let mut cases = self
            .grammar
            .dependents(group.head)
            .filter(|(at, word)| word.relation() == Relation::Case && *at < group.head);
        cases.any(|(at, _)| self.token(at).is_some_and(|token| WordClass::Place.has(&token.lower)))
    }

    /// Returns the owner as a text about several memories names it: "my" for the NPC itself, none for "his".
    fn owner(&self, group: &NounGroup) -> Option<String> {
        let owner = group.owner.as_ref()?;
        if group.is_owner_pronoun(self.grammar) {
            let pronoun = self.token(owner.start)?;
            return matches!(pronoun.lower.as_str(), "my" | "our").then(|| pronoun.lower.clone());
        }
        let named = owner.clone().filter_map(|at| self.token(at)).find(|t| t.capital)?;
        let mine = self.own.tokens.iter().any(|own| own.lower == named.lower);
        Some(if mine { "my".to_owned() } else { words_text(self.text, self.grammar, owner) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        synthesize::subject::{are_all_places, phrase_for},
        text::{analyze, tagged},
    };

    fn found(text: &str, tags: &str) -> Vec<NounPhrase> {
        let own = analyze("Ida Berg", ["Ida"]);
        let grammar = tagged(text, tags);
        noun_phrases_by_grammar(text, &analyze(text, ["Odo", "Rana"]), &grammar, &own)
    }

    fn named(memories: &[(&str, &str)], stem: &str) -> Option<String> {
        let found: Vec<Vec<NounPhrase>> = memories.iter().map(|(text, tags)| found(text, tags)).collect();
        let mentions: Vec<&NounPhrase> = found.iter().flatten().filter(|t| t.stem == stem).collect();
        phrase_for(&mentions)
    }

    const FEVER: (&str, &str) = (
        "Odo's fever rose.",
        "Odo/PROPN/nmod/3 's/PART/case/1 fever/NOUN/nsubj/4 rose/VERB/root/0 ./PUNCT/punct/4",
    );

    #[test]
    fn owner_is_named_where_other_mentions_leave_it_open() {
        let broke =
            ("His fever broke.", "His/PRON/nmod/2 fever/NOUN/nsubj/3 broke/VERB/root/0 ./PUNCT/punct/3");
        assert_eq!(named(&[FEVER, broke], "fever").unwrap(), "Odo's fever");
        let mine = ("My fever broke.", "My/PRON/nmod/2 fever/NOUN/nsubj/3 broke/VERB/root/0 ./PUNCT/punct/3");
        assert_eq!(named(&[FEVER, mine], "fever").unwrap(), "the fever");
    }

    #[test]
    fn verbs_and_descriptions_are_no_things() {
        assert!(found("She ran away.", "She/PRON/nsubj/2 ran/VERB/root/0 away/ADV/advmod/2").is_empty());
        let smith = "Rana/PROPN/nsubj/4 is/AUX/cop/4 a/DET/det/4 smith/NOUN/root/0";
        assert!(found("Rana is a smith", smith).is_empty());
    }

    #[test]
    fn noun_needs_no_cue() {
        let fed = ("I cut feverfew", "I/PRON/nsubj/2 cut/VERB/root/0 feverfew/NOUN/obj/2");
        let sold = ("We sold feverfew", "We/PRON/nsubj/2 sold/VERB/root/0 feverfew/NOUN/obj/2");
        assert_eq!(named(&[fed, sold], "feverfew").unwrap(), "feverfew");
    }

    #[test]
    fn place_of_an_event_is_no_topic() {
        let tags = "I/PRON/nsubj/2 sat/VERB/root/0 at/ADP/case/5 the/DET/det/5 mill/NOUN/obl/2";
        let found = found("I sat at the mill", tags);
        assert!(are_all_places(&found.iter().collect::<Vec<_>>()));
    }
}
