//! Where the user wants files looked for, and with which tools they are fetched.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// The file that tells a workspace's `models` folder from any other folder of that name.
const MANIFEST_FILE: &str = "manifest.toml";

/// Where model files are looked for, and whether and how they are fetched.
///
/// The default looks nowhere but where its fields point; [`ModelOptions::from_env`] fills them in as a user
/// expects.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelOptions {
    /// A folder the user names (`--models DIR`). Looked in first.
    pub dir: Option<PathBuf>,
    /// A folder the environment names (`NIGHTFOLD_MODELS`). Looked in next.
    pub env_dir: Option<PathBuf>,
    /// Where the program runs: the first folder `models` with a `manifest.toml` in it, here or above, is looked in
    /// next.
    pub working_dir: Option<PathBuf>,
    /// The user's cache. Looked in last; fetched files are put there.
    pub cache: Option<PathBuf>,
    /// An ONNX Runtime library to use instead of the manifest's (`NIGHTFOLD_ONNXRUNTIME`). Its checksum is not
    /// known, so it is not verified.
    pub runtime: Option<PathBuf>,
    /// Never fetch.
    pub offline: bool,
    /// The programs that fetch.
    pub tools: Tools,
}

impl ModelOptions {
    /// The options that follow from the environment, the current folder and the user's cache folder. The one place
    /// where this crate reads them.
    pub fn from_env() -> Self {
        let path = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self {
            dir: None,
            env_dir: path("NIGHTFOLD_MODELS"),
            working_dir: env::current_dir().ok(),
            cache: cache_folder().map(|cache| cache.join("models")),
            runtime: path("NIGHTFOLD_ONNXRUNTIME"),
            offline: false,
            tools: Tools::default(),
        }
    }

    /// The folders that are looked in, in that order.
    pub fn places(&self) -> Vec<PathBuf> {
        let workspace = self.working_dir.as_deref().and_then(workspace_models);
        [&self.dir, &self.env_dir, &workspace, &self.cache].into_iter().flatten().cloned().collect()
    }
}

/// This program's folder in the user's cache.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    dirs::cache_dir().map(|cache| cache.join("nightfold"))
}

/// The first folder `models` with a manifest in it, beside `dir` or above.
fn workspace_models(dir: &Path) -> Option<PathBuf> {
    dir.ancestors().map(|dir| dir.join("models")).find(|models| models.join(MANIFEST_FILE).is_file())
}

/// Programs that fetch files, each with the arguments that come first.
///
/// They run in a temporary folder: a program that is not on the user's `PATH` is named by its absolute path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tools {
    /// Ways to call pip, tried in turn until one is installed.
    pub pip: Vec<Vec<OsString>>,
    /// How to call curl.
    pub curl: Vec<OsString>,
}

impl Default for Tools {
    fn default() -> Self {
        let command = |words: &[&str]| words.iter().map(OsString::from).collect();
        Self {
            // Isolated: it takes no module from the current folder or by the environment, and no pip of the user's site,
            // which `pip3` finds.
            pip: vec![command(&["python3", "-I", "-m", "pip"]), command(&["pip3"]), command(&["pip"])],
            curl: command(&["curl"]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_looked_in_from_the_most_to_the_least_particular() {
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
