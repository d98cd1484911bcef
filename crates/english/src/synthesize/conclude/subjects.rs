//! People of a day, with all memories that mention them.

use std::collections::BTreeMap;

use nightfold_memory::{ConclusionSources, Kind, ReflectionSource, text::contains_words};

use super::timeline::{TimelineEntry, is_named};
use crate::{
    lexicon::wordnet::is_kind_of,
    synthesize::people::{name_as_written, people_of_theme},
    text::{Analysis, Token, noun_groups, singular, token_of, tokens, words_text},
};

/// Number of tokens at the start of a memory among which it names what it is about.
const CENTRAL: usize = 5;

/// Somebody whom memories have in common.
#[derive(Debug)]
pub(super) struct Subject {
    /// The subject as spoken of, in the NPC's own view.
    pub(super) phrase: String,
    /// Words of the name in lower case, or the stem of the noun.
    pub(super) words: Vec<String>,
    /// True for a name, false for "the baker".
    pub(super) is_named: bool,
    /// Memories that mention it, in order of time.
    pub(super) members: Vec<usize>,
}

impl Subject {
    /// True if it takes part in a memory, or one that is no talk of others mentions it: whom others speak of was not there.
    fn is_in(&self, seen: &TimelineEntry<'_>) -> bool {
        if seen.is_heard {
            return self.is_named && self.takes_part_in(seen);
        }
        if !self.is_named {
            return contains_words(&seen.text.to_lowercase(), &self.phrase.to_lowercase());
        }
        let written = seen.analysis.tokens.iter().any(|t| t.capital && self.words.contains(&t.lower));
        written || self.takes_part_in(seen)
    }

    /// True if a memory is about the subject and does not only mention it: it takes part, or is named early where the game
    /// does not say who does.
    pub(super) fn is_central_to(&self, seen: &TimelineEntry<'_>) -> bool {
        if !seen.actors.is_empty() {
            return self.takes_part_in(seen);
        }
        let is_early = |t: &Token| self.words.contains(&t.lower) || self.words.contains(&t.stem);
        seen.analysis.tokens.iter().take(CENTRAL).any(is_early)
    }

    fn takes_part_in(&self, seen: &TimelineEntry<'_>) -> bool {
        seen.actors.iter().any(|actor| is_named(actor, &self.words))
    }

    /// True if a statement begins with the person.
    pub(super) fn opens(&self, text: &str) -> bool {
        tokens(text).iter().take_while(|t| t.capital).any(|t| self.words.contains(&t.lower))
    }
}

/// Returns the subjects of the day's memories, the named ones first.
pub(super) fn subjects(seen: &[TimelineEntry<'_>], known: &ConclusionSources<'_>) -> Vec<Subject> {
    let told: Vec<ReflectionSource<'_>> =
        known.today.iter().filter(|source| source.kind != Kind::Status).copied().collect();
    // A family name may be shared with somebody who was not met today.
    let earlier = known.earlier.iter().flat_map(|source| source.actors).map(String::as_str);
    let everybody: Vec<&str> = known.people.iter().copied().chain(earlier).collect();
    let mut found = named(&told, known.own_name, &everybody);
    found.extend(nameless(&told));
    for subject in &mut found {
        let is_member = |at: &usize| seen[*at].kind != Kind::Status && subject.is_in(&seen[*at]);
        let members = (0..seen.len()).filter(is_member).collect();
        subject.members = members;
    }
    found.retain(|subject| subject.members.len() >= 2);
    found
}

/// Returns the people whom memories name, without their members. `everybody` are all names that are known.
fn named(told: &[ReflectionSource<'_>], own_name: &Analysis, everybody: &[&str]) -> Vec<Subject> {
    let is_plain = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | '\'' | '\u{2019}' | '.');
    let people = people_of_theme(told, own_name, everybody).into_iter().filter_map(|words| {
        let phrase = told.iter().rev().find_map(|source| name_as_written(source, &words))?;
        let is_own = words.iter().any(|word| own_name.names.contains(word));
        let subject = Subject { phrase, words, is_named: true, members: Vec::new() };
        (!is_own && subject.phrase.chars().all(is_plain)).then_some(subject)
    });
    people.collect()
}

/// Returns people without a name whom the grammar finds, by what they are to the NPC: "the baker", "my aunt".
fn nameless(told: &[ReflectionSource<'_>]) -> Vec<Subject> {
    let mut found: BTreeMap<String, Subject> = BTreeMap::new();
    for source in told {
        let Some(grammar) = &source.analysis.grammar else { continue };
        for group in noun_groups(grammar) {
            let Some(head) = token_of(source.analysis, grammar, group.head) else { continue };
            let noun = &source.analysis.tokens[head];
            let owner = group.owner.as_ref().map_or(group.determiner, |owner| Some(owner.start));
            let owner = owner.map(|at| grammar.words()[at].written(source.text).to_lowercase());
            let is_certain = matches!(owner.as_deref(), Some("the" | "my" | "our"));
            // "The people", "the friends" are nobody in particular.
            let is_one = singular(&noun.lower) == noun.lower && noun.lower != "person";
            if is_certain && is_one && !noun.capital && is_kind_of(&noun.lower, "person") {
                let core = words_text(source.text, grammar, &(group.core.start..group.head + 1));
                let phrase = format!("{} {core}", owner.unwrap_or_default());
                let words = vec![noun.stem.clone()];
                let subject = Subject { phrase: phrase.clone(), words, is_named: false, members: Vec::new() };
                found.insert(phrase, subject);
            }
        }
    }
    found.into_values().collect()
}
