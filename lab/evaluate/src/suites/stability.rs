//! Stability of nights: what becomes of the other memories of a day if one is missing or worded otherwise, if lots fall
//! otherwise, or if the vectors are a little off.

use std::collections::BTreeMap;

use nightfold_memory::{Change, Day, MemoryId, NpcNight, Rule};
use serde::Serialize;

use crate::synthetic::Xorshift;

/// Number of draws of each perturbation of a night.
const DRAWS: usize = 8;
/// Levels of noise: the length of what is added to each vector of length one.
const NOISE: [f32; 4] = [1e-3, 5e-3, 1e-2, 5e-2];
/// Seed of the draws.
const SEED: u64 = 0x5eed_0023;

/// Words with others that mean nearly the same.
const SYNONYMS: [[&str; 2]; 24] = [
    ["said", "remarked"],
    ["saw", "noticed"],
    ["went", "walked"],
    ["came", "arrived"],
    ["took", "grabbed"],
    ["gave", "handed"],
    ["told", "informed"],
    ["asked", "questioned"],
    ["found", "discovered"],
    ["put", "placed"],
    ["began", "started"],
    ["looked", "gazed"],
    ["big", "large"],
    ["small", "little"],
    ["good", "fine"],
    ["bad", "poor"],
    ["old", "aged"],
    ["new", "fresh"],
    ["house", "home"],
    ["road", "path"],
    ["evening", "dusk"],
    ["morning", "dawn"],
    ["many", "several"],
    ["the", "that"],
];

/// Change to a day or to how it is slept on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Perturbation {
    /// Nothing: the night that the others are compared with.
    None,
    /// Another seed of the random draws.
    Seed(u64),
    /// Noise of this length on each vector.
    Noise {
        /// Length of what is added to each vector of length one.
        level: f32,
        /// Seed of the noise.
        seed: u64,
    },
    /// The day is another one, in a memory or two.
    Day,
}

/// Share of the fates of other memories that a kind of perturbation changes.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StabilityScore {
    /// Number of perturbed nights.
    pub nights: usize,
    /// Mean share of changed fates, 0 to 1.
    pub mean: f64,
    /// Share that nine in ten perturbed nights do not exceed.
    pub p90: f64,
    /// Greatest share.
    pub worst: f64,
    /// Share of perturbed nights whose clusters are others.
    pub other_clusters: f64,
}

/// Fate of a memory, without reasons and names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    Synthesized,
    Corroborating,
    Pruned,
    Superseded,
}

/// Perturbs each day in all ways and plans it by `plan`; returns the share of changed fates by kind of perturbation.
///
/// # Errors
/// Any error of `plan`.
pub fn stability<E>(
    days: &[Day],
    mut plan: impl FnMut(&Day, Perturbation) -> Result<NpcNight, E>,
) -> Result<BTreeMap<String, StabilityScore>, E> {
    let mut found: BTreeMap<String, Vec<(f64, bool)>> = BTreeMap::new();
    for (number, day) in days.iter().enumerate() {
        let mut draws = Xorshift(SEED ^ ((number as u64 + 1) << 32));
        let before = plan(day, Perturbation::None)?;
        let mut compare = |kind: &str, day: &Day, perturbation, but: &[MemoryId]| -> Result<(), E> {
            let after = plan(day, perturbation)?;
            found.entry(kind.to_owned()).or_default().push(difference(&before, &after, but));
            Ok(())
        };
        for draw in 0..DRAWS as u64 {
            compare("another seed", day, Perturbation::Seed(draw + 1), &[])?;
            for level in NOISE {
                let perturbation = Perturbation::Noise { level, seed: draw + 1 };
                compare(&format!("noise {level}"), day, perturbation, &[])?;
            }
            let (one, other) = (draws.below(day.memories.len()), draws.below(day.memories.len()));
            let ids = [one, other].map(|at| day.memories[at].id.clone());
            compare("one removed", &without(day, one), Perturbation::Day, &ids[..1])?;
            compare("one word", &worded(day, &[one], reworded, &mut draws), Perturbation::Day, &ids[..1])?;
            let two = worded(day, &[one, other], paraphrased, &mut draws);
            compare("two paraphrased", &two, Perturbation::Day, &ids)?;
        }
    }
    Ok(found.into_iter().map(|(kind, shares)| (kind, StabilityScore::of(&shares))).collect())
}

impl StabilityScore {
    fn of(found: &[(f64, bool)]) -> Self {
        let nights = found.len();
        let mut shares: Vec<f64> = found.iter().map(|(share, _)| *share).collect();
        shares.sort_by(f64::total_cmp);
        let at =
            |share: f64| shares.get(((nights as f64 * share).ceil() as usize).saturating_sub(1)).copied();
        let others = found.iter().filter(|(_, other)| *other).count();
        Self {
            nights,
            mean: shares.iter().sum::<f64>() / nights.max(1) as f64,
            p90: at(0.9).unwrap_or_default(),
            worst: shares.last().copied().unwrap_or_default(),
            other_clusters: others as f64 / nights.max(1) as f64,
        }
    }
}

