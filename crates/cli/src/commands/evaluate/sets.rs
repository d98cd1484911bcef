//! Data sets with their vectors, and other parts that suites share.

use std::path::Path;

use nightfold::memory::{Config, ValidConfig};
use nightfold_evaluate::{
    LabelledRows,
    data::{self, DataError, LabelledTexts},
};

use crate::{
    args::{Common, LabelledArgs},
    error::{CliError, Exit},
    models::embedder,
};

/// Number of texts that makes full use of every session.
pub(super) const MANY_TEXTS: usize = 10_000;

/// Data set with its vectors.
pub(super) struct MeasuredSet {
    pub(super) name: String,
    pub(super) days: Vec<LabelledRows>,
    /// True for single texts, which do not form a day.
    pub(super) texts: bool,
}

pub(super) fn wrong(error: impl std::error::Error + Send + Sync + 'static) -> CliError {
    CliError::new(Exit::Usage, error)
}

/// Returns the configuration with some of its keys set.
pub(super) fn with(config: &ValidConfig, edit: impl FnOnce(&mut Config)) -> Result<ValidConfig, CliError> {
    let mut changed = Config::clone(config);
    edit(&mut changed);
    changed.check().map_err(wrong)
}

/// Function that reads a set of single texts from the folder of data.
pub(super) type TextSetReader = fn(&Path) -> Result<LabelledTexts, DataError>;

/// Reads and embeds the sets. Every file is read before the model is opened, so that an invalid file is
/// reported before anything is embedded.
pub(super) fn sets(
    args: &LabelledArgs,
    texts: &[TextSetReader],
    config: &ValidConfig,
    common: &Common,
) -> Result<Vec<MeasuredSet>, CliError> {
    let of_texts = match &args.data {
        Some(dir) => texts.iter().map(|read| read(dir)).collect::<Result<Vec<_>, _>>()?,
        None => Vec::new(),
    };
    let of_days = args.scenario.as_deref().map(data::scenario).transpose()?;
    let embedder = embedder(common, config, MANY_TEXTS)?;
    let mut sets = Vec::new();
    for set in of_texts {
        let rows = LabelledRows::of_texts(&set, &embedder)?;
        sets.push(MeasuredSet { name: set.name.to_owned(), days: vec![rows], texts: true });
    }
    if let (Some(days), Some(dir)) = (of_days, &args.scenario) {
        let name = dir.file_name().map_or_else(|| "scenario".into(), |n| n.to_string_lossy().into_owned());
        sets.push(MeasuredSet { name, days: LabelledRows::of_days(&days, &embedder)?, texts: false });
    }
    Ok(sets)
}
