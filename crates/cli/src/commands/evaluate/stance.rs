//! `nightfold evaluate stance`: measures the agreement of the stance judge with people.

use std::path::Path;

use nightfold::{
    JudgedPairs,
    english::English,
    judge_pairs,
    memory::{JudgeReport, Stance, StancePair, ValidConfig},
};
use nightfold_evaluate::{
    data::{self, DataError, LabelledPair, LabelledPairs},
    suites::{StanceScore, stance},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::sets::MANY_TEXTS;
use crate::{
    args::{Common, PairsArgs},
    error::{CliError, Exit, message},
    judge, language,
    models::embedder,
    output,
    show::{TextTable, judge_line},
    terminal::{clean, shortened},
};

/// Greatest shares of contradictions and of unrelated pairs that may be judged the same, and least share of
/// pairs that say the same that a night must merge.
const CONTRADICTIONS: f64 = 0.02;
const NEUTRALS: f64 = 0.08;
const ENTAILED: f64 = 0.60;

/// The set that decides.
const HELD_TO: &str = "sick";

/// Number of letters of a family's name that are shown.
const NAME: usize = 40;

#[derive(Debug, Serialize, JsonSchema)]
struct MisjudgedPair<'a> {
    /// Name of the data set.
    set: &'a str,
    /// First text.
    a: &'a str,
    /// Second text.
    b: &'a str,
    /// Cosine of their vectors.
    cosine: f64,
    /// Stance given by people.
    people: Stance,
    /// Stance that was judged.
    judged: Stance,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StanceReport<'a> {
    /// Scores by data set.
    scores: Vec<StanceScore>,
    /// Misjudged pairs, as many of each set as were asked for.
    wrong: Vec<MisjudgedPair<'a>>,
    /// Report on a judge other than the rules, over all sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    judge: Option<JudgeReport>,
    /// Tokens that the judge spent.
    tokens: usize,
}

pub(super) fn run(args: &PairsArgs, config: &ValidConfig, common: &Common) -> Result<(), CliError> {
    let mut sets = match &args.file {
        Some(file) => vec![data::labelled_pairs(file)?],
        None => data::OWN_SETS.map(data::own_pairs).into_iter().chain(data::memory_pairs()).collect(),
    };
    if let Some(dir) = &args.data {
        sets.extend(given(dir)?);
    }
    let config = &judge::chosen(args.judging.judge.as_ref(), config.clone())?;
    let language = language::open(&args.judging.language, args.judging.record.as_ref(), config)?;
    let judge = judge::open(language.as_deref(), config, common)?;
    let embedder = embedder(common, config, MANY_TEXTS)?;
    let mut report = StanceReport { scores: Vec::new(), wrong: Vec::new(), judge: None, tokens: 0 };
    for set in &sets {
        let mut judged = |pairs: &[StancePair<'_>]| {
            let JudgedPairs { judgements, report: how, tokens } =
                judge_pairs(judge.as_deref(), pairs, config, &English);
            how.iter().for_each(|how| report.judge.get_or_insert_default().add(how));
            report.tokens += tokens;
            judgements.into_iter().map(|judgement| judgement.stance).collect()
        };
        let (score, mut wrong) = stance(set, config.reconcile.min_similarity, &embedder, &mut judged)?;
        wrong.sort_by_key(|(pair, _, judged)| harm(pair, *judged));
        let shown = wrong.iter().take(args.wrong).map(|&(pair, cosine, judged)| MisjudgedPair {
            set: &set.name,
            a: &pair.a,
            b: &pair.b,
            cosine,
            people: pair.stance,
            judged,
        });
        report.wrong.extend(shown);
        report.scores.push(score);
    }
    if args.json {
        output::json(&report)?;
    } else {
        output::text(&render(&report, args.families))?;
    }
    judge::check_answered(report.judge.as_ref())?;
    let falls_short: Vec<String> =
        report.scores.iter().filter(|s| s.set == HELD_TO).flat_map(falls_short).collect();
    if falls_short.is_empty() { Ok(()) } else { Err(message(Exit::Check, falls_short.join("; "))) }
}

