//! `nightfold init`: writes a commented configuration and a first scenario.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use nightfold::memory::Config;
use nightfold_scenario::schema;

use crate::{
    args::InitArgs,
    error::{CliError, Exit},
    files_in_use::FilesInUse,
    output::{self, NewFile},
    show::count,
};

/// Files of the first scenario.
const FILES: [(&str, &str); 3] = [
    ("scenarios/first-nights/scenario.toml", include_str!("../../data/init/scenario.toml")),
    ("scenarios/first-nights/days/1.jsonl", include_str!("../../data/init/1.jsonl")),
    ("scenarios/first-nights/days/2.jsonl", include_str!("../../data/init/2.jsonl")),
];

const CONFIG: &str = "nightfold.toml";

/// Error of writing the first files.
#[derive(Debug, thiserror::Error)]
enum InitError {
    #[error("{} is there already", path.display())]
    Exists { path: PathBuf },
    #[error("cannot make the folder {}", path.display())]
    Folder { path: PathBuf, source: io::Error },
}

impl From<InitError> for CliError {
    fn from(error: InitError) -> Self {
        let hint = match &error {
            InitError::Exists { .. } => "name another folder; nothing was written",
            InitError::Folder { .. } => "name a folder that may be written",
        };
        Self::new(Exit::Usage, error).hint(hint)
    }
}

pub(crate) fn run(args: &InitArgs) -> Result<(), CliError> {
    let mut files = vec![(args.folder.join(CONFIG), configuration())];
    files.extend(FILES.map(|(name, text)| (args.folder.join(name), text.to_owned())));
    let schemas = args.folder.join("schemas");
    files.extend(schema::all()?.into_iter().map(|(name, text)| (schemas.join(name), text)));
    // Looked for before the first is written: all of it or nothing. Some files as they are written here are those of a
    // call that was cut short; all of them are a scenario that is there.
    let is_written = |path: &Path, text: &str| {
        path.symlink_metadata().is_ok_and(|found| found.is_file())
            && fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes())
    };
    if files.iter().any(|(path, text)| !is_written(path, text)) {
        files.retain(|(path, text)| !is_written(path, text));
    }
    if let Some((path, _)) = files.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        return Err(InitError::Exists { path: path.clone() }.into());
    }
    for (path, text) in &files {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|source| InitError::Folder { path: folder.to_owned(), source })?;
        NewFile::prepare(path, &FilesInUse::default())?.finish(|out| out.write_all(text.as_bytes()))?;
    }
    let mut out = String::new();
    for (path, _) in &files {
        out.push_str(&format!("  {}\n", crate::terminal::clean(&path.display().to_string())));
    }
    out.push_str(&format!("{} written\n\n", count(files.len(), "file", "files")));
    let inside = if args.folder == Path::new(".") {
        String::new()
    } else {
        format!("cd {} && ", crate::terminal::clean(&args.folder.display().to_string()))
    };
    out.push_str(&format!("{inside}nightfold replay scenarios --watch\n"));
    output::text(&out)
}

/// Returns a configuration file with every key, its meaning and its range, all commented out.
fn configuration() -> String {
    let mut out =
        "#:schema schemas/config.schema.json\n# Take the # from what should be otherwise.\n".to_owned();
    for line in Config::DEFAULT_FILE.lines() {
        let stays = line.is_empty() || line.starts_with('[') || line.starts_with('#');
        out.push_str(if stays { "" } else { "# " });
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_configuration_sets_nothing_and_names_every_section() {
        let read: Config = toml::from_str(&configuration()).unwrap();
        assert_eq!(read, Config::default());
        let table: toml::Table = toml::from_str(&configuration()).unwrap();
        assert!(
            table.values().all(|section| section.as_table().is_some_and(toml::Table::is_empty)),
            "{table}"
        );
        assert!(configuration().contains("# storage = 0.5"));
    }
}
