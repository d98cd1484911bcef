//! `nightfold settle`: decides between contested entries.

use nightfold::{SettleError, Settlement};

use super::maintenance::StorePlanning;
use crate::{
    args::{Common, SettleArgs},
    config,
    error::{CliError, Exit},
};

impl From<SettleError> for CliError {
    fn from(error: SettleError) -> Self {
        match error {
            SettleError::Store(error) => error.into(),
            other => Self::new(Exit::Usage, other)
                .hint("`nightfold list` shows what is contested, each with what it is contested with"),
        }
    }
}

pub(crate) fn run(args: &SettleArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    let (config, plan) = (config::load(common)?, &args.plan);
    let call = StorePlanning::open(&plan.store, &plan.args, &config, common, (plan.json, verbose))?;
    let maintenance = call.maintenance();
    let npc = call.owner(&args.id)?;
    let contested = maintenance.contested(&npc, &args.id)?;
    let plan = contested.settle(if args.holds { Settlement::For } else { Settlement::Against })?;
    call.conclude(&plan, Vec::new())
}
