//! Choice of the statements that are compared with each other.
//!
//! Statements that may be merged have similar vectors. Statements that contradict each other often do not:
//! "The captain is at the inn" and "Ferris packed his saddlebags and rode off" hardly share a word. So
//! statements that share names and content words are compared as well, the most promising first and up to a
//! limit.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use nightfold_memory::{
    Analysis, Assertion, Foundation, GameTime, Kind, LanguagePack, MemoryId, MemoryRecord, MemorySnapshot,
    RecordKind, State, ValidConfig, Vectors, config::ReconcileConfig,
};
use serde::{Deserialize, Serialize};

use super::words::{WordIds, WordNumbering};
use crate::{collapse::DistinctMemory, gram::dot};

/// The other side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Counterpart {
    /// An entry of long-term memory.
    Known(MemoryId),
    /// An earlier statement of the day, by its row.
    Row(usize),
    /// A statement archived by an earlier night.
    Archived(MemoryId),
}

/// A statement of the day and one that it may repeat or contradict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Comparison {
    pub(crate) row: usize,
    pub(crate) against: Counterpart,
    pub(crate) cosine: f64,
    /// Close enough to be merged (`reconcile.min_similarity`), and compared as a whole.
    pub(crate) near: bool,
    /// Part of the statement and part of the other side that share most, if one of the two says several
    /// things; `None` if they are compared as a whole.
    pub(crate) parts: Option<(Range<usize>, Range<usize>)>,
    /// Set if one of the two may contradict the other: both are asserted as true, they are not two passing
    /// activities, and they share a name if both contain names.
    pub(crate) exclusion: Option<ContradictionGrounds>,
    /// True if the other side happened later: the statement reached the NPC late.
    pub(crate) late: bool,
}

impl Comparison {
    /// Returns the comparison of two whole statements, which may be merged if `near` and are so far not known
    /// to contradict each other.
    fn of_whole(row: usize, against: Counterpart, cosine: f64, near: bool, late: bool) -> Self {
        Self { row, against, cosine, near, parts: None, exclusion: None, late }
    }
}

/// Grounds on which two statements would contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct ContradictionGrounds {
    /// Foundation of the statement of the day.
    pub(crate) founded: Foundation,
    /// Foundation of the other side.
    pub(crate) against: Foundation,
    /// Share (0 to 1), by weight, of the content words of the less informative side that both contain.
    pub(crate) shared: f64,
    /// True if the other side says more than the compared part of it.
    pub(crate) in_part: bool,
}

/// Least share of a statement's content with which a part represents all of it.
const WHOLE_SHARE: f64 = 0.6;

/// Weight of shared words relative to the cosine.
const SHARED_WORDS_WEIGHT: f64 = 0.5;

/// Largest share of the statements that may contain a word for it to be distinctive.
const MAX_DOCUMENT_SHARE: f64 = 0.2;

/// A statement, split for comparison.
struct ParsedStatement<'a> {
    assertions: Vec<(Assertion, WordIds)>,
    /// Assertions with short consecutive ones joined ([`LanguagePack::join_assertions`]); only for statements
    /// of the day.
    joined: Vec<(Assertion, WordIds)>,
    kind: Kind,
    /// Length of its text in bytes.
    length: usize,
    /// True if the text is a memory's own, not a synthesis: a synthesis covers several facts, and
    /// contradicting one of them does not contradict the rest.
    verbatim: bool,
    vector: &'a [f32],
    at: GameTime,
}

impl ParsedStatement<'_> {
    /// True if all of it describes an activity of a moment.
    fn is_passing(&self) -> bool {
        !self.assertions.is_empty() && self.assertions.iter().all(|(_, words)| words.activity)
    }
}

/// Entries that statements of the day are compared with.
struct ComparableEntries<'a> {
    /// Active entries, then archived ones.
    entries: Vec<(&'a MemoryRecord, &'a [f32])>,
    /// Number of active entries.
    active: usize,
}

