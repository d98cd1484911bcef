//! `nightfold show`: a saved plan as a diff.

use crate::{
    args::Show,
    error::CliError,
    npcs::chosen,
    output, plan,
    show::{Texts, nights, run_totals},
    terminal::Terminal,
};

pub(crate) fn run(args: &Show, verbose: bool) -> Result<(), CliError> {
    let plan = plan::read(&args.plan)?;
    let npcs = chosen(&args.npc, plan.nights.iter().map(|n| n.npc.clone()).collect(), "the plan")?;
    let wanted = plan.nights.iter().filter(|n| npcs.contains(&n.npc));
    // What the store knew before is not at hand here.
    let mut out = nights(wanted, |_| Ok(Texts::new()), Terminal::stdout(), verbose)?;
    out.push_str(&run_totals(&plan.report));
    output::text(&out)
}
