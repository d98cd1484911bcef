//! Reflections by rules: a subject that recurs in several memories and a statement of its state, in the first
//! person.
//!
//! A reflection names something that at least two memories share and repeats one statement of one of them in
//! its own words. Without recurrence there is no reflection.

mod wording;

use std::cmp::Reverse;

use nightfold_memory::{Kind, ReflectionSource, ReflectionTheme, WordedReflection};

use super::{
    check::{first_person, grounded},
    people::{name_as_written, who},
    quotable::sayable,
    recurrence::Recurrence,
    statement_kind::{StatementKind, standing},
    subject::{NounPhrase, are_all_amounts, are_all_places, attested, share_amount, spoken, things},
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
const FELT: f32 = 0.1;
/// Overlap of content (Jaccard) from which two memories are one memory repeated.
const ECHO: f64 = 0.6;
/// Maximum number of cited memories; more make a reflection no firmer.
const MOST_CITED: usize = 4;
/// Maximum number of people in a subject; more are only a list.
const MAX_PEOPLE: usize = 2;

/// Returns up to `most` reflections on a theme, whose memories come in order of time, the most significant
/// first.
pub(crate) fn reflect(theme: &ReflectionTheme<'_>, most: usize) -> Vec<WordedReflection> {
    let ReflectionTheme { sources: grounds, own_name: own, people, .. } = *theme;
    let scene = DayIndex::read(grounds, own, people);
    let mut found: Vec<Matter<'_>> = scene.thing_topics();
    found.sort_by_key(|m| (Reverse(m.weight), m.said_row));
    // A person with a thing says more than a person alone, so people come last.
    found.extend(scene.people_topics());
    let mut kept: Vec<Matter<'_>> = Vec::new();
    for matter in found {
        let fresh = kept.iter().all(|k| {
            let again = matter.rows.iter().filter(|r| k.rows.contains(r)).count();
            let of_one = !matter.of_thing && k.people.iter().any(|p| matter.people.contains(p));
            !of_one && k.said != matter.said && k.subject != matter.subject && 2 * again <= matter.rows.len()
        });
        if kept.len() < most && fresh {
            kept.push(matter);
        }
    }
    let recurrence = Recurrence { nights: theme.earlier_nights, days: theme.days };
    let worded = kept.into_iter().map(|matter| matter.insight(recurrence));
    let rests_on = |reflection: &WordedReflection| {
        let cited = grounds.iter().filter(|g| reflection.rows.contains(&g.row));
        let sources: Vec<&Analysis> = cited.map(|g| g.analysis).collect();
        first_person(&reflection.text) && grounded(&reflection.text, &sources, own)
    };
    worded.filter(rests_on).collect()
}

/// A memory and what was read from it.
struct Seen<'a> {
    ground: &'a ReflectionSource<'a>,
    things: Vec<NounPhrase>,
    /// Statements of it that can be quoted.
    sayable: Vec<String>,
    /// People in it: their numbers, with the name it uses.
    people: Vec<(usize, String)>,
}

/// A recurring subject and the statement of its state.
struct Matter<'a> {
    /// Parts of the subject as spoken of: people first.
    subject: Vec<String>,
    cited: Vec<&'a Seen<'a>>,
    rows: Vec<usize>,
    said: String,
    said_row: usize,
    standing: StatementKind,
    /// True if no later memory mentions it.
    latest: bool,
    about_someone: bool,
    /// Numbers of the people in the topic.
    people: Vec<usize>,
    of_thing: bool,
    weight: u32,
}

struct DayIndex<'a> {
    seen: Vec<Seen<'a>>,
    own: &'a Analysis,
}