/// Returns the share of the memories of both nights, except for those in `but`, whose fate differs, and whether the
/// clusters differ beside them.
fn difference(before: &NpcNight, after: &NpcNight, but: &[MemoryId]) -> (f64, bool) {
    let (old, new) = (fates(before), fates(after));
    let common: Vec<&&MemoryId> =
        old.keys().filter(|id| new.contains_key(*id) && !but.contains(id)).collect();
    let changed = common.iter().filter(|id| old.get(**id) != new.get(**id)).count();
    let clusters = |night: &NpcNight| -> Vec<Vec<MemoryId>> {
        let all = night.report.clusters.iter().map(|cluster| {
            let mut members: Vec<MemoryId> =
                cluster.members.iter().filter(|id| !but.contains(id)).cloned().collect();
            members.sort();
            members
        });
        let mut all: Vec<Vec<MemoryId>> = all.filter(|members| !members.is_empty()).collect();
        all.sort();
        all
    };
    (changed as f64 / common.len().max(1) as f64, clusters(before) != clusters(after))
}

/// Returns what became of each memory of the day that no other one represents.
fn fates(night: &NpcNight) -> BTreeMap<&MemoryId, Fate> {
    let mut fates = BTreeMap::new();
    for change in &night.changes {
        match change {
            Change::Store { entry, .. } => _ = fates.insert(&entry.id, Fate::Kept),
            Change::Chunk { entry, reason, .. } if reason.rule != Rule::Abstracted => {
                entry.sources.iter().for_each(|id| _ = fates.insert(id, Fate::Synthesized));
            }
            Change::Corroborate { sources, .. } => {
                sources.iter().for_each(|id| _ = fates.insert(id, Fate::Corroborating));
            }
            Change::Prune { id, .. } => _ = fates.insert(id, Fate::Pruned),
            _ => {}
        }
    }
    for change in &night.changes {
        if let Change::Supersede { id, .. } = change
            && fates.contains_key(id)
        {
            fates.insert(id, Fate::Superseded);
        }
    }
    fates
}

fn without(day: &Day, at: usize) -> Day {
    let mut day = day.clone();
    if day.memories.len() > 1 {
        day.memories.remove(at);
    }
    day
}

fn worded(day: &Day, at: &[usize], word: fn(&str, &mut Xorshift) -> String, draws: &mut Xorshift) -> Day {
    let mut day = day.clone();
    for &at in at {
        day.memories[at].text = word(&day.memories[at].text, draws);
        // Its vector, if the game brought one, is of the old words.
        day.memories[at].vector = None;
    }
    day
}

/// Returns a text with one word in place of another one that means nearly the same.
fn reworded(text: &str, draws: &mut Xorshift) -> String {
    let known: Vec<[&str; 2]> =
        SYNONYMS.into_iter().filter(|[word, _]| position(text, word).is_some()).collect();
    if known.is_empty() {
        return format!("{} indeed", text.trim_end_matches('.'));
    }
    replaced(text, known[draws.below(known.len())])
}

/// Returns a text with all words replaced for which another one is known, in another order.
fn paraphrased(text: &str, _: &mut Xorshift) -> String {
    let text = SYNONYMS.into_iter().fold(text.to_owned(), |text, pair| replaced(&text, pair));
    format!("It happened like this: {text}")
}

/// Returns the place of a word in a text.
fn position(text: &str, word: &str) -> Option<usize> {
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(word).map(|(at, _)| at).find(|&at| {
        is_edge(text.get(..at).and_then(|before| before.chars().next_back()))
            && is_edge(text.get(at + word.len()..).and_then(|behind| behind.chars().next()))
    })
}

fn replaced(text: &str, [word, by]: [&str; 2]) -> String {
    let mut out = text.to_owned();
    if let Some(at) = position(text, word) {
        out.replace_range(at..at + word.len(), by);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_replaced() {
        let mut draws = Xorshift(7);
        assert_eq!(reworded("Otto saw a bird.", &mut draws), "Otto noticed a bird.");
        assert_eq!(reworded("Otto sawed planks.", &mut draws), "Otto sawed planks indeed");
        assert_eq!(paraphrased("I saw the road.", &mut draws), "It happened like this: I noticed that path.");
    }

    #[test]
    fn shares_are_summed_up() {
        let shares: Vec<(f64, bool)> = (0..10).map(|n| (f64::from(n) / 10.0, n == 0)).collect();
        let score = StabilityScore::of(&shares);
        assert_eq!((score.nights, score.p90, score.worst, score.other_clusters), (10, 0.8, 0.9, 0.1));
        assert!((score.mean - 0.45).abs() < 1e-9);
    }
}
