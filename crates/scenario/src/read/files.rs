//! Files of a scenario: text of bounded size, none outside of its folder.

use std::{fs, io::Read as _, path::Path};

use nightfold_formats::irregular_file::irregular_kind;
use nightfold_memory::config::InputConfig;

use crate::diagnostic::{Diagnostic, SourceFile};

/// Name of the file that makes a folder a scenario.
pub const SCENARIO_FILE: &str = "scenario.toml";

/// Refuses a file that a link leads out of the scenario's folder to. What is not there is left to whoever opens it.
pub(crate) fn check_inside(folder: &Path, path: &Path) -> Result<(), Diagnostic> {
    match (folder.canonicalize(), path.canonicalize()) {
        (Ok(folder), Ok(whole)) if !whole.starts_with(&folder) => {
            let what = "is a link, or lies behind one, that leads out of the scenario's folder";
            Err(Diagnostic::of_file(path, what).help("copy the file into the folder"))
        }
        _ => Ok(()),
    }
}

/// Reads a text file of bounded size.
pub(super) fn read_bounded(path: &Path, limits: &InputConfig) -> Result<String, Diagnostic> {
    let wrong = |what: String| Diagnostic::of_file(path, what);
    // Looked at before it is opened: opening a pipe waits for its writer.
    if let Some(kind) = irregular_kind(path) {
        return Err(wrong(format!("is {kind}, not a file")));
    }
    let file = fs::File::open(path).map_err(|e| {
        let help = format!("a scenario is a folder with a {SCENARIO_FILE}; `nightfold init` writes one");
        wrong(format!("cannot be read: {e}")).help(help)
    })?;
    let most = limits.max_file_bytes;
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes).map_err(|e| wrong(format!("cannot be read: {e}")))?;
    if bytes.len() > most {
        return Err(wrong(format!("is larger than {most} bytes (input.max_file_bytes)")));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        SourceFile { path: path.to_owned(), text }.diagnostic(valid..valid + 1, "is not UTF-8 from here on")
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}
