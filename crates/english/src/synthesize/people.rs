//! People in memories, and the names by which a memory calls them.

use crate::text::{Analysis, Token, analyze, is_possessive, part};
use nightfold_memory::{ReflectionSource, grammar::PartOfSpeech};

/// Returns the people of a theme, each as the words of their name that nobody else has: the actors of the
/// memories, and those whose name starts a memory.
pub(super) fn people_of_theme(
    grounds: &[ReflectionSource<'_>],
    own: &Analysis,
    people: &[&str],
) -> Vec<Vec<String>> {
    let mut met: Vec<Vec<String>> = Vec::new();
    for actor in grounds.iter().flat_map(|g| g.actors) {
        let called = unique_name_words(actor, own, people);
        if !called.is_empty() && !met.contains(&called) {
            met.push(called);
        }
    }
    let opening = grounds.iter().filter_map(|g| {
        let first = g.analysis.tokens.first().filter(|t| g.analysis.names.binary_search(&t.lower).is_ok())?;
        if !may_be_person(g.analysis, first) {
            return None;
        }
        name_as_written(g, std::slice::from_ref(&first.lower))
    });
    for name in opening {
        let words = analyze(&name, [name.as_str()]).names;
        let known = met.iter().flatten().chain(&own.names).any(|w| words.contains(w));
        if !known && !words.is_empty() {
            met.push(words);
        }
    }
    met
}

/// True unless the grammar knows the word as no proper noun, or it is one of a log line or a placeholder.
fn may_be_person(analysis: &Analysis, token: &Token) -> bool {
    let word = analysis.grammar.as_ref().and_then(|grammar| Some(grammar.words()[grammar.at(token.start)?]));
    // Two letters name no theme, but may be somebody's name.
    let may_name = token.names_theme || token.lower.chars().count() < 3;
    may_name && word.is_none_or(|word| word.part_of_speech() == PartOfSpeech::ProperNoun)
}

/// Returns the words of a person's name that nobody else has: a family name is shared, a first name is not.
fn unique_name_words(person: &str, own: &Analysis, people: &[&str]) -> Vec<String> {
    let words = |name: &str| -> Vec<String> { analyze(name, [name]).names };
    let others: Vec<String> = people
        .iter()
        .filter(|p| **p != person)
        .flat_map(|p| words(p))
        .chain(own.names.iter().cloned())
        .collect();
    words(person).into_iter().filter(|w| !others.contains(w)).collect()
}

/// Returns the name as the memory writes it: a full name may be written in none.
pub(super) fn name_as_written(ground: &ReflectionSource<'_>, called: &[String]) -> Option<String> {
    let tokens = &ground.analysis.tokens;
    let at = tokens.iter().position(|t| t.capital && called.contains(&t.lower))?;
    let is_name = |t: &Token| t.capital && ground.analysis.names.binary_search(&t.lower).is_ok();
    // "Tom Aldous": only words separated by nothing but white space belong to one name.
    let mut last = at;
    while let Some(next) = tokens.get(last + 1)
        && is_name(next)
        && part(ground.text, tokens[last].end..next.start).trim().is_empty()
        && !is_possessive(tokens[last].written(ground.text))
    {
        last += 1;
    }
    let name = part(ground.text, tokens[at].start..tokens[last].end);
    Some(name.trim_end_matches("'s").trim_end_matches("\u{2019}s").to_owned())
}
