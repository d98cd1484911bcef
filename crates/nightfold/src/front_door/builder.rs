//! Builder of a [`Nightfold`].

use nightfold_memory::{Embedder, LanguageModel, LanguagePacks, MemoryStore, StanceJudge, ValidConfig};

use super::nightfold::Nightfold;

/// Parts of a [`Nightfold`]. An embedder and a store are required; the rest has defaults.
#[derive(Default)]
#[must_use]
pub struct NightfoldBuilder {
    config: ValidConfig,
    packs: Option<Box<dyn LanguagePacks>>,
    embedder: Option<Box<dyn Embedder>>,
    store: Option<Box<dyn MemoryStore>>,
    language: Option<Box<dyn LanguageModel>>,
    judge: Option<Box<dyn StanceJudge>>,
}

/// Error of [`NightfoldBuilder::build`]: a required part is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No embedder.
    #[error("no embedder: give one with `embedder`, or call `minilm` (feature `minilm`)")]
    NoEmbedder,
    /// No store.
    #[error("no store: give one with `store`, or call `sqlite` (feature `sqlite`)")]
    NoStore,
    /// No language packs.
    #[error("no language packs: give some with `packs`, or build with the feature `english`")]
    NoPacks,
}

impl Nightfold {
    /// Returns a builder with the default configuration and, with the feature `english`, the default language packs.
    pub fn builder() -> NightfoldBuilder {
        NightfoldBuilder::default()
    }
}

impl NightfoldBuilder {
    /// Sets the configuration (default: [`Config`](nightfold_memory::Config)'s defaults).
    pub fn config(mut self, config: ValidConfig) -> Self {
        self.config = config;
        self
    }

    /// Sets the embedder of texts. All vectors of a store are of one model, so a store must always be used with the
    /// same embedder.
    pub fn embedder(mut self, embedder: impl Embedder + 'static) -> Self {
        self.embedder = Some(Box::new(embedder));
        self
    }

    /// Sets the store of long-term memory.
    pub fn store(mut self, store: impl MemoryStore + 'static) -> Self {
        self.store = Some(Box::new(store));
        self
    }

    /// Sets the language packs (default: those of the feature `english`).
    pub fn packs(mut self, packs: impl LanguagePacks + 'static) -> Self {
        self.packs = Some(Box::new(packs));
        self
    }

    /// Sets the language model that words syntheses and reflections (default: none; rules word them).
    pub fn language(mut self, model: impl LanguageModel + 'static) -> Self {
        self.language = Some(Box::new(model));
        self
    }

    /// Sets the judge that decides how two statements relate: same, contradicting or unrelated (default: none; rules
    /// decide).
    pub fn judge(mut self, judge: impl StanceJudge + 'static) -> Self {
        self.judge = Some(Box::new(judge));
        self
    }

    /// Sets all-MiniLM-L6-v2, run on this machine by the engine of the configuration set before (`embed.engine`), as
    /// the embedder. Its files are read from the cache; missing files are downloaded once and verified by checksum.
    ///
    /// # Errors
    /// [`MiniLmError`] if the files cannot be downloaded or opened.
    #[cfg(feature = "minilm")]
    pub fn minilm(self) -> Result<Self, MiniLmError> {
        use nightfold_embed::{Engine, MiniLm, MiniLmOptions, ModelOptions, Models};
        let engine = Engine::of(self.config.embed.engine);
        engine.check().map_err(nightfold_embed::ModelOpenError::from)?;
        let files = Models::new(ModelOptions { engine, ..ModelOptions::from_env() }).provide(&|_| {})?;
        let model = MiniLm::open(&files, MiniLmOptions::default())?;
        Ok(self.embedder(model))
    }

    /// Sets a SQLite file as the store, and creates it if it does not exist.
    ///
    /// # Errors
    /// [`OpenError`](nightfold_store::OpenError) names the path and the cause.
    #[cfg(feature = "sqlite")]
    pub fn sqlite(self, path: impl AsRef<std::path::Path>) -> Result<Self, nightfold_store::OpenError> {
        Ok(self.store(nightfold_store::SqliteStore::open(path)?))
    }

    /// Builds the [`Nightfold`].
    ///
    /// # Errors
    /// [`BuildError`] names the part that is missing.
    pub fn build(self) -> Result<Nightfold, BuildError> {
        Ok(Nightfold {
            config: self.config,
            packs: self.packs.or_else(default_packs).ok_or(BuildError::NoPacks)?,
            embedder: self.embedder.ok_or(BuildError::NoEmbedder)?,
            store: self.store.ok_or(BuildError::NoStore)?,
            language: self.language,
            judge: self.judge,
        })
    }
}

#[cfg(feature = "english")]
#[expect(clippy::unnecessary_wraps, reason = "without the feature there are none")]
fn default_packs() -> Option<Box<dyn LanguagePacks>> {
    Some(Box::new(nightfold_english::Packs))
}

#[cfg(not(feature = "english"))]
fn default_packs() -> Option<Box<dyn LanguagePacks>> {
    None
}

/// Error of [`NightfoldBuilder::minilm`].
#[cfg(feature = "minilm")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MiniLmError {
    /// The model's files are missing and cannot be downloaded.
    #[error(transparent)]
    Provision(#[from] nightfold_embed::ProvisionError),
    /// The model cannot be opened.
    #[error(transparent)]
    Open(#[from] nightfold_embed::ModelOpenError),
}
