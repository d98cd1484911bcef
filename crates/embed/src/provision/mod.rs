//! Provision of the model's files: finding, verifying and fetching them.
//!
//! Three files make the embedder: the model, its tokenizer and the ONNX Runtime library; the engine "bf16"
//! needs the libraries of OpenVINO too. They are searched for in the user's named folder, in the environment's, in the workspace's `models/` and in the user's
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
    /// The OpenVINO library, beside those that it loads itself: with it the model computes in 16-bit brain
    /// floating point; without it, exactly.
    pub openvino: Option<OpenVinoFiles>,
}

/// The libraries of the engine [`Engine::Bf16`](crate::Engine::Bf16), each verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenVinoFiles {
    /// The library that is loaded. It finds the others in its folder.
    pub library: PathBuf,
    /// Identity of the library's build.
    pub build: String,
}

impl OpenVinoFiles {
    /// Returns the libraries, of which the first is the one to load; `None` if there are none.
    fn of(files: impl Iterator<Item = FoundFile>) -> Option<Self> {
        let (paths, builds): (Vec<PathBuf>, Vec<String>) =
            files.map(|FoundFile { path, build }| (path, build)).unzip();
        paths.into_iter().next().map(|library| Self { library, build: builds.join(" ") })
    }
}

/// File that was found, with the identity of its build.
struct FoundFile {
    path: PathBuf,
    build: String,
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
    /// contents; [`ProvisionError::NotAFile`] what only has the name of one.
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
        for (role, artefact) in self.manifest.artefacts(self.options.engine) {
            let override_runtime = role == ArtefactRole::Runtime && self.options.runtime.is_some();
            if !override_runtime && (force || self.find_one(artefact, progress)?.is_none()) {
                wanted.push(supported(role, artefact)?);
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
        let find = |role, artefact: &Artefact| -> Result<Result<FoundFile, String>, ProvisionError> {
            let found = self.find_one(supported(role, artefact)?, progress)?;
            let build = || artefact.contents().sha256.short();
            Ok(found.map(|path| FoundFile { path, build: build() }).ok_or_else(|| artefact.file.clone()))
        };
        let manifest = &self.manifest;
        let runtime = match &self.options.runtime {
            Some(path) => Ok(FoundFile { path: path.clone(), build: runtime_override(path)? }),
            None => find(ArtefactRole::Runtime, &manifest.runtime)?,
        };
        let openvino = manifest.openvino(self.options.engine);
        let openvino: Vec<_> =
            openvino.iter().map(|a| find(ArtefactRole::OpenVino, a)).collect::<Result<_, _>>()?;
        let model = find(ArtefactRole::Model, &manifest.model)?;
        match (model, find(ArtefactRole::Tokenizer, &manifest.tokenizer)?, runtime) {
            (Ok(model), Ok(tokenizer), Ok(runtime)) if openvino.iter().all(Result::is_ok) => Ok(ModelFiles {
                model_id: self.model_id().clone(),
                build: format!("{} {}", model.build, runtime.build),
                model: model.path,
                tokenizer: tokenizer.path,
                runtime: runtime.path,
                openvino: OpenVinoFiles::of(openvino.into_iter().flatten()),
            }),
            (model, tokenizer, runtime) => Err(ProvisionError::Missing {
                files: [model, tokenizer, runtime]
                    .into_iter()
                    .chain(openvino)
                    .filter_map(Result::err)
                    .collect(),
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

    /// Returns the first file of this name in the search path, unverified. Libraries of one folder are taken
    /// from the first folder of this name.
    fn first_place(&self, artefact: &Artefact) -> Result<Option<PathBuf>, ProvisionError> {
        for dir in self.options.places() {
            let path = dir.join(&artefact.file);
            if exists(&path)? {
                // Reading a pipe would wait for its writer.
                return if path.is_file() { Ok(Some(path)) } else { Err(ProvisionError::NotAFile { path }) };
            }
            if let Some(folder) = artefact.folder()
                && exists(&dir.join(folder))?
            {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// Returns the paths of the files that were found, unverified.
    pub fn files(&self) -> Vec<PathBuf> {
        let artefacts = self.manifest.artefacts(self.options.engine).into_iter();
        let found = artefacts.filter_map(|(_, artefact)| self.first_place(artefact).ok().flatten());
        found.chain(self.options.runtime.clone()).collect()
    }

    fn in_cache(&self, path: &Path) -> bool {
        self.options.cache.as_deref().is_some_and(|cache| path.starts_with(cache))
    }
}

fn exists(path: &Path) -> Result<bool, ProvisionError> {
    match fs::metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(false)
        }
        Err(source) => Err(ProvisionError::io("read", path)(source)),
    }
}

/// Identity of a library named by the user, which has no known checksum.
fn runtime_override(path: &Path) -> Result<String, ProvisionError> {
    let found = fs::metadata(path)
        .map_err(|source| ProvisionError::RuntimeOverride { path: path.to_owned(), source })?;
    if !found.is_file() {
        return Err(ProvisionError::NotAFile { path: path.to_owned() });
    }
    tracing::warn!(path = %path.display(), "NIGHTFOLD_ONNXRUNTIME is used as it is, without a checksum");
    let changed = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Ok(format!("{} {} {:?}", path.display(), found.len(), changed))
}

/// Returns the artefact if it runs on this platform, otherwise an error.
fn supported(role: ArtefactRole, artefact: &Artefact) -> Result<&Artefact, ProvisionError> {
    if artefact.runs_here() {
        return Ok(artefact);
    }
    let (name, version) = (artefact.name.clone(), artefact.version.clone());
    Err(ProvisionError::Unsupported { role, name, version })
}

#[cfg(test)]
mod tests;
