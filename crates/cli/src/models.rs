//! The embedder of this call.

use std::num::NonZero;

use nightfold::memory::ValidConfig;
use nightfold_embed::{
    CachedEmbedder, FetchPhase, LazyMiniLm, MiniLmOptions, ModelOptions, Models, Progress, VectorCache,
};

use crate::{
    args::Common,
    error::{CliError, Exit},
    progress::BytesBar,
    vectors,
};

/// Where the model of this call is looked for.
pub(crate) fn models(common: &Common) -> Models {
    let mut options = ModelOptions::from_env();
    options.dir.clone_from(&common.models);
    options.offline |= common.offline;
    Models::new(options)
}

/// Draws what providing files does.
pub(crate) fn drawn<T>(work: impl FnOnce(&dyn Fn(Progress<'_>)) -> T) -> T {
    let bar = BytesBar::new();
    let done = work(&|p: Progress<'_>| {
        let what = match p.phase {
            FetchPhase::Wait => "waiting for another process to fetch",
            FetchPhase::Download => "fetching",
            FetchPhase::Unpack => "unpacking",
            FetchPhase::Convert => "converting",
            FetchPhase::Verify => "verifying",
        };
        bar.tell(format!("{what} {}", p.artefact), p.done, p.total);
    });
    bar.finish();
    done
}

/// About how many texts of a usual length make a batch; a session that gets less than one would be opened in vain.
const TEXTS_OF_A_SESSION: usize = 16;

/// What the commands embed with.
pub(crate) type ModelEmbedder = CachedEmbedder<LazyMiniLm>;

/// The model behind the vector cache, after fetching what is missing of it; in as many sessions as `texts` texts keep busy.
/// It is opened by the first text whose vector is not kept. Its files are there before that: whoever lacks them is told
/// before anything is planned, and not in the middle of a run.
pub(crate) fn embedder(
    common: &Common,
    config: &ValidConfig,
    texts: usize,
) -> Result<ModelEmbedder, CliError> {
    embedder_with(vectors::cache(common, config)?, common, config, texts)
}

/// As [`embedder`] behind this cache. Without one, still no text is embedded twice as long as the embedder lives.
pub(crate) fn remembering(
    kept: Option<VectorCache>,
    common: &Common,
    config: &ValidConfig,
    texts: usize,
) -> Result<ModelEmbedder, CliError> {
    let of_this_call = || VectorCache::in_memory(config.embed.cache as u64);
    let cache = kept.map_or_else(of_this_call, Ok).map_err(|e| CliError::new(Exit::Model, e))?;
    embedder_with(Some(cache), common, config, texts)
}

/// As [`embedder`], behind this cache or none.
pub(crate) fn embedder_with(
    cache: Option<VectorCache>,
    common: &Common,
    config: &ValidConfig,
    texts: usize,
) -> Result<ModelEmbedder, CliError> {
    let files =
        drawn(|progress| models(common).provide(progress)).map_err(|e| CliError::new(Exit::Model, e))?;
    let mut options = MiniLmOptions { batch_tokens: config.embed.batch_tokens, ..MiniLmOptions::default() };
    if let Some(threads) = common.threads.and_then(|n| usize::from(n).try_into().ok()) {
        options.sessions = threads;
    }
    let busy = NonZero::new(texts.div_ceil(TEXTS_OF_A_SESSION)).unwrap_or(NonZero::<usize>::MIN);
    options.sessions = options.sessions.min(busy);
    let model = LazyMiniLm::new(files, options);
    let made_by = model.made_by();
    Ok(CachedEmbedder::new(model, cache, &made_by))
}

/// Sets how many threads the steps beside the embedder use.
pub(crate) fn use_threads(common: &Common) -> Result<(), CliError> {
    let Some(threads) = common.threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(usize::from(threads))
        .build_global()
        .map_err(|e| CliError::new(Exit::Usage, e))
}
