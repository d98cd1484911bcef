//! Arguments of `nightfold replay` and `nightfold init`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct ReplayArgs {
    /// Folders with a `scenario.toml`, such files, or folders that hold scenarios
    #[arg(required = true, value_name = "SCENARIO")]
    pub(crate) scenarios: Vec<PathBuf>,
    /// Accept the outcome of this run: write it to `outcome.json` beside each scenario
    #[arg(long)]
    pub(crate) update: bool,
    /// Write the results as `JUnit` XML, for continuous integration
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write the nights and expectations of one scenario as an HTML page: one file that needs no network
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Open the page of `--report` in a browser
    #[arg(long, requires = "report")]
    pub(crate) open: bool,
    /// Run again when a scenario or the configuration changes; ^C ends it
    #[arg(long, conflicts_with_all = ["update", "junit", "json", "report"])]
    pub(crate) watch: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct InitArgs {
    /// Folder to write to; it is made if it is not there
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) folder: PathBuf,
}
