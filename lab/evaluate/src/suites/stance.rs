//! Reliability of the stance judge.

use std::collections::BTreeMap;

use nightfold_memory::Stance;
use nightfold_memory::{Embedder, EmbedderError, StancePair};
use serde::Serialize;

use crate::data::{LabelledPair, LabelledPairs};

/// Result on the pairs of one class.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassScore {
    /// Stance given by people.
    pub stance: Stance,
    /// Number of pairs.
    pub pairs: usize,
    /// Share of the pairs that are judged correctly.
    pub recall: f64,
    /// Share of the pairs judged as this class that people judge so too.
    pub precision: f64,
    /// Number of pairs judged `same`, `contradiction` and `unrelated`.
    pub judged: [usize; 3],
    /// Shares that would be merged.
    pub merged: MergedShares,
}

/// Shares of one class's pairs that would be merged.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MergedShares {
    /// Share of pairs judged *same*, whatever the distance of their vectors.
    pub judged: f64,
    /// Share that a night would merge: judged the same and in the band.
    pub night: f64,
    /// Share of the pairs in the band that are judged the same.
    pub of_band: f64,
    /// Share that cosine alone would merge: all pairs in the band.
    pub cosine: f64,
}

/// Pair, cosine of its vectors, and the judge's stance.
pub type JudgedPair<'a> = (&'a LabelledPair, f64, Stance);

/// Result of the judge on a set of pairs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StanceScore {
    /// Name of the data set.
    pub set: String,
    /// Number of pairs.
    pub pairs: usize,
    /// Least cosine of a pair in the band.
    pub band: f64,
    /// Share judged as people do.
    pub accuracy: f64,
    /// The same if all pairs in the band were judged the same and all others unrelated.
    pub cosine_accuracy: f64,
    /// Results for same, contradiction, unrelated.
    pub classes: [ClassScore; 3],
    /// Results by family, then by category, in order of name, if the set has several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<PairGroup>,
}

/// Result on the pairs of one family or category.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairGroup {
    /// `family` or `category`.
    pub by: &'static str,
    /// Name of the family or category.
    pub name: String,
    /// Number of pairs.
    pub pairs: usize,
    /// Share judged as people do.
    pub accuracy: f64,
    /// Number of pairs that are the same, contradictions and unrelated, according to people.
    pub of: [usize; 3],
    /// Number of correctly judged pairs of each.
    pub right: [usize; 3],
    /// Number of contradictions and of unrelated pairs that are judged *same*, whatever the distance of their
    /// vectors.
    pub merged: [usize; 2],
}

impl PairGroup {
    fn new(by: &'static str, name: &str, judged: &[&JudgedPair<'_>]) -> Self {
        let count = |is: &dyn Fn(&JudgedPair<'_>) -> bool| judged.iter().filter(|j| is(j)).count();
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

/// Returns the results by family or by category; none if all pairs are of one group.
fn groups(by: &'static str, judged: &[JudgedPair<'_>], name: fn(&LabelledPair) -> &str) -> Vec<PairGroup> {
    let mut of: BTreeMap<&str, Vec<&JudgedPair<'_>>> = BTreeMap::new();
    for one in judged {
        of.entry(name(one.0)).or_default().push(one);
    }
    if of.len() < 2 {
        return Vec::new();
    }
    of.into_iter().map(|(name, judged)| PairGroup::new(by, name, &judged)).collect()
}

impl StanceScore {
    /// Returns the result of one class.
    pub fn class(&self, stance: Stance) -> &ClassScore {
        &self.classes[index(stance)]
    }
}

fn index(stance: Stance) -> usize {
    Stance::ALL.iter().position(|s| *s == stance).unwrap_or(0)
}

/// Runs `judge` on all pairs, which returns a stance for each in their order. Also returns the pairs judged
/// differently than by people.
///
/// # Errors
/// [`EmbedderError`] if the model fails.
pub fn stance<'a>(
    set: &'a LabelledPairs,
    band: f64,
    embedder: &dyn Embedder,
    judge: impl FnOnce(&[StancePair<'_>]) -> Vec<Stance>,
) -> Result<(StanceScore, Vec<JudgedPair<'a>>), EmbedderError> {
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
    let judged: Vec<JudgedPair<'_>> = (set.pairs.iter().zip(&asked).zip(stances))
        .map(|((pair, of), stance)| (pair, of.cosine, stance))
        .collect();
    let score = score(&set.name, band, &judged);
    Ok((score, judged.into_iter().filter(|(pair, _, stance)| pair.stance != *stance).collect()))
}

fn score(set: &str, band: f64, judged: &[JudgedPair<'_>]) -> StanceScore {
    let share = |n: usize, of: usize| if of == 0 { 0.0 } else { n as f64 / of as f64 };
    let count = |is: &dyn Fn(&JudgedPair<'_>) -> bool| judged.iter().filter(|j| is(j)).count();
    let near = |j: &JudgedPair<'_>| j.1 >= band;
    let classes = Stance::ALL.map(|class| {
        let pairs = count(&|j| j.0.stance == class);
        let as_people = count(&|j| j.0.stance == class && j.2 == class);
        let merged = |is: &dyn Fn(&JudgedPair<'_>) -> bool| count(&|j| j.0.stance == class && is(j));
        let (night, band) = (merged(&|j| near(j) && j.2 == Stance::Same), merged(&near));
        ClassScore {
            stance: class,
            pairs,
            recall: share(as_people, pairs),
            precision: share(as_people, count(&|j| j.2 == class)),
            judged: Stance::ALL.map(|stance| merged(&|j| j.2 == stance)),
            merged: MergedShares {
                judged: share(merged(&|j| j.2 == Stance::Same), pairs),
                night: share(night, pairs),
                of_band: share(night, band),
                cosine: share(band, pairs),
            },
        }
    });
    let by_cosine = |j: &JudgedPair<'_>| j.0.stance == if near(j) { Stance::Same } else { Stance::Unrelated };
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
    fn merged_pairs_are_judged_the_same_within_the_band() {
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
        assert_eq!(of_same.merged, MergedShares { judged: 0.5, night: 0.25, of_band: 0.5, cosine: 0.5 });
        let of_other = score.class(Stance::Contradiction);
        assert_eq!((of_other.recall, of_other.precision, of_other.merged.night), (0.5, 1.0, 0.5));
        assert!((score.accuracy - 0.5).abs() < 1e-12 && (score.cosine_accuracy - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(score.groups, [], "all are of one family");
    }

    #[test]
    fn families_and_categories_are_counted_if_there_are_several() {
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
        let judged: Vec<JudgedPair<'_>> =
            pairs.iter().zip(said).map(|(pair, said)| (pair, 0.9, said)).collect();
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
