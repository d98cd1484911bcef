//! Choice of the statements that are compared with each other.
//!
//! Statements that may be merged have similar vectors. A position and what ends it often do not: "The captain is at
//! the inn" and "Ferris packed his saddlebags and rode off" hardly share a word. So a position is compared with what
//! is said of its subject, the most promising pairs first and up to a limit.

use std::{collections::BTreeSet, ops::Range};

use nightfold_memory::{
    Analysis, Assertion, Foundation, Kind, LanguagePack, MemoryId, MemoryRecord, MemorySnapshot, RecordKind,
    State, ValidConfig, Vectors, config::ReconcileConfig,
};
use serde::{Deserialize, Serialize};

use super::statement::{ParsedStatement, WordIds, WordNumbering, common};
use crate::{canonical_day::are_namesakes, collapse::DistinctMemory, gram::dot};

/// The other side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Counterpart {
    /// An entry of long-term memory.
    Known(MemoryId),
    /// An earlier statement of the day, by its row.
    Row(usize),
}

/// A statement of the day and one that it may repeat, or that one of the two may end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Comparison {
    pub(crate) row: usize,
    pub(crate) against: Counterpart,
    pub(crate) cosine: f64,
    /// Close enough to be merged (`reconcile.min_similarity`), and compared as a whole.
    pub(crate) near: bool,
    /// Compared parts of the statement and of the other side, if one of the two says several things; `None` if they
    /// are compared as a whole.
    pub(crate) parts: Option<(Range<usize>, Range<usize>)>,
    /// Set if the older side holds a position that the newer one may end.
    pub(crate) rivalry: Option<Rivalry>,
    /// True if the other side happened later: the statement reached the NPC late, and is the older side.
    pub(crate) late: bool,
}

/// A position, and a later assertion that may end it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rivalry {
    /// Byte range of the position in the older statement.
    pub(crate) position: Range<usize>,
    /// Number of assertions of the older statement: it is superseded once each of them is an ended position.
    pub(crate) assertions: usize,
    /// Foundation of the older statement.
    pub(crate) older: Foundation,
    /// Foundation of the newer statement.
    pub(crate) newer: Foundation,
}

/// Weight of shared words relative to the cosine.
const SHARED_WORDS_WEIGHT: f64 = 0.5;

/// Least share, by weight, of what a position says of its subject that an assertion on another subject repeats, for
/// that to be another holder of the same office, thing or place.
const SAME_QUESTION_SHARE: f64 = 0.6;

/// Largest share of the statements that may contain a word for it to be distinctive.
const MAX_DOCUMENT_SHARE: f64 = 0.2;
/// Number of statements in which a word is distinctive however few there are.
const ALWAYS_DISTINCTIVE: f64 = 3.0;

/// Returns the comparisons of a night: each statement of the day with its nearest entries, the closest first, and the
/// rivals of each.
///
/// `analyses` are those of the rows. With `wide`, statements on one subject are compared although their vectors are
/// dissimilar.
pub(crate) fn comparisons(
    distinct: &[DistinctMemory],
    analyses: &[Analysis],
    vectors: &Vectors,
    past: &MemorySnapshot,
    config: &ValidConfig,
    wide: bool,
    pack: &dyn LanguagePack,
) -> Vec<Comparison> {
    let settings = &config.reconcile;
    let known = comparable_entries(past);
    let rows: Vec<usize> = (0..distinct.len()).filter(|&row| distinct[row].readings.is_none()).collect();
    let mut book = WordNumbering::default();
    let day: Vec<ParsedStatement<'_>> = rows
        .iter()
        .map(|&row| book.parse_memory(&distinct[row], &analyses[row], vectors.row(row), pack))
        .collect();
    let older: Vec<ParsedStatement<'_>> =
        known.iter().map(|(record, vector)| book.parse_entry(record, vector, pack)).collect();
    let pairs = Pairs { book: &book, settings, wide };

    let mut out = Vec::new();
    let mut rivals = Vec::new();
    for (at, (&row, own)) in rows.iter().zip(&day).enumerate() {
        let cosines: Vec<f64> = older.iter().map(|other| f64::from(dot(own.vector, other.vector))).collect();
        let near = nearest(distinct[row].named(), &known, &older, &cosines, settings);
        let mut found = Vec::new();
        for (k, other) in older.iter().enumerate() {
            let (cosine, is_near, late) = (cosines[k], near.contains(&k), other.at > own.at);
            let rival = pairs.rival(own, other, cosine, late);
            if rival.is_none() && !is_near {
                continue;
            }
            let against = Counterpart::Known(known[k].0.entry.id.clone());
            let whole = Comparison { row, against, cosine, near: is_near, parts: None, rivalry: None, late };
            match rival {
                Some(Rival { parts: None, rivalry, .. }) if is_near => {
                    out.push(Comparison { rivalry: Some(rivalry), ..whole });
                }
                rival => {
                    if let Some(Rival { score, parts, rivalry }) = rival {
                        let rivalry = Some(rivalry);
                        found.push((score, Comparison { near: false, parts, rivalry, ..whole.clone() }));
                    }
                    if is_near {
                        out.push(whole);
                    }
                }
            }
        }
        rivals.extend(top_comparisons(found, settings.neighbours));
        let earlier = day.iter().enumerate().filter(|(before, other)| (other.at, *before) < (own.at, at));
        let same_day = earlier.filter_map(|(before, other)| {
            let cosine = f64::from(dot(own.vector, other.vector));
            let Rival { score, parts, rivalry } = pairs.rival(own, other, cosine, false)?;
            let (against, rivalry) = (Counterpart::Row(rows[before]), Some(rivalry));
            Some((score, Comparison { row, against, cosine, near: false, parts, rivalry, late: false }))
        });
        rivals.extend(top_comparisons(same_day.collect(), settings.neighbours));
    }
    out.sort_by(|a, b| a.row.cmp(&b.row).then_with(|| b.cosine.total_cmp(&a.cosine)));
    out.extend(most_promising(rivals, config.judge.max_pairs));
    out
}

