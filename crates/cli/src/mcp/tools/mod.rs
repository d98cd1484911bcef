//! The tools. None of them writes.

mod consolidate;
mod recall;
mod request;
mod themes;
mod why;

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::generate::SchemaSettings;
use serde_json::Value;

pub(super) use self::{consolidate::ConsolidateData, recall::RecallData, themes::ThemesData, why::WhyData};
use self::{
    consolidate::ConsolidateRequest, recall::RecallRequest, request::ToolRequest, themes::ThemesRequest,
    why::WhyRequest,
};
use super::{refusal::CallError, reply::ToolReply, state::ServerState};
use crate::error::CliError;

/// A tool of any arguments.
pub(super) struct ToolEntry {
    name: &'static str,
    says: &'static str,
    takes: fn() -> JsonObject,
    pub(super) call: fn(&ServerState, JsonObject) -> Result<ToolReply, CliError>,
}

/// All tools, in the order of the list.
const ALL: [ToolEntry; 4] = [
    ToolEntry::of::<ConsolidateRequest>(),
    ToolEntry::of::<RecallRequest>(),
    ToolEntry::of::<WhyRequest>(),
    ToolEntry::of::<ThemesRequest>(),
];

impl ToolEntry {
    const fn of<T: ToolRequest>() -> Self {
        Self { name: T::NAME, says: T::SAYS, takes: takes::<T>, call: call::<T> }
    }

    pub(super) fn named(name: &str) -> Result<&'static Self, CallError> {
        ALL.iter().find(|tool| tool.name == name).ok_or_else(|| {
            let tools: Vec<String> = ALL.iter().map(|tool| format!("`{}`", tool.name)).collect();
            CallError::Tool { name: name.chars().take(64).collect(), tools: tools.join(", ") }
        })
    }
}

/// Returns the tools as clients see them.
pub(super) fn offered() -> Vec<Tool> {
    let hints = ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
    let offered = |tool: &ToolEntry| {
        Tool::new(tool.name, tool.says, Arc::new((tool.takes)())).with_annotations(hints.clone())
    };
    ALL.iter().map(offered).collect()
}

/// Returns the schema of arguments, without references: not all clients follow them.
fn takes<T: ToolRequest>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    std::mem::take(schema.ensure_object())
}

fn call<T: ToolRequest>(state: &ServerState, given: JsonObject) -> Result<ToolReply, CliError> {
    let request: T = serde_path_to_error::deserialize(Value::Object(given))
        .map_err(|problem| CallError::Arguments { tool: T::NAME, problem })?;
    request.run(state)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(given: Value) -> Result<RecallRequest, String> {
        serde_json::from_value(given).map_err(|error| error.to_string())
    }

    #[test]
    fn wrong_argument_is_named_with_the_allowed_ones() {
        assert!(read(json!({"npc": "Mara", "query": "money", "limit": 3})).is_ok());
        assert!(read(json!({"query": "money"})).unwrap_err().contains("missing field `npc`"));
        let unknown = read(json!({"npc": "Mara", "apply": true})).unwrap_err();
        assert!(
            unknown.contains("unknown field `apply`, expected one of `npc`, `query`, `limit`"),
            "{unknown}"
        );
        assert!(read(json!({"npc": "a\u{1b}b", "query": "x"})).unwrap_err().contains("control character"));
    }

    #[test]
    fn schemas_of_arguments_are_closed_and_described() {
        for tool in offered() {
            let schema = Value::Object((*tool.input_schema).clone());
            assert_eq!(schema["additionalProperties"], false, "{schema}");
            for (name, property) in schema["properties"].as_object().unwrap() {
                assert!(property["description"].is_string(), "{}: {name}: {property}", tool.name);
            }
            assert!(!schema.to_string().contains("$ref"), "{schema}");
        }
    }
}
