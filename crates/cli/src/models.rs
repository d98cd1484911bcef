//! The embedder of this call.

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

/// Opens the model, after fetching what is missing of it.
pub(crate) fn embedder(common: &Common, config: &ValidConfig) -> Result<MiniLm, CliError> {
    let files =
        drawn(|progress| models(common).provide(progress)).map_err(|e| CliError::new(Exit::Model, e))?;
    let mut options = MiniLmOptions { batch_tokens: config.embed.batch_tokens, ..MiniLmOptions::default() };
    if let Some(threads) = common.threads.and_then(|n| usize::from(n).try_into().ok()) {
        options.sessions = threads;
    }
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
