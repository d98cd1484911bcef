//! `nightfold apply`: write a saved plan.

use nightfold::apply_plan;

use crate::{
    args::Apply,
    commands::show::read,
    error::{CliError, failures},
    output, store,
};

pub(crate) fn run(args: &Apply) -> Result<(), CliError> {
    let plan = read(&args.plan)?;
    let applied = apply_plan(&store::create(&args.store)?, &plan)?;
    let mut line = format!("applied: {} nights written", applied.written);
    if applied.unchanged > 0 {
        line = format!("{line}, {} there already or empty", applied.unchanged);
    }
    output::text(&format!("{line}\n"))?;
    failures(&applied.failures, applied.written + applied.unchanged)
}
