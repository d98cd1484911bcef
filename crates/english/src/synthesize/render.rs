//! Synthesis of several memories by rules: nothing is written that nobody wrote, but a list of values.

use nightfold_memory::{SynthesisSource, grammar::Relation};

use super::{
    covers::covers,
    extract::{course, most_telling, stands_for},
    frame::frame,
    phrase::end_sentence,
};
use crate::{
    lexicon::{WordClass, wordnet::is_kind_of},
    text::Token,
};

/// True if one text can say what two memories say: one of them stands for the other, or they are one statement with two
/// values.
pub(crate) fn can_synthesize(a: &SynthesisSource<'_>, b: &SynthesisSource<'_>) -> bool {
    tells(a)
        && tells(b)
        && (stands_for(a, b, covers) || stands_for(b, a, covers) || framed(&[*a, *b]).is_some())
}

/// True for a memory that tells something, to nobody in particular and without what was said before. A question, an
/// answer ("That sounds great!") and a line about the scene ("sink is idle") stand for nothing but themselves.
fn tells(source: &SynthesisSource<'_>) -> bool {
    let SynthesisSource { text, analysis, .. } = source;
    let word = |token: &Token| {
        let grammar = analysis.grammar.as_ref()?;
        grammar.at(token.start).map(|at| grammar.words()[at])
    };
    let is_noun = |token: &Token| {
        token.capital && !token.starts_sentence || word(token).is_some_and(|word| word.is_noun())
    };
    let is_open = |token: &Token| WordClass::ThirdPerson.has(&token.lower);
    let is_thing = |token: &Token| {
        word(token).is_some_and(|word| word.is_noun() && word.relation() == Relation::Subject)
            && !is_kind_of(&token.lower, "person")
    };
    let first = analysis.tokens.first();
    let is_of_scene = text.starts_with(char::is_lowercase) && analysis.tokens.iter().any(is_thing);
    let is_of_talk = text.contains('?')
        || first.is_some_and(|token| WordClass::Demonstrative.has(&token.lower))
        || analysis.tokens.iter().any(|token| WordClass::You.has(&token.lower))
        || analysis.grammar.is_some()
            && analysis.tokens.iter().take_while(|token| !is_noun(token)).any(is_open);
    source.reading || !is_of_scene && !is_of_talk
}

/// Synthesizes memories, which come in order of time, into one text.
pub(crate) fn synthesis(sources: &[SynthesisSource<'_>]) -> String {
    if sources.iter().all(|source| source.reading && !source.verbatim) {
        return course(&sources.iter().map(|source| source.text).collect::<Vec<_>>());
    }
    framed(sources).unwrap_or_else(|| match most_telling(sources, covers).as_slice() {
        [one] => (*one).to_owned(),
        several => several.iter().map(|text| end_sentence(text)).collect::<Vec<_>>().join(" "),
    })
}

/// Returns the statement that memories make with different values; `None` if some words may not be changed.
fn framed(sources: &[SynthesisSource<'_>]) -> Option<String> {
    let may_change = |source: &SynthesisSource<'_>| !source.verbatim;
    let texts = || sources.iter().map(|source| (source.text.trim(), source.analysis));
    sources.iter().all(may_change).then(|| frame(&texts().collect::<Vec<_>>()))?
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, sample::select};

    use super::*;
    use crate::text::{Analysis, analyze, tagged};

    /// Returns a deed with its grammar: "I swept the hall before the bell".
    fn deed() -> impl Strategy<Value = (String, String)> {
        let verb = select(vec!["swept", "lit", "broke"]);
        let (thing, place) = (select(vec!["hall", "yard", "oven"]), select(vec!["", "mill", "bell"]));
        let never = prop::bool::weighted(0.2);
        (verb, thing, place, never).prop_map(|(verb, thing, place, never)| {
            let not = if never { ("never ", "never/ADV/advmod/3 ", 1) } else { ("", "", 0) };
            let (head, object) = (2 + not.2, 4 + not.2);
            let mut text = format!("I {}{verb} the {thing}", not.0);
            let mut tags = format!(
                "I/PRON/nsubj/{head} {}{verb}/VERB/root/0 the/DET/det/{object} {thing}/NOUN/obj/{head}",
                not.1
            );
            if !place.is_empty() {
                text.push_str(&format!(" near the {place}"));
                let noun = object + 3;
                tags.push_str(&format!(" near/ADP/case/{noun} the/DET/det/{noun} {place}/NOUN/obl/{head}"));
            }
            (text, tags)
        })
    }

    proptest! {
        /// A day of deeds that one text can say is said by sentences of theirs, or by one statement with all their values.
        #[test]
        fn synthesis_says_what_its_sources_say(
            deeds in prop::collection::vec((deed(), 1..10_u8), 2..7),
        ) {
            let read = |text: &String, tags: &String| Analysis { grammar: Some(tagged(text, tags)), ..analyze(text, []) };
            let analyses: Vec<Analysis> = deeds.iter().map(|((text, tags), _)| read(text, tags)).collect();
            let mut sources: Vec<SynthesisSource<'_>> = Vec::new();
            for (((text, _), importance), analysis) in deeds.iter().zip(&analyses) {
                let (importance, verbatim) = (*importance, *importance >= 7);
                let source = SynthesisSource { text, analysis, importance, verbatim, reading: false };
                if sources.iter().all(|other| can_synthesize(other, &source)) {
                    sources.push(source);
                }
            }
            let told = synthesis(&sources);
            let sentences: Vec<&str> = told.split(". ").map(|one| one.trim_end_matches('.')).collect();
            let is_source = |one: &&str| sources.iter().any(|source| source.text == *one);
            let words = |text: &str| text.split([' ', '.', ',']).map(str::to_owned).collect::<Vec<_>>();
            if !sentences.iter().all(is_source) {
                let of_sources: Vec<String> = sources.iter().flat_map(|source| words(source.text)).collect();
                prop_assert_eq!(sentences.len(), 1);
                prop_assert!(words(&told).iter().all(|word| word == "and" || word.is_empty() || of_sources.contains(word)));
            }
            for source in &sources {
                let point = source.analysis.tokens.iter().take_while(|token| token.lower != "near");
                for token in point {
                    prop_assert!(words(&told).contains(&token.written(source.text).to_owned()), "{told}");
                }
                prop_assert!(!source.verbatim || told.contains(source.text), "{told}");
            }
        }
    }
}
