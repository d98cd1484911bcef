//! Reflections by rules: a subject that recurs in several memories and a statement of its state, in the first
//! person.
//!
//! A reflection names something that at least two memories share and repeats one statement of one of them in
//! its own words. Without recurrence there is no reflection.

#[cfg(test)]
mod tests;
mod wording;

use std::cmp::Reverse;

use nightfold_memory::{Kind, ReflectionSource, ReflectionTheme, WordedReflection};

use super::{
    check::{is_first_person, is_grounded},
    people::{name_as_written, people_of_theme},
    quotable::quotable_statements,
    recurrence::Recurrence,
    statement_kind::{StatementKind, statement_kind},
    subject::{
        NounPhrase, are_all_amounts, are_all_places, known_nouns, noun_phrases, phrase_for, share_amount,
    },
    subject_by_grammar::noun_phrases_by_grammar,
};
use crate::text::{Analysis, analyze, jaccard, tokens};

/// Minimum number of memories with a person for a reflection on that person alone.
const MIN_MEMORIES_OF_PERSON: usize = 3;
/// Minimum importance of the memory whose statement ends a reflection: that of a memory of unknown
/// importance.
const MIN_IMPORTANCE: u8 = 5;
/// Minimum importance of a memory that states an intention.
const MIN_INTENT_IMPORTANCE: u8 = 4;
/// Minimum number of content words of a statement that are not part of its subject.
const MIN_EXTRA_WORDS: usize = 2;
/// Maximum number of points by which a statement's memory may be less important than the most important one.
const MAX_IMPORTANCE_GAP: u8 = 2;
/// Minimum strength of a feeling that changes the wording.
const MIN_FEELING: f32 = 0.1;
/// Overlap of content (Jaccard) from which two memories are one memory repeated.
const MAX_CONTENT_OVERLAP: f64 = 0.6;
/// Maximum number of cited memories; more make a reflection no firmer.
const MAX_CITED: usize = 4;
/// Maximum number of people in a subject; more are only a list.
const MAX_PEOPLE: usize = 2;

/// Returns up to `most` reflections on a theme, whose memories come in order of time, the most significant
/// first.
pub(crate) fn reflect(theme: &ReflectionTheme<'_>, most: usize) -> Vec<WordedReflection> {
    let ReflectionTheme { sources: grounds, own_name: own, people, .. } = *theme;
    let scene = DayIndex::read(grounds, own, people);
    let mut found: Vec<Topic<'_>> = scene.thing_topics();
    found.sort_by_key(|m| (Reverse(m.weight), m.statement_row));
    // A person with a thing says more than a person alone, so people come last.
    found.extend(scene.people_topics());
    let mut kept: Vec<Topic<'_>> = Vec::new();
    for matter in found {
        let fresh = kept.iter().all(|k| {
            let again = matter.rows.iter().filter(|r| k.rows.contains(r)).count();
            let of_one = !matter.is_thing && k.people.iter().any(|p| matter.people.contains(p));
            !of_one
                && k.statement != matter.statement
                && k.subject != matter.subject
                && 2 * again <= matter.rows.len()
        });
        if kept.len() < most && fresh {
            kept.push(matter);
        }
    }
    let recurrence = Recurrence { nights: theme.earlier_nights, days: theme.days };
    let worded = kept.into_iter().map(|matter| matter.into_reflection(recurrence));
    let rests_on = |reflection: &WordedReflection| {
        let cited = grounds.iter().filter(|g| reflection.rows.contains(&g.row));
        let sources: Vec<&Analysis> = cited.map(|g| g.analysis).collect();
        is_first_person(&reflection.text) && is_grounded(&reflection.text, &sources, own)
    };
    worded.filter(rests_on).collect()
}

/// A memory and what was read from it.
struct Mention<'a> {
    source: &'a ReflectionSource<'a>,
    noun_phrases: Vec<NounPhrase>,
    /// Statements of it that can be quoted.
    quotable: Vec<String>,
    /// People in it: their numbers, with the name it uses.
    people: Vec<(usize, String)>,
}

/// A recurring subject and the statement of its state.
struct Topic<'a> {
    /// Parts of the subject as spoken of: people first.
    subject: Vec<String>,
    cited: Vec<&'a Mention<'a>>,
    rows: Vec<usize>,
    statement: String,
    statement_row: usize,
    statement_kind: StatementKind,
    /// True if no later memory mentions it.
    is_latest: bool,
    about_someone: bool,
    /// Numbers of the people in the topic.
    people: Vec<usize>,
    is_thing: bool,
    weight: u32,
}

struct DayIndex<'a> {
    mentions: Vec<Mention<'a>>,
    own: &'a Analysis,
}

