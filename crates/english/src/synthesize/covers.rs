//! The point of a memory, which another one has to make too if it is to stand for both.

use std::collections::BTreeSet;

use nightfold_memory::grammar::{Grammar, PartOfSpeech, Relation, Word};

use super::extract::holds_content;
use crate::{
    lexicon::{WordClass, direction},
    stance,
    text::{Analysis, token_of},
};

/// True if the first of two memories makes the point of the second: who does what with what, its names and numbers, its
/// directions, its outcome. Without a grammar it has to have all content words of it.
pub(crate) fn covers(a: &Analysis, b: &Analysis) -> bool {
    if a.negations != b.negations || modals(a) != modals(b) || stance::cannot_link(a, b) {
        return false;
    }
    match (&a.grammar, &b.grammar) {
        (Some(of_a), Some(of_b)) => {
            let holds =
                |some: fn(&Word, &str) -> bool| words(a, of_a, some).is_superset(&words(b, of_b, some));
            let has_marks = |all: &[String], some: &[String]| some.iter().all(|mark| all.contains(mark));
            holds(is_main)
                && holds(is_of_point)
                && has_marks(&a.names, &b.names)
                && has_marks(&a.numbers, &b.numbers)
                && (is_read(b, of_b) || holds_content(a, b))
        }
        _ => holds_content(a, b),
    }
}

/// Returns the words that say that something may, must or will be so.
fn modals(analysis: &Analysis) -> BTreeSet<&str> {
    let is_modal = |word: &str| {
        WordClass::PresentModal.has(word) || WordClass::Future.has(word) || WordClass::Hedge.has(word)
    };
    analysis.tokens.iter().map(|token| token.lower.as_str()).filter(|word| is_modal(word)).collect()
}

/// True if the grammar reaches to the end of the text.
fn is_read(analysis: &Analysis, grammar: &Grammar) -> bool {
    let end = grammar.words().last().map_or(0, |word| word.span().end);
    analysis.tokens.last().is_none_or(|token| token.start < end)
}

/// Returns the stems of some words.
fn words<'a>(analysis: &'a Analysis, grammar: &Grammar, some: fn(&Word, &str) -> bool) -> BTreeSet<&'a str> {
    let token = |at: usize| Some(&analysis.tokens[token_of(analysis, grammar, at)?]);
    let of = |(at, word): (usize, &Word)| token(at).filter(|token| some(word, &token.lower));
    grammar.words().iter().enumerate().filter_map(of).map(|token| token.stem.as_str()).collect()
}

/// True for the main word of a sentence.
fn is_main(word: &Word, _: &str) -> bool {
    word.relation() == Relation::Root
}

/// True for a word without which a statement is another one: predicates, their subjects and objects, words that
/// describe, particles and directions.
fn is_of_point(word: &Word, lower: &str) -> bool {
    let of_clause = matches!(
        word.relation(),
        Relation::Root
            | Relation::Subject
            | Relation::Object
            | Relation::IndirectObject
            | Relation::Conjunct
            | Relation::ClausalComplement
            | Relation::OpenComplement
            | Relation::ClausalSubject
            | Relation::AdverbialClause
            | Relation::Parataxis
            | Relation::AdjectivalModifier
            | Relation::Compound
    );
    let is_of_time = matches!(lower, "after" | "before");
    of_clause || word.part_of_speech() == PartOfSpeech::Verb || direction(lower).is_some() && !is_of_time
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{analyze, tagged};

    fn read(text: &str, tags: &str) -> Analysis {
        Analysis { grammar: Some(tagged(text, tags)), ..analyze(text, ["Tom"]) }
    }

    #[test]
    fn details_are_covered_and_points_are_not() {
        let walked =
            read("I walked the wall", "I/PRON/nsubj/2 walked/VERB/root/0 the/DET/det/4 wall/NOUN/obj/2");
        let twice = read(
            "I walked the wall at dawn",
            "I/PRON/nsubj/2 walked/VERB/root/0 the/DET/det/4 wall/NOUN/obj/2 at/ADP/case/6 dawn/NOUN/obl/2",
        );
        assert!(covers(&twice, &walked) && covers(&walked, &twice));
        let fell = read(
            "I walked the wall and fell",
            "I/PRON/nsubj/2 walked/VERB/root/0 the/DET/det/4 wall/NOUN/obj/2 and/CCONJ/cc/6 fell/VERB/conj/2",
        );
        assert!(covers(&fell, &walked) && !covers(&walked, &fell), "an outcome");
        let tried = read(
            "I tried to walk the wall",
            "I/PRON/nsubj/2 tried/VERB/root/0 to/PART/mark/4 walk/VERB/xcomp/2 the/DET/det/6 wall/NOUN/obj/4",
        );
        assert!(!covers(&tried, &walked), "an attempt");
        let tom =
            read("Tom walked the wall", "Tom/PROPN/nsubj/2 walked/VERB/root/0 the/DET/det/4 wall/NOUN/obj/2");
        assert!(!covers(&tom, &walked) && !covers(&walked, &tom), "somebody else");
        let down = read(
            "I walked down the wall",
            "I/PRON/nsubj/2 walked/VERB/root/0 down/ADP/case/5 the/DET/det/5 wall/NOUN/obl/2",
        );
        assert!(!covers(&walked, &down), "a direction");
        let lit = read("I lit the lamp", "I/PRON/nsubj/2 lit/VERB/root/0 the/DET/det/4 lamp/NOUN/obj/2");
        let out = read(
            "I put out the lamp",
            "I/PRON/nsubj/2 put/VERB/root/0 out/ADP/compound/2 the/DET/det/5 lamp/NOUN/obj/2",
        );
        assert!(!covers(&lit, &out) && !covers(&out, &lit), "another deed");
        let never = read(
            "I never walked the wall",
            "I/PRON/nsubj/3 never/ADV/advmod/3 walked/VERB/root/0 the/DET/det/5 wall/NOUN/obj/3",
        );
        assert!(!covers(&never, &walked) && !covers(&walked, &never), "a denial");
    }

    #[test]
    fn without_grammar_every_content_word_is_needed() {
        let (more, less) = (analyze("I swept the old room", []), analyze("I swept the room", []));
        assert!(covers(&more, &less) && !covers(&less, &more));
    }
}
