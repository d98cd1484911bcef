//! The point of a memory, which another one has to make too if it is to stand for both.

use std::collections::BTreeSet;

use nightfold_memory::grammar::{Grammar, PartOfSpeech, Relation};

use super::extract::holds_content;
use crate::{
    lexicon::{WordClass, is_direction, ordinal},
    stance,
    text::{Analysis, token_of},
};

/// True if the first of two memories makes the point of the second, and no other one: who does what with what, its names
/// and numbers, its directions, its outcome. What it has beside it are details: when, where and of which kind. Without a
/// grammar it has to have all content words of it.
pub(crate) fn covers(a: &Analysis, b: &Analysis) -> bool {
    if a.negations != b.negations || qualifiers(a) != qualifiers(b) || stance::cannot_link(a, b) {
        return false;
    }
    match (&a.grammar, &b.grammar) {
        (Some(of_a), Some(of_b)) => {
            let (points_a, points_b) = (points(a, of_a), points(b, of_b));
            let is_detail = |(role, _): &&(Role, &str)| *role == Role::Description;
            points_a.is_superset(&points_b)
                && points_a.difference(&points_b).all(|point| is_detail(&point))
                && a.names == b.names
                && a.numbers == b.numbers
                && (is_read(b, of_b) || holds_content(a, b))
        }
        _ => holds_content(a, b),
    }
}

/// Part that a word has in the point of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Main,
    Subject,
    Object,
    Further,
    Description,
    Direction,
}

/// Returns the words that say that something may, must or will be so, and which time it is.
fn qualifiers(analysis: &Analysis) -> BTreeSet<&str> {
    let classes = [WordClass::PresentModal, WordClass::Future, WordClass::Hedge, WordClass::Repetition];
    let qualifies = |word: &str| classes.iter().any(|class| class.has(word)) || ordinal(word).is_some();
    analysis.tokens.iter().map(|token| token.lower.as_str()).filter(|word| qualifies(word)).collect()
}

/// True if the grammar reaches to the end of the text.
fn is_read(analysis: &Analysis, grammar: &Grammar) -> bool {
    let end = grammar.words().last().map_or(0, |word| word.span().end);
    analysis.tokens.last().is_none_or(|token| token.start < end)
}

/// Returns the stems of the words without which a statement is another one, each with its role.
fn points<'a>(analysis: &'a Analysis, grammar: &Grammar) -> BTreeSet<(Role, &'a str)> {
    let token = |at: usize| token_of(analysis, grammar, at).map(|token| &analysis.tokens[token]);
    let lower = |at: usize| token(at).map_or("", |token| &token.lower);
    let point = |at: usize| Some((role(grammar, at, &lower)?, token(at)?.stem.as_str()));
    (0..grammar.words().len()).filter_map(point).collect()
}

fn role<'a>(grammar: &Grammar, at: usize, lower: &impl Fn(usize) -> &'a str) -> Option<Role> {
    // What is joined by "and" has the role of the first.
    let first = std::iter::once(at).chain(grammar.ancestors(at)).map(|word| &grammar.words()[word]);
    let word = first.into_iter().find(|word| word.relation() != Relation::Conjunct)?;
    let is_way = |at: usize| is_direction(lower(at)) && !matches!(lower(at), "after" | "before");
    // "To her car" and "to her class" are two ways.
    let is_end_of_way = || {
        let mut cases = grammar.dependents(at).filter(|(_, case)| case.relation() == Relation::Case);
        cases.any(|(case, _)| is_way(case))
    };
    match word.relation() {
        Relation::Root => Some(Role::Main),
        Relation::Subject | Relation::ClausalSubject => Some(Role::Subject),
        Relation::Object | Relation::IndirectObject => Some(Role::Object),
        Relation::AdjectivalModifier | Relation::Compound => Some(Role::Description),
        Relation::ClausalComplement
        | Relation::OpenComplement
        | Relation::AdverbialClause
        | Relation::Parataxis => Some(Role::Further),
        _ if is_way(at) || is_end_of_way() => Some(Role::Direction),
        _ if word.part_of_speech() == PartOfSpeech::Verb => Some(Role::Further),
        _ => None,
    }
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
        assert!(!covers(&fell, &walked) && !covers(&walked, &fell), "an outcome");
        let tried = read(
            "I tried to walk the wall",
            "I/PRON/nsubj/2 tried/VERB/root/0 to/PART/mark/4 walk/VERB/xcomp/2 the/DET/det/6 wall/NOUN/obj/4",
        );
        assert!(!covers(&tried, &walked), "an attempt");
        let tom =
            read("Tom walked the wall", "Tom/PROPN/nsubj/2 walked/VERB/root/0 the/DET/det/4 wall/NOUN/obj/2");
        assert!(!covers(&tom, &walked) && !covers(&walked, &tom), "somebody else");
        let to = |place: &str| {
            let tags =
                format!("I/PRON/nsubj/2 walked/VERB/root/0 to/ADP/case/5 the/DET/det/5 {place}/NOUN/obl/2");
            read(&format!("I walked to the {place}"), &tags)
        };
        assert!(!covers(&to("gate"), &to("mill")), "another way");
        let down = read(
            "I walked down the wall",
            "I/PRON/nsubj/2 walked/VERB/root/0 down/ADP/case/5 the/DET/det/5 wall/NOUN/obl/2",
        );
        assert!(!covers(&walked, &down), "a direction");
        let bit = |who: &str, whom: &str| {
            let tags =
                format!("the/DET/det/2 {who}/NOUN/nsubj/3 bit/VERB/root/0 the/DET/det/5 {whom}/NOUN/obj/3");
            read(&format!("the {who} bit the {whom}"), &tags)
        };
        assert!(!covers(&bit("dog", "cat"), &bit("cat", "dog")), "the other way round");
        let menu = read(
            "I set the shop menu",
            "I/PRON/nsubj/2 set/VERB/root/0 the/DET/det/5 shop/NOUN/compound/5 menu/NOUN/obj/2",
        );
        let shop = read("I set the shop", "I/PRON/nsubj/2 set/VERB/root/0 the/DET/det/4 shop/NOUN/obj/2");
        assert!(!covers(&menu, &shop), "another thing");
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
