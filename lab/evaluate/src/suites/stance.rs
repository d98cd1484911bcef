//! Agreement of the stance judge with people.

use std::collections::BTreeMap;

use anyhow::Result;
use nightfold::judge_pairs;
use nightfold_english::English;
use nightfold_memory::{JudgeReport, Stance, StancePair};

use crate::{
    data::{self, LabelledPair},
    lab::Lab,
    report::{Cell, Report, Section, row},
    suite::Suite,
};

/// Greatest shares of contradictions and of unrelated pairs that may be judged the same, and least share of
/// pairs that say the same that a night must merge.
const CONTRADICTIONS: f64 = 0.02;
const NEUTRALS: f64 = 0.08;
const ENTAILED: f64 = 0.60;

/// The set that decides.
const HELD_TO: &str = "sick";

pub(crate) struct Stances;

impl Suite for Stances {
    fn name(&self) -> &'static str {
        "stance"
    }

    fn measures(&self) -> &'static str {
        "Agreement of the stance judge with people. Merged is what a night merges: judged the same, at cosine reconcile.min_similarity or \
         above. Falls short if on SICK too much is merged, or too little"
    }

    fn data(&self) -> &'static str {
        "the project's pairs (or --pairs); of --data sick"
    }

    fn run(&self, lab: &Lab) -> Result<Report> {
        let mut sets = if let Some(file) = &lab.options.pairs {
            vec![data::labelled_pairs(file)?]
        } else {
            let own: Result<Vec<_>> = data::OWN_SETS.into_iter().map(data::own_pairs).collect();
            [own?, data::memory_pairs()?].concat()
        };
        if let Some(dir) = &lab.options.data {
            let inner = dir.join(HELD_TO);
            sets.push(data::sick(if inner.is_dir() { &inner } else { dir })?);
        }
        let (mut report, mut judge) = (Report::default(), JudgeReport::default());
        for set in &sets {
            let texts: Vec<&str> = set.pairs.iter().flat_map(|p| [p.a.as_str(), p.b.as_str()]).collect();
            let pairs = asked(lab, &texts)?;
            let judged = judge_pairs(lab.judge.as_deref(), &pairs, &lab.config, &English);
            judged.report.iter().for_each(|how| judge.add(how));
            let judged: Vec<JudgedPair<'_>> = (set.pairs.iter().zip(&pairs).zip(judged.judgements))
                .map(|((pair, asked), judgement)| (pair, asked.cosine, judgement.stance))
                .collect();
            tell(&set.name, lab.config.reconcile.min_similarity, &judged, &mut report);
        }
        if lab.judge.is_some() {
            let mut section =
                Section::new("judge", ["asked", "answered", "held apart by the rules", "by the fail-safe"]);
            section.row(row![judge.asked, judge.answered, judge.vetoed, judge.by_fail_safe]);
            report.sections.push(section);
            if judge.answered == 0 {
                report.shortfalls.push("the judge answered nothing".to_owned());
            }
        }
        Ok(report)
    }
}

/// Returns the pairs of texts, older and newer in turn, with the cosines of their vectors.
pub(crate) fn asked<'a>(lab: &Lab, texts: &[&'a str]) -> Result<Vec<StancePair<'a>>> {
    let vectors = lab.embedder.embed(texts)?.vectors;
    let pair = |(at, texts): (usize, &[&'a str])| {
        let (a, b) = (vectors.row(2 * at), vectors.row(2 * at + 1));
        let cosine = f64::from(a.iter().zip(b).map(|(p, q)| p * q).sum::<f32>());
        StancePair { older: texts[0], newer: texts[1], cosine }
    };
    Ok(texts.chunks_exact(2).enumerate().map(pair).collect())
}

/// Pair, cosine of its vectors, and the judge's stance.
type JudgedPair<'a> = (&'a LabelledPair, f64, Stance);

