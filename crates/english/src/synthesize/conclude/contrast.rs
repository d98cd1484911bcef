//! Contrasts: one thing done in two ways, of which one went well and the other badly.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{Kind, ReflectionKind};

use super::{Candidate, timeline::Timeline};
use crate::{
    lexicon::{cardinal, wordnet::are_opposed},
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

/// Memory with the end of a way in its text.
type Member = (usize, usize);

/// Memories of one way.
type Side = Vec<Member>;

/// Two ways of one thing, and the minimum difference of their mean feelings.
type Contrast = (Side, Side, f32);

/// Ways in which something was done: words, and numbers of some unit, of the openings of memories about one thing.
#[derive(Default)]
struct Ways {
    /// Memories by word, and true if it may be the object of the verb.
    words: BTreeMap<String, (Side, bool)>,
    /// Numbers with their memories, by unit.
    numbers: BTreeMap<String, Vec<(u64, Member)>>,
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

fn of_topic(life: &Timeline<'_>, topic: &str, members: &[usize]) -> Option<Candidate> {
    let mut ways = Ways::default();
    for &at in members {
        ways.read(life, at, topic);
    }
    let contrasts = ways.of_words().into_iter().chain(ways.of_numbers());
    contrasts.filter_map(|contrast| candidate(life, topic, contrast)).max_by_key(|candidate| candidate.weight)
}

impl Ways {
    /// Reads the ways that a memory tells behind a verb: words, and a number with its unit directly behind the verb.
    fn read(&mut self, life: &Timeline<'_>, at: usize, verb: &str) {
        let tokens: Vec<&Token> = opening_tokens(life, at).collect();
        let is_verb = |t: &&Token| t.stem == verb && is_verb_form(&t.lower);
        let start = tokens.iter().position(is_verb).map_or(tokens.len(), |verb| verb + 1);
        for (i, token) in tokens.iter().enumerate().skip(start) {
            if token.number {
                let number = token.lower.parse().ok().or_else(|| cardinal(&token.lower));
                let unit = tokens.get(i + 1).filter(|_| tokens[start..i].iter().all(|t| t.function));
                if let (Some(number), Some(unit)) = (number, unit) {
                    self.numbers.entry(unit.stem.clone()).or_default().push((number, (at, unit.end)));
                }
            } else if !token.function && !token.negation {
                let (side, is_object) = self.words.entry(token.lower.clone()).or_default();
                side.push((at, token.end));
                *is_object |= i < start + OBJECT && token.names_theme;
            }
        }
    }

    /// Returns the pairs of opposites, and of objects that were seen often enough.
    fn of_words(&self) -> Vec<Contrast> {
        let often = || self.words.iter().filter(|(_, (side, _))| side.len() >= MIN_SIDE);
        let pairs = often().flat_map(|a| often().filter(move |b| a.0 < b.0).map(move |b| (a, b)));
        let contrasts = pairs.filter_map(|((a, (one, is_object)), (b, (other, is_other_object)))| {
            let are_objects = *is_object && *is_other_object && one.len() + other.len() >= MIN_OF_OBJECTS;
            let of_objects = are_objects.then_some(MIN_GAP_OF_OBJECTS);
            let gap = if are_opposed(a, b) { MIN_GAP } else { of_objects? };
            Some((one.clone(), other.clone(), gap))
        });
        contrasts.collect()
    }

    /// Returns the pairs of all smaller and all larger numbers of one unit.
    fn of_numbers(mut self) -> Vec<Contrast> {
        let mut found = Vec::new();
        for numbers in self.numbers.values_mut() {
            numbers.sort_unstable();
            let side = |of: &[(u64, Member)]| of.iter().map(|(_, member)| *member).collect();
            let last = numbers.len().saturating_sub(MIN_SIDE);
            let splits = (MIN_SIDE..=last).filter(|&i| numbers[i - 1].0 < numbers[i].0);
            found.extend(splits.map(|i| (side(&numbers[..i]), side(&numbers[i..]), MIN_GAP)));
        }
        found
    }
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
        compared: Vec::new(),
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
