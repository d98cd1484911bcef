//! Arguments of `nightfold completions` and `nightfold man`.

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
