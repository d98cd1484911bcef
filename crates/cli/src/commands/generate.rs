//! `nightfold generate`: completions for shells, and man pages of the program and its commands.

use std::{fs, io, path::Path};

use clap_complete::Shell;
use clap_mangen::Man;

use crate::{
    args::{GenerateArgs, Generated},
    command_line,
    error::{CliError, Exit},
    files_in_use::FilesInUse,
    output::{self, NewFile},
    show::count,
    terminal::clean,
};

pub(crate) fn run(args: &GenerateArgs) -> Result<(), CliError> {
    let shell = match args.what {
        Generated::Man => return man(args.out.as_deref()),
        Generated::Bash => Shell::Bash,
        Generated::Elvish => Shell::Elvish,
        Generated::Fish => Shell::Fish,
        Generated::Powershell => Shell::PowerShell,
        Generated::Zsh => Shell::Zsh,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command_line::command(), "nightfold", &mut script);
    output::product(&String::from_utf8_lossy(&script))
}

fn man(out: Option<&Path>) -> Result<(), CliError> {
    let mut command = command_line::command().disable_help_subcommand(true);
    // Gives each command its whole name and the options of all commands.
    command.build();
    let Some(folder) = out else {
        return output::product(&String::from_utf8_lossy(&page(&Man::new(command))?));
    };
    fs::create_dir_all(folder).map_err(|source| {
        CliError::caused(Exit::Usage, format!("cannot make the folder {}", folder.display()), source)
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
