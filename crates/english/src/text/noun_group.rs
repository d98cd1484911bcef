//! Noun phrases of a text, by its grammar.

use std::ops::Range;

use nightfold_memory::grammar::{Grammar, PartOfSpeech, Relation};

use super::{Analysis, part};

/// Maximum number of words behind the main noun: "rounds on the east wall".
const MAX_TAIL_WORDS: usize = 5;

/// Noun phrase as ranges of words of a grammar. The parts stand in this order, each beside the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NounGroup {
    /// Article or other determiner.
    pub(crate) determiner: Option<usize>,
    /// Owner: "Odo's" fever, "my" axle.
    pub(crate) owner: Option<Range<usize>>,
    /// Number: "14" silver.
    pub(crate) number: Option<Range<usize>>,
    /// The noun with the words before it that describe it, and with further parts of a name: "broken axle",
    /// "Mara Thorne".
    pub(crate) core: Range<usize>,
    /// Main noun, a word of the core.
    pub(crate) head: usize,
    /// Preposition and noun behind it: "of 14 silver", "on the east wall".
    pub(crate) tail: Option<Range<usize>>,
}

impl NounGroup {
    /// Words of the phrase without determiner.
    pub(crate) fn words(&self) -> Range<usize> {
        let parts = [self.owner.as_ref(), self.number.as_ref(), Some(&self.core)];
        let start = parts.into_iter().flatten().map(|part| part.start).min().unwrap_or(self.head);
        start..self.tail.as_ref().map_or(self.core.end, |tail| tail.end)
    }

    /// True if the owner is a pronoun: "my", "his".
    pub(crate) fn is_owner_pronoun(&self, grammar: &Grammar) -> bool {
        self.owner.as_ref().is_some_and(|owner| {
            owner.len() == 1
                && grammar
                    .words()
                    .get(owner.start)
                    .is_some_and(|w| w.part_of_speech() == PartOfSpeech::Pronoun)
        })
    }
}

/// Returns the noun phrases of a text, in order. A noun that describes another one ("mill" in "mill race") is
/// part of that one's phrase; a noun behind a preposition has a phrase of its own, too. Who is spoken to has none.
pub(crate) fn noun_groups(grammar: &Grammar) -> Vec<NounGroup> {
    let words = grammar.words();
    let is_head = |at: &usize| {
        words[*at].is_noun()
            && match words[*at].relation() {
                // "The lintel over the gate" is no gate, even if it is read as one.
                Relation::Compound => words[*at].head().is_some_and(|head| is_apart(grammar, *at, head)),
                Relation::Flat
                | Relation::Fixed
                | Relation::PartOfWord
                | Relation::Discourse
                | Relation::Vocative
                | Relation::AdjectivalModifier => false,
                Relation::NominalModifier => !is_title(grammar, *at),
                _ => true,
            }
    };
    (0..words.len()).filter(is_head).map(|head| group(grammar, head)).collect()
}

/// True for a word that is directly before a name and part of it: "Captain" in "Captain Ferris".
fn is_title(grammar: &Grammar, word: usize) -> bool {
    let words = grammar.words();
    let name = words.get(word + 1).filter(|name| name.part_of_speech() == PartOfSpeech::ProperNoun);
    name.is_some()
        && words[word].is_noun()
        && words[word].relation() == Relation::NominalModifier
        && words[word].head() == Some(word + 1)
        && grammar.dependents(word).next().is_none()
}

/// True if a preposition or a determiner stands between two words.
fn is_apart(grammar: &Grammar, word: usize, other: usize) -> bool {
    let between = word.min(other) + 1..word.max(other);
    grammar.words().get(between).is_some_and(|between| {
        between
            .iter()
            .any(|word| matches!(word.part_of_speech(), PartOfSpeech::Adposition | PartOfSpeech::Determiner))
    })
}

