//! Arguments of every command that say what is told on standard error, and how.

use clap::{ArgAction, Args as ClapArgs, ValueEnum};

/// Form of what is told on standard error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Text, for people
    #[default]
    Text,
    /// One JSON object a line, for collectors of logs
    Json,
}

/// Options of every command that say what is told.
#[derive(Debug, Clone, Copy, ClapArgs)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct LogArgs {
    /// Show more of a night: `-v` each memory with its fate, `-vv` the reasons too; tells more on stderr, whose levels
    /// `RUST_LOG` sets by crate
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Print errors, and what `--json` prints, alone: no progress, no notes, no text
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Page nothing; else a terminal shows long texts through `NIGHTFOLD_PAGER`, `PAGER` or `less`
    #[arg(long, global = true)]
    pub(crate) no_pager: bool,
    /// Form of what is told on standard error
    #[arg(long, global = true, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,
}