impl<'a> DayIndex<'a> {
    fn read(grounds: &'a [ReflectionSource<'a>], own: &'a Analysis, people: &[&str]) -> Self {
        let told = || grounds.iter().filter(|g| g.kind != Kind::Status);
        let nouns = attested(told().map(|g| (g.text, g.analysis)));
        let met = who(grounds, own, people);
        let seen = told()
            .map(|ground| Seen {
                ground,
                things: things(ground.text, ground.analysis, own, &nouns),
                sayable: sayable(ground.text, ground.analysis, own),
                people: met
                    .iter()
                    .enumerate()
                    .filter_map(|(i, called)| name_as_written(ground, called).map(|name| (i, name)))
                    .collect(),
            })
            .collect();
        Self { seen, own }
    }

    /// Returns the topics of recurring things, each with all memories that mention it.
    fn thing_topics(&'a self) -> Vec<Matter<'a>> {
        let mut stems: Vec<&str> =
            self.seen.iter().flat_map(|s| &s.things).map(|t| t.stem.as_str()).collect();
        stems.sort_unstable();
        stems.dedup();
        stems.into_iter().filter_map(|stem| self.of_thing(stem)).collect()
    }

    fn of_thing(&'a self, stem: &str) -> Option<Matter<'a>> {
        let with: Vec<&Seen<'_>> = self.seen.iter().filter(|s| mentions(s, stem).next().is_some()).collect();
        let linked: Vec<&Seen<'_>> =
            with.iter().copied().filter(|a| with.iter().any(|b| self.are_of_one_topic(a, b, stem))).collect();
        let all: Vec<&NounPhrase> = linked.iter().flat_map(|s| mentions(s, stem)).collect();
        if linked.len() < 2 || are_all_places(&all) {
            return None;
        }
        self.matter(linked, Some(stem))
    }

    /// Returns the topics of people who are in many memories.
    fn people_topics(&'a self) -> Vec<Matter<'a>> {
        let mut met: Vec<(usize, usize)> = Vec::new();
        for (person, _) in self.seen.iter().flat_map(|s| &s.people) {
            if !met.iter().any(|(p, _)| p == person) {
                met.push((*person, self.seen.iter().filter(|s| is_with(s, *person)).count()));
            }
        }
        met.retain(|(_, often)| *often >= MIN_MEMORIES_OF_PERSON);
        met.sort_by_key(|(person, often)| (Reverse(*often), *person));
        met.iter()
            .filter_map(|(person, _)| {
                let with = self.seen.iter().filter(|s| is_with(s, *person)).collect();
                let matter = self.matter(with, None)?;
                matter.about_someone.then_some(matter)
            })
            .collect()
    }

    /// True if two memories that mention a thing are of one topic: they share something else, and neither
    /// repeats the other.
    fn are_of_one_topic(&self, a: &'a Seen<'_>, b: &'a Seen<'_>, stem: &str) -> bool {
        let (one, other) = (a.ground.analysis, b.ground.analysis);
        let is_own = |w: &String| self.own.content.binary_search(w).is_ok();
        let beside = |w: &&String| w.as_str() != stem && !is_own(w) && other.content.binary_search(w).is_ok();
        let of = |s: &'a Seen<'_>| mentions(s, stem).collect::<Vec<_>>();
        let (ours, theirs) = (of(a), of(b));
        let both: Vec<&NounPhrase> = ours.iter().chain(&theirs).copied().collect();
        let together = if are_all_amounts(&both) {
            share_amount(&ours, &theirs) || a.people.iter().any(|(p, _)| is_with(b, *p))
        } else {
            one.content.iter().any(|w| beside(&w))
        };
        a.ground.row != b.ground.row && together && jaccard(&one.content, &other.content) < ECHO
    }

    /// Returns the topic of memories that share a thing or, without one, a person.
    fn matter(&'a self, with: Vec<&'a Seen<'a>>, stem: Option<&str>) -> Option<Matter<'a>> {
        let mut cited = with;
        cited.sort_by_key(|s| (Reverse(s.ground.importance), Reverse(s.ground.row)));
        cited.truncate(MOST_CITED);
        cited.sort_by_key(|s| s.ground.row);
        let people = shared_people(&cited);
        let thing = match stem {
            None => None,
            Some(stem) => {
                let mentions: Vec<&NounPhrase> =
                    cited.iter().filter_map(|s| mentions(s, stem).next()).collect();
                Some(spoken(&mentions)?)
            }
        };
        let about_someone =
            people.first().is_some_and(|(person, _)| cited.iter().all(|s| is_with(s, *person)));
        let mut subject: Vec<String> = people.iter().map(|(_, name)| name.clone()).collect();
        if let Some(thing) = thing {
            // "Ida's loom" names her already.
            subject.retain(|name| !thing.starts_with(name.as_str()));
            subject.push(thing);
        }
        if subject.is_empty() {
            return None;
        }
        let last = cited.last()?.ground.row;
        let (seen, said, standing, weight) = cited
            .iter()
            .flat_map(|s| s.sayable.iter().map(move |text| (*s, text)))
            .filter(|(s, text)| match stem {
                Some(stem) => s.things.iter().any(|t| t.stem == stem) && contains_stem(text, stem),
                None => people.iter().any(|(_, name)| names(text, name)),
            })
            .filter(|(_, text)| has_other_content(text, &subject))
            .map(|(s, text)| {
                let standing = standing(text);
                let told = people.iter().filter(|(_, name)| names(text, name)).count() as u32;
                let bonus = standing.bonus() + u32::from(s.ground.row == last) + 2 * told;
                (s, text, standing, u32::from(s.ground.importance) + bonus)
            })
            .max_by_key(|(s, _, standing, weight)| (*weight, *standing, s.ground.row))?;
        let most = cited.iter().map(|s| s.ground.importance).max()?;
        let means = standing == StatementKind::Intent;
        let light = seen.ground.importance + MAX_IMPORTANCE_GAP < most && !means;
        let worth = if means { MIN_INTENT_IMPORTANCE } else { MIN_IMPORTANCE };
        if seen.ground.importance < worth || light {
            return None;
        }
        let later = |s: &&Seen<'_>| {
            s.ground.row > seen.ground.row
                && (people.iter().any(|(p, _)| is_with(s, *p))
                    || stem.is_some_and(|stem| mentions(s, stem).next().is_some()))
        };
        Some(Matter {
            latest: !self.seen.iter().any(|s| later(&s)),
            rows: cited.iter().map(|s| s.ground.row).collect(),
            weight: 2 * weight + cited.len() as u32 + u32::from(!people.is_empty()),
            subject,
            said: said.clone(),
            said_row: seen.ground.row,
            standing,
            about_someone,
            of_thing: stem.is_some(),
            people: people.into_iter().map(|(person, _)| person).collect(),
            cited,
        })
    }
}

fn mentions<'b>(seen: &'b Seen<'_>, stem: &str) -> impl Iterator<Item = &'b NounPhrase> {
    seen.things.iter().filter(move |t| t.stem == stem)
}

fn is_with(seen: &Seen<'_>, person: usize) -> bool {
    seen.people.iter().any(|(p, _)| *p == person)
}

fn contains_stem(text: &str, stem: &str) -> bool {
    tokens(text).iter().any(|t| t.stem.clone() == stem)
}

fn names(text: &str, name: &str) -> bool {
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
fn shared_people(cited: &[&Seen<'_>]) -> Vec<(usize, String)> {
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

#[cfg(test)]
mod tests {
    use nightfold_memory::ReflectionKind;

    use super::{super::phrase::fill, wording::*, *};

    struct Told<'a> {
        text: &'a str,
        kind: Kind,
        importance: u8,
        feeling: f32,
    }

    fn told(text: &str, importance: u8) -> Told<'_> {
        Told { text, kind: Kind::Event, importance, feeling: 0.0 }
    }

    fn drawn(day: &[Told<'_>]) -> Vec<WordedReflection> {
        reflections_after(day, Recurrence { nights: &[], days: 7 })
    }

    fn reflections_after(day: &[Told<'_>], before: Recurrence<'_>) -> Vec<WordedReflection> {
        let people = ["Rana Okoye", "Otto Lind"];
        let analyses: Vec<Analysis> = day.iter().map(|t| analyze(t.text, people)).collect();
        let actors: Vec<Vec<String>> = day
            .iter()
            .map(|t| {
                let there = people.iter().filter(|p| p.split(' ').next().is_some_and(|f| t.text.contains(f)));
                there.map(|p| (*p).to_owned()).collect()
            })
            .collect();
        let grounds: Vec<ReflectionSource<'_>> = day
            .iter()
            .zip(&analyses)
            .zip(&actors)
            .enumerate()
            .map(|(row, ((t, analysis), actors))| ReflectionSource {
                row,
                text: t.text,
                analysis,
                kind: t.kind,
                importance: t.importance,
                feeling: t.feeling,
                actors,
            })
            .collect();
        let theme = ReflectionTheme {
            sources: &grounds,
            own_name: &analyze("Ida Berg", ["Ida Berg"]),
            people: &people,
            earlier_nights: before.nights,
            days: before.days,
        };
        reflect(&theme, 3)
    }

    fn one(day: &[Told<'_>]) -> WordedReflection {
        let mut drawn = drawn(day);
        assert_eq!(drawn.len(), 1, "{drawn:?}");
        drawn.remove(0)
    }

    #[test]
    fn reflection_names_subject_and_repeats_one_statement() {
        let day = [
            told("Otto asked Rana for the 12 florins.", 5),
            told("I swept the loft.", 2),
            told("Rana will pay the 12 florins after the fair.", 6),
        ];
        let insight = one(&day);
        assert_eq!((insight.kind, insight.rows.as_slice()), (ReflectionKind::Social, &[0, 2][..]));
        assert!(insight.text.contains("Rana and the 12 florins"), "{}", insight.text);
        assert!(insight.text.ends_with("Rana will pay the 12 florins after the fair."), "{}", insight.text);
        assert!(HOLDS.iter().any(|h| insight.text.contains(h.trim_end_matches("{x}"))), "{}", insight.text);
        assert!(!insight.text.contains("asked"), "{}", insight.text);
    }

    #[test]
    fn topics_without_recurrence_yield_no_reflection() {
        assert!(drawn(&[told("I sold the goat.", 8), told("Otto lost a shoe.", 8)]).is_empty());
        // Two amounts in the same coin are not one topic.
        assert!(
            drawn(&[told("I paid 3 florins for wool.", 8), told("I found 9 florins today.", 8)]).is_empty()
        );
        // A place where two things happened is no topic either.
        assert!(drawn(&[told("I sang in the loft.", 8), told("I slept badly in the loft.", 8)]).is_empty());
        // Nor is one memory repeated.
        let twice = [told("I saw the comet over the hill.", 8), told("Saw the comet over the hill.", 8)];
        assert!(drawn(&twice).is_empty());
    }

    #[test]
    fn intentions_are_reflections_on_oneself() {
        let day = [
            told("Only 3 jars of honey are left for the winter.", 5),
            told("I must keep one jar of honey back.", 5),
        ];
        let insight = one(&day);
        assert_eq!(insight.kind, ReflectionKind::Oneself);
        assert!(insight.text.ends_with("I must keep one jar of honey back."), "{}", insight.text);
        // Reported speech in the first person is no intention of the NPC.
        assert_ne!(standing("Rana told me I must go"), StatementKind::Intent);
    }

    #[test]
    fn causal_reflection_needs_a_stated_reason() {
        let why = [
            told("Otto shut the kiln because the clay was wet.", 6),
            told("I looked into the kiln, and the clay is raw.", 4),
        ];
        assert_eq!(one(&why).kind, ReflectionKind::Causal);
        let because_of = [
            told("Otto shut the kiln because of the rain.", 6),
            told("I looked into the kiln in the rain.", 4),
        ];
        assert!(drawn(&because_of).iter().all(|i| i.kind != ReflectionKind::Causal));
    }

    #[test]
    fn feeling_must_be_shared_by_all_memories() {
        let day = |feelings: [f32; 2]| {
            let texts = ["Otto ran off with the red kite.", "Otto tore the red kite and laughed."];
            let told = texts.iter().zip(feelings);
            let told: Vec<Told<'_>> = told
                .map(|(text, feeling)| Told { text, kind: Kind::Event, importance: 6, feeling })
                .collect();
            one(&told).text
        };
        let begins = |text: &str, wordings: &[&str]| {
            wordings.iter().any(|w| text.starts_with(&fill(w, "Otto and the red kite", "")))
        };
        assert!(begins(&day([-0.5, -0.4]), ILL) && begins(&day([0.5, 0.4]), WELL));
        assert!(begins(&day([-0.5, 0.0]), MET), "{}", day([-0.5, 0.0]));
    }

    #[test]
    fn statement_is_not_latest_if_a_later_memory_mentions_it() {
        let quoted = "\"Not before the fair,\" said Rana of the 12 florins.";
        let day = |last| {
            one(&[told("Rana owes 12 florins.", 5), told("I asked Rana for the 12 florins.", 8), last])
        };
        assert!(!LATEST.iter().any(|l| day(told(quoted, 4)).text.contains(l.trim_end_matches("{x}"))));
    }

    #[test]
    fn statement_without_other_content_is_not_reflected() {
        let day = [told("Otto is making a kite.", 6), told("Otto let me paint the kite.", 5)];
        assert!(drawn(&day).iter().all(|i| !i.text.contains("making")));
    }

    #[test]
    fn unimportant_memories_are_reflected_only_as_intentions() {
        let day = |last| drawn(&[told("Only 3 jars of honey are left.", 3), told(last, 4)]);
        assert!(day("I spilled a jar of honey.").is_empty());
        assert_eq!(day("I must hide one jar of honey.").len(), 1);
    }

    #[test]
    fn reflection_on_a_person_needs_three_memories() {
        let day = [
            told("Rana sang at the wedding.", 5),
            told("Rana carried wood for me.", 4),
            told("I did not see Rana leave.", 5),
        ];
        assert_eq!(one(&day).kind, ReflectionKind::Social);
        assert!(drawn(&day[..2]).is_empty());
    }

    #[test]
    fn earlier_nights_are_counted() {
        let day = [
            told("Otto asked Rana for the 12 florins.", 5),
            told("Rana will pay the 12 florins after the fair.", 6),
        ];
        let night = |terms: &str| terms.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let after =
            |nights: &[Vec<String>]| reflections_after(&day, Recurrence { nights, days: 7 }).remove(0).text;
        let (same, other) = (night("otto florin rana 12"), night("rana fair"));
        let third = after(&[same.clone(), other.clone(), same.clone()]);
        assert!(third.contains("Rana and the 12 florins"), "{third}");
        assert!(third.to_lowercase().contains("for the third time this week"), "{third}");
        // Twice is no habit, and a night with Rana alone is none with Rana and the florins.
        assert_eq!(after(&[same, other]), one(&day).text);
    }

    #[test]
    fn wordings_are_first_person_without_names_and_numbers() {
        let wordings = [RECURS, MET, TALK, ILL, WELL, INTENDS, BECAUSE].concat();
        for wording in wordings {
            let text = fill(wording, "the kite", "the kite flew");
            let read = analyze(&text, []);
            let mine = read.tokens.iter().any(|t| matches!(t.lower.as_str(), "i" | "me" | "my"));
            assert!(mine, "{wording}");
            assert_eq!((read.negations, read.numbers.len(), read.names.len()), (0, 0, 0), "{wording}");
        }
    }
}
