//! Arguments of `nightfold serve`.

use std::{net::IpAddr, path::PathBuf};

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct ServeArgs {
    /// Address to listen on; on another than the loopback address anybody who has the token is answered, without TLS
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// Port to listen on [default: any that is free]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,
    /// Folder for the stores of towns; without it, towns remember as long as the server runs
    #[arg(long, value_name = "FOLDER")]
    pub(crate) stores: Option<PathBuf>,
    /// Most towns open at once
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) towns: u16,
    /// Largest request in bytes
    #[arg(long, value_name = "N", default_value_t = 64 << 20, value_parser = clap::value_parser!(u32).range(1024..=1 << 30))]
    pub(crate) request_bytes: u32,
    /// Print address and token as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
