//! `nightfold evaluate`: measures quality on labelled data.

mod beliefs;
mod clusters;
mod cohesion;
mod collapse;
mod grammar;
mod life;
mod recall;
mod recurring;
mod retention;
mod salience;
mod sets;
mod stability;
mod stance;
mod texts;

use std::collections::BTreeMap;

use nightfold_evaluate::suites::{GrammarScore, StabilityScore};
use schemars::JsonSchema as _;

use crate::output_schema::OutputSchema;
use crate::{
    args::{Common, EvaluateArgs, Suite},
    config,
    error::CliError,
    models::use_threads,
};

pub(crate) fn run(args: &EvaluateArgs, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    use_threads(common)?;
    match &args.suite {
        Suite::Beliefs(stories) => beliefs::run(stories, &config, common),
        Suite::Clusters(labelled) => clusters::run(labelled, &config, common),
        Suite::Cohesion(labelled) => cohesion::run(labelled, &config, common),
        Suite::Collapse(logs) => collapse::run(logs, &config),
        Suite::Grammar(treebank) => grammar::run(treebank, &config, common),
        Suite::Life(talks) => life::run(talks, &config, common),
        Suite::Recall(questions) => recall::run(questions, &config, common),
        Suite::Recurring(scenario) => recurring::run(scenario, &config, common),
        Suite::Retention(talks) => retention::run(talks, &config, common),
        Suite::Salience(votes) => salience::run(votes, &config, common),
        Suite::Stability(days) => stability::run(days, &config, common),
        Suite::Stance(pairs) => stance::run(pairs, &config, common),
        Suite::Texts(days) => texts::run(days, &config, common),
    }
}

/// Outputs of all suites.
pub(super) const SCHEMAS: &[OutputSchema] = &[
    OutputSchema {
        name: "evaluate-beliefs",
        title: "Beliefs after nights, held against stories",
        calls: &["evaluate beliefs --json"],
        schema: beliefs::BeliefsReport::json_schema,
    },
    OutputSchema {
        name: "evaluate-clusters",
        title: "Agreement of clusters with labels",
        calls: &["evaluate clusters --json"],
        schema: clusters::ClustersReport::json_schema,
    },
    OutputSchema {
        name: "evaluate-cohesion",
        title: "Correlation of cohesion with purity",
        calls: &["evaluate cohesion --json"],
        schema: cohesion::CohesionReport::json_schema,
    },
    OutputSchema {
        name: "evaluate-collapse",
        title: "Grouping of the lines of logs",
        calls: &["evaluate collapse --json"],
        schema: collapse::CollapseReport::json_schema,
    },
    OutputSchema {
        name: "evaluate-grammar",
        title: "Agreement of readings with a treebank",
        calls: &["evaluate grammar --json"],
        schema: GrammarScore::json_schema,
    },
    OutputSchema {
        name: "evaluate-life",
        title: "Evidence that a life of nights leaves",
        calls: &["evaluate life --json"],
        schema: life::LifeReport::json_schema,
    },
    OutputSchema {
        name: "evaluate-recall",
        title: "Questions that recall answers",
        calls: &["evaluate recall --json"],
        schema: recall::RecallReport::json_schema,
    },
    OutputSchema {
        name: "evaluate-recurring",
        title: "Recognition of themes",
        calls: &["evaluate recurring --json"],
        schema: Vec::<recurring::ThresholdScore>::json_schema,
    },
    OutputSchema {
        name: "evaluate-retention",
        title: "Evidence that a night leaves",
        calls: &["evaluate retention --json"],
        schema: retention::RetentionReport::json_schema,
    },
    OutputSchema {
        name: "evaluate-salience",
        title: "Ranking of turns by measures",
        calls: &["evaluate salience --json"],
        schema: Vec::<salience::SalienceSet>::json_schema,
    },
    OutputSchema {
        name: "evaluate-stability",
        title: "Changed fates, by kind of change to a day",
        calls: &["evaluate stability --json"],
        schema: BTreeMap::<String, StabilityScore>::json_schema,
    },
    OutputSchema {
        name: "evaluate-stance",
        title: "Agreement of verdicts with people",
        calls: &["evaluate stance --json"],
        schema: stance::StanceReport::json_schema,
    },
    OutputSchema {
        name: "evaluate-texts",
        title: "Texts and titles that nights write",
        calls: &["evaluate texts --json"],
        schema: texts::TextsReport::json_schema,
    },
];