/// Reads the sets in a folder: SICK, and those of natural language inference.
fn given(dir: &Path) -> Result<Vec<LabelledPairs>, CliError> {
    let mut sets = Vec::new();
    match data::sick(dir) {
        Ok(parts) => {
            let pairs = parts.into_iter().flat_map(|part| part.pairs).collect();
            sets.push(LabelledPairs { name: HELD_TO.to_owned(), pairs });
        }
        Err(DataError::Missing { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    for dir in [dir.to_owned(), dir.join("nli_measure_only")] {
        match data::inference_sets(&dir) {
            Ok(some) => sets.extend(some),
            Err(DataError::Missing { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if sets.is_empty() {
        let what = format!("{} holds none of sick, nli and nli_measure_only", dir.display());
        return Err(message(Exit::Usage, what));
    }
    Ok(sets)
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

fn falls_short(score: &StanceScore) -> Vec<String> {
    let merged = |stance: Stance| score.class(stance).merged;
    let mut lines = Vec::new();
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    // The strictest reading: wrong merges count at any similarity, right ones only where a night merges.
    let contradictions = merged(Stance::Contradiction).judged;
    if contradictions >= CONTRADICTIONS {
        lines.push(format!(
            "{} of contradictions merged, not below {}",
            percent(contradictions),
            percent(CONTRADICTIONS)
        ));
    }
    let neutrals = merged(Stance::Unrelated).judged;
    if neutrals >= NEUTRALS {
        lines.push(format!(
            "{} of unrelated pairs merged, not below {}",
            percent(neutrals),
            percent(NEUTRALS)
        ));
    }
    let entailed = merged(Stance::Same).night;
    if entailed < ENTAILED {
        lines.push(format!(
            "{} of pairs that say the same merged, below {}",
            percent(entailed),
            percent(ENTAILED)
        ));
    }
    lines
}

/// Returns the scores of a set by family and by category, a table each.
fn grouped(score: &StanceScore) -> String {
    let mut out = String::new();
    for by in ["family", "category"] {
        let groups: Vec<_> = score.groups.iter().filter(|group| group.by == by).collect();
        if groups.is_empty() {
            continue;
        }
        let title = format!("{} by {by}", clean(&score.set));
        let heads =
            [title.as_str(), "pairs", "right", "same", "contradiction", "unrelated", "contradictions merged"];
        let mut table = TextTable::new(heads);
        for group in groups {
            let of = |n: usize, of: usize| if of == 0 { String::new() } else { format!("{n} of {of}") };
            let [same, contradiction, unrelated] =
                [0, 1, 2].map(|class| of(group.right[class], group.of[class]));
            let name = if group.name.is_empty() { "(none)".into() } else { clean(&group.name) };
            table.row([
                shortened(&name, NAME).into_owned(),
                group.pairs.to_string(),
                format!("{:.1} %", group.accuracy * 100.0),
                same,
                contradiction,
                unrelated,
                of(group.merged[0], group.of[1]),
            ]);
        }
        out.push_str(&table.render());
        out.push('\n');
    }
    out
}

fn render(report: &StanceReport<'_>, families: bool) -> String {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let mut out = String::new();
    for score in &report.scores {
        let blank = String::new;
        let mut table = TextTable::new([
            score.set.as_str(),
            "pairs",
            "recall",
            "precision",
            "judged same",
            "merged",
            "of the band",
            "cosine alone",
        ]);
        for class in &score.classes {
            table.row([
                class.stance.as_str().to_owned(),
                class.pairs.to_string(),
                percent(class.recall),
                percent(class.precision),
                percent(class.merged.judged),
                percent(class.merged.night),
                percent(class.merged.of_band),
                percent(class.merged.cosine),
            ]);
        }
        let accuracy =
            [percent(score.accuracy), blank(), blank(), blank(), blank(), percent(score.cosine_accuracy)];
        table.row(["accuracy".to_owned(), score.pairs.to_string()].into_iter().chain(accuracy));
        out.push_str(&table.render());
        out.push('\n');
        if families {
            out.push_str(&grouped(score));
        }
    }
    let band = report.scores.first().map_or(0.0, |s| s.band);
    out.push_str(&format!(
        "judged same: of all pairs of the row, however far apart. merged: of all, judged same and at cosine {band} or above, \
         as a night\nmerges. of the band: of those at {band} or above, judged same. cosine alone: at {band} or above.\n"
    ));
    if let Some(judge) = &report.judge {
        out.push_str(&judge_line(judge));
        out.push_str(&format!("tokens: {} spent\n", report.tokens));
    }
    for wrong in &report.wrong {
        out.push_str(&format!(
            "{}: {} judged {} at {:.2}: {} | {}\n",
            wrong.set,
            wrong.people.as_str(),
            wrong.judged.as_str(),
            wrong.cosine,
            clean(wrong.a),
            clean(wrong.b)
        ));
    }
    out
}
