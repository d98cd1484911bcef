//! How far the stance judge can be trusted.

use std::collections::BTreeMap;

use nightfold_memory::Stance;
use nightfold_memory::{Embedder, EmbedderError, StancePair};
use serde::Serialize;

use crate::data::{LabelledPair, LabelledPairs};

/// The pairs of one class.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Class {
    /// What people say of them.
    pub stance: Stance,
    /// How many there are.
    pub pairs: usize,
    /// The share of them that is judged so too.
    pub recall: f64,
    /// Of those judged so, the share that people judge so.
    pub precision: f64,
    /// How many are judged `same`, `contradiction` and `unrelated`.
    pub judged: [usize; 3],
    /// How many would be merged.
    pub merged: Merged,
}

/// How many pairs of one class would be merged, out of all of that class.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Merged {
    /// The share judged the same, however far apart their vectors lie.
    pub judged: f64,
    /// The share that a night would merge: judged the same and in the band.
    pub night: f64,
    /// The share of those in the band that is judged the same.
    pub of_band: f64,
    /// The share that cosine alone would merge: all that is in the band.
    pub cosine: f64,
}

/// A pair, the cosine of its vectors, and what it is judged to be.
pub type Judged<'a> = (&'a LabelledPair, f64, Stance);

/// How the judge did on a set of pairs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StanceScore {
    /// The data set.
    pub set: String,
    /// Number of pairs.
    pub pairs: usize,
    /// The cosine from which a pair is in the band.
    pub band: f64,
    /// The share judged as people do.
    pub accuracy: f64,
    /// The same if all in the band were the same and all others unrelated.
    pub cosine_accuracy: f64,
    /// Same, contradiction, unrelated.
    pub classes: [Class; 3],
    /// By family, then by category, in order of name, where the set has several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<PairGroup>,
}

/// The pairs of one family or category of a set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairGroup {
    /// `family` or `category`.
    pub by: &'static str,
    /// Its name.
    pub name: String,
    /// Number of pairs.
    pub pairs: usize,
    /// The share judged as people do.
    pub accuracy: f64,
    /// Pairs that are the same, contradictions and unrelated, as people say.
    pub of: [usize; 3],
    /// Number of each that are judged so too.
    pub right: [usize; 3],
    /// Contradictions and unrelated pairs that are judged the same, however far apart their vectors lie.
    pub merged: [usize; 2],
}

impl PairGroup {
    fn new(by: &'static str, name: &str, judged: &[&Judged<'_>]) -> Self {
        let count = |is: &dyn Fn(&Judged<'_>) -> bool| judged.iter().filter(|j| is(j)).count();
        let right = Stance::ALL.map(|class| count(&|j| j.0.stance == class && j.2 == class));
        let merged = |class| count(&|j| j.0.stance == class && j.2 == Stance::Same);
        Self {
            by,
            name: name.to_owned(),
            pairs: judged.len(),
            accuracy: right.iter().sum::<usize>() as f64 / judged.len().max(1) as f64,
            of: Stance::ALL.map(|class| count(&|j| j.0.stance == class)),
            right,
            merged: [merged(Stance::Contradiction), merged(Stance::Unrelated)],
        }
    }
}

/// The groups of a set by one of the two; none where all pairs are of one.
fn groups(by: &'static str, judged: &[Judged<'_>], name: fn(&LabelledPair) -> &str) -> Vec<PairGroup> {
    let mut of: BTreeMap<&str, Vec<&Judged<'_>>> = BTreeMap::new();
    for one in judged {
        of.entry(name(one.0)).or_default().push(one);
    }
    if of.len() < 2 {
        return Vec::new();
    }
    of.into_iter().map(|(name, judged)| PairGroup::new(by, name, &judged)).collect()
}

impl StanceScore {
    /// The pairs of one class.
    pub fn class(&self, stance: Stance) -> &Class {
        &self.classes[index(stance)]
    }
}

fn index(stance: Stance) -> usize {
    Stance::ALL.iter().position(|s| *s == stance).unwrap_or(0)
}

