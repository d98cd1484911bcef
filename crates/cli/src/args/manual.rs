//! Arguments of `nightfold generate` and `nightfold schema`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

/// Text that is made of the description of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Generated {
    /// Man pages
    Man,
    /// Completions for bash
    Bash,
    /// Completions for Elvish
    Elvish,
    /// Completions for fish
    Fish,
    /// Completions for `PowerShell`
    Powershell,
    /// Completions for zsh
    Zsh,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct GenerateArgs {
    /// Text to make
    #[arg(value_enum, value_name = "WHAT")]
    pub(crate) what: Generated,
    /// Folder for the man pages of nightfold and of each command; it is made if it is not there [default: nightfold's
    /// page, to standard output]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SchemaArgs {
    /// Name of a schema; without it, list the schemas
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}
