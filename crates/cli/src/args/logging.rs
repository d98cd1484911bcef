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
pub(crate) struct LogArgs {
    /// Print more: reasons in diffs, tracing on stderr (repeat for more); `RUST_LOG` sets its levels by crate
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Print errors, and what `--json` prints, alone: no progress, no notes, no text
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Form of what is told on standard error
    #[arg(long, global = true, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,
}
