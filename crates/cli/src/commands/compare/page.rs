//! `compare --report`: the nights under two settings side by side, as a page.

use nightfold_report::ComparedExpectation;

use super::Compared;
use crate::{
    args::{Common, CompareArgs},
    error::{CliError, Exit, message},
    files_in_use::FilesInUse,
    output::NewFile,
    report,
};

/// Prepares the file of the page, if one is asked for.
///
/// # Errors
/// [`CliError`] unless there are two settings, or if the file cannot be written.
pub(super) fn prepare(
    args: &CompareArgs,
    settings: &[String],
    common: &Common,
) -> Result<Option<NewFile>, CliError> {
    let Some(path) = &args.report else { return Ok(None) };
    if settings.len() != 2 {
        let text = format!("--report puts two settings side by side; this call has {}", settings.len());
        return Err(
            message(Exit::Usage, text).hint("name two of them: --with budget.storage=0.5,budget.storage=0.3")
        );
    }
    let in_use = FilesInUse::of(common).and(&args.days.memories.inputs).and(&args.store);
    NewFile::prepare(path, &in_use).map(Some)
}

/// Writes the page.
pub(super) fn write(file: NewFile, compared: &Compared, opens: bool) -> Result<(), CliError> {
    let expectations = match compared.checks.as_slice() {
        [one, other] => one
            .iter()
            .zip(other)
            .map(|(one, other)| ComparedExpectation {
                expected: one.expected.clone(),
                because: one.because.clone(),
                holds: [one.holds, other.holds],
                found: [one.found.clone(), other.found.clone()],
            })
            .collect(),
        _ => Vec::new(),
    };
    let [one, other] = [0, 1].map(|side| &compared.comparison.settings[side].setting);
    let settings = [one.clone(), other.clone()];
    let nights = [0, 1].map(|side| compared.nights[side].as_slice());
    let title = compared.title.clone();
    report::write_comparison(file, title, settings, nights, compared.store.as_deref(), expectations, opens)
}
