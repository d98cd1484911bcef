//! `nightfold restore`: restores an archived entry.

use nightfold::english::Packs;
use nightfold::{Maintenance, RestoreError, memory::Embedder};

use super::maintenance;
use crate::{
    args::{Common, RestoreArgs},
    config,
    error::{CliError, Exit},
    models::embedder,
    store,
};

impl From<RestoreError> for CliError {
    fn from(error: RestoreError) -> Self {
        match error {
            RestoreError::Store(error) => error.into(),
            other => {
                Self::new(Exit::Usage, other).hint("`nightfold list --all` shows every id and its state")
            }
        }
    }
}

pub(crate) fn run(args: &RestoreArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    let config = config::load(common)?;
    let plan_args = args.plan_args.of_a_store(&config.review);
    let store = maintenance::open(&args.store, &plan_args)?;
    let npc = store::owner(&store, &args.id, plan_args.npc.first())?;
    let archived = Maintenance { config: &config, packs: &Packs, store: &store }.archived(&npc, &args.id)?;
    let plan = match archived.text_to_embed().map(str::to_owned) {
        None => archived.restore(None)?,
        Some(text) => {
            let embedder = embedder(common, &config, 1)?;
            let embedded = embedder.embed(&[&text]).map_err(nightfold::RunError::from)?;
            archived.restore(Some((embedder.model(), embedded.vectors.vector(0))))?
        }
    };
    maintenance::conclude(&store, &args.store, (&plan, Vec::new()), &plan_args, (args.json, verbose))
}
