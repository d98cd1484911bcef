//! The tools: what each is called, takes and says.

mod consolidate;
mod recall;
mod themes;
mod why;

use std::sync::Arc;

use nightfold::memory::McpConfig;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::{
    call::{CallError, arguments},
    desk::Desk,
    reply::Reply,
};
use crate::error::CliError;

/// A tool there is. None of them writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    Consolidate,
    Recall,
    Why,
    Themes,
}

impl Named {
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
        known.ok_or_else(|| CallError::Tool(name.chars().take(64).collect()))
    }

    /// As it is offered.
    pub(super) fn offered(self, bounds: &McpConfig) -> Tool {
        let (says, takes) = match self {
            Self::Consolidate => (consolidate::SAYS, consolidate::takes(bounds)),
            Self::Recall => (recall::SAYS, recall::takes()),
            Self::Why => (why::SAYS, why::takes()),
            Self::Themes => (themes::SAYS, themes::takes()),
        };
        let hints =
            ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
        Tool::new(self.as_str(), says, Arc::new(schema(&takes))).with_annotations(hints)
    }

    /// Does what is asked.
    pub(super) fn call(self, desk: &Desk, given: Option<JsonObject>) -> Result<Reply, CliError> {
        let most = desk.config.mcp.max_argument_bytes;
        let tool = self.as_str();
        match self {
            Self::Consolidate => consolidate::run(desk, &arguments(tool, given, most)?),
            Self::Recall => recall::run(desk, &arguments(tool, given, most)?),
            Self::Why => why::run(desk, &arguments(tool, given, most)?),
            Self::Themes => themes::run(desk, &arguments(tool, given, most)?),
        }
    }
}

/// All names, in a sentence.
pub(super) fn names() -> String {
    Named::ALL.map(|tool| format!("`{}`", tool.as_str())).join(", ")
}

/// What a tool takes, as JSON Schema.
struct Takes {
    properties: Value,
    required: &'static [&'static str],
}

fn schema(takes: &Takes) -> JsonObject {
    let whole = json!({
        "type": "object",
        "properties": takes.properties,
        "required": takes.required,
        "additionalProperties": false,
    });
    match whole {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}