/// Has every pair judged, by `judge`, which gives a stance for each in their order; also gives those that were judged another
/// way than people do.
///
/// # Errors
/// [`EmbedderError`] when the model fails.
pub fn stance<'a>(
    set: &'a LabelledPairs,
    band: f64,
    embedder: &dyn Embedder,
    judge: impl FnOnce(&[StancePair<'_>]) -> Vec<Stance>,
) -> Result<(StanceScore, Vec<Judged<'a>>), EmbedderError> {
    let texts: Vec<&str> = set.pairs.iter().flat_map(|p| [p.a.as_str(), p.b.as_str()]).collect();
    let vectors = embedder.embed(&texts)?.vectors;
    let close = |i: usize| {
        let (x, y) = (vectors.row(2 * i), vectors.row(2 * i + 1));
        f64::from(x.iter().zip(y).map(|(p, q)| p * q).sum::<f32>())
    };
    let asked: Vec<StancePair<'_>> = (set.pairs.iter().enumerate())
        .map(|(i, pair)| StancePair { older: &pair.a, newer: &pair.b, cosine: close(i) })
        .collect();
    let stances = judge(&asked);
    let judged: Vec<Judged<'_>> = (set.pairs.iter().zip(&asked).zip(stances))
        .map(|((pair, of), stance)| (pair, of.cosine, stance))
        .collect();
    let score = score(&set.name, band, &judged);
    Ok((score, judged.into_iter().filter(|(pair, _, stance)| pair.stance != *stance).collect()))
}

fn score(set: &str, band: f64, judged: &[Judged<'_>]) -> StanceScore {
    let share = |n: usize, of: usize| if of == 0 { 0.0 } else { n as f64 / of as f64 };
    let count = |is: &dyn Fn(&Judged<'_>) -> bool| judged.iter().filter(|j| is(j)).count();
    let near = |j: &Judged<'_>| j.1 >= band;
    let classes = Stance::ALL.map(|class| {
        let pairs = count(&|j| j.0.stance == class);
        let as_people = count(&|j| j.0.stance == class && j.2 == class);
        let merged = |is: &dyn Fn(&Judged<'_>) -> bool| count(&|j| j.0.stance == class && is(j));
        let (night, band) = (merged(&|j| near(j) && j.2 == Stance::Same), merged(&near));
        Class {
            stance: class,
            pairs,
            recall: share(as_people, pairs),
            precision: share(as_people, count(&|j| j.2 == class)),
            judged: Stance::ALL.map(|stance| merged(&|j| j.2 == stance)),
            merged: Merged {
                judged: share(merged(&|j| j.2 == Stance::Same), pairs),
                night: share(night, pairs),
                of_band: share(night, band),
                cosine: share(band, pairs),
            },
        }
    });
    let by_cosine = |j: &Judged<'_>| j.0.stance == if near(j) { Stance::Same } else { Stance::Unrelated };
    StanceScore {
        set: set.to_owned(),
        pairs: judged.len(),
        band,
        accuracy: share(count(&|j| j.0.stance == j.2), judged.len()),
        cosine_accuracy: share(count(&by_cosine), judged.len()),
        classes,
        groups: groups("family", judged, |pair| &pair.family)
            .into_iter()
            .chain(groups("category", judged, |pair| &pair.category))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_is_what_is_judged_the_same_within_the_band() {
        let pair = |stance| LabelledPair {
            a: String::new(),
            b: String::new(),
            stance,
            family: String::new(),
            category: String::new(),
            cosine: None,
        };
        let (same, other) = (pair(Stance::Same), pair(Stance::Contradiction));
        let judged = [
            (&same, 0.9, Stance::Same),
            (&same, 0.5, Stance::Same),
            (&same, 0.9, Stance::Unrelated),
            (&same, 0.5, Stance::Unrelated),
            (&other, 0.9, Stance::Same),
            (&other, 0.9, Stance::Contradiction),
        ];
        let score = score("made up", 0.83, &judged);
        let of_same = score.class(Stance::Same);
        assert_eq!(of_same.judged, [2, 0, 2]);
        assert_eq!(of_same.merged, Merged { judged: 0.5, night: 0.25, of_band: 0.5, cosine: 0.5 });
        let of_other = score.class(Stance::Contradiction);
        assert_eq!((of_other.recall, of_other.precision, of_other.merged.night), (0.5, 1.0, 0.5));
        assert!((score.accuracy - 0.5).abs() < 1e-12 && (score.cosine_accuracy - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(score.groups, [], "all are of one family");
    }

    #[test]
    fn families_and_categories_are_counted_where_there_are_several() {
        let pair = |family: &str, category: &str, stance| LabelledPair {
            a: String::new(),
            b: String::new(),
            stance,
            family: family.to_owned(),
            category: category.to_owned(),
            cosine: None,
        };
        let pairs = [
            pair("ships", "negation", Stance::Contradiction),
            pair("ships", "negation", Stance::Contradiction),
            pair("mills", "negation", Stance::Same),
            pair("mills", "negation", Stance::Unrelated),
        ];
        let said = [Stance::Same, Stance::Contradiction, Stance::Same, Stance::Same];
        let judged: Vec<Judged<'_>> = pairs.iter().zip(said).map(|(pair, said)| (pair, 0.9, said)).collect();
        let groups = score("made up", 0.83, &judged).groups;
        let told: Vec<_> = groups.iter().map(|g| (g.by, g.name.as_str(), g.of, g.right, g.merged)).collect();
        assert_eq!(
            told,
            [
                ("family", "mills", [1, 0, 1], [1, 0, 0], [0, 1]),
                ("family", "ships", [0, 2, 0], [0, 1, 0], [1, 0]),
            ]
        );
        assert!((groups[0].accuracy - 0.5).abs() < 1e-12);
    }
}
