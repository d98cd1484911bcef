//! Requests of tools.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{
    error::CliError,
    mcp::{reply::ToolReply, state::ServerState},
};

/// Columns of the texts.
pub(super) const WIDTH: usize = 80;

/// A tool, as the type of its arguments.
pub(super) trait ToolRequest: DeserializeOwned + JsonSchema {
    const NAME: &'static str;
    /// Description for clients.
    const SAYS: &'static str;

    fn run(&self, state: &ServerState) -> Result<ToolReply, CliError>;
}
