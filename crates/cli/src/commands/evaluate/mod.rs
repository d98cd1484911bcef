//! `nightfold evaluate`: quality on labelled data.

mod beliefs;
mod clusters;
mod cohesion;
mod collapse;
mod recurring;
mod retention;
mod stance;

use std::path::Path;

use nightfold::memory::{Config, ValidConfig};
use nightfold_evaluate::{
    LabelledRows,
    data::{self, DataError, LabelledTexts},
};

use crate::{
    args::{Common, Evaluate, Labelled, Suite},
    config,
    error::{CliError, Exit},
    models::{embedder, use_threads},
};

/// Texts that make full use of every session.
const MANY_TEXTS: usize = 10_000;

pub(crate) fn run(args: &Evaluate, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    use_threads(common)?;
    match &args.suite {
        Suite::Beliefs(stories) => beliefs::run(stories, &config, common),
        Suite::Clusters(labelled) => clusters::run(labelled, &config, common),
        Suite::Cohesion(labelled) => cohesion::run(labelled, &config, common),
        Suite::Collapse(logs) => collapse::run(logs, &config),
        Suite::Recurring(scenario) => recurring::run(scenario, &config, common),
        Suite::Retention(talks) => retention::run(talks, &config, common),
        Suite::Stance(pairs) => stance::run(pairs, &config, common),
    }
}

/// A data set ready to be measured on.
struct Set {
    name: String,
    days: Vec<LabelledRows>,
    /// Single texts, which are no day.
    texts: bool,
}

fn wrong(error: impl std::error::Error + Send + Sync + 'static) -> CliError {
    CliError::new(Exit::Usage, error)
}

/// The configuration with some of its cluster keys set.
fn with(config: &ValidConfig, edit: impl FnOnce(&mut Config)) -> Result<ValidConfig, CliError> {
    let mut changed = Config::clone(config);
    edit(&mut changed);
    changed.check().map_err(wrong)
}

/// Reads a set of single texts out of the folder of data.
type Reader = fn(&Path) -> Result<LabelledTexts, DataError>;

/// Every file is read before the model is opened: a slip in one costs nothing then.
fn sets(
    args: &Labelled,
    texts: &[Reader],
    config: &ValidConfig,
    common: &Common,
) -> Result<Vec<Set>, CliError> {
    let of_texts = match &args.data {
        Some(dir) => texts.iter().map(|read| read(dir)).collect::<Result<Vec<_>, _>>()?,
        None => Vec::new(),
    };
    let of_days = args.scenario.as_deref().map(data::scenario).transpose()?;
    let embedder = embedder(common, config, MANY_TEXTS)?;
    let mut sets = Vec::new();
    for set in of_texts {
        let rows = LabelledRows::of_texts(&set, &embedder)?;
        sets.push(Set { name: set.name.to_owned(), days: vec![rows], texts: true });
    }
    if let (Some(days), Some(dir)) = (of_days, &args.scenario) {
        let name = dir.file_name().map_or_else(|| "scenario".into(), |n| n.to_string_lossy().into_owned());
        sets.push(Set { name, days: LabelledRows::of_days(&days, &embedder)?, texts: false });
    }
    Ok(sets)
}
