//! Provision of the model's files: finding, verifying and fetching them.
//!
//! Three files make the embedder: the model, its tokenizer and the ONNX Runtime library. They are searched
//! for in the user's named folder, in the environment's, in the workspace's `models/` and in the user's
//! cache, and fetched into the cache if they are missing. A file with another checksum is an error, never
//! used and never skipped.

mod checksum;
mod download;
mod error;
mod fetch;
mod manifest;
mod options;
mod progress;
mod status;
mod verify;

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use nightfold_memory::ModelId;

use fetch::{Fetch, LockedCache};
use manifest::{Artefact, Manifest};
use progress::StepReporter;

pub use checksum::{Checksum, ChecksumError, FileContents};
pub use error::{Attempt, AttemptError, ProvisionError};
pub use manifest::ArtefactRole;
pub(crate) use options::cache_folder;
pub use options::{ModelOptions, Tools};
pub use progress::{FetchPhase, Progress};
pub use status::{ArtefactState, ArtefactStatus, Check};

/// The files of the sentence model, each verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFiles {
    /// The model as ONNX.
    pub model: PathBuf,
    /// Model id under which its vectors are stored.
    pub model_id: ModelId,
    /// The model's `tokenizer.json`.
    pub tokenizer: PathBuf,
    /// The ONNX Runtime library.
    pub runtime: PathBuf,
    /// Identity of the model's file and of the library's build, as far as known: other builds may compute
    /// vectors that differ in their last bits.
    pub build: String,
}

/// The model's files on this machine.
///
/// ```no_run
/// use nightfold_embed::{ModelOptions, Models};
///
/// let models = Models::new(ModelOptions::from_env());
/// let files = models.provide(&|step| eprintln!("{} {:?} {}/{}", step.artefact, step.phase, step.done, step.total))?;
/// println!("{}", files.model.display());
/// # Ok::<(), nightfold_embed::ProvisionError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Models {
    manifest: Manifest,
    options: ModelOptions,
}

impl Models {
    /// Returns the files that this version of Nightfold uses.
    pub fn new(options: ModelOptions) -> Self {
        Self { manifest: Manifest::embedded(), options }
    }

    /// Finds and verifies the files; fetches nothing.
    ///
    /// # Errors
    /// [`ProvisionError::Missing`] names every missing file; [`ProvisionError::Corrupt`] one with wrong
    /// contents.
    pub fn locate(&self) -> Result<ModelFiles, ProvisionError> {
        self.find(&|_| {})
    }

