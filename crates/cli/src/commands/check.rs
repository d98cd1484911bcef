//! `nightfold check`: looks for damage in a store.

use nightfold_store::{StoreCheck, StoreProblem};

use super::export::told;
use crate::{
    args::CheckArgs,
    error::{CliError, Exit, message},
    output,
    show::count,
    store,
    terminal::clean,
};

pub(crate) fn run(args: &CheckArgs) -> Result<(), CliError> {
    let store = store::read_only(&args.read.store)?;
    // Without a name nothing is read but by the check: a damaged page must not end it.
    if args.npc.is_some() {
        store::npcs(store.as_ref(), args.npc.as_slice())?;
    }
    let check = store.check(args.npc.as_ref(), args.limit.into())?;
    if args.read.json {
        output::json(&check)?;
    } else {
        output::text(&render(&check))?;
    }
    if check.found == 0 {
        return Ok(());
    }
    Err(message(
        Exit::Check,
        format!("{} in {}", count(check.found, "problem", "problems"), store::shown(&args.read.store)),
    )
    .hint("restore a backup; what is not damaged is exported by `nightfold export --npc NAME`"))
}

fn render(check: &StoreCheck) -> String {
    let mut out: String = check.problems.iter().map(line).collect();
    let more = check.found.saturating_sub(check.problems.len() as u64);
    if more > 0 {
        out.push_str(&format!("  … and {more} more; --limit N shows more of them\n"));
    }
    let sound = if check.found == 0 { "sound: " } else { "checked: " };
    out.push_str(&format!("{sound}{}\n", told(&check.checked)));
    out
}

fn line(problem: &StoreProblem) -> String {
    let StoreProblem { npc, id, problem } = problem;
    let whose = match (npc, id) {
        (Some(npc), Some(id)) => format!("{npc}, {id}: "),
        (Some(one), None) | (None, Some(one)) => format!("{one}: "),
        (None, None) => String::new(),
    };
    format!("  {}\n", clean(&format!("{whose}{problem}")))
}
