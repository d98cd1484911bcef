//! Statements without what they tell beside the point: clauses that only say when something was, what a thing is like, or what else is
//! remarked or done besides.
//!
//! Nothing is left out that would change what is true or that a synthesis must keep: no name, number or negation, no condition or
//! reason, nothing of a quotation, and no clause that says which of several things is meant.

use std::ops::Range;

use nightfold_memory::grammar::{Grammar, PartOfSpeech, Relation, Word};

use crate::{
    lexicon::{WordClass, is_negation, is_reported_by},
    text::{Analysis, is_quoted, part, quotations},
};

/// Words that open a clause of time.
const OPEN_TIME: [&str; 7] = ["after", "as", "before", "since", "until", "when", "while"];
/// Words that open a relative clause.
const RELATIVES: [&str; 2] = ["which", "who"];

/// Returns the text without clauses beside the point; the text itself if there are none, or without a grammar.
pub(super) fn brief(text: &str, analysis: &Analysis) -> String {
    let Some(grammar) = &analysis.grammar else { return text.to_owned() };
    let quoted = quotations(text);
    let mut out = text.to_owned();
    let mut from = text.len();
    // From the end, so that earlier ranges stay valid; a clause inside one that is left out goes with it.
    let mut clauses: Vec<Range<usize>> = (0..grammar.words().len())
        .filter(|&word| is_beside_the_point(text, grammar, word))
        .filter_map(|word| clause_of(text, grammar, word))
        .filter(|clause| !quoted.iter().any(|q| q.start < clause.end && clause.start < q.end))
        .filter(|clause| !is_quoted(&quoted, clause.start) && !holds_facts(text, analysis, clause))
        .collect();
    clauses.sort_by_key(|clause| (std::cmp::Reverse(clause.end), clause.start));
    for clause in clauses {
        if clause.end <= from {
            out.replace_range(clause.clone(), "");
            from = clause.start;
        }
    }
    out
}

/// True for the main word of a clause that may be left out.
fn is_beside_the_point(text: &str, grammar: &Grammar, word: usize) -> bool {
    let opened_by = |openers: &[&str]| {
        grammar.dependents(word).any(|(at, marker)| {
            at < word
                && matches!(marker.relation(), Relation::Marker | Relation::AdverbialModifier)
                && openers.contains(&marker.written(text).to_lowercase().as_str())
        })
    };
    match grammar.words().get(word).map(Word::relation) {
        Some(Relation::AdverbialClause) => opened_by(&OPEN_TIME),
        Some(Relation::ClauseOfNoun) => {
            describes_something_new(text, grammar, word) || is_relative_remark(text, grammar, word)
        }
        Some(Relation::Apposition) => is_second_name(text, grammar, word),
        Some(Relation::Parataxis) => is_further_remark(text, grammar, word),
        Some(Relation::Conjunct) => is_further_act(text, grammar, word),
        Some(Relation::Discourse | Relation::Vocative) => true,
        _ => false,
    }
}

/// True for a clause about a noun with "a" or "an", directly behind it: it does not say which one is meant. In "a hook I
/// thought was cold" the words between belong to it, too, and it stays.
fn describes_something_new(text: &str, grammar: &Grammar, word: usize) -> bool {
    let Some(noun) = grammar.words().get(word).and_then(Word::head) else { return false };
    let is_mark = |at: usize| grammar.words().get(at).is_some_and(|w| w.relation() == Relation::Punctuation);
    let clauses = grammar.dependents(noun).filter(|(_, w)| w.relation() == Relation::ClauseOfNoun).count();
    if clauses > 1 || !(noun + 1..first_of(grammar, word)).all(is_mark) {
        return false;
    }
    let is_article = |written: &str| written.eq_ignore_ascii_case("a") || written.eq_ignore_ascii_case("an");
    grammar.dependents(noun).any(|(_, w)| w.relation() == Relation::Determiner && is_article(w.written(text)))
}

/// Returns the first word that depends on this one, directly or not; the word itself if none is before it.
fn first_of(grammar: &Grammar, word: usize) -> usize {
    (0..word).find(|&at| grammar.ancestors(at).any(|above| above == word)).unwrap_or(word)
}

