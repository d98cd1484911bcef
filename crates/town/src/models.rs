//! Models of a town: the source of vectors, and the judge of statements.

use std::{num::NonZeroUsize, sync::Arc};

use nightfold_ecs::memory::{Embedder, RecordCache, StanceJudge, ValidConfig, config::JudgeBy};
use nightfold_embed::{
    CachedEmbedder, CachedJudge, Engine, LazyMiniLm, LazyStanceModel, MiniLm, MiniLmOptions, ModelFiles,
    ModelOptions, Models, StanceOptions, VectorCache,
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
        // Without threads nobody asks while a night is computed.
        let reserved = usize::from(options.threads > 0);
        Self::of_files(
            &files,
            &config,
            NonZeroUsize::new(options.threads).unwrap_or(NonZeroUsize::MIN),
            reserved,
            None,
        )
    }

    /// Opens the models of these files. `sessions` copies of the sentence model compute at once, and `reserved` more for
    /// questions. Vectors and verdicts are kept in memory, and in `shared` for other machines.
    ///
    /// # Errors
    /// [`TownError::ModelOpen`] and [`TownError::Cache`].
    pub fn of_files(
        files: &ModelFiles,
        config: &ValidConfig,
        sessions: NonZeroUsize,
        reserved: usize,
        shared: Option<&Arc<dyn RecordCache>>,
    ) -> Result<Self, TownError> {
        let cache = || {
            let here = VectorCache::in_memory(config.embed.cache as u64)?;
            Ok::<_, TownError>(match shared {
                Some(shared) => here.with_shared(Arc::clone(shared), config.embed.file_cache),
                None => here,
            })
        };
        let options = MiniLmOptions { sessions, reserved, ..MiniLmOptions::default() };
        let made_by = LazyMiniLm::new(files.clone(), options).made_by();
        let model = MiniLm::open(files, options)?;
        let embedder = Arc::new(CachedEmbedder::new(model, Some(cache()?), &made_by));
        let judge =
            LazyStanceModel::new(files.clone(), StanceOptions { sessions, ..StanceOptions::default() });
        let made_by = judge.made_by();
        let judge = Arc::new(CachedJudge::new(judge, cache()?, &made_by));
        Ok(Self { embedder, judge: Some(judge) })
    }

    /// Returns the embedder.
    pub fn embedder(&self) -> &Arc<dyn Embedder> {
        &self.embedder
    }

    /// Returns the judge that a configuration asks for; `None` if the rules decide.
    ///
    /// # Errors
    /// [`TownError`] if it asks for a language model.
    pub fn judge(&self, config: &ValidConfig) -> Result<Option<Arc<dyn StanceJudge>>, TownError> {
        match config.judge.by {
            JudgeBy::Model => Ok(self.judge.clone()),
            JudgeBy::Rules => Ok(None),
            JudgeBy::Language => {
                let message = "here statements are judged by \"model\" or \"rules\" (judge.by)";
                Err(TownError::refused("options", message))
            }
        }
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