/// Result on the pairs of one class.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ClassScore {
    /// Number of pairs.
    pairs: usize,
    /// Share of the pairs that are judged correctly.
    recall: f64,
    /// Share of the pairs judged as this class that people judge so too.
    precision: f64,
    /// Share of pairs judged *same*, whatever the distance of their vectors.
    same: f64,
    /// Share that a night would merge: judged the same and in the band.
    merged: f64,
    /// Share of the pairs in the band that are judged the same.
    of_band: f64,
    /// Share that cosine alone would merge: all pairs in the band.
    cosine: f64,
}

impl ClassScore {
    fn of(class: Stance, band: f64, judged: &[JudgedPair<'_>]) -> Self {
        let share = |n: usize, of: usize| if of == 0 { 0.0 } else { n as f64 / of as f64 };
        let count = |is: &dyn Fn(&JudgedPair<'_>) -> bool| {
            judged.iter().filter(|j| j.0.stance == class && is(j)).count()
        };
        let (pairs, right) = (count(&|_| true), count(&|j| j.2 == class));
        let (night, near) = (count(&|j| j.1 >= band && j.2 == Stance::Same), count(&|j| j.1 >= band));
        Self {
            pairs,
            recall: share(right, pairs),
            precision: share(right, judged.iter().filter(|j| j.2 == class).count()),
            same: share(count(&|j| j.2 == Stance::Same), pairs),
            merged: share(night, pairs),
            of_band: share(night, near),
            cosine: share(near, pairs),
        }
    }
}

/// Adds the tables of a set, its misjudged pairs, and what falls short of the lines.
fn tell(set: &str, band: f64, judged: &[JudgedPair<'_>], report: &mut Report) {
    let accuracy = |is: &dyn Fn(&JudgedPair<'_>) -> bool| {
        judged.iter().filter(|j| is(j)).count() as f64 / judged.len().max(1) as f64
    };
    let by_cosine = |j: &JudgedPair<'_>| if j.1 >= band { Stance::Same } else { Stance::Unrelated };
    let columns = [
        "people say",
        "pairs",
        "recall",
        "precision",
        "judged same",
        "merged",
        "of the band",
        "cosine alone",
    ];
    let mut section = Section::new(format!("stance, {set}"), columns);
    let classes = Stance::ALL.map(|class| (class, ClassScore::of(class, band, judged)));
    for (class, of) in classes {
        let shares = [of.recall, of.precision, of.same, of.merged, of.of_band, of.cosine].map(Cell::Share);
        section.row([row![class.as_str(), of.pairs], shares.to_vec()].concat());
    }
    let (right, alone) = (accuracy(&|j| j.0.stance == j.2), accuracy(&|j| j.0.stance == by_cosine(j)));
    let none = "";
    section.row(row![
        "accuracy",
        judged.len(),
        Cell::Share(right),
        none,
        none,
        none,
        none,
        Cell::Share(alone)
    ]);
    report.sections.push(section);
    report.details.extend(groups(set, "family", judged, |pair| &pair.family));
    report.details.extend(groups(set, "category", judged, |pair| &pair.category));
    let mut wrong: Vec<_> = judged.iter().filter(|(pair, _, stance)| pair.stance != *stance).collect();
    wrong.sort_by_key(|(pair, _, judged)| harm(pair, *judged));
    report.mistakes.extend(wrong.into_iter().map(|(pair, cosine, judged)| {
        let LabelledPair { a, b, stance, .. } = pair;
        format!("{set}: {} judged {} at {cosine:.2}: {a:?} | {b:?}", stance.as_str(), judged.as_str())
    }));
    if set == HELD_TO {
        let of = |stance| {
            classes.iter().find(|(class, _)| *class == stance).map_or(0.0, |(_, of)| match stance {
                // The strictest reading: wrong merges count at any similarity, right ones only where a night merges.
                Stance::Same => of.merged,
                _ => of.same,
            })
        };
        let [same, contradictions, unrelated] =
            [Stance::Same, Stance::Contradiction, Stance::Unrelated].map(of);
        for (what, share, falls_short, line) in [
            ("contradictions", contradictions, contradictions >= CONTRADICTIONS, CONTRADICTIONS),
            ("unrelated pairs", unrelated, unrelated >= NEUTRALS, NEUTRALS),
            ("pairs that say the same", same, same < ENTAILED, ENTAILED),
        ] {
            if falls_short {
                let (share, line) = (100.0 * share, 100.0 * line);
                report.shortfalls.push(format!("{share:.1} % of {what} merged; the line is {line:.1} %"));
            }
        }
    }
}

/// Returns the rank of a wrong judgement by its harm, the worst first: it loses a statement, archives a true
/// one, keeps both.
fn harm(pair: &LabelledPair, judged: Stance) -> u8 {
    match (pair.stance, judged) {
        (Stance::Contradiction, Stance::Same) => 0,
        (_, Stance::Same) => 1,
        (_, Stance::Contradiction) => 2,
        _ => 3,
    }
}

/// Returns the results by family or by category; none if all pairs are of one group.
fn groups(
    set: &str,
    by: &str,
    judged: &[JudgedPair<'_>],
    name: fn(&LabelledPair) -> &str,
) -> Option<Section> {
    let mut of: BTreeMap<&str, Vec<&JudgedPair<'_>>> = BTreeMap::new();
    for one in judged {
        of.entry(name(one.0)).or_default().push(one);
    }
    let columns = [by, "pairs", "right", "same", "contradiction", "unrelated", "contradictions merged"];
    let mut section = Section::new(format!("stance, {set}, by {by}"), columns);
    for (name, judged) in &of {
        let count = |people: Stance, stance: Option<Stance>| {
            let is = |j: &&&JudgedPair<'_>| j.0.stance == people && stance.is_none_or(|stance| j.2 == stance);
            judged.iter().filter(is).count()
        };
        let right = Stance::ALL.map(|class| Cell::Of(count(class, Some(class)), count(class, None)));
        let all = judged.iter().filter(|j| j.0.stance == j.2).count() as f64 / judged.len() as f64;
        let merged = count(Stance::Contradiction, Some(Stance::Same));
        let [same, contradiction, unrelated] = right;
        let merged = Cell::Of(merged, count(Stance::Contradiction, None));
        section.row(row![*name, judged.len(), Cell::Share(all), same, contradiction, unrelated, merged]);
    }
    (of.len() > 1).then_some(section)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_pairs_are_judged_the_same_within_the_band() {
        let pair = |stance| LabelledPair::new("", "", stance);
        let (same, other) = (pair(Stance::Same), pair(Stance::Contradiction));
        let judged = [
            (&same, 0.9, Stance::Same),
            (&same, 0.5, Stance::Same),
            (&same, 0.9, Stance::Unrelated),
            (&same, 0.5, Stance::Unrelated),
            (&other, 0.9, Stance::Same),
            (&other, 0.9, Stance::Contradiction),
        ];
        let ClassScore { same, merged, of_band, cosine, .. } = ClassScore::of(Stance::Same, 0.83, &judged);
        assert_eq!((same, merged, of_band, cosine), (0.5, 0.25, 0.5, 0.5));
        let other = ClassScore::of(Stance::Contradiction, 0.83, &judged);
        assert_eq!((other.recall, other.precision, other.merged), (0.5, 1.0, 0.5));
    }

    #[test]
    fn families_are_counted_if_there_are_several() {
        let pair = |family: &str, stance| LabelledPair {
            family: family.to_owned(),
            ..LabelledPair::new("", "", stance)
        };
        let pairs = [
            pair("ships", Stance::Contradiction),
            pair("ships", Stance::Contradiction),
            pair("mills", Stance::Unrelated),
        ];
        let said = [Stance::Same, Stance::Contradiction, Stance::Unrelated];
        let judged: Vec<JudgedPair<'_>> =
            pairs.iter().zip(said).map(|(pair, said)| (pair, 0.9, said)).collect();
        let section = groups("made up", "family", &judged, |pair| &pair.family).unwrap();
        let report = Report { sections: vec![section], ..Report::default() };
        let rows = &report.json()["sections"][0]["rows"];
        assert_eq!(
            (&rows[1]["contradiction"], &rows[1]["contradictions merged"]),
            (&[1, 2].into(), &[1, 2].into())
        );
        assert!(groups("made up", "category", &judged, |pair| &pair.category).is_none());
    }
}