/// Returns the text before a clause, without white space at its end.
fn lead_of<'t>(text: &'t str, grammar: &Grammar, word: usize) -> &'t str {
    let is_mark =
        |at: &usize| grammar.words().get(*at).is_some_and(|w| w.relation() == Relation::Punctuation);
    let first = (first_of(grammar, word)..=word).find(|at| !is_mark(at)).unwrap_or(word);
    let start = grammar.words().get(first).map_or(0, |w| w.span().start);
    part(text, ..start).trim_end()
}

/// True for a relative clause behind a comma: it does not say which thing is meant.
fn is_relative_remark(text: &str, grammar: &Grammar, word: usize) -> bool {
    let is_relative = |written: &str| RELATIVES.iter().any(|relative| written.eq_ignore_ascii_case(relative));
    let opener = (first_of(grammar, word)..word)
        .find_map(|at| grammar.words().get(at).filter(|w| w.relation() != Relation::Punctuation));
    lead_of(text, grammar, word).ends_with(',')
        && opener.is_some_and(|w| is_relative(w.written(text)))
        && !judges(text, grammar, word)
        && !tells_thought(text, grammar, word)
}

/// True for an apposition behind a comma with "the". One without could be an item of a list, or "a lie".
fn is_second_name(text: &str, grammar: &Grammar, word: usize) -> bool {
    let has = |relation| grammar.dependents(word).any(|(_, w)| w.relation() == relation);
    let of_list = grammar
        .words()
        .get(word)
        .and_then(Word::head)
        .is_some_and(|head| grammar.dependents(head).any(|(_, w)| w.relation() == Relation::Conjunct));
    let is_the =
        |w: &Word| w.relation() == Relation::Determiner && w.written(text).eq_ignore_ascii_case("the");
    grammar.dependents(word).any(|(_, w)| is_the(w))
        && !has(Relation::Conjunct)
        && !of_list
        && lead_of(text, grammar, word).ends_with(',')
}

/// True for a clause behind a semicolon that ends the sentence. It stays if it or the main clause tells what is
/// said or thought, since it could take that back.
fn is_further_remark(text: &str, grammar: &Grammar, word: usize) -> bool {
    let words = grammar.words();
    let Some(main) = words.get(word).and_then(Word::head) else { return false };
    let is_behind_semicolon = lead_of(text, grammar, word).ends_with(';');
    is_behind_semicolon
        && ends_sentence(text, grammar, word)
        && !judges(text, grammar, word)
        && !tells_thought(text, grammar, word)
        && !tells_thought(text, grammar, main)
}

/// True for what somebody did besides, behind "and" at the end of a sentence: "I lit the lamp and laid out the tools".
fn is_further_act(text: &str, grammar: &Grammar, word: usize) -> bool {
    let words = grammar.words();
    let is_verb = |at: usize| words.get(at).is_some_and(|w| w.part_of_speech() == PartOfSpeech::Verb);
    let Some(main) = words.get(word).and_then(Word::head) else { return false };
    let is_joined = grammar.dependents(word).any(|(at, w)| {
        at < word && w.relation() == Relation::Coordination && w.written(text).eq_ignore_ascii_case("and")
    });
    words.get(main).is_some_and(|w| w.relation() == Relation::Root)
        && is_verb(main)
        && is_verb(word)
        && is_joined
        && ends_sentence(text, grammar, word)
        && !judges(text, grammar, word)
        && !tells_thought(text, grammar, word)
        && !tells_thought(text, grammar, main)
}

/// True if a clause is the last one of its sentence.
fn ends_sentence(text: &str, grammar: &Grammar, word: usize) -> bool {
    let words = grammar.words();
    let is_of = |at: usize| at == word || grammar.ancestors(at).any(|above| above == word);
    let last = (word..words.len()).rev().find(|&at| is_of(at)).unwrap_or(word);
    let rest = part(text, words[last].span().end..);
    rest.is_empty() || rest.starts_with(['.', '!']) || words[last].relation() == Relation::Punctuation
}

/// True for a main word of a clause that tells what is said or thought.
fn tells_thought(text: &str, grammar: &Grammar, word: usize) -> bool {
    let verb = grammar.words().get(word).map_or_else(String::new, |w| w.written(text).to_lowercase());
    is_reported_by(&verb)
        || WordClass::Speech.has(&verb)
        || grammar
            .dependents(word)
            .any(|(_, w)| matches!(w.relation(), Relation::ClausalComplement | Relation::OpenComplement))
}

