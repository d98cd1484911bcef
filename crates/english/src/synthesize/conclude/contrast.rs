//! Contrasts: one thing done in two ways, of which one went well and the other badly.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{Kind, ReflectionKind};

use super::{Candidate, clause::opening, timeline::Timeline};
use crate::{
    lexicon::{
        cardinal,
        wordnet::{PartOfSpeech, Relation, lemmas, relation},
    },
    text::Token,
};

/// Minimum number of occasions of each way.
const MIN_SIDE: usize = 2;
/// Minimum number of occasions of two ways that are no opposites.
const MIN_OF_OBJECTS: usize = 5;
/// Number of tokens behind a verb among which its object stands.
const OBJECT: usize = 4;
/// Minimum difference of the mean feelings of two ways, and of two that are no opposites.
const MIN_GAP: f32 = 0.2;
const MIN_GAP_OF_OBJECTS: f32 = 0.35;
/// Number of tokens at the start of a memory among which the way stands.
const OPENING: usize = 12;
const WEIGHT: u32 = 34;

/// A way in which something was done: a word, or a number of some unit, of the opening of memories about one thing.
#[derive(Debug, Clone)]
struct Way {
    /// Word in lower case, or the unit of a number.
    word: String,
    number: Option<u64>,
    /// True if the word may be the object of the verb.
    is_object: bool,
    /// End of the word, or of its unit, in the memory.
    end: usize,
}

pub(super) fn candidates(life: &Timeline<'_>) -> Vec<Candidate> {
    // Memories by the stems of their openings: what is done in several ways shares one.
    let mut by_topic: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, entry) in life.seen.iter().enumerate().filter(|(_, entry)| entry.kind != Kind::Status) {
        let stems: BTreeSet<&str> =
            opening_tokens(life, at).filter(|t| !t.function && !t.number).map(|t| t.stem.as_str()).collect();
        for stem in stems.into_iter().filter(|stem| entry.analysis.content.iter().any(|c| c == stem)) {
            by_topic.entry(stem).or_default().push(at);
        }
    }
    let mut found: Vec<Candidate> = Vec::new();
    for (topic, members) in by_topic {
        if members.len() >= 2 * MIN_SIDE && members.iter().any(|&at| life.is_of_today(at)) {
            found.extend(of_topic(life, topic, &life.occasions(&members)));
        }
    }
    found
}

fn mean(life: &Timeline<'_>, side: &[(usize, usize)]) -> f32 {
    side.iter().map(|(at, _)| life.seen[*at].feeling).sum::<f32>() / side.len() as f32
}

fn opening_tokens<'b>(life: &'b Timeline<'_>, at: usize) -> impl Iterator<Item = &'b Token> {
    life.seen[at].analysis.tokens.iter().take(OPENING)
}

/// Returns the ways in which a memory tells that something was done, behind its verb: words, and a number with its unit
/// directly behind the verb.
fn ways(life: &Timeline<'_>, at: usize, verb: &str) -> Vec<Way> {
    let tokens: Vec<&Token> = opening_tokens(life, at).collect();
    let Some(start) = tokens.iter().position(|t| t.stem == verb && is_verb_form(&t.lower)) else {
        return Vec::new();
    };
    let ways = tokens.iter().enumerate().skip(start + 1).filter_map(|(i, token)| {
        if token.number {
            if tokens[start + 1..i].iter().any(|t| !t.function) {
                return None;
            }
            let unit = tokens.get(i + 1)?;
            let number = token.lower.parse().ok().or_else(|| cardinal(&token.lower))?;
            return Some(Way {
                word: unit.stem.clone(),
                number: Some(number),
                is_object: false,
                end: unit.end,
            });
        }
        let is_word = !token.function && !token.negation;
        let is_object = i <= start + OBJECT && token.names_theme;
        is_word.then(|| Way { word: token.lower.clone(), number: None, is_object, end: token.end })
    });
    ways.collect()
}

/// True for an inflected form of a verb.
fn is_verb_form(lower: &str) -> bool {
    lemmas(lower).iter().any(|lemma| lemma.part == PartOfSpeech::Verb && lemma.word != lower)
}

fn are_opposed(a: &str, b: &str) -> bool {
    let is_way = |part: PartOfSpeech| matches!(part, PartOfSpeech::Adjective | PartOfSpeech::Adverb);
    lemmas(a).iter().any(|one| {
        is_way(one.part)
            && lemmas(b)
                .iter()
                .any(|other| one.part == other.part && relation(one, other) == Relation::Opposite)
    })
}

