//! Errors of input, with what to do about each.

use std::{io, path::PathBuf};

#[cfg(feature = "parquet")]
use nightfold_formats::parquet::ParquetError;
use nightfold_formats::{
    generative_agents::SaveError,
    jsonl::{JsonlError, LineProblem},
    pack::PackError,
};

#[cfg(not(feature = "parquet"))]
use crate::missing_feature::MissingFeature;
use crate::{
    error::{CliError, Exit},
    suggest,
};

/// A memory, for messages.
const EXAMPLE: &str =
    r#"{"id":"m-1","npc":"Mara","at":"1204-05-03T06:10:00Z","kind":"event","text":"I lit the stove"}"#;

/// Input that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    #[error(transparent)]
    Jsonl(#[from] JsonlError),
    #[error(transparent)]
    Save(#[from] SaveError),
    #[error(transparent)]
    Pack(PackError),
    #[cfg(feature = "parquet")]
    #[error("{}", path.display())]
    Parquet { path: PathBuf, source: ParquetError },
    #[cfg(not(feature = "parquet"))]
    #[error("{}", path.display())]
    Parquet { path: PathBuf, source: MissingFeature },
    #[error("{} holds no memories", path.display())]
    Empty { path: PathBuf },
    /// File or text that is something else than lines of JSON objects.
    #[error("{} is {what}, not JSON Lines: one memory a line, each an object such as {EXAMPLE}", path.display())]
    NotLines { path: PathBuf, what: String, hint: &'static str },
    /// Folder that is no save, no pack, and has no file of days.
    #[error("the folder {} holds no memories: it is no pack and no save, and has no file that ends in .jsonl or .parquet", path.display())]
    NoDays { path: PathBuf, hint: Option<String> },
}

impl From<PackError> for InputError {
    fn from(error: PackError) -> Self {
        match error {
            PackError::Line(error) => error.into(),
            error => Self::Pack(error),
        }
    }
}

impl InputError {
    /// True if only one line or node is bad: what comes after it can still be read.
    pub(crate) fn affects_one_row(&self) -> bool {
        match self {
            Self::Jsonl(error) => matches!(error, JsonlError::Line(_)),
            Self::Save(error) => error.is_of_one_node(),
            Self::Pack(_)
            | Self::Parquet { .. }
            | Self::Empty { .. }
            | Self::NotLines { .. }
            | Self::NoDays { .. } => false,
        }
    }

    /// True if the input was not reached: it may be well.
    fn is_of_the_way(&self) -> bool {
        matches!(self, Self::Pack(PackError::Read { source, .. }) if source.kind() != io::ErrorKind::NotFound)
    }

    /// Returns the fault of the line that is bad, if it is one.
    fn line_problem(&self) -> Option<&LineProblem> {
        match self {
            Self::Jsonl(JsonlError::Line(error))
            | Self::Save(SaveError::Node(error) | SaveError::File(error)) => Some(&error.problem),
            _ => None,
        }
    }

    fn hint(&self) -> Option<String> {
        if let Self::Jsonl(JsonlError::Read { file, source }) = self
            && source.kind() == io::ErrorKind::NotFound
        {
            return Some(match suggest::meant_path(file) {
                Some(meant) => format!("did you mean `{}`?", meant.display()),
                None => "name a file of memories, or a folder with such files; `-` reads standard input"
                    .to_owned(),
            });
        }
        match self {
            Self::NoDays { hint, .. } => Some(
                hint.clone()
                    .unwrap_or_else(|| "name a file of memories, or a folder with such files".to_owned()),
            ),
            _ => self.fixed_hint().map(str::to_owned),
        }
    }

    fn fixed_hint(&self) -> Option<&'static str> {
        match (self, self.line_problem()) {
            (Self::NotLines { hint, .. }, _) => Some(*hint),
            (Self::Empty { .. }, _) => Some("give one JSON object a line, a save with personas, or a pack"),
            (Self::Pack(error), _) => Some(pack_hint(error)),
            #[cfg(not(feature = "parquet"))]
            (Self::Parquet { source, .. }, _) => Some(source.hint),
            (_, Some(LineProblem::VectorOfNoModel)) => Some("name its model with --vector-model"),
            (_, Some(LineProblem::LongLine { .. } | LineProblem::LongText { .. })) => {
                Some("shorten it, or raise the limit with --set")
            }
            (Self::Save(SaveError::NoPersonas { .. }), _) => {
                Some("give a JSONL file, or the folder of a Generative Agents save")
            }
            (Self::Save(SaveError::Large { .. } | SaveError::Many { .. }), _) => {
                Some("raise the limit with --set")
            }
            (Self::Jsonl(JsonlError::NotAFile { .. } | JsonlError::Folder { .. }), _) => {
                Some("give a file; `-` reads standard input")
            }
            (_, Some(_)) | (Self::Save(SaveError::NodeName { .. }), _) => {
                Some("mend the line, or pass it over with --on-bad-line skip")
            }
            _ => None,
        }
    }
}

impl From<InputError> for CliError {
    fn from(error: InputError) -> Self {
        let hint = error.hint();
        let exit = match &error {
            #[cfg(not(feature = "parquet"))]
            InputError::Parquet { .. } => Exit::Usage,
            error if error.is_of_the_way() => Exit::Store,
            _ => Exit::Input,
        };
        Self::new(exit, error).maybe_hint(hint)
    }
}

/// Returns a hint for a pack that cannot be used.
fn pack_hint(error: &PackError) -> &'static str {
    match error {
        PackError::Format { .. } => {
            "use the version of nightfold that packed it, or pack again with this one"
        }
        _ => "bring the folder over whole, or pack again",
    }
}
