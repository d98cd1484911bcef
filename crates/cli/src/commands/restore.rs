//! `nightfold restore`: restores an archived entry.

use nightfold::english::Packs;
use nightfold::{Maintenance, RestoreError, memory::Embedder};

use super::maintenance;
use crate::{
    approval,
    args::{Common, RestoreArgs},
    config,
    error::{CliError, Exit},
    files_in_use::FilesInUse,
    models::{embedder, models},
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
    let plan_args = approval::of_a_store(&args.plan.args, common, &config.review);
    let in_use = FilesInUse::of(common).and([&args.plan.store]).and(models(common, &config).files());
    let store = maintenance::open(&args.plan.store, &plan_args)?;
    let npc = store::owner(store.as_ref(), &args.id, plan_args.npc.first())?;
    let archived =
        Maintenance { config: &config, packs: &Packs, store: store.as_ref() }.archived(&npc, &args.id)?;
    let plan = match archived.text_to_embed().map(str::to_owned) {
        None => archived.restore(None)?,
        Some(text) => {
            let embedder = embedder(common, &config, 1)?;
            let embedded = embedder.embed(&[&text]).map_err(nightfold::RunError::from)?;
            archived.restore(Some((embedder.model(), embedded.vectors.vector(0))))?
        }
    };
    maintenance::conclude(store.as_ref(), &in_use, (&plan, Vec::new()), &plan_args, (args.plan.json, verbose))
}
