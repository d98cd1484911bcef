//! The vector cache of this call: which file, and what is told of it.

use std::{env, ffi::OsString, fs, path::PathBuf};

use nightfold::memory::{ValidConfig, VectorReport};
use nightfold_embed::{CacheError, VectorCache};

use crate::{
    args::Common,
    error::{CliError, Exit},
    show::count,
};

/// Says where vectors are kept, where `--vector-cache` does not.
const VARIABLE: &str = "NIGHTFOLD_VECTOR_CACHE";

/// Where vectors are kept for later calls: `off` or a file. A file of that name is `./off`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Nowhere.
    Off,
    /// In this file.
    In(PathBuf),
}

impl From<OsString> for Kept {
    fn from(given: OsString) -> Self {
        if given == "off" { Self::Off } else { Self::In(given.into()) }
    }
}

/// The cache that is wanted, or none. One that the user has named must be of use; without the usual one a call goes on.
pub(crate) fn cache(common: &Common, config: &ValidConfig) -> Result<Option<VectorCache>, CliError> {
    let from_environment = || env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(Kept::from);
    match common.vector_cache.clone().or_else(from_environment) {
        Some(kept) => open(&kept, config),
        None if config.embed.file_cache == 0 => Ok(None),
        None => Ok(usual(config.embed.file_cache)),
    }
}

/// The cache that `--vector-cache` names, and no other.
pub(crate) fn named(common: &Common, config: &ValidConfig) -> Result<Option<VectorCache>, CliError> {
    common.vector_cache.as_ref().map_or(Ok(None), |kept| open(kept, config))
}

fn open(kept: &Kept, config: &ValidConfig) -> Result<Option<VectorCache>, CliError> {
    match kept {
        Kept::In(path) if config.embed.file_cache > 0 => {
            VectorCache::open(path, config.embed.file_cache).map(Some).map_err(unusable)
        }
        _ => Ok(None),
    }
}

/// The cache in the user's cache folder.
fn usual(most: u64) -> Option<VectorCache> {
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

fn unusable(error: CacheError) -> CliError {
    let hint = match &error {
        CacheError::Folder { .. } => "name a file in it",
        CacheError::NoFolder { .. } => "make the folder first, or name another file",
        CacheError::Foreign { .. } | CacheError::Format { .. } => {
            "name another file; one that is not there is made"
        }
        _ => "name another file, or go without: --vector-cache off",
    };
    CliError::new(Exit::Usage, error).hint(hint)
}

/// Where the vectors came from, in a line.
pub(crate) fn told(report: &VectorReport) -> String {
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
