//! Arguments of `nightfold completions`, `nightfold man` and `nightfold schema`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap_complete::Shell;

#[derive(Debug, ClapArgs)]
pub(crate) struct CompletionsArgs {
    /// Shell that completes
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: Shell,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ManArgs {
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
