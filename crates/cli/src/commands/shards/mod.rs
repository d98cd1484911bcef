//! `nightfold shards`: shards of a night that workers share.

mod pack;
mod show;

pub(super) use self::show::RunView;
use crate::{
    args::{Common, ShardsArgs, ShardsCommand},
    error::CliError,
};

pub(crate) fn run(args: &ShardsArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    match &args.command {
        ShardsCommand::Pack(args) => pack::run(args, common),
        ShardsCommand::Show(args) => show::run(args, verbose),
        ShardsCommand::End(args) => show::end(args),
    }
}
