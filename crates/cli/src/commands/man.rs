//! `nightfold man`: writes man pages of the program and its commands.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap_mangen::Man;

use crate::{
    args::ManArgs,
    command_line,
    error::{CliError, Exit},
    files_in_use::FilesInUse,
    output::{self, NewFile},
    show::count,
    terminal::clean,
};

/// Error while creating the folder of man pages.
#[derive(Debug, thiserror::Error)]
#[error("cannot make the folder {}", path.display())]
struct ManFolderError {
    path: PathBuf,
    source: io::Error,
}

pub(crate) fn run(args: &ManArgs) -> Result<(), CliError> {
    let mut command = command_line::command().disable_help_subcommand(true);
    // Gives each command its whole name and the options of all commands.
    command.build();
    let Some(folder) = &args.out else {
        return output::product(&String::from_utf8_lossy(&page(&Man::new(command))?));
    };
    fs::create_dir_all(folder).map_err(|source| {
        CliError::new(Exit::Usage, ManFolderError { path: folder.clone(), source })
            .hint("name a folder that may be written")
    })?;
    let written = write(&command, folder)?;
    let folder = clean(&folder.display().to_string()).into_owned();
    output::text(&format!("{} written to {folder}\n", count(written, "man page", "man pages")))
}

fn page(man: &Man) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    man.render(&mut page)?;
    Ok(page)
}

/// Writes the pages of a command and its subcommands; returns the number of pages.
fn write(command: &clap::Command, folder: &Path) -> Result<usize, CliError> {
    let man = Man::new(command.clone());
    let bytes = page(&man)?;
    NewFile::prepare(&folder.join(man.get_filename()), &FilesInUse::default())?
        .finish(|out| out.write_all(&bytes))?;
    command.get_subcommands().try_fold(1, |written, inner| Ok(written + write(inner, folder)?))
}
