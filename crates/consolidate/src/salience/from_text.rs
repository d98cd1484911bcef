//! Content of the text of an unrated memory: the information in its words, what a learned head reads in its vector,
//! and for talk whether it opens a subject.
//!
//! The information grows with the words that no other memory of the day contains, with names and numbers and with what
//! is said at all, each with saturation, so that it is no measure of length; it is higher if the memory mentions the
//! NPC itself. A question is read like anything else: who asks for a bridge by name tells more than who greets.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use nightfold_memory::{Analysis, Kind, Token};

use super::{
    Salience, SalienceMeter, is_unrated_talk,
    learned::{EVENTS, SalienceHead, TALK},
};
use crate::collapse::DistinctMemory;

/// Weights of the parts of information: words that no other memory of the day contains, names and numbers,
/// mention of the NPC itself, content words of any kind.
const INFORMATION_WEIGHTS: [f64; 4] = [0.4, 0.2, 0.1, 0.3];

/// Number of unique words at which their part reaches half of its maximum.
const HALF_SATURATION_WORDS: f64 = 10.0;

/// Number of names and numbers at which their part reaches half of its maximum.
const HALF_SATURATION_MARKS: f64 = 2.0;

/// Number of content words at which their part reaches half of its maximum.
const HALF_SATURATION_CONTENT: f64 = 8.0;

/// Weight of the head for talk; information in words has the rest.
const HEAD_WEIGHT_CHAT: f64 = 0.3;

/// Weight of the head for anything but talk; information in words has the rest.
const HEAD_WEIGHT: f64 = 0.8;

/// Points of talk whose mean cosine to the next turns is 1 above that to the turns before.
const OPENING_POINTS: f64 = 1.5;

/// Number of turns before and after that show what is talked about.
const TURNS_AROUND: usize = 5;

/// Reader of the day's texts.
pub(super) struct TextReader<'a> {
    meter: &'a SalienceMeter<'a>,
    /// Analysis of each memory's normal form.
    read: Vec<Cow<'a, Analysis>>,
    /// Number of memories that contain a stem.
    told_by: BTreeMap<String, usize>,
    talk: Option<SalienceHead>,
    events: Option<SalienceHead>,
    /// Points of each memory for opening a subject.
    openings: BTreeMap<usize, f64>,
}

impl<'a> TextReader<'a> {
    pub(super) fn new(meter: &'a SalienceMeter<'a>) -> Self {
        let reading = |(row, memory): (usize, &'a DistinctMemory)| match meter.normal_forms.get(&row) {
            Some(normal) => {
                let names: Vec<&str> = memory.actors.iter().map(String::as_str).collect();
                Cow::Owned(meter.pack.analyze(normal.text(), &names))
            }
            None => Cow::Borrowed(&meter.analyses[row]),
        };
        let read: Vec<_> = meter.distinct.iter().enumerate().map(reading).collect();
        let mut told_by: BTreeMap<String, usize> = BTreeMap::new();
        for stem in read.iter().flat_map(|analysis| &analysis.content) {
            *told_by.entry(stem.clone()).or_default() += 1;
        }
        let (talk, events) = (SalienceHead::of(meter.model, TALK), SalienceHead::of(meter.model, EVENTS));
        Self { meter, read, told_by, talk, events, openings: openings(meter) }
    }

    /// Returns what the text of a memory tells.
    pub(super) fn told(&self, row: usize) -> Salience {
        let SalienceMeter { distinct, vectors, .. } = self.meter;
        let (memory, analysis) = (&distinct[row], &self.read[row]);
        let alone = |stem: &str| self.told_by.get(stem).is_some_and(|n| *n == 1);
        let information = 10.0 * information(analysis, alone);
        let (head, weight) = if memory.kind == Kind::Chat {
            (&self.talk, HEAD_WEIGHT_CHAT)
        } else {
            (&self.events, HEAD_WEIGHT)
        };
        let learned = head.as_ref().and_then(|head| head.importance(vectors.row(row)));
        let opening = self.openings.get(&row).copied().unwrap_or(0.0);
        let read = learned.map_or(information, |learned| weight * learned + (1.0 - weight) * information);
        Salience {
            told: Some((read + opening).clamp(0.0, 10.0)),
            information: Some(information),
            learned,
            opening,
            ..Salience::default()
        }
    }
}

/// Returns the points of unrated talk for opening a subject, up or down. Talk at either end of the day has none.
fn openings(meter: &SalienceMeter<'_>) -> BTreeMap<usize, f64> {
    let talk: Vec<usize> =
        (0..meter.distinct.len()).filter(|&row| is_unrated_talk(&meter.distinct[row])).collect();
    let mean = |row: usize, around: &[usize]| {
        let cosines = meter.gram.row(row);
        around.iter().map(|&other| f64::from(cosines[other])).sum::<f64>() / around.len() as f64
    };
    let opening = |place: usize| {
        let (before, after) = (&talk[place.saturating_sub(TURNS_AROUND)..place], &talk[place + 1..]);
        let after = &after[..after.len().min(TURNS_AROUND)];
        let row = talk[place];
        let both = !before.is_empty() && !after.is_empty();
        (row, if both { OPENING_POINTS * (mean(row, after) - mean(row, before)) } else { 0.0 })
    };
    (0..talk.len()).map(opening).collect()
}

/// Returns the information in the words of a text, 0 to 1. `alone` is true for a stem that no other memory contains.
fn information(analysis: &Analysis, alone: impl Fn(&str) -> bool) -> f64 {
    let is_mark = |token: &&Token| token.number || analysis.names.binary_search(&token.lower).is_ok();
    let marks: BTreeSet<&str> = analysis.tokens.iter().filter(is_mark).map(|t| t.lower.as_str()).collect();
    let content: BTreeSet<&str> = analysis.content.iter().map(String::as_str).collect();
    let own = content.iter().filter(|stem| alone(stem)).count();
    let me = analysis.tokens.iter().any(|token| token.speaker);
    let saturating = |n: usize, half: f64| n as f64 / (n as f64 + half);
    let parts = [
        saturating(own, HALF_SATURATION_WORDS),
        saturating(marks.len(), HALF_SATURATION_MARKS),
        f64::from(u8::from(me)),
        saturating(content.len(), HALF_SATURATION_CONTENT),
    ];
    INFORMATION_WEIGHTS.iter().zip(parts).map(|(share, part)| share * part).sum()
}
