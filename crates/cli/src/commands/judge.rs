//! `nightfold judge`: judges pairs of texts, and shows the basis of each verdict.

use std::collections::{BTreeMap, BTreeSet};

use nightfold::{
    JudgedPairs,
    english::Packs,
    judge_pairs,
    memory::{
        Embedder as _, Judgement, LanguagePacks as _, Stance, StancePair, Value, config::JudgeConfig, rounded,
    },
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    args::{Common, JudgeArgs},
    config,
    error::{CliError, Exit, message},
    input::{self, TextPair},
    judge, language,
    models::{embedder, use_threads},
    output,
    show::{count, judge_line},
    terminal::{clean, shortened},
};

/// Most characters of a text in the table.
const SHOWN: usize = 120;

/// Pair with its verdict, as JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct JudgedLine<'a> {
    /// Older text.
    a: &'a str,
    /// Newer text.
    b: &'a str,
    /// Stance of the newer text to the older one.
    stance: Stance,
    /// Cosine of their vectors, to four decimals.
    cosine: f64,
    /// Judge of the pair, and the values behind the verdict.
    #[serde(flatten)]
    decided: BTreeMap<&'static str, Value>,
}

pub(crate) fn run(args: &JudgeArgs, common: &Common) -> Result<(), CliError> {
    let config = judge::chosen(args.judging.judge.as_ref(), config::load(common)?)?;
    use_threads(common)?;
    // Read before any model is opened: a slip costs nothing then.
    let pairs = input::pairs(&args.file, &config.input)?;
    let language = language::open(&args.judging.language, args.judging.record.as_ref(), &config)?;
    let judge = judge::open(language.as_deref(), &config, common)?;
    let distinct = pairs.iter().flat_map(|pair| [&pair.a, &pair.b]).collect::<BTreeSet<_>>().len();
    let embedder = embedder(common, &config, distinct)?;
    let texts: Vec<&str> = pairs.iter().flat_map(|pair| [pair.a.as_str(), pair.b.as_str()]).collect();
    let vectors = embedder.embed(&texts)?.vectors;
    let close =
        |row: usize| vectors.row(row).iter().zip(vectors.row(row + 1)).map(|(x, y)| x * y).sum::<f32>();
    let asked: Vec<StancePair<'_>> = pairs
        .iter()
        .enumerate()
        .map(|(at, pair)| StancePair { older: &pair.a, newer: &pair.b, cosine: f64::from(close(2 * at)) })
        .collect();
    let pack = Packs.resolve(&config.language.pack, &mut texts.iter().copied())?;
    let judged = judge_pairs(judge.as_deref(), &asked, &config, pack);
    if args.json {
        for (pair, judgement) in asked.iter().zip(&judged.judgements) {
            output::json(&JudgedLine {
                a: pair.older,
                b: pair.newer,
                stance: judgement.stance,
                cosine: rounded(pair.cosine),
                decided: judgement.values(&config.judge).into_iter().collect(),
            })?;
        }
        judged.report.iter().for_each(|report| output::note(&judge_line(report)));
    } else {
        output::text(&render(&pairs, &asked, &judged, &config.judge))?;
    }
    check_all_answered(&judged)
}

/// Checks that the judge answered every pair.
///
/// # Errors
/// The judge left pairs unanswered, though a verdict is shown for them.
fn check_all_answered(judged: &JudgedPairs) -> Result<(), CliError> {
    judge::check_answered(judged.report.as_ref())?;
    let Some(report) = judged.report.as_ref().filter(|r| r.by_fail_safe > 0) else { return Ok(()) };
    let pairs = count(report.by_fail_safe, "pair was", "pairs were");
    Err(message(Exit::Partial, format!("{pairs} not answered by the judge"))
        .hint("they were judged by the fail-safe; -v says what went wrong"))
}

fn render(
    pairs: &[TextPair],
    asked: &[StancePair<'_>],
    judged: &JudgedPairs,
    settings: &JudgeConfig,
) -> String {
    let mut out = String::new();
    for ((pair, asked), judgement) in pairs.iter().zip(asked).zip(&judged.judgements) {
        out.push_str(&format!(
            "{:<13} {:>5.2}  {}: {} | {}\n",
            judgement.stance.as_str(),
            asked.cosine,
            clean(&basis(judgement, settings)),
            clean(&shortened(&pair.a, SHOWN)),
            clean(&shortened(&pair.b, SHOWN))
        ));
    }
    let of = |stance: Stance| {
        let n = judged.judgements.iter().filter(|j| j.stance == stance).count();
        format!("{n} {}", stance.as_str())
    };
    out.push_str(&format!("{}: {}\n", count(pairs.len(), "pair", "pairs"), Stance::ALL.map(of).join(", ")));
    if let Some(report) = &judged.report {
        out.push_str(&judge_line(report));
    }
    out
}

/// Returns the basis of a verdict in words: `negation (open / not open)`, `likelihood 0.87 (from 0.50)`.
fn basis(judgement: &Judgement, settings: &JudgeConfig) -> String {
    let values: BTreeMap<&str, Value> = judgement.values(settings).into_iter().collect();
    let by = values.get("judged_by").map(ToString::to_string).unwrap_or_default();
    let rest: Vec<String> = values
        .iter()
        .filter(|(name, _)| **name != "judged_by")
        .map(|(name, value)| match *name {
            "differs" => value.to_string(),
            _ => format!("{} {value}", name.replace('_', " ")),
        })
        .collect();
    if rest.is_empty() { by } else { format!("{by} ({})", rest.join(", ")) }
}