impl<'a> ComparableEntries<'a> {
    fn of(past: &'a MemorySnapshot) -> Self {
        let with_vector = |e: &'a MemoryRecord| e.entry.vector.as_ref().map(|vector| (e, vector.as_slice()));
        let active = || past.entries.iter().filter(|e| e.state == State::Active);
        let lived = || active().map(|e| &e.entry).filter(|entry| entry.form != RecordKind::Reflection);
        let held: BTreeSet<&MemoryId> =
            lived().flat_map(|entry| entry.sources.iter().chain([&entry.id])).collect();
        // What a reflection quotes is contradicted where it stands, in the memories that it rests on: it falls with
        // them.
        let is_told_again = |e: &&MemoryRecord| {
            e.entry.form == RecordKind::Reflection && e.entry.sources.iter().all(|id| held.contains(id))
        };
        let mut entries: Vec<_> = active().filter(|e| !is_told_again(e)).filter_map(with_vector).collect();
        let active = entries.len();
        entries.extend(past.archived.iter().filter_map(with_vector));
        Self { entries, active }
    }

    fn counterpart(&self, k: usize) -> Counterpart {
        let id = self.entries[k].0.entry.id.clone();
        if k < self.active { Counterpart::Known(id) } else { Counterpart::Archived(id) }
    }

    /// Returns, of the entries at these cosines, those that a statement of the time `at` may be merged with:
    /// the nearest active ones, then the nearest archived ones.
    fn nearest(
        &self,
        cosines: &[(usize, f64)],
        at: GameTime,
        settings: &ReconcileConfig,
    ) -> Vec<(usize, f64)> {
        let within = cosines
            .iter()
            .copied()
            .filter(|(k, cosine)| *cosine >= settings.min_similarity && may_merge(self.entries[*k].0));
        let (mut near, mut archived): (Vec<_>, Vec<_>) = within.partition(|(k, _)| *k < self.active);
        let entry = |k: usize| &self.entries[k].0.entry;
        let closer = |a: &(usize, f64), b: &(usize, f64)| {
            b.1.total_cmp(&a.1).then_with(|| entry(a.0).id.cmp(&entry(b.0).id))
        };
        near.sort_by(closer);
        near.truncate(settings.neighbours);
        // Entries later than the statement come first: they may rule out restoring an older one.
        let late = |k: usize| entry(k).last_at > at;
        archived.sort_by(|a, b| late(b.0).cmp(&late(a.0)).then_with(|| closer(a, b)));
        archived.truncate(settings.neighbours);
        near.append(&mut archived);
        near
    }
}

