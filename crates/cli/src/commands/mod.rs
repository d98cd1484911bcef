//! The commands, a module each.

pub(crate) mod apply;
pub(crate) mod batch;
pub(crate) mod bench;
pub(crate) mod cap;
pub(crate) mod cluster;
pub(crate) mod collapse;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod config;
#[cfg(feature = "desk")]
pub(crate) mod desk;
pub(crate) mod embed;
pub(crate) mod evaluate;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod judge;
pub(crate) mod list;
pub(crate) mod maintain;
mod maintenance;
pub(crate) mod man;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
pub(crate) mod models;
pub(crate) mod purge;
pub(crate) mod recall;
pub(crate) mod replay;
pub(crate) mod restore;
pub(crate) mod rewind;
pub(crate) mod settle;
pub(crate) mod show;
pub(crate) mod sleep;
pub(crate) mod themes;
pub(crate) mod undo;
pub(crate) mod why;
