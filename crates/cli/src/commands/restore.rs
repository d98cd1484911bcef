//! `nightfold restore`: restores an archived entry.

use nightfold::{RestoreError, memory::Embedder};

use super::maintenance::StorePlanning;
use crate::{
    args::{Common, RestoreArgs},
    config,
    error::{CliError, Exit},
    models::embedder,
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
    let (config, plan) = (config::load(common)?, &args.plan);
    let call = StorePlanning::open(&plan.store, &plan.args, &config, common, (plan.json, verbose))?;
    let maintenance = call.maintenance();
    let npc = call.owner(&args.id)?;
    let archived = maintenance.archived(&npc, &args.id)?;
    let plan = match archived.text_to_embed().map(str::to_owned) {
        None => archived.restore(None)?,
        Some(text) => {
            let embedder = embedder(common, &config, 1)?;
            let embedded = embedder.embed(&[&text]).map_err(nightfold::RunError::from)?;
            archived.restore(Some((embedder.model(), embedded.vectors.vector(0))))?
        }
    };
    call.conclude(&plan, Vec::new())
}
