//! Arguments of a call, checked before anything is done with them.

use std::collections::BTreeSet;

use nightfold::memory::NpcId;
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    error::{CliError, Exit},
    npcs::listed,
};

/// Refusal of a call. Each variant names what is allowed, because the client sees nothing else.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    #[error("there is no tool `{name}`; there are {tools}")]
    Tool { name: String, tools: String },
    #[error("argument `{name}` is {given} bytes long; at most {most} are allowed (mcp.max_argument_bytes)")]
    Long { name: String, given: usize, most: usize },
    #[error("arguments of `{tool}`: {problem}")]
    Arguments { tool: &'static str, problem: serde_path_to_error::Error<serde_json::Error> },
    #[error("this server does not answer for `{npc}`, only for {}", listed(npcs))]
    Scope { npc: NpcId, npcs: BTreeSet<NpcId> },
    #[error("the store has no NPC `{npc}`; {known}")]
    Stranger { npc: NpcId, known: String },
    #[error("argument `{name}` is {given}; it must lie between {least} and {most} ({key})")]
    Range { name: &'static str, given: u64, least: usize, most: usize, key: &'static str },
    #[error("argument `query` is blank; it needs a word at least")]
    Blank,
    #[error(
        "{given} memories; one call may sleep on {most} (mcp.max_memories): choose NPCs with `npcs`, or bring fewer"
    )]
    Many { given: usize, most: usize },
    #[error(
        "there is nothing to sleep on: give `memories`, since this server was started without INPUT files"
    )]
    NoInput,
    #[error(
        "`episodes: true` plans what the episodes in the store teach: leave out `memories`, `by_day` and `until`"
    )]
    EpisodesAndDay,
    #[error("{most} calls are at work or waiting already (mcp.max_calls); ask again when one is answered")]
    Busy { most: usize },
    #[error("the call failed inside the server; what it is about is on the server's standard error")]
    Failed,
}

impl From<CallError> for CliError {
    fn from(error: CallError) -> Self {
        Self::new(Exit::Usage, error)
    }
}

/// Reads the arguments of a tool, each at most `most` bytes of JSON.
pub(super) fn arguments<T: DeserializeOwned>(
    tool: &'static str,
    given: Option<JsonObject>,
    most: usize,
) -> Result<T, CallError> {
    let given = given.unwrap_or_default();
    for (name, value) in &given {
        let long = |given| CallError::Long { name: name.chars().take(64).collect(), given, most };
        if name.len() > most {
            return Err(long(name.len()));
        }
        // A text is as long as it is: escapes are the client's business.
        let length = match value {
            Value::String(text) => text.len(),
            other => other.to_string().len(),
        };
        if length > most {
            return Err(long(length));
        }
    }
    serde_path_to_error::deserialize(Value::Object(given))
        .map_err(|problem| CallError::Arguments { tool, problem })
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct TestRequest {
        npc: NpcId,
        #[serde(default)]
        limit: Option<u64>,
    }

    fn read(given: &Value) -> Result<TestRequest, String> {
        let given = given.as_object().cloned();
        arguments("recall", given, 64).map_err(|e| e.to_string())
    }

    #[test]
    fn arguments_longer_than_the_limit_are_refused() {
        assert_eq!(read(&json!({"npc": "x".repeat(64)})).unwrap().npc.as_str().len(), 64);
        let long = read(&json!({"npc": "x".repeat(65)})).unwrap_err();
        assert_eq!(long, "argument `npc` is 65 bytes long; at most 64 are allowed (mcp.max_argument_bytes)");
        assert!(read(&json!({"npc": vec![1; 64]})).unwrap_err().contains("129 bytes"));
        assert!(read(&json!({ "n".repeat(65): 1 })).unwrap_err().contains("65 bytes"));
    }

    #[test]
    fn wrong_argument_is_named_with_the_allowed_ones() {
        assert_eq!(read(&json!({"npc": "Mara", "limit": 3})).unwrap().limit, Some(3));
        assert!(read(&json!({})).unwrap_err().contains("missing field `npc`"));
        assert!(read(&json!({"npc": "Mara", "limit": "3"})).unwrap_err().contains("limit: invalid type"));
        let unknown = read(&json!({"npc": "Mara", "apply": true})).unwrap_err();
        assert!(unknown.contains("unknown field `apply`, expected `npc` or `limit`"), "{unknown}");
        assert!(read(&json!({"npc": "a\u{1b}b"})).unwrap_err().contains("control character"));
    }
}
