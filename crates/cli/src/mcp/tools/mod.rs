//! The tools: the name, arguments and description of each.

mod consolidate;
mod recall;
mod schema;
mod themes;
mod why;

use std::sync::Arc;

use nightfold::memory::config::McpConfig;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};

pub(super) use self::{consolidate::ConsolidateData, recall::RecallData, themes::ThemesData, why::WhyData};
use super::{
    call::{CallError, arguments},
    reply::ToolReply,
    state::ServerState,
};
use crate::error::CliError;

/// Name of a tool. None of them writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolName {
    Consolidate,
    Recall,
    Why,
    Themes,
}

impl ToolName {
    pub(super) const ALL: [Self; 4] = [Self::Consolidate, Self::Recall, Self::Why, Self::Themes];

    fn as_str(self) -> &'static str {
        match self {
            Self::Consolidate => consolidate::NAME,
            Self::Recall => recall::NAME,
            Self::Why => why::NAME,
            Self::Themes => themes::NAME,
        }
    }

    pub(super) fn of(name: &str) -> Result<Self, CallError> {
        let known = Self::ALL.into_iter().find(|tool| tool.as_str() == name);
        known.ok_or_else(|| CallError::Tool { name: name.chars().take(64).collect(), tools: names() })
    }

    /// Returns the description of the tool for clients.
    pub(super) fn offered(self, bounds: &McpConfig) -> Tool {
        let (says, takes) = match self {
            Self::Consolidate => (consolidate::SAYS, consolidate::takes(bounds)),
            Self::Recall => (recall::SAYS, recall::takes()),
            Self::Why => (why::SAYS, why::takes()),
            Self::Themes => (themes::SAYS, themes::takes()),
        };
        let hints =
            ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
        Tool::new(self.as_str(), says, Arc::new(takes.schema())).with_annotations(hints)
    }

    /// Runs the tool.
    pub(super) fn call(self, state: &ServerState, given: Option<JsonObject>) -> Result<ToolReply, CliError> {
        let most = state.config.mcp.max_argument_bytes;
        let tool = self.as_str();
        match self {
            Self::Consolidate => consolidate::run(state, &arguments(tool, given, most)?),
            Self::Recall => recall::run(state, &arguments(tool, given, most)?),
            Self::Why => why::run(state, &arguments(tool, given, most)?),
            Self::Themes => themes::run(state, &arguments(tool, given, most)?),
        }
    }
}

/// Returns all names, for a sentence.
pub(super) fn names() -> String {
    ToolName::ALL.map(|tool| format!("`{}`", tool.as_str())).join(", ")
}
