//! `nightfold restore`: bring back what was put away.

use nightfold::english::Packs;
use nightfold::{RestoreError, Upkeep, memory::Embedder};

use super::upkeep;
use crate::{
    args::{Common, Restore},
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

pub(crate) fn run(args: &Restore, common: &Common, verbose: bool) -> Result<(), CliError> {
    let config = config::load(common)?;
    let tending = args.tending.of_a_store(&config.review);
    let store = upkeep::open(&args.store, &tending)?;
    let npc = store::owner(&store, &args.id, tending.npc.first())?;
    let put_away = Upkeep { config: &config, packs: &Packs, store: &store }.put_away(&npc, &args.id)?;
    let plan = match put_away.text_to_embed().map(str::to_owned) {
        None => put_away.restore(None)?,
        Some(text) => {
            let embedder = embedder(common, &config, 1)?;
            let embedded = embedder.embed(&[&text]).map_err(nightfold::SleepError::from)?;
            put_away.restore(Some((embedder.model(), embedded.vectors.vector(0))))?
        }
    };
    upkeep::conclude(&store, &args.store, (&plan, Vec::new()), &tending, (args.json, verbose))
}
