//! `nightfold init`: writes a commented configuration and a first scenario.

use std::{fs, path::Path};

use nightfold::memory::Config;
use nightfold_scenario::schema;

use crate::{
    args::InitArgs,
    error::{CliError, Exit, message},
    files_in_use::FilesInUse,
    output::{self, NewFile},
    show::count,
    terminal::clean,
};

/// Files of the first scenario.
const FILES: [(&str, &str); 3] = [
    ("scenarios/first-nights/scenario.toml", include_str!("../../data/init/scenario.toml")),
    ("scenarios/first-nights/days/1.jsonl", include_str!("../../data/init/1.jsonl")),
    ("scenarios/first-nights/days/2.jsonl", include_str!("../../data/init/2.jsonl")),
];

const CONFIG: &str = "nightfold.toml";

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
        return Err(message(Exit::Usage, format!("{} is there already", path.display()))
            .hint("name another folder; nothing was written"));
    }
    // A link would lead out of the folder that was named.
    let below = |path: &Path| {
        let folders = path.ancestors().skip(1).take_while(|folder| *folder != args.folder);
        folders.map(Path::to_owned).find(|folder| folder.is_symlink())
    };
    if let Some(link) = files.iter().find_map(|(path, _)| below(path)) {
        return Err(message(
            Exit::Usage,
            format!("{} is a link, and files would be written where it leads", link.display()),
        )
        .hint("name another folder; nothing was written"));
    }
    for (path, text) in &files {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|source| {
            CliError::caused(Exit::Usage, format!("cannot make the folder {}", folder.display()), source)
                .hint("name a folder that may be written")
        })?;
        NewFile::prepare(path, &FilesInUse::default())?.finish(|out| out.write_all(text.as_bytes()))?;
    }
    let shown = |path: &Path| clean(&path.display().to_string()).into_owned();
    let mut out: String = files.iter().map(|(path, _)| format!("  {}\n", shown(path))).collect();
    out.push_str(&format!("{} written\n\n", count(files.len(), "file", "files")));
    if args.folder != Path::new(".") {
        out.push_str(&format!("cd {} && ", shown(&args.folder)));
    }
    out.push_str("nightfold replay scenarios --watch\n");
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

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link() {
        let [folder, elsewhere] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("scenarios")).unwrap();
        let refused = run(&InitArgs { folder: folder.path().to_owned() }).unwrap_err().to_string();
        assert!(refused.contains("scenarios is a link"), "{refused}");
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

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
