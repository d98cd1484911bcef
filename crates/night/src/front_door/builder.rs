//! Putting a [`Nightfold`] together.

use nightfold_memory::{Embedder, LanguageModel, LanguagePacks, MemoryStore, StanceJudge, ValidConfig};

use super::Nightfold;

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

/// A part that is missing.
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

impl NightfoldBuilder {
    /// Settings; the defaults of [`Config`](nightfold_memory::Config) without this call.
    pub fn config(mut self, config: ValidConfig) -> Self {
        self.config = config;
        self
    }

    /// Embedder of texts. Vectors of a store are of one model: the same embedder is given at every start.
    pub fn embedder(mut self, embedder: impl Embedder + 'static) -> Self {
        self.embedder = Some(Box::new(embedder));
        self
    }

    /// Store of long-term memory.
    pub fn store(mut self, store: impl MemoryStore + 'static) -> Self {
        self.store = Some(Box::new(store));
        self
    }

    /// Language packs; those of the feature `english` without this call.
    pub fn packs(mut self, packs: impl LanguagePacks + 'static) -> Self {
        self.packs = Some(Box::new(packs));
        self
    }

    /// Language model that words syntheses and reflections; rules word them without this call.
    pub fn language(mut self, model: impl LanguageModel + 'static) -> Self {
        self.language = Some(Box::new(model));
        self
    }

    /// Judge of what two statements are to each other; rules judge without this call.
    pub fn judge(mut self, judge: impl StanceJudge + 'static) -> Self {
        self.judge = Some(Box::new(judge));
        self
    }

    /// Embeds with all-MiniLM-L6-v2 on this machine. Its files are looked for in the cache, and fetched once, with
    /// checksums, where they are not.
    ///
    /// # Errors
    /// [`MiniLmError`] when the files cannot be had or opened.
    #[cfg(feature = "minilm")]
    pub fn minilm(self) -> Result<Self, MiniLmError> {
        use nightfold_embed::{MiniLm, MiniLmOptions, ModelOptions, Models};
        let files = Models::new(ModelOptions::from_env()).provide(&|_| {})?;
        Ok(self.embedder(MiniLm::open(&files, MiniLmOptions::default())?))
    }

    /// Keeps long-term memory in a SQLite file, which is made if there is none.
    ///
    /// # Errors
    /// [`OpenError`](nightfold_store::OpenError) names the path and what stands in the way.
    #[cfg(feature = "sqlite")]
    pub fn sqlite(self, path: impl AsRef<std::path::Path>) -> Result<Self, nightfold_store::OpenError> {
        Ok(self.store(nightfold_store::SqliteStore::open(path)?))
    }

    /// Puts the parts together.
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
    /// The files of the model are not there and cannot be fetched.
    #[error(transparent)]
    Provision(#[from] nightfold_embed::ProvisionError),
    /// The model cannot be opened.
    #[error(transparent)]
    Open(#[from] nightfold_embed::ModelOpenError),
}
