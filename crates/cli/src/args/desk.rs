//! What `nightfold desk` takes.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::Lived;

#[derive(Debug, ClapArgs)]
pub(crate) struct Desk {
    #[command(flatten)]
    pub(crate) lived: Lived,
    /// Long-term memory to plan against; it is only read
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// The port to listen on [default: any that is free]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,
}
