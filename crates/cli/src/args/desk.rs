//! Arguments of `nightfold desk`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::days::DaysArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct DeskArgs {
    #[command(flatten)]
    pub(crate) days: DaysArgs,
    /// Store of long-term memory to plan against; it is only read
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Port to listen on [default: any that is free]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,
}