/// True for a clause that says what something is, which could be "false" or "a lie", or that is not sure.
fn judges(text: &str, grammar: &Grammar, word: usize) -> bool {
    grammar.dependents(word).any(|(_, w)| {
        w.relation() == Relation::Copula || WordClass::Hedge.has(&w.written(text).to_lowercase())
    })
}

/// Returns the bytes of a clause with the comma or semicolon before it; `None` if its words do not stand together, or if it opens its sentence.
fn clause_of(text: &str, grammar: &Grammar, word: usize) -> Option<Range<usize>> {
    let words = grammar.words();
    let belongs = |at: &usize| {
        *at == word
            || (words[*at].relation() != Relation::Punctuation
                && grammar.ancestors(*at).any(|above| above == word))
    };
    let members: Vec<usize> = (0..words.len()).filter(belongs).collect();
    let (&first, &last) = (members.first()?, members.last()?);
    let between = (first..=last).filter(|at| words[*at].relation() != Relation::Punctuation).count();
    let before = first.checked_sub(1)?;
    if between != members.len() {
        return None;
    }
    let lead = part(text, ..words[first].span().start).trim_end();
    let opens = lead.is_empty() || lead.ends_with(['.', '!', '?', ':', '"', '\u{201c}', '(', '\u{2014}']);
    let lead = lead.strip_suffix([',', ';']).map_or(lead, str::trim_end);
    // "Joss, who …, paid": the comma behind goes too.
    let rest = part(text, words[last].span().end..);
    let comma = usize::from(rest.starts_with(',') && words[before].relation() == Relation::Punctuation);
    (!opens).then(|| lead.len()..words[last].span().end + comma)
}

