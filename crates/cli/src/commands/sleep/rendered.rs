//! The output of `nightfold sleep` as a text.

use nightfold::{RunOutcome, memory::MemoryReader};

use super::shown::SleepOutput;
use crate::{error::CliError, show::DiffView};

/// Returns the nights as a diff, with their totals.
pub(crate) fn render(
    slept: &RunOutcome,
    store: &dyn MemoryReader,
    view: DiffView,
) -> Result<String, CliError> {
    let mut shown = SleepOutput::text(view);
    slept.plan.nights.iter().try_for_each(|night| shown.take(night, store))?;
    let mut text = Vec::new();
    shown.finish(&slept.plan.report, store, &mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
