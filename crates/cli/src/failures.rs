//! Nights that failed, as the user reads them.

use nightfold::{
    Failure, NightError,
    memory::{PlanError, StoreError},
};

use crate::{
    error::{CliError, Exit, chain, message},
    logging,
    plural::count,
    terminal::clean,
};

/// Prints the nights that failed, and returns the error of the whole command if there are any. `if_stale` is
/// the hint if all of them failed because another process had written to the store meanwhile.
pub(crate) fn failures<'a>(
    failures: impl IntoIterator<Item = &'a Failure>,
    done: usize,
    if_stale: &str,
) -> Result<(), CliError> {
    let failures: Vec<&Failure> = failures.into_iter().collect();
    if failures.is_empty() {
        return Ok(());
    }
    logging::complain(&failure_lines(failures.iter().copied()));
    let refused = failures.iter().all(|f| matches!(f.error, NightError::Store(_)));
    // Nothing is wrong with the input where a fault of the program is to blame.
    let panicked = failures.iter().any(|f| matches!(f.error, NightError::Panicked { .. }));
    let exit = match (done, refused) {
        (0, true) => Exit::Store,
        (0, false) if !panicked => Exit::Input,
        _ => Exit::Partial,
    };
    let nights = count(failures.len() + done, "night", "nights");
    let error = message(exit, format!("{} of {nights} did not happen", failures.len()));
    let stale = failures.iter().all(|f| matches!(f.error, NightError::Store(StoreError::Stale { .. })));
    Err(if stale { error.hint(if_stale) } else { error })
}

/// Returns the first error of these, and prints the others.
pub(crate) fn first_error(ended: impl IntoIterator<Item = Result<(), CliError>>) -> Result<(), CliError> {
    let mut errors = ended.into_iter().filter_map(Result::err);
    let first = errors.next();
    errors.for_each(|error| logging::print_error(&error));
    first.map_or(Ok(()), Err)
}

/// Returns the failed nights, one per line.
pub(crate) fn failure_lines<'a>(failures: impl IntoIterator<Item = &'a Failure>) -> String {
    failures.into_iter().map(|failure| format!("error: {}\n", clean(&failure_text(failure)))).collect()
}

/// Returns a failure with its causes, without its own heading where the cause names the night itself.
fn failure_text(failure: &Failure) -> String {
    match &failure.error {
        NightError::Store(
            StoreError::Stale { .. } | StoreError::Conflict { .. } | StoreError::Theme { .. },
        )
        | NightError::Plan(
            PlanError::Dangling { .. } | PlanError::NoVector { .. } | PlanError::Unsound { .. },
        )
        | NightError::BeforeLatestNight { .. } => chain(&failure.error),
        _ => chain(failure),
    }
}

#[cfg(test)]
mod tests {
    use nightfold::memory::{NightLabel, NpcId};

    use super::*;

    fn panicked(npc: &str) -> Failure {
        let message = "byte 7 is inside \u{1b}[2J\u{202e}\u{e9}".to_owned();
        let error = NightError::Panicked { step: "the step `synthesize`", message };
        Failure { npc: NpcId::new(npc).unwrap(), night: NightLabel::new("day-3").unwrap(), error }
    }

    #[test]
    fn panic_is_printed_with_its_night_and_without_terminal_control() {
        let text = failure_lines(&[panicked("Ida")]);
        assert!(
            text.starts_with("error: night day-3 of Ida: the step `synthesize` panicked: byte 7"),
            "{text}"
        );
        assert!(text.contains("please report this with the NPC, the night and its memories"), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']) && text.ends_with('\n'), "{text:?}");
    }

    #[test]
    fn panicked_nights_exit_with_partial_failure() {
        for done in [0, 5] {
            let error = failures(&[panicked("Ida"), panicked("Tom")], done, "").unwrap_err();
            assert_eq!(error.exit, Exit::Partial);
        }
    }
}
