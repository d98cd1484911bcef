//! `nightfold evaluate salience`: measures how well salience agrees with what people found worth remembering.

use std::path::{Path, PathBuf};

use nightfold::memory::ValidConfig;
use nightfold_evaluate::{
    data::{self, DataError},
    suites::{RankedTurns, SalienceError, TurnMeasure, TurnScore},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::sets::{MANY_TEXTS, wrong};
use crate::{
    args::{Common, SalienceArgs, VotedHalf},
    error::CliError,
    models::embedder,
    output,
    show::TextTable,
};

/// Folder of the votes, and folders of conversations with later questions, in the folder of data.
const VOTES: &str = "lufy";
const CONVERSATIONS: [&str; 3] = ["locomo", "realtalk", "beam"];

/// Agreement with one set of judgements.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SalienceSet {
    /// Name of the set.
    name: String,
    /// Number of turns.
    turns: usize,
    /// Number of turns worth remembering.
    worth: usize,
    /// Scores by measure.
    scores: Vec<TurnScore>,
}

pub(super) fn run(args: &SalienceArgs, config: &ValidConfig, common: &Common) -> Result<(), CliError> {
    let dir = &args.data;
    let own = dir.join(VOTES);
    let votes = data::voted_runs(if own.is_dir() { &own } else { dir })?;
    let asked: Vec<(&str, PathBuf)> = CONVERSATIONS
        .map(|name| (name, dir.join(name)))
        .into_iter()
        .filter(|(_, dir)| dir.is_dir())
        .collect();
    let asked = if args.votes_only { Vec::new() } else { asked };
    let conversations = asked.iter().map(|(name, dir)| Ok((*name, data::conversations(Path::new(dir))?)));
    let conversations: Vec<_> = conversations.collect::<Result<_, DataError>>()?;
    let embedder = embedder(common, config, MANY_TEXTS)?;
    let failed = |error| match error {
        SalienceError::Embedder(error) => error.into(),
        other => wrong(other),
    };
    let voted = RankedTurns::of_votes(&votes, &embedder, config).map_err(failed)?;
    let mut sets: Vec<SalienceSet> = match args.half {
        VotedHalf::Even => vec![("votes, even runs", voted.half(0))],
        VotedHalf::Odd => vec![("votes, odd runs", voted.half(1))],
        VotedHalf::All => vec![
            ("votes, all runs", voted.clone()),
            ("votes, even runs", voted.half(0)),
            ("votes, odd runs", voted.half(1)),
        ],
    }
    .into_iter()
    .map(|(name, turns)| set(name.to_owned(), &turns, config))
    .collect();
    for (name, conversations) in &conversations {
        let turns = RankedTurns::of_evidence(conversations, &embedder, config).map_err(failed)?;
        sets.push(set(format!("evidence, {name}"), &turns, config));
    }
    if args.json { output::json(&sets) } else { output::text(&render(&sets)) }
}

fn set(name: String, turns: &RankedTurns, config: &ValidConfig) -> SalienceSet {
    let (all, worth) = turns.counts();
    SalienceSet { name, turns: all, worth, scores: turns.scores(config.seed.0) }
}

fn title(measure: TurnMeasure) -> &'static str {
    match measure {
        TurnMeasure::Random => "random",
        TurnMeasure::Length => "length",
        TurnMeasure::Novelty => "novelty",
        TurnMeasure::Salience => "salience",
    }
}

fn render(sets: &[SalienceSet]) -> String {
    let mut out = String::new();
    for of in sets {
        let turns = format!("{}: {} of {} turns", of.name, of.worth, of.turns);
        let mut table =
            TextTable::new([turns.as_str(), "AUC", "95 %", "AUC any vote", "kept at half", "95 % of kept"]);
        let bounds = |[low, high]: [f64; 2]| format!("{low:.3} to {high:.3}");
        let area = |area: Option<f64>| area.map_or_else(|| "-".to_owned(), |area| format!("{area:.3}"));
        for s in &of.scores {
            table.row([
                title(s.measure).to_owned(),
                area(s.auc),
                bounds(s.auc_interval),
                area(s.auc_any),
                format!("{:.3}", s.kept_at_half),
                bounds(s.kept_interval),
            ]);
        }
        out.push_str(&table.render());
        out.push('\n');
    }
    out
}
