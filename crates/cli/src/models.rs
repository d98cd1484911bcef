//! The embedding model of this call.

use std::num::NonZero;

use nightfold::memory::ValidConfig;
use nightfold_embed::{
    CachedEmbedder, Engine, FetchPhase, LazyMiniLm, MiniLmOptions, ModelFiles, ModelOptions, Models,
    Progress, VectorCache,
};

use crate::{
    args::Common,
    error::{CliError, Exit},
    progress::BytesBar,
    vectors,
};

/// Returns the places that this call searches for the model, for the configured engine.
pub(crate) fn models(common: &Common, config: &ValidConfig) -> Models {
    let mut options = ModelOptions::from_env();
    options.dir.clone_from(&common.models);
    options.offline |= common.offline;
    options.engine = Engine::of(config.embed.engine);
    Models::new(options)
}

/// Returns the files of the configured engine, and fetches missing ones.
pub(crate) fn files(common: &Common, config: &ValidConfig) -> Result<ModelFiles, CliError> {
    Engine::of(config.embed.engine).check().map_err(|e| {
        CliError::new(Exit::Model, e)
            .hint("use `--set embed.engine=exact`, or `auto`, which takes what the processor runs best")
    })?;
    with_progress(|progress| models(common, config).provide(progress))
        .map_err(|e| CliError::new(Exit::Model, e))
}

/// Runs work that provides files, with a progress bar.
pub(crate) fn with_progress<T>(work: impl FnOnce(&dyn Fn(Progress<'_>)) -> T) -> T {
    let bar = BytesBar::new();
    work(&|p: Progress<'_>| {
        let what = match p.phase {
            FetchPhase::Wait => "waiting for another process to fetch",
            FetchPhase::Download => "fetching",
            FetchPhase::Unpack => "unpacking",
            FetchPhase::Convert => "converting",
            FetchPhase::Verify => "verifying",
        };
        bar.show(format!("{what} {}", p.artefact), p.done, p.total);
    })
}

/// Number of texts of usual length that make a batch, roughly; a session that gets fewer would be opened in
/// vain.
const TEXTS_OF_A_SESSION: usize = 16;

/// Embedder of the commands: the model behind a cache of vectors.
pub(crate) type ModelEmbedder = CachedEmbedder<Model>;

#[cfg(not(feature = "testing"))]
pub(crate) type Model = LazyMiniLm;

/// The model behind the vectors that earlier calls of the same test run have computed. No output tells of them.
#[cfg(feature = "testing")]
pub(crate) type Model = CachedEmbedder<LazyMiniLm>;

/// Returns the model behind the vector cache, with as many sessions as `texts` texts keep busy. Missing files
/// are fetched at once, so that a failure shows before anything is planned; the model itself is opened by the
/// first text whose vector is not kept.
pub(crate) fn embedder(
    common: &Common,
    config: &ValidConfig,
    texts: usize,
) -> Result<ModelEmbedder, CliError> {
    embedder_with(vectors::cache(common, config)?, common, config, texts)
}

/// Returns the model behind this cache, or, without one, behind a cache in memory, so that no text is
/// embedded twice as long as the embedder lives.
pub(crate) fn with_memory_cache(
    kept: Option<VectorCache>,
    common: &Common,
    config: &ValidConfig,
    texts: usize,
) -> Result<ModelEmbedder, CliError> {
    let of_this_call = || VectorCache::in_memory(config.embed.cache as u64);
    let cache = kept.map_or_else(of_this_call, Ok).map_err(|e| CliError::new(Exit::Model, e))?;
    embedder_with(Some(cache), common, config, texts)
}

/// Returns the model behind this cache or none; see [`embedder`].
pub(crate) fn embedder_with(
    cache: Option<VectorCache>,
    common: &Common,
    config: &ValidConfig,
    texts: usize,
) -> Result<ModelEmbedder, CliError> {
    let files = files(common, config)?;
    let mut options = MiniLmOptions::default();
    if let Some(threads) = common.threads.and_then(|n| usize::from(n).try_into().ok()) {
        options.sessions = threads;
    }
    let busy = NonZero::new(texts.div_ceil(TEXTS_OF_A_SESSION)).unwrap_or(NonZero::<usize>::MIN);
    options.sessions = options.sessions.min(busy);
    let model = LazyMiniLm::new(files, options);
    let made_by = model.made_by();
    #[cfg(feature = "testing")]
    let model = CachedEmbedder::new(model, vectors::of_the_test_run()?, &made_by);
    Ok(CachedEmbedder::new(model, cache, &made_by))
}

/// Returns the number of tokens for which the model of this embedder has computed so far.
pub(crate) fn computed_tokens(embedder: &ModelEmbedder) -> usize {
    #[cfg(not(feature = "testing"))]
    return embedder.inner().computed_tokens();
    #[cfg(feature = "testing")]
    return embedder.inner().inner().computed_tokens();
}

/// Sets the number of threads of the steps other than embedding.
pub(crate) fn use_threads(common: &Common) -> Result<(), CliError> {
    let Some(threads) = common.threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(usize::from(threads))
        .build_global()
        .map_err(|e| CliError::new(Exit::Usage, e))
}