/// True if a part of the text has a name, a number or a negation.
fn holds_facts(text: &str, analysis: &Analysis, span: &Range<usize>) -> bool {
    analysis.tokens_in(span).iter().any(|token| {
        let named = token.written(text).starts_with(char::is_uppercase) && token.lower != "i"
            || analysis.names.binary_search(&token.lower).is_ok();
        token.number || named || is_negation(&token.lower)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{analyze, tagged};

    fn told(text: &str, tags: &str) -> String {
        brief(text, &Analysis { grammar: Some(tagged(text, tags)), ..analyze(text, ["Rana"]) })
    }

    #[test]
    fn clauses_of_time_and_of_something_new_are_left_out() {
        let tags = "I/PRON/nsubj/2 picked/VERB/root/0 burrs/NOUN/obj/2 until/SCONJ/mark/7 the/DET/det/6 bell/NOUN/nsubj/7 rang/VERB/advcl/2";
        assert_eq!(told("I picked burrs until the bell rang.", tags), "I picked burrs.");
        let tags =
            "I/PRON/nsubj/2 met/VERB/root/0 a/DET/det/4 wife/NOUN/obj/2 who/PRON/nsubj/6 sang/VERB/acl/4";
        assert_eq!(told("I met a wife who sang.", tags), "I met a wife.");
    }

    #[test]
    fn remarks_are_left_out() {
        let tags = "I/PRON/nsubj/2 fed/VERB/root/0 the/DET/det/4 goat/NOUN/obj/2 ;/PUNCT/punct/7 it/PRON/nsubj/7 \
                    ate/VERB/parataxis/2 well/ADV/advmod/7 ./PUNCT/punct/2";
        assert_eq!(told("I fed the goat; it ate well.", tags), "I fed the goat.");
        let tags = "I/PRON/nsubj/2 fed/VERB/root/0 the/DET/det/4 goat/NOUN/obj/2 ,/PUNCT/punct/7 which/PRON/nsubj/7 \
                    ate/VERB/acl/4 ./PUNCT/punct/2";
        assert_eq!(told("I fed the goat, which ate.", tags), "I fed the goat.");
        let tags = "I/PRON/nsubj/2 met/VERB/root/0 Rana/PROPN/obj/2 ,/PUNCT/punct/6 the/DET/det/6 dyer/NOUN/appos/3 \
                    ,/PUNCT/punct/6 twice/ADV/advmod/2";
        assert_eq!(told("I met Rana, the dyer, twice", tags), "I met Rana twice");
    }

    #[test]
    fn further_acts_are_left_out() {
        let and = "I/PRON/nsubj/2 lit/VERB/root/0 lamps/NOUN/obj/2 and/CCONJ/cc/5 swept/VERB/conj/2 floors/NOUN/obj/5";
        assert_eq!(told("I lit lamps and swept floors", and), "I lit lamps");
        let name =
            "I/PRON/nsubj/2 lit/VERB/root/0 lamps/NOUN/obj/2 and/CCONJ/cc/5 met/VERB/conj/2 Rana/PROPN/obj/5";
        let but =
            "I/PRON/nsubj/2 lit/VERB/root/0 lamps/NOUN/obj/2 but/CCONJ/cc/5 broke/VERB/conj/2 one/NUM/obj/5";
        let said = "I/PRON/nsubj/2 said/VERB/root/0 it/PRON/obj/2 and/CCONJ/cc/5 lied/VERB/conj/2";
        let things = "I/PRON/nsubj/2 ate/VERB/root/0 eggs/NOUN/obj/2 and/CCONJ/cc/5 cakes/NOUN/conj/3";
        for (text, tags) in [
            ("I lit lamps and met Rana", name),
            ("I lit lamps but broke one", but),
            ("I said it and lied", said),
            ("I ate eggs and cakes", things),
        ] {
            assert_eq!(told(text, tags), text);
        }
    }

    #[test]
    fn remarks_that_bear_on_the_truth_stay() {
        let said =
            "Salt/NOUN/nsubj/2 rose/VERB/root/0 ;/PUNCT/punct/5 they/PRON/nsubj/5 said/VERB/parataxis/2";
        let thought = "I/PRON/nsubj/2 thought/VERB/root/0 it/PRON/nsubj/4 fell/VERB/ccomp/2 ;/PUNCT/punct/7 \
                       it/PRON/nsubj/7 stands/VERB/parataxis/2";
        let list = "I/PRON/nsubj/2 ate/VERB/root/0 eggs/NOUN/obj/2 ,/PUNCT/punct/5 salt/NOUN/appos/3";
        let false_news = "Tom/PROPN/nsubj/2 brought/VERB/root/0 news/NOUN/obj/2 ;/PUNCT/punct/7 it/PRON/nsubj/7 \
                          was/AUX/cop/7 false/ADJ/parataxis/2";
        let denied = "I/PRON/nsubj/2 fed/VERB/root/0 goats/NOUN/obj/2 ;/PUNCT/punct/6 none/PRON/nsubj/6 \
                      ate/VERB/parataxis/2";
        for (text, tags) in [
            ("Salt rose; they said", said),
            ("I thought it fell; it stands", thought),
            ("Tom brought news; it was false", false_news),
            ("I ate eggs, salt", list),
            ("I fed goats; none ate", denied),
        ] {
            assert_eq!(told(text, tags), text);
        }
    }

    #[test]
    fn what_changes_the_truth_stays() {
        for (text, tags) in [
            (
                "I come if it rains.",
                "I/PRON/nsubj/2 come/VERB/root/0 if/SCONJ/mark/5 it/PRON/nsubj/5 rains/VERB/advcl/2",
            ),
            (
                "I met the wife who sang.",
                "I/PRON/nsubj/2 met/VERB/root/0 the/DET/det/4 wife/NOUN/obj/2 who/PRON/nsubj/6 sang/VERB/acl/4",
            ),
            (
                "I slept until Rana came.",
                "I/PRON/nsubj/2 slept/VERB/root/0 until/SCONJ/mark/5 Rana/PROPN/nsubj/5 came/VERB/advcl/2",
            ),
            (
                "I held a hook I thought was cold.",
                "I/PRON/nsubj/2 held/VERB/root/0 a/DET/det/4 hook/NOUN/obj/2 I/PRON/nsubj/6 thought/VERB/acl/4 \
                 was/AUX/cop/8 cold/ADJ/acl/4",
            ),
            (
                "I slept when nobody came.",
                "I/PRON/nsubj/2 slept/VERB/root/0 when/SCONJ/mark/5 nobody/PRON/nsubj/5 came/VERB/advcl/2",
            ),
            (
                "When it rained, I slept.",
                "When/SCONJ/mark/3 it/PRON/nsubj/3 rained/VERB/advcl/6 ,/PUNCT/punct/6 I/PRON/nsubj/6 slept/VERB/root/0",
            ),
        ] {
            assert_eq!(told(text, tags), text);
        }
        assert_eq!(
            brief("I slept until it rained.", &analyze("I slept until it rained.", [])),
            "I slept until it rained."
        );
    }
}
