//! Memories of an NPC in order of time, as conclusions read them.

use std::{borrow::Cow, cell::OnceCell, collections::BTreeSet};

use nightfold_memory::{ConclusionSources, EarlierSource, GameTime, Kind, ReflectionSource};

use super::subjects::{Subject, subjects};
use crate::{
    assertions::is_activity,
    lexicon::WordClass,
    synthesize::quotable::{is_scene_line, quotable_statements},
    text::{
        Analysis, Token, analyze_knowing, is_line_end, is_quotation_mark, jaccard, names_in, tokens,
        without_full_stop,
    },
};

/// Seconds between two occasions; memories that follow each other sooner are of one occasion.
const MIN_GAP_SECONDS: i64 = 1_800;
/// Overlap of content (Jaccard) from which two memories of one day are one event told twice.
const ECHO_OVERLAP: f64 = 0.5;
/// Similarity (cosine) to a memory of the day from which an earlier memory is read.
const MIN_SIMILARITY: f32 = 0.25;
/// Seconds of a day.
const DAY_SECONDS: i64 = 86_400;
/// Maximum number of characters of a memory that is told whole.
const MAX_TOLD_CHARS: usize = 170;
/// Maximum number of characters of a statement that is told beside another one.
const MAX_STATEMENT_CHARS: usize = 130;

/// Place of a memory in what conclusions are drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// Row of the day.
    Row(usize),
    /// Index among the earlier memories.
    Earlier(usize),
}

/// A memory and what was read from it.
pub(super) struct TimelineEntry<'a> {
    origin: Origin,
    pub(super) text: &'a str,
    pub(super) analysis: Cow<'a, Analysis>,
    pub(super) kind: Kind,
    pub(super) importance: u8,
    pub(super) feeling: f32,
    pub(super) actors: &'a [String],
    pub(super) at: GameTime,
    /// True if a position that it states has ended.
    pub(super) has_ended: bool,
    /// [Statements](Timeline::statements) that can be told, once they were asked for.
    statements: OnceCell<Vec<String>>,
}

