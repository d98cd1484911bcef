//! Options: the search path of the files, and the pip that fetches them.

use std::{env, ffi::OsString, path::PathBuf};

use crate::engine::Engine;

/// Search path of the model's files, and settings for fetching them.
///
/// All paths are unset by default, so no folder is searched; [`ModelOptions::from_env`] takes them from the
/// environment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelOptions {
    /// Folder named by the user (`--models DIR`). Searched first.
    pub dir: Option<PathBuf>,
    /// Folder named by the environment (`NIGHTFOLD_MODELS`). Searched next.
    pub env_dir: Option<PathBuf>,
    /// The user's cache. Searched last; fetched files are put there.
    pub cache: Option<PathBuf>,
    /// ONNX Runtime library to use instead of the manifest's (`NIGHTFOLD_ONNXRUNTIME`). Its checksum is
    /// unknown, so it is not verified.
    pub runtime: Option<PathBuf>,
    /// Arithmetic in which the model is to compute (default exact).
    pub engine: Engine,
    /// True to never fetch.
    pub offline: bool,
    /// The commands for fetching.
    pub pip: PipCommands,
}

impl ModelOptions {
    /// Returns the options from the environment and the user's cache folder. The only function in this crate that
    /// reads them. The current folder is not searched: it may be somebody else's.
    pub fn from_env() -> Self {
        let path = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self {
            dir: None,
            env_dir: path("NIGHTFOLD_MODELS"),
            cache: cache_folder().map(|cache| cache.join("models")),
            runtime: path("NIGHTFOLD_ONNXRUNTIME"),
            engine: Engine::Exact,
            offline: false,
            pip: PipCommands::default(),
        }
    }

    /// Returns the folders to search, in order.
    pub fn places(&self) -> Vec<PathBuf> {
        [&self.dir, &self.env_dir, &self.cache].into_iter().flatten().cloned().collect()
    }
}

/// Returns this program's folder in the user's cache.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    dirs::cache_dir().map(|cache| cache.join("nightfold"))
}

/// Commands for pip, each a program and its first arguments; the first that is installed is used.
///
/// They run in a temporary folder: a program outside the user's `PATH` is named by its absolute path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipCommands(pub Vec<Vec<OsString>>);

impl Default for PipCommands {
    /// Python is isolated: it takes no module from the current folder or by the environment, and none of the user's
    /// site.
    fn default() -> Self {
        let pip = |python: &[&str]| python.iter().chain(&["-I", "-m", "pip"]).map(OsString::from).collect();
        Self(vec![pip(&["python3"]), pip(&["python"]), pip(&["py", "-3"])])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_searched_from_most_to_least_specific() {
        let options = ModelOptions {
            dir: Some("named".into()),
            env_dir: Some("environment".into()),
            cache: Some("cache".into()),
            ..ModelOptions::default()
        };
        assert_eq!(options.places(), ["named", "environment", "cache"].map(PathBuf::from));
        assert_eq!(ModelOptions::default().places(), [] as [PathBuf; 0]);
    }
}
