//! Shapes of answers, as JSON Schemas of the strict kind.
//!
//! Properties are in alphabetical order, as in the examples of the prompts: backends that enforce a schema
//! write them in the given order, and a JSON map here may or may not keep one. Therefore the ids come before
//! the text that cites them.

use nightfold_memory::{Stance, TaskKind};
use serde_json::{Value, json};

use super::fence::{alias, past_alias};
use crate::chat::AnswerSchema;

/// Minimum number of memories that an insight cites.
const LEAST_CITED: usize = 2;
/// Maximum number of memories that an insight cites: small models that may continue a list continue it for
/// ever. The prompts name both numbers.
const MOST_CITED: usize = 4;
/// Maximum number of memories whose aliases are listed in the schema; providers bound such lists. An answer's
/// ids are looked up in any case.
const MOST_LISTED: usize = 500;

/// Returns the shape of an answer about `n` memories and `earlier` entries of earlier nights.
pub(super) fn of(kind: TaskKind, n: usize, earlier: usize) -> AnswerSchema {
    match kind {
        TaskKind::Synthesis => AnswerSchema {
            name: "synthesis",
            schema: object(&json!({"text": {"type": "string"}}), &["text"]),
        },
        TaskKind::Reflections { slots } => {
            let kinds = json!({"type": "string", "enum": ["pattern", "causal", "social", "self"]});
            let insight = json!({
                "cites": cites(n, earlier), "confidence": {"type": "number"}, "kind": kinds, "text": {"type": "string"},
            });
            insights("reflections", slots, &object(&insight, &["cites", "confidence", "kind", "text"]))
        }
        TaskKind::Connection { .. } => {
            let insight = json!({
                "cites": cites(n, earlier), "confidence": {"type": "number"}, "text": {"type": "string"},
            });
            insights("connection", 1, &object(&insight, &["cites", "confidence", "text"]))
        }
        TaskKind::Stance => {
            let stances = json!({"type": "string", "enum": Stance::ALL.map(Stance::as_str)});
            AnswerSchema { name: "stance", schema: object(&json!({"stance": stances}), &["stance"]) }
        }
        TaskKind::Support => {
            let verdicts = json!({"type": "string", "enum": ["holds", "wrong", "open"]});
            AnswerSchema { name: "support", schema: object(&json!({"verdict": verdicts}), &["verdict"]) }
        }
    }
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({"additionalProperties": false, "properties": properties, "required": required, "type": "object"})
}

fn insights(name: &'static str, most: usize, insight: &Value) -> AnswerSchema {
    let list = json!({"items": insight, "maxItems": most, "type": "array"});
    AnswerSchema { name, schema: object(&json!({"insights": list}), &["insights"]) }
}

fn cites(n: usize, earlier: usize) -> Value {
    let id = if n + earlier <= MOST_LISTED {
        json!({"enum": aliases(n, earlier).collect::<Vec<_>>(), "type": "string"})
    } else {
        json!({"type": "string"})
    };
    json!({"items": id, "maxItems": MOST_CITED.min(n + earlier), "minItems": LEAST_CITED, "type": "array"})
}

fn aliases(n: usize, earlier: usize) -> impl Iterator<Item = String> {
    (0..n).map(alias).chain((0..earlier).map(past_alias))
}

/// Size of the aliases in a schema about `n` memories and `earlier` entries, in bytes.
pub(super) fn alias_bytes(kind: TaskKind, n: usize, earlier: usize) -> usize {
    if matches!(kind, TaskKind::Synthesis | TaskKind::Stance | TaskKind::Support) || n + earlier > MOST_LISTED
    {
        return 0;
    }
    // Quotes and a comma around each.
    aliases(n, earlier).map(|alias| alias.len() + 3).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_listed_while_they_are_few() {
        let cites = |memories| {
            let schema = of(TaskKind::Connection { first: 1 }, memories, 0).schema;
            schema["properties"]["insights"]["items"]["properties"]["cites"]["items"].clone()
        };
        assert_eq!(cites(2), json!({"type": "string", "enum": ["m1", "m2"]}));
        assert_eq!(cites(501), json!({"type": "string"}));
    }

    #[test]
    fn every_property_is_required_and_no_other_allowed() {
        fn strict(schema: &Value) -> bool {
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
                return schema.get("items").is_none_or(strict);
            };
            let mut required: Vec<&str> =
                schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            required.sort_unstable();
            let mut names: Vec<&str> = properties.keys().map(String::as_str).collect();
            names.sort_unstable();
            names == required
                && schema["additionalProperties"] == json!(false)
                && properties.values().all(strict)
        }
        for kind in [
            TaskKind::Synthesis,
            TaskKind::Reflections { slots: 3 },
            TaskKind::Connection { first: 2 },
            TaskKind::Stance,
            TaskKind::Support,
        ] {
            assert!(strict(&of(kind, 5, 2).schema), "{kind:?}");
        }
    }
}
