//! The embedder of this call.

use std::num::NonZero;

use nightfold::memory::ValidConfig;
use nightfold_embed::{MiniLm, MiniLmOptions, ModelOptions, Models, Phase, Progress};

use crate::{
    args::Common,
    error::{CliError, Exit},
    progress::BytesBar,
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
            Phase::Wait => "waiting for another process to fetch",
            Phase::Download => "fetching",
            Phase::Unpack => "unpacking",
            Phase::Convert => "converting",
            Phase::Verify => "verifying",
        };
        bar.tell(format!("{what} {}", p.artefact), p.done, p.total);
    });
    bar.finish();
    done
}

/// About how many texts of a usual length make a batch; a session that gets less than one would be opened in vain.
const TEXTS_OF_A_SESSION: usize = 16;

/// Opens the model, after fetching what is missing of it, in as many sessions as `texts` texts keep busy.
pub(crate) fn embedder(common: &Common, config: &ValidConfig, texts: usize) -> Result<MiniLm, CliError> {
    let files =
        drawn(|progress| models(common).provide(progress)).map_err(|e| CliError::new(Exit::Model, e))?;
    let mut options = MiniLmOptions { batch_tokens: config.embed.batch_tokens, ..MiniLmOptions::default() };
    if let Some(threads) = common.threads.and_then(|n| usize::from(n).try_into().ok()) {
        options.sessions = threads;
    }
    let busy = NonZero::new(texts.div_ceil(TEXTS_OF_A_SESSION)).unwrap_or(NonZero::<usize>::MIN);
    options.sessions = options.sessions.min(busy);
    MiniLm::open(&files, options).map_err(|e| CliError::new(Exit::Model, e))
}

/// Sets how many threads the steps beside the embedder use.
pub(crate) fn use_threads(common: &Common) -> Result<(), CliError> {
    let Some(threads) = common.threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(usize::from(threads))
        .build_global()
        .map_err(|e| CliError::new(Exit::Usage, e))
}
