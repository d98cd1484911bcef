//! Choice of the statements that are compared with each other.
//!
//! Statements that may be merged have similar vectors. A position and what ends it often do not: "The captain is at
//! the inn" and "Ferris packed his saddlebags and rode off" hardly share a word. So a statement is also compared with those
//! before it that it shares most with, in meaning and in rare words, up to a limit.

use std::{collections::BTreeSet, ops::Range};

use nightfold_memory::{
    Analysis, Foundation, Kind, LanguagePack, MemoryId, MemoryRecord, MemorySnapshot, RecordKind, State,
    ValidConfig, Vectors, config::ReconcileConfig,
};
use serde::{Deserialize, Serialize};

use super::statement::{ParsedStatement, WordIds, WordNumbering, WordRarity, common};
use crate::{canonical_day::are_namesakes, collapse::DistinctMemory, gram::dot};

/// A statement: one of the day, by its row, or an entry of long-term memory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum StatementId {
    Known(MemoryId),
    Row(usize),
}

/// A statement of the day and one that it may repeat, or that one of the two may end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Comparison {
    pub(crate) row: usize,
    /// An entry, or an earlier statement of the day.
    pub(crate) against: StatementId,
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

/// A position of an older statement, and a later statement that may end it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rivalry {
    /// Byte range of the position of the older statement that shares most with the newer one.
    pub(crate) position: Range<usize>,
    /// Number of assertions of the older statement: it is superseded once each of them is an ended position.
    pub(crate) assertions: usize,
    /// Foundation of the older statement.
    pub(crate) older: Foundation,
    /// Foundation of the newer statement.
    pub(crate) newer: Foundation,
}

/// Score of a word that no other statement contains, if two statements share it, relative to the cosine.
const SHARED_WORD_WEIGHT: f64 = 0.125;

/// Returns the comparisons of a night: each statement of the day with its nearest entries, the closest first, and the
/// rivals of each.
///
/// `analyses` belong to the rows. With `wide`, statements that share rare words are compared although their vectors are
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
    let pairs = Pairs { rarity: book.rarity(), settings, wide };

    let mut out = Vec::new();
    let mut rivals = Vec::new();
    for (at, (&row, own)) in rows.iter().zip(&day).enumerate() {
        let cosine_to = |other: &ParsedStatement<'_>| f64::from(dot(own.vector, other.vector));
        let cosines: Vec<f64> = older.iter().map(cosine_to).collect();
        let near = nearest(distinct[row].named(), &known, &older, &cosines, settings);
        let of_past = older.iter().enumerate().map(|(k, other)| (k, other, other.at > own.at));
        let earlier = day.iter().enumerate().filter(|(before, other)| (other.at, *before) < (own.at, at));
        let of_day = earlier.map(|(before, other)| (known.len() + before, other, false));
        let mut found = Vec::new();
        for (k, other, late) in of_past.chain(of_day) {
            let cosine = cosines.get(k).copied().unwrap_or_else(|| cosine_to(other));
            let (near, rival) = (near.contains(&k), pairs.rival(own, other, cosine, late));
            if !near && rival.is_none() {
                continue;
            }
            let against = match known.get(k) {
                Some((record, _)) => StatementId::Known(record.entry.id.clone()),
                None => StatementId::Row(rows[k - known.len()]),
            };
            let whole = Comparison { row, against, cosine, near, parts: None, rivalry: None, late };
            match rival {
                Some(Rival { parts: None, rivalry, .. }) if near => {
                    out.push(Comparison { rivalry: Some(rivalry), ..whole });
                }
                rival => {
                    found.extend(rival.map(|Rival { score, parts, rivalry }| {
                        (score, Comparison { near: false, parts, rivalry: Some(rivalry), ..whole.clone() })
                    }));
                    out.extend(near.then_some(whole));
                }
            }
        }
        rivals.extend(top_comparisons(found, settings.neighbours));
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
    let told_first = active().filter(|e| !is_told_again(e));
    told_first.filter_map(|e| Some((e, e.entry.vector.as_ref()?.as_slice()))).collect()
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

/// Two statements of which the newer one may end what the older one says, with the compared parts of the statement of the day
/// and of the other side.
struct Rival {
    score: f64,
    parts: Option<(Range<usize>, Range<usize>)>,
    rivalry: Rivalry,
}

/// Search for statements that may end what older ones say.
struct Pairs<'a> {
    rarity: WordRarity,
    settings: &'a ReconcileConfig,
    wide: bool,
}

impl Pairs<'_> {
    /// Returns the parts of two statements that share most; `None` if the statements share too little, or if the newer one
    /// says nothing else. With `late` the other side is the newer one.
    fn rival(
        &self,
        own: &ParsedStatement<'_>,
        other: &ParsedStatement<'_>,
        cosine: f64,
        late: bool,
    ) -> Option<Rival> {
        let (older, newer) = if late { (own, other) } else { (other, own) };
        let score =
            cosine + SHARED_WORD_WEIGHT * self.rarity.distinctiveness(common(&older.words, &newer.words));
        let least = if self.wide { self.settings.rival_similarity } else { self.settings.min_similarity };
        // Readings of a status differ by nature; they are listed in order of time.
        if older.kind == Kind::Status || score < least || !self.wide && cosine < least {
            return None;
        }
        let shared = |a: &WordIds, b: &WordIds| self.rarity.distinctiveness(common(&a.all, &b.all));
        let compared = newer.parts.iter().flat_map(|new| older.parts.iter().map(move |old| (new, old)));
        let (new, old) = max_by_share(compared, |(new, old)| shared(&new.1, &old.1))?;
        // The newer part says no more than the older one, or only adds to it.
        if old.1.covers(&new.1) || new.1.extends(&old.1) {
            return None;
        }
        let within = older.assertions.iter().filter(|(assertion, words)| {
            let is_part = assertion.span.start >= old.0.start && assertion.span.end <= old.0.end;
            words.holds && assertion.is_position && is_part
        });
        let (position, _) = max_by_share(within, |(_, words)| shared(words, &new.1))?;
        let whole = new.0.len() == newer.length && old.0.len() == older.length;
        let spans = (new.0.clone(), old.0.clone());
        let rivalry = Rivalry {
            position: position.span.clone(),
            assertions: older.assertions.len(),
            older: position.foundation,
            newer: newer.assertions.first()?.0.foundation,
        };
        let parts = (!whole).then_some(if late { (spans.1, spans.0) } else { spans });
        Some(Rival { score, parts, rivalry })
    }
}

/// Returns the first of the items with the largest share.
fn max_by_share<T>(items: impl Iterator<Item = T>, share: impl Fn(&T) -> f64) -> Option<T> {
    let mut best: Option<(f64, T)> = None;
    for item in items {
        let own = share(&item);
        if best.as_ref().is_none_or(|(most, _)| own > *most) {
            best = Some((own, item));
        }
    }
    best.map(|(_, item)| item)
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
