//! `nightfold generate`: the configuration, schemas, completions for shells, and man pages.

mod config;
mod schema;

use std::{fs, path::Path};

use clap_mangen::Man;

use crate::{
    args::{Common, GenerateArgs, GenerateCommand},
    command_line,
    error::{CliError, Exit},
    files_in_use::FilesInUse,
    output::{self, NewFile},
    show::count,
    terminal::clean,
};

pub(crate) fn run(args: &GenerateArgs, common: &Common) -> Result<(), CliError> {
    match &args.command {
        GenerateCommand::Config(args) => config::run(args, common),
        GenerateCommand::Schema { name } => schema::run(name.as_deref()),
        GenerateCommand::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut command_line::command(), "nightfold", &mut script);
            output::product(&String::from_utf8_lossy(&script))
        }
        GenerateCommand::Man { folder } => man(folder),
    }
}

fn man(folder: &Path) -> Result<(), CliError> {
    let mut command = command_line::command().disable_help_subcommand(true);
    // Gives each command its whole name and the options of all commands.
    command.build();
    fs::create_dir_all(folder).map_err(|source| {
        CliError::caused(Exit::Usage, format!("cannot make the folder {}", folder.display()), source)
            .hint("name a folder that may be written")
    })?;
    let written = write(&command, folder)?;
    let folder = clean(&folder.display().to_string()).into_owned();
    output::text(&format!("{} written to {folder}\n", count(written, "man page", "man pages")))
}

/// Writes the pages of a command and its subcommands; returns the number of pages.
fn write(command: &clap::Command, folder: &Path) -> Result<usize, CliError> {
    let man = Man::new(command.clone());
    let file = NewFile::prepare(&folder.join(man.get_filename()), &FilesInUse::default())?;
    file.finish(|mut out| man.render(&mut out))?;
    command.get_subcommands().try_fold(1, |written, inner| Ok(written + write(inner, folder)?))
}
