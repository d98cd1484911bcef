//! `nightfold settle`: decide between contested entries.

use nightfold::english::Packs;
use nightfold::{SettleError, Settlement, Upkeep};

use super::upkeep;
use crate::{
    args::{Common, Settle},
    config,
    error::{CliError, Exit},
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

pub(crate) fn run(args: &Settle, common: &Common, verbose: bool) -> Result<(), CliError> {
    let config = config::load(common)?;
    let tending = args.tending.of_a_store(&config.review);
    let store = upkeep::open(&args.store, &tending)?;
    let npc = store::owner(&store, &args.id, tending.npc.first())?;
    let contested = Upkeep { config: &config, packs: &Packs, store: &store }.contested(&npc, &args.id)?;
    let plan = contested.settle(if args.holds { Settlement::For } else { Settlement::Against })?;
    upkeep::conclude(&store, &args.store, (&plan, Vec::new()), &tending, (args.json, verbose))
}
