//! Plans as files.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use nightfold::memory::{ModelId, NightPlan, PlanError, config::ReviewConfig};

use crate::{
    error::{CliError, Exit},
    irregular_file,
    output::{NewFile, OutputError},
};

/// Reason that a saved plan cannot be used.
#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error("cannot read the plan {}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("{}: {source}", path.display())]
    Plan { path: PathBuf, source: PlanError },
    #[error(
        "{}: its vectors have {found} numbers, and those of {model} have {}", path.display(), nightfold_embed::DIMENSIONS
    )]
    Length { path: PathBuf, model: ModelId, found: usize },
    #[error("the plan {} was saved {hours} hours ago; review.plan_hours is {most}", path.display())]
    Expired { path: PathBuf, hours: u64, most: u32 },
}

impl From<ReadError> for CliError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Expired { .. } => Self::new(Exit::Store, error).hint(
                "plan again, or say --set review.plan_hours=0 to apply it all the same; nothing was written",
            ),
            _ => Self::new(Exit::Input, error).hint("plans are saved by `nightfold sleep … --plan FILE`"),
        }
    }
}

/// Reads a saved plan.
pub(crate) fn read(path: &Path) -> Result<NightPlan, CliError> {
    irregular_file::refuse(path, Exit::Input, "plans are saved by `nightfold sleep … --plan FILE`")?;
    let bytes = fs::read(path).map_err(|source| ReadError::Open { path: path.to_owned(), source })?;
    Ok(NightPlan::from_json(&bytes).map_err(|source| ReadError::Plan { path: path.to_owned(), source })?)
}

/// Refuses a plan whose vectors are not as long as those of their model, if that is the model of this call.
pub(crate) fn has_length_of(model: &ModelId, plan: &NightPlan, path: &Path) -> Result<(), CliError> {
    match plan.dimensions(model).filter(|found| *found != nightfold_embed::DIMENSIONS) {
        Some(found) => Err(ReadError::Length { path: path.to_owned(), model: model.clone(), found }.into()),
        None => Ok(()),
    }
}

/// Refuses a plan that was saved too long ago. A plan contains no clock time, so the modification time of its
/// file is used.
pub(crate) fn is_fresh(path: &Path, config: &ReviewConfig) -> Result<(), CliError> {
    let saved = fs::metadata(path).and_then(|file| file.modified());
    let saved = saved.map_err(|source| ReadError::Open { path: path.to_owned(), source })?;
    // A file from the future is fresh.
    let hours = saved.elapsed().map_or(0, |age| age.as_secs() / 3600);
    let most = config.plan_hours;
    if most > 0 && hours >= u64::from(most) {
        return Err(ReadError::Expired { path: path.to_owned(), hours, most }.into());
    }
    Ok(())
}

/// Saves a plan, byte for byte the same for the same plan.
pub(crate) fn save(plan: &NightPlan, file: NewFile) -> Result<(), OutputError> {
    file.finish(|out| {
        serde_json::to_writer(&mut *out, plan)?;
        out.write_all(b"\n")
    })
}
