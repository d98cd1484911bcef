//! Options: the search path of the files, and the pip that fetches them.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::engine::Engine;

/// File that distinguishes a workspace's `models` folder from any other folder of that name.
const MANIFEST_FILE: &str = "manifest.toml";

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
    /// Working folder of the program: the first folder `models` with a `manifest.toml`, here or above, is
    /// searched next.
    pub working_dir: Option<PathBuf>,
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
    /// Returns the options from the environment, the current folder and the user's cache folder. The only
    /// function in this crate that reads them.
    pub fn from_env() -> Self {
        let path = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self {
            dir: None,
            env_dir: path("NIGHTFOLD_MODELS"),
            working_dir: env::current_dir().ok(),
            cache: cache_folder().map(|cache| cache.join("models")),
            runtime: path("NIGHTFOLD_ONNXRUNTIME"),
            engine: Engine::Exact,
            offline: false,
            pip: PipCommands::default(),
        }
    }

    /// Returns the folders to search, in order.
    pub fn places(&self) -> Vec<PathBuf> {
        let workspace = self.working_dir.as_deref().and_then(workspace_models);
        [&self.dir, &self.env_dir, &workspace, &self.cache].into_iter().flatten().cloned().collect()
    }
}

/// Returns this program's folder in the user's cache.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    dirs::cache_dir().map(|cache| cache.join("nightfold"))
}

/// Returns the first folder `models` with a manifest, beside `dir` or above.
fn workspace_models(dir: &Path) -> Option<PathBuf> {
    dir.ancestors().map(|dir| dir.join("models")).find(|models| models.join(MANIFEST_FILE).is_file())
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
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("a/b");
        std::fs::create_dir_all(deep.join("models")).unwrap();
        std::fs::create_dir(root.path().join("models")).unwrap();
        let mut options = ModelOptions {
            dir: Some("named".into()),
            env_dir: Some("environment".into()),
            working_dir: Some(deep),
            cache: Some("cache".into()),
            ..ModelOptions::default()
        };
        assert_eq!(options.places(), ["named", "environment", "cache"].map(PathBuf::from));

        std::fs::write(root.path().join("models").join(MANIFEST_FILE), "").unwrap();
        let workspace = root.path().join("models");
        assert_eq!(options.places()[2], workspace);

        options.dir = None;
        options.env_dir = None;
        options.cache = None;
        assert_eq!(options.places(), [workspace]);
    }
}