/// Returns the comparisons of a night: each statement of the day with its nearest entries, the closest first,
/// then with those it may contradict.
///
/// `analyses` are those of the rows. With `wide`, statements that share words are compared although their
/// vectors are dissimilar.
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
    let held = ComparableEntries::of(past);
    let known = held.entries.as_slice();
    let rows: Vec<usize> = (0..distinct.len()).filter(|&row| distinct[row].readings.is_none()).collect();
    let cosines: Vec<Vec<(usize, f64)>> = rows
        .iter()
        .map(|&row| {
            let own = vectors.row(row);
            let all = known.iter().enumerate().map(|(k, (_, v))| (k, f64::from(dot(v, own))));
            all.filter(|(_, cosine)| *cosine >= settings.claim_similarity.min(settings.min_similarity))
                .collect()
        })
        .collect();

    let mut book = WordNumbering::default();
    let day: Vec<ParsedStatement<'_>> = rows
        .iter()
        .map(|&row| book.parse_memory(&distinct[row], &analyses[row], vectors.row(row), pack))
        .collect();
    let mut older: BTreeMap<usize, ParsedStatement<'_>> = BTreeMap::new();
    for &(k, _) in cosines.iter().flatten() {
        older.entry(k).or_insert_with(|| book.parse_entry(known[k].0, known[k].1, pack));
    }

    let mut out = Vec::new();
    let (mut promising, mut promising_archived) = (Vec::new(), Vec::new());
    for (at, &row) in rows.iter().enumerate() {
        let own = &day[at];
        let mut near = held.nearest(&cosines[at], own.at, settings);
        if own.is_passing() {
            // A passing activity belongs to its moment: doing it again restores no archived entry.
            near.retain(|(k, _)| *k < held.active);
        }
        let (mut found, mut found_archived) = (Vec::new(), Vec::new());
        let is_near = |k: usize| near.iter().any(|(n, _)| *n == k);
        let further = cosines[at].iter().filter(|(k, _)| !is_near(*k));
        for &(k, cosine) in near.iter().chain(further) {
            let is_near = is_near(k);
            let late = known[k].0.entry.last_at > own.at;
            let whole = Comparison::of_whole(row, held.counterpart(k), cosine, is_near, late);
            let other =
                older.get(&k).and_then(|other| contradiction_candidate(&book, own, other, cosine, wide));
            match other {
                Some(ContradictionCandidate { parts: None, exclusion, .. }) if is_near => {
                    out.push(Comparison { exclusion: Some(exclusion), ..whole });
                }
                other => {
                    if let Some(ContradictionCandidate { score, parts, exclusion }) = other {
                        let excludes =
                            Comparison { near: false, parts, exclusion: Some(exclusion), ..whole.clone() };
                        let of = if k < held.active { &mut found } else { &mut found_archived };
                        of.push((score, excludes));
                    }
                    if is_near {
                        out.push(whole);
                    }
                }
            }
        }
        let same_day = same_day_comparisons(&book, &day, &rows, at, settings, wide);
        promising.extend(top_comparisons(found, settings.neighbours));
        promising.extend(top_comparisons(same_day, settings.neighbours));
        promising_archived.extend(top_comparisons(found_archived, settings.neighbours));
    }
    // Active entries come before archived ones.
    let believed = most_promising(promising, config.judge.max_pairs);
    let left = config.judge.max_pairs - believed.len();
    out.extend(believed);
    out.extend(most_promising(promising_archived, left));
    out
}

impl WordNumbering {
    fn parse_memory<'a>(
        &mut self,
        memory: &DistinctMemory,
        analysis: &Analysis,
        vector: &'a [f32],
        pack: &dyn LanguagePack,
    ) -> ParsedStatement<'a> {
        let assertions = self.read(memory.kind, &memory.text, analysis, pack);
        ParsedStatement {
            joined: self.joined_parts(&memory.text, analysis, &assertions, pack),
            assertions,
            kind: memory.kind,
            length: memory.text.len(),
            verbatim: true,
            vector,
            at: memory.last_at,
        }
    }

    fn parse_entry<'a>(
        &mut self,
        record: &MemoryRecord,
        vector: &'a [f32],
        pack: &dyn LanguagePack,
    ) -> ParsedStatement<'a> {
        let entry = &record.entry;
        let actors: Vec<&str> = entry.actors.iter().map(String::as_str).collect();
        let analysis = pack.analyze(&entry.text, &actors);
        ParsedStatement {
            assertions: self.read(entry.kind, &entry.text, &analysis, pack),
            joined: Vec::new(),
            kind: entry.kind,
            length: entry.text.len(),
            verbatim: entry.form != RecordKind::Synthesis,
            vector,
            at: entry.last_at,
        }
    }
}

