//! Choice of the statements that are compared with each other.
//!
//! Statements that may be merged lie close in vectors. Those that exclude each other often do not: "The captain is at the inn" and "Ferris packed his
//! saddlebags and rode off" share hardly a word. So statements that share names and telling words are compared as well, the most
//! promising first and within a bound.

use std::{collections::BTreeMap, ops::Range};

use nightfold_memory::{
    Analysis, Assertion, Foundation, GameTime, Kind, LanguagePack, MemoryId, MemoryRecord, MemorySnapshot,
    ReconcileConfig, RecordKind, State, ValidConfig, Vectors,
};
use serde::{Deserialize, Serialize};

use super::words::{Book, Words};
use crate::{collapse::Distinct, gram::dot};

/// The other side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Against {
    /// An entry of long-term memory.
    Known(MemoryId),
    /// An earlier statement of the day, by its row.
    Row(usize),
    /// A statement that an earlier night let go.
    Archived(MemoryId),
}

/// A statement of the day and one that it may repeat or exclude.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Comparison {
    pub(crate) row: usize,
    pub(crate) against: Against,
    pub(crate) cosine: f64,
    /// Close enough to be merged (`reconcile.min_similarity`), and compared as a whole.
    pub(crate) near: bool,
    /// The part of the statement and the part of what it is compared with that share most, where one of them says several
    /// things; `None` where they are compared as a whole.
    pub(crate) parts: Option<(Range<usize>, Range<usize>)>,
    /// Of a kind that one may exclude the other: both are put forward as true, they are not two passing activities, not of
    /// strangers.
    pub(crate) exclusion: Option<Exclusion>,
    /// The other side happened later: the statement reached the NPC late.
    pub(crate) late: bool,
}

impl Comparison {
    /// Two statements as a whole, which may be the same where they are near, and so far not known to exclude each other.
    fn of_whole(row: usize, against: Against, cosine: f64, near: bool, late: bool) -> Self {
        Self { row, against, cosine, near, parts: None, exclusion: None, late }
    }
}

/// Grounds on which two statements would exclude each other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Exclusion {
    /// Foundation of the statement of the day.
    pub(crate) founded: Foundation,
    /// Foundation of the other side.
    pub(crate) against: Foundation,
    /// Shared part of the telling words of the less telling side, 0 to 1.
    pub(crate) shared: f64,
    /// True if the other side says more than the part that is compared.
    pub(crate) in_part: bool,
}

/// A part that holds this share of what a statement tells stands for all of it.
const MOST_OF_IT: f64 = 0.6;

/// Weight of shared words beside the cosine.
const SHARED_WORDS: f64 = 0.5;

/// Largest number of statements that share a word for the word to tell anything.
const COMMON: f64 = 0.2;

/// A statement as far as comparing needs it.
struct Statement<'a> {
    assertions: Vec<(Assertion, Words)>,
    /// The same, short ones that follow each other together: as it is told to who knows something else. Of statements of the day.
    told: Vec<(Assertion, Words)>,
    kind: Kind,
    /// Bytes of its text.
    length: usize,
    /// In its own words: a synthesis tells of many things, and no one of them is denied with another.
    verbatim: bool,
    vector: &'a [f32],
    at: GameTime,
}

impl Statement<'_> {
    /// True if all it says is what somebody is doing at a moment.
    fn is_passing(&self) -> bool {
        !self.assertions.is_empty() && self.assertions.iter().all(|(_, words)| words.activity)
    }
}

/// Entries that statements of the day are compared with.
struct Held<'a> {
    /// Entries that are active, then those that were let go.
    entries: Vec<(&'a MemoryRecord, &'a [f32])>,
    /// Number of active ones.
    active: usize,
}

impl<'a> Held<'a> {
    fn of(past: &'a MemorySnapshot) -> Self {
        let with_vector = |e: &'a MemoryRecord| e.entry.vector.as_ref().map(|vector| (e, vector.as_slice()));
        let mut entries: Vec<_> =
            past.entries.iter().filter(|e| e.state == State::Active).filter_map(with_vector).collect();
        let active = entries.len();
        entries.extend(past.archived.iter().filter_map(with_vector));
        Self { entries, active }
    }

    fn against(&self, k: usize) -> Against {
        let id = self.entries[k].0.entry.id.clone();
        if k < self.active { Against::Known(id) } else { Against::Archived(id) }
    }

