//! The vector cache of this call: its file, and the line that reports on it.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use nightfold::memory::{ValidConfig, VectorReport};
use nightfold_embed::{CacheError, VectorCache};

use crate::{
    args::Common,
    choices::CacheChoice,
    error::{CliError, Exit},
    show::count,
    store,
};

/// Environment variable that names the cache where `--vector-cache` does not.
const VARIABLE: &str = "NIGHTFOLD_VECTOR_CACHE";

/// Returns the cache that the user has chosen.
pub(crate) fn chosen(common: &Common) -> Option<CacheChoice> {
    let from_environment = || env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(CacheChoice::from);
    common.vector_cache.clone().or_else(from_environment)
}

/// Returns the file of the cache that the user has chosen, if it is a file.
pub(crate) fn file(common: &Common) -> Option<PathBuf> {
    match chosen(common) {
        Some(CacheChoice::File(path)) => Some(path),
        _ => None,
    }
}

/// Returns the options of a worker that shares a store: it shares the store's cache too, unless the user has chosen another.
pub(crate) fn of_a_worker(common: &Common, store: &Path) -> Common {
    let of_the_store = || CacheChoice::from(store.as_os_str().to_owned());
    Common { vector_cache: chosen(common).or_else(|| Some(of_the_store())), ..common.clone() }
}

/// Returns the vector cache of this call, if any. A cache named by the user must be usable; if the default
/// cache is not usable, the call continues without a cache.
pub(crate) fn cache(common: &Common, config: &ValidConfig) -> Result<Option<VectorCache>, CliError> {
    match chosen(common) {
        Some(kept) => open(&kept, config),
        None if config.embed.file_cache == 0 => Ok(None),
        None => Ok(default_cache(config.embed.file_cache)),
    }
}

/// Returns the cache that `--vector-cache` names, and no other.
pub(crate) fn named(common: &Common, config: &ValidConfig) -> Result<Option<VectorCache>, CliError> {
    common.vector_cache.as_ref().map_or(Ok(None), |kept| open(kept, config))
}

fn open(kept: &CacheChoice, config: &ValidConfig) -> Result<Option<VectorCache>, CliError> {
    match kept {
        CacheChoice::File(path) if config.embed.file_cache > 0 => {
            VectorCache::open(path, config.embed.file_cache).map(Some).map_err(unusable)
        }
        CacheChoice::Shared(address) if config.embed.file_cache > 0 => {
            let here = VectorCache::in_memory(config.embed.cache as u64).map_err(unusable)?;
            Ok(Some(here.with_shared(store::record_cache(address)?, config.embed.file_cache)))
        }
        _ => Ok(None),
    }
}

/// Opens the cache in the user's cache folder; none, with a warning, if it cannot be opened.
fn default_cache(most: u64) -> Option<VectorCache> {
    let path = VectorCache::usual_path()?;
    if let Some(Err(error)) = path.parent().map(fs::create_dir_all) {
        tracing::warn!(path = %path.display(), %error, "there is no place for a vector cache; texts are embedded anew");
        return None;
    }
    VectorCache::open(&path, most)
        .inspect_err(|error| {
            let error = crate::error::chain(error);
            tracing::warn!(error, "no vector is kept; delete the file, or name another with --vector-cache");
        })
        .ok()
}

/// Returns the vectors that the calls of a test run share, if the environment names their file.
#[cfg(feature = "testing")]
pub(crate) fn of_the_test_run() -> Result<Option<VectorCache>, CliError> {
    let path = env::var_os("NIGHTFOLD_TEST_VECTORS").filter(|path| !path.is_empty());
    path.map(|path| VectorCache::open(Path::new(&path), 1_000_000)).transpose().map_err(unusable)
}

pub(crate) fn unusable(error: CacheError) -> CliError {
    let hint = match &error {
        CacheError::Foreign { .. } => "name another file; one that is not there is made",
        _ => "name another file, or go without: --vector-cache off",
    };
    let exit = if error.is_of_the_disk() { Exit::Output } else { Exit::Usage };
    CliError::new(exit, error).hint(hint)
}

/// Returns the report on the vectors as one line.
pub(crate) fn report_line(report: &VectorReport) -> String {
    let mut line = format!(
        "vectors: of {}, {} from the cache, {} embedded",
        count(report.texts, "distinct text", "distinct texts"),
        report.cached,
        report.embedded
    );
    if report.damaged > 0 {
        line.push_str(&format!(" ({} that the cache held were damaged)", report.damaged));
    }
    line + "\n"
}
