//! Memories of an NPC in order of time, as conclusions read them.

use std::{borrow::Cow, collections::BTreeSet};

use nightfold_memory::{ConclusionSources, EarlierSource, GameTime, Kind, ReflectionSource};

use super::subjects::{Subject, subjects};
use crate::{
    synthesize::{clause::Told, topics},
    text::{Analysis, analyze_knowing, jaccard, names_in},
};

/// Seconds between two occasions; memories that follow each other sooner are of one occasion.
pub(super) const MIN_GAP_SECONDS: i64 = 1_800;
/// Overlap of content (Jaccard) from which two memories of one day are one event told twice.
const ECHO_OVERLAP: f64 = 0.5;
/// Similarity (cosine) to a memory of the day from which an earlier memory is read.
const MIN_SIMILARITY: f32 = 0.25;
/// Seconds of a day.
const DAY_SECONDS: i64 = 86_400;

/// A memory and what was read from it.
pub(super) struct TimelineEntry<'a> {
    /// Row of the day, of a memory of the day.
    pub(super) row: Option<usize>,
    /// Index among the earlier memories, of one of these.
    pub(super) earlier: Option<usize>,
    pub(super) text: &'a str,
    pub(super) analysis: Cow<'a, Analysis>,
    pub(super) kind: Kind,
    pub(super) importance: u8,
    pub(super) feeling: f32,
    /// True if the game gave the emotion.
    pub(super) is_felt: bool,
    pub(super) actors: &'a [String],
    /// True for talk of others: that it was said is lived, what it tells is not.
    pub(super) is_heard: bool,
    pub(super) at: GameTime,
    /// True if a position that it states has ended.
    pub(super) has_ended: bool,
}

impl TimelineEntry<'_> {
    pub(super) fn day(&self) -> i64 {
        self.at.seconds().div_euclid(DAY_SECONDS)
    }

    pub(super) fn has_stems(&self, stems: &[String]) -> bool {
        stems.iter().all(|stem| self.analysis.content.binary_search(stem).is_ok())
    }

    /// Returns the first word with a stem, as written.
    pub(super) fn written(&self, stem: &str) -> Option<String> {
        let token = self.analysis.tokens.iter().find(|t| t.stem == stem)?;
        Some(token.written(self.text).to_owned())
    }
}

/// All memories in order of time, and the subjects of those of the day.
pub(super) struct Timeline<'a> {
    pub(super) seen: Vec<TimelineEntry<'a>>,
    pub(super) subjects: Vec<Subject>,
    pub(super) own: &'a Analysis,
}

impl<'a> Timeline<'a> {
    pub(super) fn read(known: &ConclusionSources<'a>) -> Self {
        // What has nothing to do with the day is not read: reading costs more than comparing.
        let is_near = |index: usize, source: &EarlierSource<'_>| {
            source.vector.is_empty()
                || known.changes.iter().any(|change| change.earlier == index)
                || known.today.iter().any(|today| cosine(source.vector, today.vector) >= MIN_SIMILARITY)
        };
        let near = known.earlier.iter().enumerate().filter(|(index, source)| is_near(*index, source));
        // Who is met today is known by name in what was written down before.
        let people: BTreeSet<String> = names_in(known.people.iter().copied()).collect();
        let earlier = near.map(|(index, source)| of_earlier(index, source, &people));
        let mut seen: Vec<TimelineEntry<'a>> = earlier.chain(known.today.iter().map(of_today)).collect();
        seen.sort_by_key(|one| one.at);
        let subjects = subjects(&seen, known);
        Self { seen, subjects, own: known.own_name }
    }

    /// Returns a memory as one whose clauses are read; `None` for a status line, and for what was only heard.
    pub(super) fn told(&self, at: usize) -> Option<Told<'_>> {
        let entry = &self.seen[at];
        let told = Told { text: entry.text, analysis: &entry.analysis, own: self.own };
        (entry.kind != Kind::Status && !entry.is_heard).then_some(told)
    }

    pub(super) fn is_of_today(&self, at: usize) -> bool {
        self.seen[at].row.is_some()
    }

    /// Returns whom or what a memory of the day is about, as another one is: somebody, or its first topic that both have.
    pub(super) fn shared_subject(&self, of_today: usize, other: usize) -> String {
        let has_both = |s: &&Subject| [of_today, other].iter().all(|at| s.members.contains(at));
        if let Some(somebody) = self.subjects.iter().find(has_both) {
            return somebody.phrase.clone();
        }
        let topics = topics(self.seen[of_today].text, &self.seen[of_today].analysis);
        let shared = topics.into_iter().flat_map(|topic| topic.forms);
        shared
            .into_iter()
            .find(|form| self.seen[other].has_stems(&form.stems))
            .map_or_else(String::new, |form| form.text)
    }

    /// Returns the first memory of each occasion among these ones, which are in order of time.
    pub(super) fn occasions(&self, members: &[usize]) -> Vec<usize> {
        let mut first: Vec<usize> = Vec::new();
        let mut last: Option<i64> = None;
        for &at in members {
            let one = &self.seen[at];
            let soon = last.is_some_and(|last| one.at.seconds() - last < MIN_GAP_SECONDS);
            last = Some(one.at.seconds());
            if !soon && !first.iter().any(|&other| self.is_echo(at, other)) {
                first.push(at);
            }
        }
        first
    }

    /// True if two memories of one day tell the same event.
    fn is_echo(&self, a: usize, b: usize) -> bool {
        let (one, other) = (&self.seen[a], &self.seen[b]);
        one.day() == other.day() && jaccard(&one.analysis.content, &other.analysis.content) >= ECHO_OVERLAP
    }

    /// Returns the number of days on which these memories lie.
    pub(super) fn days(&self, members: &[usize]) -> usize {
        members.iter().map(|&at| self.seen[at].day()).collect::<BTreeSet<_>>().len()
    }

    /// Returns the number of days from the first to the last of these memories, both included.
    pub(super) fn span(&self, members: &[usize]) -> usize {
        let days = || members.iter().map(|&at| self.seen[at].day());
        match days().min().zip(days().max()) {
            Some((first, last)) => usize::try_from(last - first).map_or(1, |days| days + 1),
            None => 0,
        }
    }
}

/// True if one of these words, in lower case, is of a name.
pub(super) fn is_named(name: &str, words: &[String]) -> bool {
    names_in([name].into_iter()).any(|word| words.contains(&word))
}

fn of_today<'a>(source: &ReflectionSource<'a>) -> TimelineEntry<'a> {
    TimelineEntry {
        row: Some(source.row),
        earlier: None,
        text: source.text,
        analysis: Cow::Borrowed(source.analysis),
        kind: source.kind,
        importance: source.importance,
        feeling: source.feeling,
        is_felt: source.is_felt,
        actors: source.actors,
        is_heard: source.is_heard,
        at: source.at,
        has_ended: false,
    }
}

fn of_earlier<'a>(index: usize, source: &EarlierSource<'a>, people: &BTreeSet<String>) -> TimelineEntry<'a> {
    let actors = names_in(source.actors.iter().map(String::as_str)).collect();
    TimelineEntry {
        row: None,
        earlier: Some(index),
        text: source.text,
        analysis: Cow::Owned(analyze_knowing(source.text, &[people, &actors])),
        has_ended: source.has_ended,
        kind: source.kind,
        importance: source.importance,
        feeling: source.feeling,
        is_felt: source.is_felt,
        actors: source.actors,
        is_heard: source.is_heard,
        at: source.at,
    }
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
