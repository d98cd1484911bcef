//! `nightfold settle`: decides between contested entries.

use nightfold::english::Packs;
use nightfold::{Maintenance, SettleError, Settlement};

use super::maintenance;
use crate::{
    approval,
    args::{Common, SettleArgs},
    config,
    error::{CliError, Exit},
    files_in_use::FilesInUse,
    store,
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
    let config = config::load(common)?;
    let plan_args = approval::of_a_store(&args.plan.args, common, &config.review);
    let in_use = FilesInUse::of(common).and([&args.plan.store]);
    let store = maintenance::open(&args.plan.store, &plan_args)?;
    let npc = store::owner(store.as_ref(), &args.id, plan_args.npc.first())?;
    let contested =
        Maintenance { config: &config, packs: &Packs, store: store.as_ref() }.contested(&npc, &args.id)?;
    let plan = contested.settle(if args.holds { Settlement::For } else { Settlement::Against })?;
    maintenance::conclude(store.as_ref(), &in_use, (&plan, Vec::new()), &plan_args, (args.plan.json, verbose))
}