    /// Finds and verifies the files, and fetches missing ones, unless the options say offline.
    ///
    /// # Errors
    /// Those of [`Models::locate`] and [`Models::fetch`].
    pub fn provide(&self, progress: &dyn Fn(Progress<'_>)) -> Result<ModelFiles, ProvisionError> {
        match self.find(progress) {
            Err(ProvisionError::Missing { .. }) if !self.options.offline => self.fetch(false, progress),
            found => found,
        }
    }

    /// Fetches missing files into the cache; with `force` all files, even existing ones.
    ///
    /// Any number of processes may fetch at once: they wait for each other. Killed at any moment, it leaves
    /// no incomplete file under a final name.
    ///
    /// # Errors
    /// [`ProvisionError::Fetch`] lists for one file every source that was tried.
    pub fn fetch(&self, force: bool, progress: &dyn Fn(Progress<'_>)) -> Result<ModelFiles, ProvisionError> {
        if self.options.offline {
            return self.find(progress);
        }
        let cache = self.options.cache.as_deref().ok_or(ProvisionError::NoCache)?;
        let lock = LockedCache::lock(cache, StepReporter { tell: progress, artefact: "" })?;
        let mut wanted = Vec::new();
        // Another process may have fetched them while this one waited.
        for (role, artefact) in self.manifest.artefacts() {
            let override_runtime = role == ArtefactRole::Runtime && self.options.runtime.is_some();
            if !override_runtime && (force || self.find_one(artefact, progress)?.is_none()) {
                wanted.push(supported(artefact)?);
            }
        }
        let mut fetch = Fetch::new(&lock, &self.manifest, &self.options.tools, progress)?;
        for artefact in wanted {
            fetch.artefact(artefact).map_err(|attempts| ProvisionError::Fetch {
                file: artefact.file.clone(),
                looked_in: self.options.places(),
                attempts,
            })?;
        }
        drop(fetch);
        self.find(progress)
    }

    /// Returns all files, or the names of the missing ones.
    fn find(&self, progress: &dyn Fn(Progress<'_>)) -> Result<ModelFiles, ProvisionError> {
        let model_id = self.manifest.model_id().clone();
        let find = |role| -> Result<Result<(PathBuf, String), String>, ProvisionError> {
            let artefact = self.manifest.artefact(role);
            if role == ArtefactRole::Runtime
                && let Some(path) = &self.options.runtime
            {
                return runtime_override(path).map(|build| Ok((path.clone(), build)));
            }
            let found = self.find_one(supported(artefact)?, progress)?;
            Ok(found
                .map(|path| (path, artefact.contents().sha256.short()))
                .ok_or_else(|| artefact.file.clone()))
        };
        match (find(ArtefactRole::Model)?, find(ArtefactRole::Tokenizer)?, find(ArtefactRole::Runtime)?) {
            (Ok((model, graph)), Ok((tokenizer, _)), Ok((runtime, library))) => {
                Ok(ModelFiles { model, model_id, tokenizer, runtime, build: format!("{graph} {library}") })
            }
            (model, tokenizer, runtime) => Err(ProvisionError::Missing {
                files: [model, tokenizer, runtime].into_iter().filter_map(Result::err).collect(),
                looked_in: self.options.places(),
                offline: self.options.offline,
            }),
        }
    }

    /// Returns the first file of this name in the search path, verified.
    fn find_one(
        &self,
        artefact: &Artefact,
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<Option<PathBuf>, ProvisionError> {
        let step = StepReporter { tell: progress, artefact: &artefact.file };
        let Some(path) = self.first_place(artefact)? else { return Ok(None) };
        if self.in_cache(&path) {
            verify::verify_once(&path, artefact.contents(), step)?;
        } else {
            verify::verify(&path, artefact.contents(), false, step)?;
        }
        Ok(Some(path))
    }

    /// Returns the first file of this name in the search path, unverified.
    fn first_place(&self, artefact: &Artefact) -> Result<Option<PathBuf>, ProvisionError> {
        for path in self.options.places().into_iter().map(|dir| dir.join(&artefact.file)) {
            match fs::metadata(&path) {
                Ok(_) => return Ok(Some(path)),
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                Err(source) => return Err(ProvisionError::io("read", &path)(source)),
            }
        }
        Ok(None)
    }

    fn in_cache(&self, path: &Path) -> bool {
        self.options.cache.as_deref().is_some_and(|cache| path.parent() == Some(cache))
    }
}

/// Identity of a library named by the user, which has no known checksum.
fn runtime_override(path: &Path) -> Result<String, ProvisionError> {
    let found = fs::metadata(path)
        .map_err(|source| ProvisionError::RuntimeOverride { path: path.to_owned(), source })?;
    tracing::warn!(path = %path.display(), "NIGHTFOLD_ONNXRUNTIME is used as it is, without a checksum");
    let changed = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Ok(format!("{} {} {:?}", path.display(), found.len(), changed))
}

/// Returns the artefact if it runs on this platform, otherwise an error.
fn supported(artefact: &Artefact) -> Result<&Artefact, ProvisionError> {
    if artefact.runs_here() {
        return Ok(artefact);
    }
    Err(ProvisionError::Unsupported { name: artefact.name.clone(), version: artefact.version.clone() })
}

#[cfg(test)]
mod tests;