impl<'a> DayIndex<'a> {
    fn read(grounds: &'a [ReflectionSource<'a>], own: &'a Analysis, people: &[&str]) -> Self {
        let told = || grounds.iter().filter(|g| g.kind != Kind::Status);
        let unread = told().filter(|g| g.analysis.grammar.is_none());
        let nouns = known_nouns(unread.map(|g| (g.text, g.analysis)));
        let met = people_of_theme(grounds, own, people);
        let mentions = told()
            .map(|ground| Mention {
                source: ground,
                noun_phrases: match &ground.analysis.grammar {
                    Some(grammar) => noun_phrases_by_grammar(ground.text, ground.analysis, grammar, own),
                    None => noun_phrases(ground.text, ground.analysis, own, &nouns),
                },
                quotable: quotable_statements(ground.text, ground.analysis, own),
                people: met
                    .iter()
                    .enumerate()
                    .filter_map(|(i, called)| name_as_written(ground, called).map(|name| (i, name)))
                    .collect(),
            })
            .collect();
        Self { mentions, own }
    }

    /// Returns the topics of recurring things, each with all memories that mention it.
    fn thing_topics(&'a self) -> Vec<Topic<'a>> {
        let mut stems: Vec<&str> =
            self.mentions.iter().flat_map(|s| &s.noun_phrases).map(|t| t.stem.as_str()).collect();
        stems.sort_unstable();
        stems.dedup();
        stems.into_iter().filter_map(|stem| self.thing_topic(stem)).collect()
    }

    fn thing_topic(&'a self, stem: &str) -> Option<Topic<'a>> {
        let with: Vec<&Mention<'_>> =
            self.mentions.iter().filter(|s| phrases_with_stem(s, stem).next().is_some()).collect();
        let linked: Vec<&Mention<'_>> =
            with.iter().copied().filter(|a| with.iter().any(|b| self.are_of_one_topic(a, b, stem))).collect();
        let all: Vec<&NounPhrase> = linked.iter().flat_map(|s| phrases_with_stem(s, stem)).collect();
        if linked.len() < 2 || are_all_places(&all) {
            return None;
        }
        self.topic(linked, Some(stem))
    }

    /// Returns the topics of people who are in many memories.
    fn people_topics(&'a self) -> Vec<Topic<'a>> {
        let mut met: Vec<(usize, usize)> = Vec::new();
        for (person, _) in self.mentions.iter().flat_map(|s| &s.people) {
            if !met.iter().any(|(p, _)| p == person) {
                met.push((*person, self.mentions.iter().filter(|s| has_person(s, *person)).count()));
            }
        }
        met.retain(|(_, often)| *often >= MIN_MEMORIES_OF_PERSON);
        met.sort_by_key(|(person, often)| (Reverse(*often), *person));
        met.iter()
            .filter_map(|(person, _)| {
                let with = self.mentions.iter().filter(|s| has_person(s, *person)).collect();
                let matter = self.topic(with, None)?;
                matter.about_someone.then_some(matter)
            })
            .collect()
    }

    /// True if two memories that mention a thing are of one topic: they share something else, and neither
    /// repeats the other.
    fn are_of_one_topic(&self, a: &'a Mention<'_>, b: &'a Mention<'_>, stem: &str) -> bool {
        let (one, other) = (a.source.analysis, b.source.analysis);
        let is_own = |w: &String| self.own.content.binary_search(w).is_ok();
        let beside = |w: &&String| w.as_str() != stem && !is_own(w) && other.content.binary_search(w).is_ok();
        let of = |s: &'a Mention<'_>| phrases_with_stem(s, stem).collect::<Vec<_>>();
        let (ours, theirs) = (of(a), of(b));
        let both: Vec<&NounPhrase> = ours.iter().chain(&theirs).copied().collect();
        let together = if are_all_amounts(&both) {
            share_amount(&ours, &theirs) || a.people.iter().any(|(p, _)| has_person(b, *p))
        } else {
            one.content.iter().any(|w| beside(&w))
        };
        a.source.row != b.source.row
            && together
            && jaccard(&one.content, &other.content) < MAX_CONTENT_OVERLAP
    }

    /// Returns the topic of memories that share a thing or, without one, a person.
    fn topic(&'a self, with: Vec<&'a Mention<'a>>, stem: Option<&str>) -> Option<Topic<'a>> {
        let mut cited = with;
        cited.sort_by_key(|s| (Reverse(s.source.importance), Reverse(s.source.row)));
        cited.truncate(MAX_CITED);
        cited.sort_by_key(|s| s.source.row);
        let people = shared_people(&cited);
        let thing = match stem {
            None => None,
            Some(stem) => {
                let mentions: Vec<&NounPhrase> =
                    cited.iter().filter_map(|s| phrases_with_stem(s, stem).next()).collect();
                Some(phrase_for(&mentions)?)
            }
        };
        let about_someone =
            people.first().is_some_and(|(person, _)| cited.iter().all(|s| has_person(s, *person)));
        let mut subject: Vec<String> = people.iter().map(|(_, name)| name.clone()).collect();
        if let Some(thing) = thing {
            // "Ida's loom" names her already.
            subject.retain(|name| !thing.starts_with(name.as_str()));
            subject.push(thing);
        }
        if subject.is_empty() {
            return None;
        }
        let last = cited.last()?.source.row;
        let (seen, said, standing, weight) = cited
            .iter()
            .flat_map(|s| s.quotable.iter().map(move |text| (*s, text)))
            .filter(|(s, text)| match stem {
                Some(stem) => s.noun_phrases.iter().any(|t| t.stem == stem) && contains_stem(text, stem),
                None => people.iter().any(|(_, name)| contains_name(text, name)),
            })
            .filter(|(_, text)| has_other_content(text, &subject))
            .map(|(s, text)| {
                let standing = statement_kind(text);
                let told = people.iter().filter(|(_, name)| contains_name(text, name)).count() as u32;
                let bonus = standing.bonus() + u32::from(s.source.row == last) + 2 * told;
                (s, text, standing, u32::from(s.source.importance) + bonus)
            })
            .max_by_key(|(s, _, standing, weight)| (*weight, *standing, s.source.row))?;
        let most = cited.iter().map(|s| s.source.importance).max()?;
        let means = standing == StatementKind::Intent;
        let light = seen.source.importance + MAX_IMPORTANCE_GAP < most && !means;
        let worth = if means { MIN_INTENT_IMPORTANCE } else { MIN_IMPORTANCE };
        if seen.source.importance < worth || light {
            return None;
        }
        let later = |s: &&Mention<'_>| {
            s.source.row > seen.source.row
                && (people.iter().any(|(p, _)| has_person(s, *p))
                    || stem.is_some_and(|stem| phrases_with_stem(s, stem).next().is_some()))
        };
        Some(Topic {
            is_latest: !self.mentions.iter().any(|s| later(&s)),
            rows: cited.iter().map(|s| s.source.row).collect(),
            weight: 2 * weight + cited.len() as u32 + u32::from(!people.is_empty()),
            subject,
            statement: said.clone(),
            statement_row: seen.source.row,
            statement_kind: standing,
            about_someone,
            is_thing: stem.is_some(),
            people: people.into_iter().map(|(person, _)| person).collect(),
            cited,
        })
    }
}

fn phrases_with_stem<'b>(seen: &'b Mention<'_>, stem: &str) -> impl Iterator<Item = &'b NounPhrase> {
    seen.noun_phrases.iter().filter(move |t| t.stem == stem)
}

fn has_person(seen: &Mention<'_>, person: usize) -> bool {
    seen.people.iter().any(|(p, _)| *p == person)
}

fn contains_stem(text: &str, stem: &str) -> bool {
    tokens(text).iter().any(|t| t.stem.clone() == stem)
}

fn contains_name(text: &str, name: &str) -> bool {
    let first = name.split(' ').next().unwrap_or_default().to_lowercase();
    tokens(text).iter().any(|t| t.lower == first)
}

/// True if a statement says something of its subject: it has enough other content words.
fn has_other_content(text: &str, subject: &[String]) -> bool {
    let named: Vec<Analysis> = subject.iter().map(|s| analyze(s, [])).collect();
    let said = analyze(text, []).content;
    let more = said.iter().filter(|w| named.iter().all(|s| s.content.binary_search(w).is_err()));
    more.count() >= MIN_EXTRA_WORDS
}

/// Returns the people who are in at least two of the memories, most frequent first, by the name in the first
/// memory with them.
fn shared_people(cited: &[&Mention<'_>]) -> Vec<(usize, String)> {
    let mut met: Vec<(usize, String, usize)> = Vec::new();
    for (person, name) in cited.iter().flat_map(|s| &s.people) {
        match met.iter_mut().find(|(p, _, _)| p == person) {
            Some((_, _, often)) => *often += 1,
            None => met.push((*person, name.clone(), 1)),
        }
    }
    met.retain(|(_, _, often)| *often >= 2);
    met.sort_by_key(|(person, _, often)| (Reverse(*often), *person));
    met.truncate(MAX_PEOPLE);
    met.into_iter().map(|(person, name, _)| (person, name)).collect()
}