/// Returns the comparisons of the statement at index `at` with earlier statements of the same day that it may
/// contradict.
fn same_day_comparisons(
    book: &WordNumbering,
    day: &[ParsedStatement<'_>],
    rows: &[usize],
    at: usize,
    settings: &ReconcileConfig,
    wide: bool,
) -> Vec<(f64, Comparison)> {
    let own = &day[at];
    let earlier = day.iter().enumerate().filter(|(before, other)| (other.at, *before) < (own.at, at));
    earlier
        .filter_map(|(before, other)| {
            let cosine = f64::from(dot(own.vector, other.vector));
            if cosine < settings.claim_similarity {
                return None;
            }
            let ContradictionCandidate { score, parts, exclusion } =
                contradiction_candidate(book, own, other, cosine, wide)?;
            let near = cosine >= settings.min_similarity && parts.is_none();
            let (row, against) = (rows[at], Counterpart::Row(rows[before]));
            let exclusion = Some(exclusion);
            Some((score, Comparison { row, against, cosine, near, parts, exclusion, late: false }))
        })
        .collect()
}

/// True if a statement may be merged into an entry. Memories are never merged into a reflection of an earlier
/// night, which they can only contradict.
fn may_merge(entry: &MemoryRecord) -> bool {
    entry.entry.form != RecordKind::Reflection
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

/// A pair of statements worth comparing, with the parts that may contradict each other.
struct ContradictionCandidate {
    score: f64,
    parts: Option<(Range<usize>, Range<usize>)>,
    exclusion: ContradictionGrounds,
}

/// Returns the parts of two statements that share most and may contradict each other; `None` if there are
/// none.
fn contradiction_candidate(
    book: &WordNumbering,
    own: &ParsedStatement<'_>,
    other: &ParsedStatement<'_>,
    cosine: f64,
    wide: bool,
) -> Option<ContradictionCandidate> {
    // Readings of a status differ by nature; they are listed in order of time.
    let readings = own.kind == Kind::Status && other.kind == Kind::Status;
    if readings || !other.verbatim || !wide && cosine < 0.5 {
        return None;
    }
    let mut best: Option<(f64, usize, usize)> = None;
    for (i, (_, a)) in own.joined.iter().enumerate() {
        for (j, (_, b)) in other.assertions.iter().enumerate() {
            // The shared weight and not the share: a part of one word would share all of it.
            let both = book.shared_weight(a, b);
            if may_contradict(book, a, b, cosine) && best.is_none_or(|(most, ..)| both > most) {
                best = Some((both, i, j));
            }
        }
    }
    let (_, i, j) = best?;
    let shared = book.shared_fraction(&own.joined[i].1, &other.assertions[j].1);
    let (a, b) = (&own.joined[i].0, &other.assertions[j].0);
    let in_parts = |parts: &[(Assertion, WordIds)], length: usize| {
        parts.first().is_some_and(|(only, _)| parts.len() > 1 || only.span.len() < length)
    };
    let in_part = book.weight_of(&other.assertions[j].1) < WHOLE_SHARE * whole_weight(book, other);
    let exclusion = ContradictionGrounds { founded: a.foundation, against: b.foundation, shared, in_part };
    let parts = (in_parts(&own.joined, own.length) || in_parts(&other.assertions, other.length))
        .then(|| (a.span.clone(), b.span.clone()));
    Some(ContradictionCandidate { score: cosine + SHARED_WORDS_WEIGHT * shared, parts, exclusion })
}

/// True if one part may exclude the other.
fn may_contradict(book: &WordNumbering, a: &WordIds, b: &WordIds, cosine: f64) -> bool {
    // They are two occasions, or the newer one says no more than the older one, or it only adds to it.
    if a.activity && b.activity || b.covers(a) || a.extends(b) {
        return false;
    }
    let strangers = !a.names.is_empty()
        && !b.names.is_empty()
        && !a.names.iter().any(|n| b.names.binary_search(n).is_ok());
    // A shared name alone is no shared subject: "The Lyde Pass is open" and "We got to Upper Lyde after
    // dark".
    let is_name = |w: &u32| a.names.binary_search(w).is_ok() || b.names.binary_search(w).is_ok();
    let matter = a.all.iter().filter(|w| !is_name(w)).any(|w| {
        b.all.binary_search(w).is_ok()
            && f64::from(book.counts[*w as usize])
                <= (MAX_DOCUMENT_SHARE * f64::from(book.statements)).max(3.0)
    });
    !strangers && (matter || cosine >= 0.6)
}

fn whole_weight(book: &WordNumbering, statement: &ParsedStatement<'_>) -> f64 {
    statement.assertions.iter().map(|(_, words)| book.weight_of(words)).sum()
}
