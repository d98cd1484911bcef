//! Why model files cannot be provided.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    process::ExitStatus,
};

use super::checksum::Contents;
use crate::onnx::OnnxError;

/// Why the model's files cannot be provided.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProvisionError {
    /// Files are nowhere to be found, and were not to be fetched.
    #[error("{} not found{}\n{}", files.join(", "), Looked(looked_in), if *offline {
        "fetching is off (offline): run `nightfold models fetch` once with a network"
    } else {
        "run `nightfold models fetch`"
    })]
    Missing {
        /// Their names.
        files: Vec<String>,
        /// The folders that were looked in.
        looked_in: Vec<PathBuf>,
        /// Whether fetching was forbidden.
        offline: bool,
    },
    /// A file is there, and is not what it should be.
    #[error(
        "{} is not the file it should be\n  expected {expected}\n  found    {found}\n{}",
        path.display(),
        if *in_cache { "run `nightfold models fetch --force`" } else { "remove it, or put the right file in its place" }
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What it should hold.
        expected: Contents,
        /// What it holds.
        found: Contents,
        /// Whether it lies in the cache, where fetching puts it right.
        in_cache: bool,
    },
    /// No source gave a file.
    #[error(
        "{file} could not be fetched{}{}\nrun `nightfold models fetch` again, or put the file into one of these folders",
        Looked(looked_in),
        Tried(attempts)
    )]
    Fetch {
        /// Its name.
        file: String,
        /// The folders that were looked in before.
        looked_in: Vec<PathBuf>,
        /// Every source that was tried, in order.
        attempts: Vec<Attempt>,
    },
    /// The manifest has no runtime library for this platform.
    #[error(
        "there is no {name} {version} for {} on {} to fetch\nset NIGHTFOLD_ONNXRUNTIME to the path of its library \
         file ({}onnxruntime{})",
        std::env::consts::OS,
        std::env::consts::ARCH,
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    )]
    Unsupported {
        /// The library.
        name: String,
        /// Its version.
        version: String,
    },
    /// The library that the environment names is no file.
    #[error("NIGHTFOLD_ONNXRUNTIME names {}, which cannot be read", path.display())]
    RuntimeOverride {
        /// What it names.
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
        /// What was tried: "read", "written".
        action: &'static str,
        /// The system's error.
        source: io::Error,
    },
}

impl ProvisionError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), action, source }
    }
}

/// A source that was tried, and why it gave nothing.
#[derive(Debug)]
pub struct Attempt {
    /// The package or address.
    pub from: String,
    /// Why it gave nothing.
    pub error: AttemptError,
}

/// Why one source did not give a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttemptError {
    /// The program that fetches does not start.
    #[error("`{command}` does not start: {source}")]
    Start {
        /// The program.
        command: String,
        /// The system's error.
        source: io::Error,
    },
    /// The program that fetches failed.
    #[error("`{command}` failed ({status}): {stderr}")]
    Failed {
        /// The whole command.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// The end of what it said.
        stderr: String,
    },
    /// pip succeeded, and left no wheel.
    #[error("`{command}` left no wheel")]
    NoWheel {
        /// The whole command.
        command: String,
    },
    /// The wheel cannot be read.
    #[error("the wheel cannot be read: {0}")]
    Wheel(#[from] zip::result::ZipError),
    /// The wheel does not hold the file.
    #[error("the wheel holds no {member}")]
    NoMember {
        /// The path that should be in it.
        member: String,
    },
    /// What was fetched, or made from it, is not what it should be.
    #[error("{what} is not what it should be: expected {expected}, found {found}")]
    Corrupt {
        /// What it is.
        what: String,
        /// What it should hold.
        expected: Contents,
        /// What it holds.
        found: Contents,
    },
    /// The published weights are not the model's.
    #[error("the weights cannot be converted: {0}")]
    Convert(#[from] OnnxError),
    /// A file could not be read or written on the way into the cache.
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

struct Looked<'a>(&'a [PathBuf]);

impl fmt::Display for Looked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("; there was no folder to look in");
        }
        f.write_str("; looked in")?;
        self.0.iter().try_for_each(|dir| write!(f, "\n  {}", dir.display()))
    }
}

struct Tried<'a>(&'a [Attempt]);

impl fmt::Display for Tried<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\ntried")?;
        self.0.iter().try_for_each(|attempt| {
            let error = attempt.error.to_string().replace('\n', "\n    ");
            write!(f, "\n  {}: {error}", attempt.from)
        })
    }
}