fn of_topic(life: &Timeline<'_>, topic: &str, members: &[usize]) -> Option<Candidate> {
    let read: Vec<(usize, Vec<Way>)> = members.iter().map(|&at| (at, ways(life, at, topic))).collect();
    let mut pairs: Vec<(Vec<(usize, usize)>, Vec<(usize, usize)>, f32)> = Vec::new();
    let all: Vec<(usize, &Way)> =
        read.iter().flat_map(|(at, ways)| ways.iter().map(move |w| (*at, w))).collect();
    let words: BTreeSet<&str> =
        all.iter().filter(|(_, w)| w.number.is_none()).map(|(_, w)| w.word.as_str()).collect();
    let with = |word: &str| -> Vec<(usize, usize)> {
        all.iter().filter(|(_, w)| w.number.is_none() && w.word == word).map(|(at, w)| (*at, w.end)).collect()
    };
    let objects: BTreeSet<&str> =
        all.iter().filter(|(_, w)| w.is_object).map(|(_, w)| w.word.as_str()).collect();
    for &a in &words {
        for &b in words.range(a..).skip(1) {
            let (one, other) = (with(a), with(b));
            let are_objects =
                || objects.contains(a) && objects.contains(b) && one.len() + other.len() >= MIN_OF_OBJECTS;
            if one.len() < MIN_SIDE || other.len() < MIN_SIDE {
                continue;
            }
            if are_opposed(a, b) {
                pairs.push((one, other, MIN_GAP));
            } else if are_objects() {
                pairs.push((one, other, MIN_GAP_OF_OBJECTS));
            }
        }
    }
    let units: BTreeSet<&str> =
        all.iter().filter(|(_, w)| w.number.is_some()).map(|(_, w)| w.word.as_str()).collect();
    for unit in units {
        let mut numbers: Vec<(u64, usize, usize)> = all
            .iter()
            .filter(|(_, w)| w.word == unit)
            .filter_map(|(at, w)| Some((w.number?, *at, w.end)))
            .collect();
        numbers.sort_unstable();
        for split in (1..numbers.len()).filter(|&i| numbers[i - 1].0 < numbers[i].0) {
            let side = |of: &[(u64, usize, usize)]| of.iter().map(|&(_, at, end)| (at, end)).collect();
            pairs.push((side(&numbers[..split]), side(&numbers[split..]), MIN_GAP));
        }
    }
    let best = pairs.into_iter().filter_map(|(a, b, gap)| candidate(life, topic, a, b, gap));
    best.max_by_key(|candidate| candidate.weight)
}

fn candidate(
    life: &Timeline<'_>,
    topic: &str,
    one: Vec<(usize, usize)>,
    other: Vec<(usize, usize)>,
    min_gap: f32,
) -> Option<Candidate> {
    if one.len() < MIN_SIDE || other.len() < MIN_SIDE {
        return None;
    }
    let (better, worse) = if mean(life, &one) > mean(life, &other) { (one, other) } else { (other, one) };
    let feelings =
        |side: &[(usize, usize)]| side.iter().map(|(at, _)| life.seen[*at].feeling).collect::<Vec<_>>();
    let least = feelings(&better).into_iter().fold(f32::INFINITY, f32::min);
    let most = feelings(&worse).into_iter().fold(f32::NEG_INFINITY, f32::max);
    // Every time of the one way went better than any of the other.
    if least <= most || mean(life, &better) - mean(life, &worse) < min_gap {
        return None;
    }
    let (good, bad) = (better, worse);
    let mut seen: Vec<usize> = good.iter().chain(&bad).map(|(at, _)| *at).collect();
    seen.sort_unstable();
    seen.dedup();
    // A memory of both ways shows nothing.
    if seen.len() < good.len() + bad.len() {
        return None;
    }
    let clause = |side: &[(usize, usize)]| side.iter().rev().find_map(|&(at, end)| opening(life, at, end));
    let (well, badly) = (clause(&good)?, clause(&bad)?);
    // Both are somebody's own.
    if well.split(' ').next() != badly.split(' ').next() {
        return None;
    }
    let occasions = seen.len();
    Some(Candidate {
        form: "when-then",
        kind: ReflectionKind::Causal,
        text: format!("It went better when {well} than when {badly}"),
        occasions,
        of: occasions,
        about: vec![topic.to_owned()],
        subject: life.seen[good[0].0].written(topic).unwrap_or_else(|| topic.to_owned()),
        weight: WEIGHT + occasions as u32,
        seen,
    })
}