    /// Of the entries at these cosines those that a statement of a time may be merged with: the nearest active ones, then the
    /// nearest that were let go.
    fn near(&self, cosines: &[(usize, f64)], at: GameTime, settings: &ReconcileConfig) -> Vec<(usize, f64)> {
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
        // What was let go later comes first: it may say why nothing older is to come back.
        let late = |k: usize| entry(k).last_at > at;
        archived.sort_by(|a, b| late(b.0).cmp(&late(a.0)).then_with(|| closer(a, b)));
        archived.truncate(settings.neighbours);
        near.append(&mut archived);
        near
    }
}

/// The comparisons of a night: for each statement of the day its nearest entries, the closest first; then what it may exclude.
///
/// `analyses` are those of the rows. With `wide` statements are compared that share words though their vectors lie apart.
pub(crate) fn comparisons(
    distinct: &[Distinct],
    analyses: &[Analysis],
    vectors: &Vectors,
    past: &MemorySnapshot,
    config: &ValidConfig,
    wide: bool,
    pack: &dyn LanguagePack,
) -> Vec<Comparison> {
    let settings = &config.reconcile;
    let held = Held::of(past);
    let known = held.entries.as_slice();
    let rows: Vec<usize> = (0..distinct.len()).filter(|&row| distinct[row].readings.is_none()).collect();
    let cosines: Vec<Vec<(usize, f64)>> = rows
        .iter()
        .map(|&row| {
            let own = vectors.row(row);
            let all = known.iter().enumerate().map(|(k, (_, v))| (k, f64::from(dot(v, own))));
            all.filter(|(_, cosine)| *cosine >= settings.claim_similarity.min(settings.min_similarity)).collect()
        })
        .collect();

    let mut book = Book::default();
    let day: Vec<Statement<'_>> = rows
        .iter()
        .map(|&row| {
            let assertions = book.read(distinct[row].kind, &distinct[row].text, &analyses[row], pack);
            Statement {
                told: book.told(&distinct[row].text, &analyses[row], &assertions, pack),
                assertions,
                kind: distinct[row].kind,
                length: distinct[row].text.len(),
                verbatim: true,
                vector: vectors.row(row),
                at: distinct[row].last_at,
            }
        })
        .collect();
    let mut older: BTreeMap<usize, Statement<'_>> = BTreeMap::new();
    for &(k, _) in cosines.iter().flatten() {
        older.entry(k).or_insert_with(|| {
            let (entry, vector) = known[k];
            let entry = &entry.entry;
            let actors: Vec<&str> = entry.actors.iter().map(String::as_str).collect();
            let analysis = pack.analyze(&entry.text, &actors);
            Statement {
                assertions: book.read(entry.kind, &entry.text, &analysis, pack),
                told: Vec::new(),
                kind: entry.kind,
                length: entry.text.len(),
                verbatim: entry.form != RecordKind::Synthesis,
                vector,
                at: entry.last_at,
            }
        });
    }

    let mut out = Vec::new();
    let (mut promising, mut promising_archived) = (Vec::new(), Vec::new());
    for (at, &row) in rows.iter().enumerate() {
        let own = &day[at];
        let mut near = held.near(&cosines[at], own.at, settings);
        if own.is_passing() {
            // What goes on at a moment is of that moment: lived once more it brings nothing back.
            near.retain(|(k, _)| *k < held.active);
        }
        let (mut found, mut found_archived) = (Vec::new(), Vec::new());
        let is_near = |k: usize| near.iter().any(|(n, _)| *n == k);
        let further = cosines[at].iter().filter(|(k, _)| !is_near(*k));
        for &(k, cosine) in near.iter().chain(further) {
            let is_near = is_near(k);
            let late = known[k].0.entry.last_at > own.at;
            let whole = Comparison::of_whole(row, held.against(k), cosine, is_near, late);
            let other = older.get(&k).and_then(|other| promise(&book, own, other, cosine, wide));
            match other {
                Some(Promise { parts: None, exclusion, .. }) if is_near => {
                    out.push(Comparison { exclusion: Some(exclusion), ..whole });
                }
                other => {
                    if let Some(Promise { score, parts, exclusion }) = other {
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
        let same_day = earlier_today(&book, &day, &rows, at, settings, wide);
        promising.extend(best(found, settings.neighbours));
        promising.extend(best(same_day, settings.neighbours));
        promising_archived.extend(best(found_archived, settings.neighbours));
    }
    // What is believed comes before what was let go.
    let believed = most_promising(promising, config.judge.max_pairs);
    let left = config.judge.max_pairs - believed.len();
    out.extend(believed);
    out.extend(most_promising(promising_archived, left));
    out
}

/// Comparisons of a statement, by its place, with what it may exclude of what was said before it on the same day.
fn earlier_today(
    book: &Book,
    day: &[Statement<'_>],
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
            let Promise { score, parts, exclusion } = promise(book, own, other, cosine, wide)?;
            let near = cosine >= settings.min_similarity && parts.is_none();
            let (row, against) = (rows[at], Against::Row(rows[before]));
            let exclusion = Some(exclusion);
            Some((score, Comparison { row, against, cosine, near, parts, exclusion, late: false }))
        })
        .collect()
}

/// True if a statement may be merged into an entry. Happenings are never merged into a reflection of ours, which can only be contradicted.
fn may_merge(entry: &MemoryRecord) -> bool {
    entry.entry.form != RecordKind::Reflection
}

/// The most promising comparisons of one statement, the best first.
fn best(mut some: Vec<(f64, Comparison)>, most: usize) -> Vec<(f64, Comparison)> {
    some.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.against.cmp(&b.1.against)));
    some.truncate(most);
    some
}

/// The most promising of some comparisons, at most so many, in order of their rows.
fn most_promising(mut some: Vec<(f64, Comparison)>, most: usize) -> Vec<Comparison> {
    let place = |c: &Comparison| (c.row, c.against.clone());
    some.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| place(&a.1).cmp(&place(&b.1))));
    some.truncate(most);
    let mut rest: Vec<Comparison> = some.into_iter().map(|(_, comparison)| comparison).collect();
    rest.sort_by_key(place);
    rest
}