/// Returns the text of some words of its grammar, as written but with single spaces.
pub(crate) fn words_text(text: &str, grammar: &Grammar, words: &Range<usize>) -> String {
    let Some(part_of) = grammar.words().get(words.clone()) else { return String::new() };
    let (Some(first), Some(last)) = (part_of.first(), part_of.last()) else { return String::new() };
    let written = part(text, first.span().start..last.span().end);
    written.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the index of the token of an analysis that a word of its grammar is, or begins.
pub(crate) fn token_of(analysis: &Analysis, grammar: &Grammar, word: usize) -> Option<usize> {
    let start = grammar.words().get(word)?.span().start;
    let at = analysis.tokens.partition_point(|token| token.end <= start);
    analysis.tokens.get(at).filter(|token| token.start <= start).map(|_| at)
}

/// Returns the word through which `word` depends on `head`: itself, or the one of its ancestors that does.
fn branch(grammar: &Grammar, word: usize, head: usize) -> Option<usize> {
    std::iter::once(word).chain(grammar.ancestors(word)).find(|&at| grammar.words()[at].head() == Some(head))
}

fn group(grammar: &Grammar, head: usize) -> NounGroup {
    let words = grammar.words();
    let mut found =
        NounGroup { determiner: None, owner: None, number: None, core: head..head + 1, head, tail: None };
    for at in (0..head).rev() {
        let Some(by) = branch(grammar, at, head).filter(|&by| by < head) else { break };
        let is_before_owner = found.owner.is_none();
        match words[by].relation() {
            Relation::Compound | Relation::AdjectivalModifier | Relation::Flat
                if is_before_owner && found.number.is_none() =>
            {
                found.core.start = at;
            }
            Relation::NominalModifier if is_title(grammar, at) => found.core.start = at,
            Relation::NumericModifier if is_before_owner => {
                found.number = Some(at..found.number.map_or(at + 1, |number| number.end));
            }
            Relation::NominalModifier => {
                let end = found.owner.map_or(at + 1, |owner| owner.end);
                found.owner = Some(at..end);
            }
            Relation::Determiner
                if words[by].part_of_speech() == PartOfSpeech::Pronoun && is_before_owner =>
            {
                found.owner = Some(at..at + 1);
            }
            Relation::Determiner if is_before_owner => {
                found.determiner = Some(at);
                break;
            }
            _ => break,
        }
    }
    trim_owner(grammar, &mut found);
    while let Some(word) = words.get(found.core.end)
        && word.head() == Some(head)
        && word.relation() == Relation::Flat
        && word.part_of_speech() != PartOfSpeech::Numeral
    {
        found.core.end += 1;
    }
    found.tail = tail(grammar, &found);
    found
}

/// Leaves out the article of an owner, and an owner without a possessive form.
fn trim_owner(grammar: &Grammar, found: &mut NounGroup) {
    let words = grammar.words();
    let Some(mut owner) = found.owner.take() else { return };
    let is_pronoun = owner.len() == 1 && words[owner.start].part_of_speech() == PartOfSpeech::Pronoun;
    let is_possessive = words[owner.end - 1].relation() == Relation::Case;
    if !is_pronoun && !is_possessive {
        return;
    }
    while owner.len() > 1 && words[owner.start].part_of_speech() == PartOfSpeech::Determiner {
        owner.start += 1;
    }
    found.owner = Some(owner);
}

/// Returns the preposition behind a noun with the noun that depends on it.
fn tail(grammar: &Grammar, found: &NounGroup) -> Option<Range<usize>> {
    let words = grammar.words();
    let start = found.core.end;
    let preposition = words.get(start).filter(|word| {
        word.part_of_speech() == PartOfSpeech::Adposition && word.relation() == Relation::Case
    })?;
    let noun = preposition.head().filter(|&noun| {
        noun > start
            && words[noun].head() == Some(found.head)
            && words[noun].relation() == Relation::NominalModifier
            && (words[noun].is_noun() || words[noun].part_of_speech() == PartOfSpeech::Numeral)
    })?;
    let belongs = |at: usize| {
        at == noun
            || branch(grammar, at, noun).is_some_and(|by| {
                matches!(
                    words[by].relation(),
                    Relation::Determiner
                        | Relation::Compound
                        | Relation::AdjectivalModifier
                        | Relation::NumericModifier
                        | Relation::NominalModifier
                )
            })
    };
    let mut end = noun + 1;
    while words.get(end).is_some_and(|word| word.head() == Some(noun) && word.relation() == Relation::Flat) {
        end += 1;
    }
    ((start + 1..noun).all(belongs) && end - start <= MAX_TAIL_WORDS).then_some(start..end)
}

#[cfg(test)]
pub(crate) mod tests {
    use nightfold_memory::grammar::{Tense, VerbForm, Word, WordTags};

    use super::*;

    /// Returns the grammar of a text from "word/POS/relation/head" for each of its words, heads counted from 1.
    pub(crate) fn tagged(text: &str, tags: &str) -> Grammar {
        let mut at = 0;
        let word = |written: &str| {
            let mut parts = written.rsplitn(4, '/');
            let [head, relation, part_of_speech, form] = [(); 4].map(|()| parts.next().unwrap());
            let start = at + part(text, at..).find(form).unwrap();
            at = start + form.len();
            // "VERB+" is a finite verb in the past.
            let past = part_of_speech.ends_with('+');
            let part_of_speech = part_of_speech.trim_end_matches('+');
            let tags = WordTags {
                tense: past.then_some(Tense::Past),
                verb_form: past.then_some(VerbForm::Finite),
                ..WordTags::new(
                    PartOfSpeech::from_tag(part_of_speech).unwrap(),
                    Relation::from_tag(relation).unwrap(),
                    head.parse::<usize>().unwrap().checked_sub(1),
                )
            };
            Word::new(start..at, tags).unwrap()
        };
        Grammar::new(tags.split_whitespace().map(word).collect::<Vec<_>>()).unwrap()
    }

    fn phrases(text: &str, tags: &str) -> Vec<String> {
        let grammar = tagged(text, tags);
        noun_groups(&grammar).iter().map(|group| words_text(text, &grammar, &group.words())).collect()
    }

    #[test]
    fn phrases_have_owner_number_and_what_follows_a_preposition() {
        let text = "I walked the rounds on the east wall";
        let tags = "I/PRON/nsubj/2 walked/VERB/root/0 the/DET/det/4 rounds/NOUN/obj/2 on/ADP/case/8 the/DET/det/8 \
                    east/ADJ/amod/8 wall/NOUN/nmod/4";
        assert_eq!(phrases(text, tags), ["rounds on the east wall", "east wall"]);
        let text = "Joss's debt of 14 silver grew";
        let tags = "Joss/PROPN/nmod/3 's/PART/case/1 debt/NOUN/nsubj/7 of/ADP/case/6 14/NUM/nummod/6 \
                    silver/NOUN/nmod/3 grew/VERB/root/0";
        assert_eq!(
            phrases(text, tags),
            ["Joss's", "Joss's debt of 14 silver", "14 silver"]
                .map(|p| { if p == "Joss's" { "Joss" } else { p } })
        );
    }

    #[test]
    fn nouns_of_a_compound_are_one_phrase() {
        let text = "The old mill race of Mara Thorne froze.";
        let tags = "The/DET/det/4 old/ADJ/amod/4 mill/NOUN/compound/4 race/NOUN/nsubj/8 of/ADP/case/6 \
                    Mara/PROPN/nmod/4 Thorne/PROPN/flat/6 froze/VERB/root/0 ./PUNCT/punct/8";
        assert_eq!(phrases(text, tags), ["old mill race of Mara Thorne", "Mara Thorne"]);
    }

    #[test]
    fn title_is_part_of_a_name() {
        let tags = "Captain/PROPN/nmod/2 Ferris/PROPN/nsubj/3 came/VERB/root/0";
        assert_eq!(phrases("Captain Ferris came", tags), ["Captain Ferris"]);
    }

    #[test]
    fn who_is_spoken_to_is_no_topic() {
        let tags = "Thanks/NOUN/root/0 ,/PUNCT/punct/1 Odo/PROPN/vocative/1";
        assert_eq!(phrases("Thanks, Odo", tags), ["Thanks"]);
    }

    #[test]
    fn words_that_do_not_belong_together_make_no_phrase() {
        // Elsbeth gave the dose to Odo: fever belongs to neither.
        let text = "Elsbeth gave Odo a dose against fever";
        let tags = "Elsbeth/PROPN/nsubj/2 gave/VERB/root/0 Odo/PROPN/iobj/2 a/DET/det/5 dose/NOUN/obj/2 \
                    against/ADP/case/7 fever/NOUN/obl/2";
        assert_eq!(phrases(text, tags), ["Elsbeth", "Odo", "dose", "fever"]);
    }

    #[test]
    fn grammar_of_another_text_causes_no_panic() {
        let grammar = tagged("a mill", "a/DET/det/2 mill/NOUN/root/0");
        let groups = noun_groups(&grammar);
        assert_eq!(words_text("é", &grammar, &groups[0].words()), "");
        assert_eq!(words_text("", &grammar, &(0..9)), "");
        assert_eq!(token_of(&Analysis::default(), &grammar, 1), None);
    }

    #[test]
    fn noun_before_a_preposition_describes_no_later_noun() {
        let text = "I saw the lintel over the Salt Gate";
        let tags = "I/PRON/nsubj/2 saw/VERB/root/0 the/DET/det/4 lintel/NOUN/compound/8 over/ADP/case/8 the/DET/det/8 \
                    Salt/PROPN/compound/8 Gate/PROPN/obj/2";
        let grammar = tagged(text, tags);
        let groups = noun_groups(&grammar);
        let named: Vec<String> = groups.iter().map(|g| words_text(text, &grammar, &g.core)).collect();
        assert_eq!(named, ["lintel", "Salt Gate"]);
    }
}
