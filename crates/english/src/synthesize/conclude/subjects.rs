//! People and things of a day, with all memories that mention them.

use std::collections::BTreeMap;

use nightfold_memory::{ConclusionSources, Kind, ReflectionSource};

use super::timeline::{TimelineEntry, is_named};
use crate::{
    lexicon::{WordClass, wordnet::is_kind_of},
    synthesize::{
        people::{name_as_written, people_of_theme},
        subject::{NounPhrase, are_all_amounts, are_all_places, noun_phrases, phrase_for},
    },
    text::{Analysis, Token, analyze, singular, tokens},
};

/// Number of tokens at the start of a memory among which it names what it is about.
const CENTRAL: usize = 5;

/// Somebody or something that memories have in common.
#[derive(Debug)]
pub(super) struct Subject {
    /// The subject as spoken of, in the NPC's own view.
    pub(super) phrase: String,
    /// Words of its name in lower case, or stems of its noun phrase.
    pub(super) words: Vec<String>,
    pub(super) is_person: bool,
    /// True for what only counts or measures something else, and for a part of the body: "ells", "pence", "my arm".
    pub(super) is_measure: bool,
    /// Memories that mention it, in order of time.
    pub(super) members: Vec<usize>,
}

impl Subject {
    /// True if a memory mentions it.
    pub(super) fn is_in(&self, seen: &TimelineEntry<'_>) -> bool {
        if !self.is_person {
            // "Grey" of Grey Ford is no grey wool.
            let is_mention = |t: &Token| self.words.contains(&t.stem) && (!t.capital || t.starts_sentence);
            return seen.has_stems(&self.words)
                && (self.phrase.contains(char::is_uppercase) || seen.analysis.tokens.iter().any(is_mention));
        }
        let written = seen.analysis.tokens.iter().any(|t| t.capital && self.words.contains(&t.lower));
        written || self.takes_part_in(seen)
    }

    /// True for a person, by name or by what they do: "the baker".
    pub(super) fn is_somebody(&self) -> bool {
        let noun = self.phrase.rsplit(' ').next().unwrap_or_default();
        let is_written = self
            .phrase
            .chars()
            .all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '\'' | '\u{2019}' | '.'));
        let noun = noun.to_lowercase();
        // "The people", "the friends" are nobody in particular.
        let is_one = singular(&noun) == noun && noun != "person" && is_kind_of(&noun, "person");
        is_written && (self.is_person || is_one && self.phrase.contains(' '))
    }

    /// True if a memory is about the subject and does not only mention it: it takes part, or is named early.
    pub(super) fn is_central_to(&self, seen: &TimelineEntry<'_>) -> bool {
        let is_early = |t: &Token| self.words.contains(&t.lower) || self.words.contains(&t.stem);
        self.takes_part_in(seen) || seen.analysis.tokens.iter().take(CENTRAL).any(is_early)
    }

    fn takes_part_in(&self, seen: &TimelineEntry<'_>) -> bool {
        seen.actors.iter().any(|actor| is_named(actor, &self.words))
    }

    /// True if a statement begins with the person.
    pub(super) fn opens(&self, text: &str) -> bool {
        tokens(text).iter().take_while(|t| t.capital).any(|t| self.words.contains(&t.lower))
    }
}

/// Returns the subjects of the day's memories, people first.
pub(super) fn subjects(seen: &[TimelineEntry<'_>], known: &ConclusionSources<'_>) -> Vec<Subject> {
    let told: Vec<ReflectionSource<'_>> =
        known.today.iter().filter(|source| source.kind != Kind::Status).copied().collect();
    // A family name may be shared with somebody who was not met today.
    let earlier = known.earlier.iter().flat_map(|source| source.actors).map(String::as_str);
    let everybody: Vec<&str> = known.people.iter().copied().chain(earlier).collect();
    let mut found = people(&told, known.own_name, &everybody);
    found.extend(things(&told, known.own_name));
    for subject in &mut found {
        let is_member = |at: &usize| seen[*at].kind != Kind::Status && subject.is_in(&seen[*at]);
        let members = (0..seen.len()).filter(is_member).collect();
        subject.members = members;
    }
    found.retain(|subject| subject.members.len() >= 2);
    found
}

/// Returns the people whom memories mention, without their members. `everybody` are all names that are known.
pub(super) fn people(told: &[ReflectionSource<'_>], own_name: &Analysis, everybody: &[&str]) -> Vec<Subject> {
    people_of_theme(told, own_name, everybody)
        .into_iter()
        .filter_map(|called| {
            let phrase = told.iter().rev().find_map(|source| name_as_written(source, &called))?;
            let is_own = called.iter().any(|word| own_name.names.contains(word));
            (!is_own).then(|| Subject {
                phrase,
                words: called,
                is_person: true,
                is_measure: false,
                members: Vec::new(),
            })
        })
        .collect()
}

/// Returns the things that the grammar finds in the memories; without grammar there are none.
fn things(told: &[ReflectionSource<'_>], own: &Analysis) -> Vec<Subject> {
    let mut by_stem: BTreeMap<String, Vec<NounPhrase>> = BTreeMap::new();
    for source in told {
        let Some(grammar) = &source.analysis.grammar else { continue };
        for mut phrase in noun_phrases(source.text, source.analysis, grammar, own) {
            // "Salt is dull": a common noun has its capital from the sentence.
            let opens = source.analysis.tokens.get(phrase.noun_index).is_some_and(|t| t.starts_sentence);
            if let Some(noun) = phrase.words.last_mut().filter(|_| opens) {
                *noun = noun.to_lowercase();
            }
            by_stem.entry(phrase.stem.clone()).or_default().push(phrase);
        }
    }
    by_stem.values().filter_map(|mentions| thing(mentions)).collect()
}

fn thing(mentions: &[NounPhrase]) -> Option<Subject> {
    let mentions: Vec<&NounPhrase> = mentions.iter().collect();
    if are_all_places(&mentions) || are_all_amounts(&mentions) {
        return None;
    }
    let phrase = phrase_for(&mentions)?;
    let words = analyze(&phrase, []).content;
    let noun = mentions.first().and_then(|mention| mention.words.last())?.to_lowercase();
    let holds = |mention: &&&NounPhrase| mention.of_phrase.is_some();
    let is_measure = WordClass::Money.has(&noun)
        || WordClass::Measure.has(&noun)
        || WordClass::Body.has(&singular(&noun))
        || 2 * mentions.iter().filter(holds).count() >= mentions.len();
    (!words.is_empty()).then(|| Subject { phrase, words, is_person: false, is_measure, members: Vec::new() })
}
