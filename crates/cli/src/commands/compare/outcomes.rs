//! Two outcomes of a scenario, as of two commits.

use std::path::Path;

use nightfold_scenario::{Diagnostics, OutcomeDifference, ScenarioOutcome, differences};

use crate::{
    args::CompareArgs,
    commands::replay::difference_text,
    error::{CliError, Exit, message},
    output,
    show::{count, wrap_hanging},
    terminal::{Terminal, clean},
};

/// Parts of an outcome in the order in which differences are shown, each with words of their places.
const PARTS: [(&str, &str); 4] = [
    ("insights", " · insights · "),
    ("syntheses", " · syntheses · "),
    ("fates", " · fates · "),
    ("what is known at the end", "afterwards · "),
];

/// Number of differences of a part that are shown.
const SHOWN: usize = 20;

/// Returns two outcomes, the older one first, if both files have the end `.json` and one of them is an outcome.
pub(super) fn read(was: &Path, is: &Path) -> Result<Option<[ScenarioOutcome; 2]>, CliError> {
    if ![was, is].iter().all(|path| path.extension().is_some_and(|end| end == "json") && path.is_file()) {
        return Ok(None);
    }
    match (ScenarioOutcome::read(was), ScenarioOutcome::read(is)) {
        (Ok(was), Ok(is)) => Ok(Some([was, is])),
        (Err(_), Err(_)) => Ok(None),
        (Err(error), Ok(_)) | (Ok(_), Err(error)) => Err(Diagnostics::from(error).into()),
    }
}

/// Prints what differs.
pub(super) fn run(
    [was, is]: &[ScenarioOutcome; 2],
    args: &CompareArgs,
    verbose: bool,
) -> Result<(), CliError> {
    let flags = [("--with", !args.with.is_empty()), ("--report", args.report.is_some())];
    if let Some((flag, _)) = flags.iter().find(|(_, given)| *given) {
        let text = format!("{flag} is for days and scenarios; outcomes are compared as they are");
        return Err(message(Exit::Usage, text).hint("leave it out"));
    }
    let differences = differences(was, is)?;
    if args.json {
        return output::json(&differences);
    }
    output::long_text(&text(&differences, verbose))
}

fn text(differences: &[OutcomeDifference], verbose: bool) -> String {
    if differences.is_empty() {
        return "the outcomes are the same\n".to_owned();
    }
    let width = Terminal::stdout().width;
    let mut out = format!("{}:\n", count(differences.len(), "difference", "differences"));
    let shown = if verbose { usize::MAX } else { SHOWN };
    let part_of =
        |difference: &OutcomeDifference| PARTS.iter().position(|(_, words)| difference.place.contains(words));
    let parts = (0..PARTS.len()).map(|part| (PARTS[part].0, Some(part))).chain([("counts", None)]);
    for (name, part) in parts {
        let of_part: Vec<_> = differences.iter().filter(|difference| part_of(difference) == part).collect();
        if of_part.is_empty() {
            continue;
        }
        out.push_str(&format!("{name}: {}\n", of_part.len()));
        for difference in of_part.iter().take(shown) {
            out.push_str(&wrap_hanging("  ", 4, &clean(&difference_text(difference)), width));
        }
        if let more @ 1.. = of_part.len().saturating_sub(shown) {
            out.push_str(&format!("  … and {more} more; -v shows all\n"));
        }
    }
    out
}
