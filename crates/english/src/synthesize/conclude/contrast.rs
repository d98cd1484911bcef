//! Contrasts: one thing done in two ways, of which one went well and the other badly.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{Kind, ReflectionKind};

use super::{Candidate, timeline::Timeline};
use crate::{
    lexicon::{
        cardinal,
        wordnet::{PartOfSpeech, Relation, lemmas, relation},
    },
    synthesize::clause::is_verb_form,
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

fn are_opposed(a: &str, b: &str) -> bool {
    let is_way = |part: PartOfSpeech| matches!(part, PartOfSpeech::Adjective | PartOfSpeech::Adverb);
    lemmas(a).iter().any(|one| {
        is_way(one.part)
            && lemmas(b)
                .iter()
                .any(|other| one.part == other.part && relation(one, other) == Relation::Opposite)
    })
}

/// Memory with the end of a way in its text.
type Member = (usize, usize);

/// Memories of one way.
type Side = Vec<Member>;

/// Ways, each with its memory.
type Ways = Vec<(usize, Way)>;

/// Two ways of one thing, and the minimum difference of their mean feelings.
type Contrast = (Side, Side, f32);

fn of_topic(life: &Timeline<'_>, topic: &str, members: &[usize]) -> Option<Candidate> {
    let read = members.iter().flat_map(|&at| ways(life, at, topic).into_iter().map(move |way| (at, way)));
    let (numbers, words): (Ways, Ways) = read.partition(|(_, way)| way.number.is_some());
    let contrasts = contrasts_of_words(&words).into_iter().chain(contrasts_of_numbers(&numbers));
    contrasts.filter_map(|contrast| candidate(life, topic, contrast)).max_by_key(|candidate| candidate.weight)
}

/// Returns the pairs of opposites, and of objects that were seen often enough.
fn contrasts_of_words(ways: &[(usize, Way)]) -> Vec<Contrast> {
    let mut sides: BTreeMap<&str, (Side, bool)> = BTreeMap::new();
    for (at, way) in ways {
        let side = sides.entry(&way.word).or_default();
        side.0.push((*at, way.end));
        side.1 |= way.is_object;
    }
    sides.retain(|_, (side, _)| side.len() >= MIN_SIDE);
    let mut found = Vec::new();
    for (a, (one, is_object)) in &sides {
        for (b, (other, is_other_object)) in sides.range(*a..).skip(1) {
            let are_objects = *is_object && *is_other_object && one.len() + other.len() >= MIN_OF_OBJECTS;
            if are_opposed(a, b) {
                found.push((one.clone(), other.clone(), MIN_GAP));
            } else if are_objects {
                found.push((one.clone(), other.clone(), MIN_GAP_OF_OBJECTS));
            }
        }
    }
    found
}

/// Returns the pairs of all smaller and all larger numbers of one unit.
fn contrasts_of_numbers(ways: &[(usize, Way)]) -> Vec<Contrast> {
    let mut by_unit: BTreeMap<&str, Vec<(u64, Member)>> = BTreeMap::new();
    for (at, way) in ways {
        if let Some(number) = way.number {
            by_unit.entry(&way.word).or_default().push((number, (*at, way.end)));
        }
    }
    let mut found = Vec::new();
    for numbers in by_unit.values_mut() {
        numbers.sort_unstable();
        let side = |of: &[(u64, Member)]| -> Side { of.iter().map(|(_, member)| *member).collect() };
        let splits =
            (MIN_SIDE..=numbers.len().saturating_sub(MIN_SIDE)).filter(|&i| numbers[i - 1].0 < numbers[i].0);
        found.extend(splits.map(|i| (side(&numbers[..i]), side(&numbers[i..]), MIN_GAP)));
    }
    found
}

fn candidate(life: &Timeline<'_>, topic: &str, (one, other, min_gap): Contrast) -> Option<Candidate> {
    let feelings = |side: &Side| side.iter().map(|(at, _)| life.seen[*at].feeling).collect::<Vec<f32>>();
    let mean = |side: &Side| feelings(side).iter().sum::<f32>() / side.len() as f32;
    let (better, worse) = if mean(&one) > mean(&other) { (one, other) } else { (other, one) };
    let least = feelings(&better).into_iter().fold(f32::INFINITY, f32::min);
    let most = feelings(&worse).into_iter().fold(f32::NEG_INFINITY, f32::max);
    // Every time of the one way went better than any of the other.
    if least <= most || mean(&better) - mean(&worse) < min_gap {
        return None;
    }
    let mut seen: Vec<usize> = better.iter().chain(&worse).map(|(at, _)| *at).collect();
    seen.sort_unstable();
    seen.dedup();
    let clause = |side: &Side| side.iter().rev().find_map(|&(at, end)| life.told(at)?.opening(end));
    let (well, badly) = (clause(&better)?, clause(&worse)?);
    // A memory of both ways shows nothing, and both are to be one person's.
    if seen.len() < better.len() + worse.len() || well.split(' ').next() != badly.split(' ').next() {
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
        subject: life.seen[better[0].0].written(topic).unwrap_or_else(|| topic.to_owned()),
        weight: WEIGHT + occasions as u32,
        seen,
    })
}
