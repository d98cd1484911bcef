//! Search for the scenarios that a call names.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use nightfold_scenario::SCENARIO_FILE;

use crate::{
    error::{CliError, Exit, message},
    suggest,
};

/// Depth of folders to which scenarios are searched.
const DEPTH: usize = 4;

/// Hint for a path that leads to no scenario.
fn hint() -> String {
    format!("name a folder with a {SCENARIO_FILE}; `nightfold init` writes a first one")
}

/// Returns the `scenario.toml` files of these paths: the paths in the order given, those of a folder by name,
/// and none twice.
pub(super) fn scenarios(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut found = Vec::new();
    let mut known = BTreeSet::new();
    for path in paths {
        let mut here = Vec::new();
        if path.is_dir() {
            in_folder(path, DEPTH, &mut here)?;
        } else if path.exists() {
            here.push(path.clone());
        } else {
            let meant = suggest::meant_path(path);
            let meant = meant.map_or_else(String::new, |path| format!("did you mean `{}`? ", path.display()));
            return Err(message(Exit::Usage, format!("there is no {}", path.display())).hint(meant + &hint()));
        }
        if here.is_empty() {
            let text = format!("{} holds no {SCENARIO_FILE}, nor does a folder in it", path.display());
            return Err(message(Exit::Usage, text).hint(hint()));
        }
        for file in here {
            if known.insert(file.canonicalize().unwrap_or_else(|_| file.clone())) {
                found.push(file);
            }
        }
    }
    Ok(found)
}

fn in_folder(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), CliError> {
    let file = folder.join(SCENARIO_FILE);
    if file.is_file() {
        found.push(file);
        return Ok(());
    }
    if depth == 0 {
        return Ok(());
    }
    let unread = |source| {
        CliError::caused(Exit::Usage, format!("cannot read {}", folder.display()), source).hint(hint())
    };
    let mut inner: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(unread)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(unread)?;
    inner.sort();
    // Links are not followed: they may lead in circles.
    let is_folder = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    inner.iter().filter(|path| is_folder(path)).try_for_each(|path| in_folder(path, depth - 1, found))
}
