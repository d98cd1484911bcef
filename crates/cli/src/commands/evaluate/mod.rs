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
