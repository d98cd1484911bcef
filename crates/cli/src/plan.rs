//! Plans as files.

use std::{fs, io, path::Path};

use nightfold::memory::{ModelId, NightPlan, PlanError, config::ReviewConfig};

use crate::{
    error::{CliError, Exit, message},
    irregular_file,
    output::NewFile,
    suggest,
};

/// Hint for a file that is no plan.
const SAVED_BY: &str = "plans are saved by `nightfold sleep … --plan FILE`";

fn unreadable(path: &Path, source: io::Error) -> CliError {
    let meant = (source.kind() == io::ErrorKind::NotFound).then(|| suggest::meant_path(path)).flatten();
    let hint = match meant {
        Some(meant) => format!("did you mean `{}`? {SAVED_BY}", meant.display()),
        None => SAVED_BY.to_owned(),
    };
    CliError::caused(Exit::Input, format!("cannot read the plan {}", path.display()), source).hint(hint)
}

/// Reads a saved plan.
pub(crate) fn read(path: &Path) -> Result<NightPlan, CliError> {
    irregular_file::refuse(path, Exit::Input, SAVED_BY)?;
    let bytes = fs::read(path).map_err(|source| unreadable(path, source))?;
    NightPlan::from_json(&bytes).map_err(|source| {
        let hint = match source {
            PlanError::Changed => "plan again; `nightfold apply FILE --except CHANGE` leaves changes out, and --edit asks for each",
            _ => SAVED_BY,
        };
        CliError::caused(Exit::Input, path.display().to_string(), source).hint(hint)
    })
}

/// Refuses a plan whose vectors are not as long as those of their model, if that is the model of this call.
pub(crate) fn check_vector_length(model: &ModelId, plan: &NightPlan, path: &Path) -> Result<(), CliError> {
    match plan.dimensions(model).filter(|found| *found != nightfold_embed::DIMENSIONS) {
        Some(found) => {
            let (path, most) = (path.display(), nightfold_embed::DIMENSIONS);
            let text = format!("{path}: its vectors have {found} numbers, and those of {model} have {most}");
            Err(message(Exit::Input, text).hint(SAVED_BY))
        }
        None => Ok(()),
    }
}

/// Refuses a plan that was saved too long ago. A plan contains no clock time, so the modification time of its
/// file is used.
pub(crate) fn is_fresh(path: &Path, config: &ReviewConfig) -> Result<(), CliError> {
    let saved = fs::metadata(path).and_then(|file| file.modified());
    let saved = saved.map_err(|source| unreadable(path, source))?;
    // A file from the future is fresh.
    let hours = saved.elapsed().map_or(0, |age| age.as_secs() / 3600);
    let most = config.plan_hours;
    if most > 0 && hours >= u64::from(most) {
        let path = path.display();
        let text = format!("the plan {path} was saved {hours} hours ago; review.plan_hours is {most}");
        return Err(message(Exit::Store, text).hint(
            "plan again, or say --set review.plan_hours=0 to apply it all the same; nothing was written",
        ));
    }
    Ok(())
}

/// Saves a plan, byte for byte the same for the same plan.
pub(crate) fn save(plan: &NightPlan, file: NewFile) -> Result<(), CliError> {
    file.announced("plan", "").finish(|out| {
        serde_json::to_writer(&mut *out, plan)?;
        out.write_all(b"\n")
    })
}