impl TimelineEntry<'_> {
    pub(super) fn day(&self) -> i64 {
        self.at.seconds().div_euclid(DAY_SECONDS)
    }

    pub(super) fn has_stems(&self, stems: &[String]) -> bool {
        stems.iter().all(|stem| self.analysis.content.binary_search(stem).is_ok())
    }

    /// Returns the token at a byte.
    pub(super) fn token(&self, byte: usize) -> Option<&Token> {
        let tokens = &self.analysis.tokens;
        tokens.get(tokens.partition_point(|t| t.end <= byte)).filter(|t| t.start <= byte)
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

    /// Reads memories of earlier nights alone, in order of time; each keeps its index.
    pub(super) fn of_known(known: &'a [EarlierSource<'a>], own: &'a Analysis) -> Self {
        let nobody = BTreeSet::new();
        let seen = known.iter().enumerate().map(|(index, source)| of_earlier(index, source, &nobody));
        Self { seen: seen.collect(), subjects: Vec::new(), own }
    }

    pub(super) fn analysis(&self, at: usize) -> &Analysis {
        &self.seen[at].analysis
    }

    pub(super) fn origin(&self, at: usize) -> Origin {
        self.seen[at].origin
    }

    pub(super) fn is_of_today(&self, at: usize) -> bool {
        self.row(at).is_some()
    }

    /// Returns the row of a memory of the day.
    pub(super) fn row(&self, at: usize) -> Option<usize> {
        match self.seen[at].origin {
            Origin::Row(row) => Some(row),
            Origin::Earlier(_) => None,
        }
    }

    /// Returns the first subject that all of these memories mention, people first, as spoken of.
    pub(super) fn subject_of(&self, members: &[usize]) -> String {
        let shared = self.subjects.iter().find(|s| members.iter().all(|at| s.is_in(&self.seen[*at])));
        shared.map_or_else(String::new, |subject| subject.phrase.clone())
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
        let mut days: Vec<i64> = members.iter().map(|&at| self.seen[at].day()).collect();
        days.sort_unstable();
        days.dedup();
        days.len()
    }

    /// Returns the number of days from the first to the last of these memories, both included.
    pub(super) fn span(&self, members: &[usize]) -> usize {
        let days = || members.iter().map(|&at| self.seen[at].day());
        match days().min().zip(days().max()) {
            Some((first, last)) => usize::try_from(last - first).map_or(1, |days| days + 1),
            None => 0,
        }
    }

    /// Returns the statements of a memory that can be told beside others.
    pub(super) fn statements(&self, at: usize) -> &[String] {
        let one = &self.seen[at];
        one.statements.get_or_init(|| {
            if one.kind == Kind::Status {
                return Vec::new();
            }
            let mut said = quotable_statements(one.text, &one.analysis, self.own);
            said.retain(|text| text.chars().count() <= MAX_STATEMENT_CHARS && !text.contains([';', ':']));
            if !self.is_of_today(at) {
                said.retain(|text| !is_dated(text));
            }
            said
        })
    }

    /// Returns a memory as it is told behind a colon, if it is short and plain: its whole text.
    pub(super) fn told(&self, at: usize) -> Option<String> {
        let one = &self.seen[at];
        self.plain_text(at).filter(|_| !is_scene_line(one.text, &one.analysis))
    }

    /// Returns a memory that is a note without a sentence, if it is short and plain: "auth middleware flaky in CI".
    pub(super) fn noted(&self, at: usize) -> Option<String> {
        let tells_state = |t: &Token| WordClass::BeFinite.has(&t.lower);
        self.plain_text(at).filter(|_| !self.seen[at].analysis.tokens.iter().any(tells_state))
    }

    /// Returns the text of a memory, if it is short and plain.
    fn plain_text(&self, at: usize) -> Option<String> {
        let one = &self.seen[at];
        let text = without_full_stop(one.text.trim());
        let is_doubtful = |c: char| {
            is_quotation_mark(c)
                || is_line_end(c)
                || matches!(c, ':' | ';' | '?' | '(' | '\u{2026}' | '\u{2014}')
        };
        // "It is the well": what "it" is stands in another memory.
        let points_back = one.analysis.tokens.first().is_none_or(|t| {
            WordClass::ThirdPerson.has(&t.lower)
                || WordClass::Demonstrative.has(&t.lower)
                || WordClass::BackReference.has(&t.lower)
        });
        let is_plain = !points_back
            && !is_activity(text)
            && one.kind != Kind::Status
            && text.chars().count() <= MAX_TOLD_CHARS
            && !text.contains(is_doubtful)
            && !one.analysis.tokens.iter().any(|t| self.own.names.contains(&t.lower));
        is_plain.then(|| text.to_owned())
    }

    /// Returns the first statement of a memory that tells something of a subject.
    pub(super) fn statement_on(&self, at: usize, subject: &Subject) -> Option<String> {
        self.statements(at).iter().find(|text| subject.is_told_by(text)).cloned()
    }
}

/// True for a statement that is only true on its day: "the gates were shut this morning".
fn is_dated(text: &str) -> bool {
    tokens(text).iter().any(|t| {
        matches!(t.lower.as_str(), "today" | "tonight" | "tomorrow" | "yesterday" | "now" | "this" | "these")
            || WordClass::Deictic.has(&t.lower) && !t.speaker
    })
}

fn of_today<'a>(source: &ReflectionSource<'a>) -> TimelineEntry<'a> {
    TimelineEntry {
        origin: Origin::Row(source.row),
        text: source.text,
        analysis: Cow::Borrowed(source.analysis),
        kind: source.kind,
        importance: source.importance,
        feeling: source.feeling,
        actors: source.actors,
        at: source.at,
        has_ended: false,
        statements: OnceCell::new(),
    }
}

fn of_earlier<'a>(index: usize, source: &EarlierSource<'a>, people: &BTreeSet<String>) -> TimelineEntry<'a> {
    let actors = names_in(source.actors.iter().map(String::as_str)).collect();
    TimelineEntry {
        origin: Origin::Earlier(index),
        text: source.text,
        analysis: Cow::Owned(analyze_knowing(source.text, &[people, &actors])),
        has_ended: source.has_ended,
        kind: source.kind,
        importance: source.importance,
        feeling: source.feeling,
        actors: source.actors,
        at: source.at,
        statements: OnceCell::new(),
    }
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
