//! Arguments of a tool, described for clients.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// Arguments of a tool, as JSON Schema.
pub(super) struct ArgumentSchema {
    pub(super) properties: Value,
    pub(super) required: &'static [&'static str],
}

impl ArgumentSchema {
    /// Returns the schema of all arguments.
    pub(super) fn schema(&self) -> JsonObject {
        let whole = json!({
            "type": "object",
            "properties": self.properties,
            "required": self.required,
            "additionalProperties": false,
        });
        match whole {
            Value::Object(schema) => schema,
            _ => JsonObject::new(),
        }
    }
}
