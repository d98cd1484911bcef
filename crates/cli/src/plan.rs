//! Plans as files.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use nightfold::memory::{NightPlan, PlanError};

use crate::{
    error::{CliError, Exit},
    output::{NewFile, OutputError},
};

/// Why a saved plan cannot be used.
#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error("cannot read the plan {}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("{}: {source}", path.display())]
    Plan { path: PathBuf, source: PlanError },
}

impl From<ReadError> for CliError {
    fn from(error: ReadError) -> Self {
        Self::new(Exit::Input, error).hint("plans are saved by `nightfold sleep … --plan FILE`")
    }
}

/// Reads a saved plan.
pub(crate) fn read(path: &Path) -> Result<NightPlan, CliError> {
    let bytes = fs::read(path).map_err(|source| ReadError::Open { path: path.to_owned(), source })?;
    Ok(NightPlan::from_json(&bytes).map_err(|source| ReadError::Plan { path: path.to_owned(), source })?)
}

/// Saves a plan, byte for byte the same for the same plan.
pub(crate) fn save(plan: &NightPlan, file: NewFile) -> Result<(), OutputError> {
    file.finish(|out| {
        serde_json::to_writer(&mut *out, plan)?;
        out.write_all(b"\n")
    })
}