/// A pair of statements worth asking about, by the parts that may exclude each other.
struct Promise {
    score: f64,
    parts: Option<(Range<usize>, Range<usize>)>,
    exclusion: Exclusion,
}

/// The parts of two statements that may exclude each other, those that share most; `None` where they cannot.
fn promise(
    book: &Book,
    own: &Statement<'_>,
    other: &Statement<'_>,
    cosine: f64,
    wide: bool,
) -> Option<Promise> {
    // Readings of a status differ by nature, and are told in order of time.
    let readings = own.kind == Kind::Status && other.kind == Kind::Status;
    if readings || !other.verbatim || !wide && cosine < 0.5 {
        return None;
    }
    let mut best: Option<(f64, usize, usize)> = None;
    for (i, (_, a)) in own.told.iter().enumerate() {
        for (j, (_, b)) in other.assertions.iter().enumerate() {
            // Not the share: a part of one word shares all it says.
            let both = book.both(a, b);
            if may_exclude(book, a, b, cosine) && best.is_none_or(|(most, ..)| both > most) {
                best = Some((both, i, j));
            }
        }
    }
    let (_, i, j) = best?;
    let shared = book.shared(&own.told[i].1, &other.assertions[j].1);
    let (a, b) = (&own.told[i].0, &other.assertions[j].0);
    let in_parts = |parts: &[(Assertion, Words)], length: usize| {
        parts.first().is_some_and(|(only, _)| parts.len() > 1 || only.span.len() < length)
    };
    let in_part = book.weight_of(&other.assertions[j].1) < MOST_OF_IT * whole_weight(book, other);
    let exclusion = Exclusion { founded: a.foundation, against: b.foundation, shared, in_part };
    let parts = (in_parts(&own.told, own.length) || in_parts(&other.assertions, other.length))
        .then(|| (a.span.clone(), b.span.clone()));
    Some(Promise { score: cosine + SHARED_WORDS * shared, parts, exclusion })
}

/// True if one part may exclude the other.
fn may_exclude(book: &Book, a: &Words, b: &Words, cosine: f64) -> bool {
    // Two occasions; or the newer one says no more than the older one, or says it too and adds to it.
    if a.activity && b.activity || b.covers(a) || a.extends(b) {
        return false;
    }
    let strangers = !a.names.is_empty()
        && !b.names.is_empty()
        && !a.names.iter().any(|n| b.names.binary_search(n).is_ok());
    // Who and where alone is no matter: "The Lyde Pass is open" and "We got to Upper Lyde after dark".
    let is_name = |w: &u32| a.names.binary_search(w).is_ok() || b.names.binary_search(w).is_ok();
    let matter = a.all.iter().filter(|w| !is_name(w)).any(|w| {
        b.all.binary_search(w).is_ok()
            && f64::from(book.counts[*w as usize]) <= (COMMON * f64::from(book.statements)).max(3.0)
    });
    !strangers && (matter || cosine >= 0.6)
}

fn whole_weight(book: &Book, statement: &Statement<'_>) -> f64 {
    statement.assertions.iter().map(|(_, words)| book.weight_of(words)).sum()
}