/// Returns the active entries that statements are compared with. A reflection whose sources are all held is left out:
/// what it quotes ends where it stands, and the reflection falls with it.
fn comparable_entries(past: &MemorySnapshot) -> Vec<(&MemoryRecord, &[f32])> {
    let active = || past.entries.iter().filter(|e| e.state == State::Active);
    let lived = active().map(|e| &e.entry).filter(|entry| entry.form != RecordKind::Reflection);
    let held: BTreeSet<&MemoryId> = lived.flat_map(|entry| entry.sources.iter().chain([&entry.id])).collect();
    let is_told_again = |e: &&MemoryRecord| {
        e.entry.form == RecordKind::Reflection && e.entry.sources.iter().all(|id| held.contains(id))
    };
    let with_vector = |e: &'_ MemoryRecord| e.entry.vector.is_some();
    active()
        .filter(|e| !is_told_again(e) && with_vector(e))
        .map(|e| (e, e.entry.vector.as_ref().map_or(&[][..], |vector| vector.as_slice())))
        .collect()
}

/// Returns the indices of the nearest entries into which a memory may be merged, the closest first.
fn nearest(
    own: (&MemoryId, &str),
    known: &[(&MemoryRecord, &[f32])],
    older: &[ParsedStatement<'_>],
    cosines: &[f64],
    settings: &ReconcileConfig,
) -> Vec<usize> {
    let id = |k: usize| &known[k].0.entry.id;
    let is_near = |&k: &usize| cosines[k] >= settings.min_similarity && older[k].may_merge;
    let is_other = |&k: &usize| !are_namesakes(own, (id(k), &known[k].0.entry.text));
    let mut near: Vec<usize> = (0..known.len()).filter(is_near).filter(is_other).collect();
    near.sort_by(|&a, &b| cosines[b].total_cmp(&cosines[a]).then_with(|| id(a).cmp(id(b))));
    near.truncate(settings.neighbours);
    near
}

/// A position and an assertion that may end it, with the compared parts of the statement of the day and of the other side.
struct Rival {
    score: f64,
    parts: Option<(Range<usize>, Range<usize>)>,
    rivalry: Rivalry,
}

/// Search for positions that an assertion may end.
struct Pairs<'a> {
    book: &'a WordNumbering,
    settings: &'a ReconcileConfig,
    wide: bool,
}

