//! Models of a town: the source of vectors, and the judge of statements.

use std::{num::NonZeroUsize, sync::Arc};

use nightfold_ecs::memory::{Embedder, StanceJudge};
use nightfold_embed::{
    CachedEmbedder, CachedJudge, Engine, LazyStanceModel, MiniLm, MiniLmOptions, ModelFiles, ModelOptions,
    Models, StanceOptions, VectorCache,
};

use crate::{TownError, TownOptions};

/// Opened models, which several towns may share.
#[derive(Clone)]
pub struct TownModels {
    pub(crate) embedder: Arc<dyn Embedder>,
    pub(crate) judge: Option<Arc<dyn StanceJudge>>,
}

impl TownModels {
    /// Opens all-MiniLM-L6-v2, and the stance model when it is first asked, for as many threads as the options say. Reads the files' folder,
    /// the environment, and nothing from a network. Vectors and verdicts are kept in memory (`embed.cache`).
    ///
    /// # Errors
    /// [`TownError::ModelMissing`] and [`TownError::ModelOpen`].
    pub fn open(options: &TownOptions) -> Result<Self, TownError> {
        let config = options.config.clone().check()?;
        let engine = Engine::of(config.embed.engine);
        engine.check()?;
        let mut places = ModelOptions { engine, offline: true, ..ModelOptions::from_env() };
        places.dir.clone_from(&options.models);
        let files = Models::new(places).locate()?;
        let sessions = NonZeroUsize::new(options.threads).unwrap_or(NonZeroUsize::MIN);
        // Without threads nobody asks while a night is computed.
        let reserved = usize::from(options.threads > 0);
        let most = config.embed.cache as u64;
        let judge = Some(stance_model(&files, sessions, most)?);
        let made_by = nightfold_embed::LazyMiniLm::new(files.clone(), MiniLmOptions::default()).made_by();
        let model = MiniLm::open(
            &files,
            MiniLmOptions { sessions, reserved, batch_tokens: config.embed.batch_tokens },
        )?;
        let embedder = Arc::new(CachedEmbedder::new(model, Some(VectorCache::in_memory(most)?), &made_by));
        Ok(Self { embedder, judge })
    }

    /// Takes an embedder of the caller's; statements are compared by the rules.
    pub fn of_embedder(embedder: Arc<dyn Embedder>) -> Self {
        Self { embedder, judge: None }
    }

    /// Sets the judge of statements.
    #[must_use]
    pub fn with_judge(self, judge: Arc<dyn StanceJudge>) -> Self {
        Self { judge: Some(judge), ..self }
    }
}

fn stance_model(
    files: &ModelFiles,
    sessions: NonZeroUsize,
    most: u64,
) -> Result<Arc<dyn StanceJudge>, TownError> {
    let model = LazyStanceModel::new(files.clone(), StanceOptions { sessions, ..StanceOptions::default() });
    let made_by = model.made_by();
    Ok(Arc::new(CachedJudge::new(model, VectorCache::in_memory(most)?, &made_by)))
}
