//! The commands, a module each.

pub(crate) mod apply;
pub(crate) mod backup;
pub(crate) mod bench;
pub(crate) mod cap;
pub(crate) mod check;
pub(crate) mod collapse;
pub(crate) mod compare;
#[cfg(feature = "desk")]
pub(crate) mod desk;
pub(crate) mod erase;
pub(crate) mod export;
pub(crate) mod generate;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod maintain;
mod maintenance;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
pub(crate) mod models;
pub(crate) mod purge;
pub(crate) mod recall;
pub(crate) mod replay;
pub(crate) mod restore;
pub(crate) mod rewind;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod settle;
pub(crate) mod shards;
pub(crate) mod show;
pub(crate) mod sleep;
pub(crate) mod stats;
pub(crate) mod themes;
pub(crate) mod undo;
pub(crate) mod why;