impl Pairs<'_> {
    /// Returns the position and the assertion that share most; `None` if no part of the newer statement may end a position
    /// of the older one. With `late` the other side is the newer one.
    fn rival(
        &self,
        own: &ParsedStatement<'_>,
        other: &ParsedStatement<'_>,
        cosine: f64,
        late: bool,
    ) -> Option<Rival> {
        let (older, newer) = if late { (own, other) } else { (other, own) };
        // Readings of a status differ by nature; they are listed in order of time.
        let readings = older.kind == Kind::Status && newer.kind == Kind::Status;
        if readings || !self.wide && cosine < self.settings.claim_similarity {
            return None;
        }
        let talk = older.kind == Kind::Chat && newer.kind == Kind::Chat;
        let mut best: Option<(f64, usize, usize)> = None;
        for (j, (_, position)) in older.assertions.iter().enumerate() {
            for (i, (_, assertion)) in newer.news().iter().enumerate() {
                if self.may_end(assertion, position, cosine, talk) {
                    let shared = self.book.weight_of(common(&position.mentions, &assertion.mentions));
                    if best.is_none_or(|(most, ..)| shared > most) {
                        best = Some((shared, i, j));
                    }
                }
            }
        }
        let (_, i, j) = best?;
        let ((assertion, a), (position, b)) = (&newer.news()[i], &older.assertions[j]);
        let score = cosine + SHARED_WORDS_WEIGHT * self.book.shared_fraction(a, b);
        let whole = is_whole(newer.news(), newer.length) && is_whole(&older.assertions, older.length);
        let spans = (assertion.span.clone(), position.span.clone());
        // A clause out of a turn of talk is no statement by itself.
        let parts = (!whole && !talk).then_some(if late { (spans.1, spans.0) } else { spans });
        let rivalry = Rivalry {
            position: position.span.clone(),
            assertions: older.assertions.len(),
            older: position.foundation,
            newer: assertion.foundation,
        };
        Some(Rival { score, parts, rivalry })
    }

    /// True if an assertion may end a position: it gives the same subject another answer, tells what happened to it, or
    /// says of another subject what the position says of its own.
    fn may_end(&self, assertion: &WordIds, position: &WordIds, cosine: f64, talk: bool) -> bool {
        // It says no more than the position, or only adds to it.
        if !position.is_position || position.covers(assertion) || assertion.extends(position) {
            return false;
        }
        if position.is_told_happening && !assertion.denies(position) {
            return false;
        }
        let mentions_persons =
            position.persons.iter().all(|person| assertion.mentions.binary_search(person).is_ok());
        if !mentions_persons {
            return false;
        }
        let is_about = |word: &u32| position.subject.binary_search(word).is_ok();
        let about = if assertion.is_position { &assertion.subject } else { &assertion.mentions };
        let happened_to_named =
            !assertion.is_position && common(&position.names, &assertion.subject).next().is_some();
        let on_subject = happened_to_named || self.share(&position.subject, about) >= SAME_QUESTION_SHARE;
        let is_close = cosine >= self.settings.claim_similarity;
        // A shared subject alone is no shared question: "The Lyde Pass is open" and "We got to Lyde after dark".
        let further = || {
            let distinctive =
                |word: &u32| self.book.is_distinctive(*word, MAX_DOCUMENT_SHARE, ALWAYS_DISTINCTIVE);
            common(&position.all, &assertion.all).any(|word| !is_about(&word) && distinctive(&word))
        };
        // Of a person, and in talk, much is said: there it takes both.
        let is_vague = talk || position.subject.len() == position.persons.len();
        if on_subject && if is_vague { is_close && further() } else { is_close || further() } {
            return true;
        }
        let said: Vec<u32> = position.all.iter().copied().filter(|word| !is_about(word)).collect();
        assertion.is_position && is_close && self.share(&said, &assertion.all) >= SAME_QUESTION_SHARE
    }

    /// Returns the share, by weight, of some words that others repeat; 0 for no words.
    fn share(&self, words: &[u32], others: &[u32]) -> f64 {
        let all = self.book.weight_of(words.iter().copied());
        if all > 0.0 { self.book.weight_of(common(words, others)) / all } else { 0.0 }
    }
}

/// True if all that a statement of this length in bytes says is one assertion.
fn is_whole(assertions: &[(Assertion, WordIds)], length: usize) -> bool {
    matches!(assertions, [(only, _)] if only.span.len() == length)
}

/// Returns the most promising comparisons of one statement, the best first.
fn top_comparisons(mut some: Vec<(f64, Comparison)>, most: usize) -> Vec<(f64, Comparison)> {
    some.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.against.cmp(&b.1.against)));
    some.truncate(most);
    some
}

/// Returns the `most` most promising comparisons, in the order of their rows.
fn most_promising(mut some: Vec<(f64, Comparison)>, most: usize) -> Vec<Comparison> {
    let place = |c: &Comparison| (c.row, c.against.clone());
    some.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| place(&a.1).cmp(&place(&b.1))));
    some.truncate(most);
    let mut rest: Vec<Comparison> = some.into_iter().map(|(_, comparison)| comparison).collect();
    rest.sort_by_key(place);
    rest
}
