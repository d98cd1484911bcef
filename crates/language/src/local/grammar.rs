//! Grammars in llama.cpp's notation (GBNF), made from the schema of an answer.
//!
//! llama.cpp can make one itself, but allows white space between any two tokens of JSON, and small models
//! then write nothing else. This grammar produces compact JSON, and excludes what no parser accepts: half a
//! surrogate pair, a number out of range.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Largest `maxItems` that is enforced; longer lists may have any length, because llama.cpp expands
/// repetitions.
const MOST_REPEATED: u64 = 200;

const SCALARS: &str = r#"
string ::= "\"" char* "\""
char ::= [^"\\\x00-\x1F\x7F] | "\\" ["\\n]
number ::= whole ("." [0-9]{1,6})?
whole ::= "-"? ("0" | [1-9] [0-9]{0,14})
"#;

/// Returns the grammar for a schema of the strict kind, with the start symbol `root`; `None` if the schema
/// uses anything else. Restrictions that only narrow (a pattern, a maximum length) are left to the parser of
/// the answer.
pub(super) fn of(schema: &Value) -> Option<String> {
    let mut rules = Rules(String::new());
    let root = rules.of(schema)?;
    Some(format!("root ::= {root}\n{}{}", rules.0, SCALARS.trim_start()))
}

/// Rules in addition to the root: the items of lists.
struct Rules(String);

impl Rules {
    fn of(&mut self, schema: &Value) -> Option<String> {
        let schema = schema.as_object()?;
        if let Some(values) = schema.get("enum") {
            let values = values.as_array().filter(|values| !values.is_empty())?;
            let words: Vec<String> = values.iter().map(|value| quoted(&value.to_string())).collect();
            return Some(format!("({})", words.join(" | ")));
        }
        match schema.get("type")?.as_str()? {
            "object" => self.object(schema),
            "array" => self.array(schema),
            "string" => Some("string".to_owned()),
            "number" => Some("number".to_owned()),
            "integer" => Some("whole".to_owned()),
            "boolean" => Some(r#"("true" | "false")"#.to_owned()),
            "null" => Some(r#""null""#.to_owned()),
            _ => None,
        }
    }

    fn object(&mut self, schema: &Map<String, Value>) -> Option<String> {
        let properties = schema.get("properties")?.as_object()?;
        let required = schema.get("required")?.as_array()?;
        let mut text = quoted("{");
        for (place, (name, value)) in properties.iter().enumerate() {
            // Each is written: what may be left out would need a rule for every choice.
            required.iter().find(|required| required.as_str() == Some(name))?;
            let comma = if place == 0 { "" } else { "," };
            let name = quoted(&format!("{comma}{}:", Value::from(name.as_str())));
            let value = self.of(value)?;
            // Writing to a String cannot fail.
            let _ = write!(text, " {name} {value}");
        }
        Some(format!("{text} {}", quoted("}")))
    }

    fn array(&mut self, schema: &Map<String, Value>) -> Option<String> {
        let bound = |name: &str| schema.get(name).map(|n| n.as_u64().ok_or(())).transpose().ok();
        let least = bound("minItems")?.unwrap_or(0);
        let most = bound("maxItems")?.filter(|most| *most <= MOST_REPEATED);
        if least > most.unwrap_or(MOST_REPEATED) {
            return None;
        }
        let item = self.of(schema.get("items")?)?;
        if most == Some(0) {
            return Some(quoted("[]"));
        }
        let rule = format!("item{}", self.0.lines().count());
        // Writing to a String cannot fail.
        let _ = writeln!(self.0, "{rule} ::= {item}");
        let most = most.map(|most| (most - 1).to_string()).unwrap_or_default();
        let items = format!(r#"{rule} ("," {rule}){{{},{most}}}"#, least.saturating_sub(1));
        let items = if least == 0 { format!("({items})?") } else { items };
        Some(format!("{} {items} {}", quoted("["), quoted("]")))
    }
}

/// Quotes a text as a literal of the notation. JSON contains no control characters.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rules(schema: &Value) -> String {
        let grammar = of(schema).unwrap();
        grammar.strip_suffix(SCALARS.trim_start()).unwrap().to_owned()
    }

    #[test]
    fn the_schemas_of_answers_become_compact_json() {
        let text = json!({
            "additionalProperties": false, "properties": {"text": {"type": "string"}}, "required": ["text"],
            "type": "object",
        });
        assert_eq!(rules(&text), "root ::= \"{\" \"\\\"text\\\":\" string \"}\"\n");
        let insight = json!({
            "properties": {
                "cites": {"items": {"enum": ["m1", "m2"], "type": "string"}, "maxItems": 2, "minItems": 2, "type": "array"},
                "confidence": {"type": "number"},
            },
            "required": ["cites", "confidence"], "type": "object",
        });
        let insights = json!({
            "properties": {"insights": {"items": insight, "maxItems": 3, "type": "array"}},
            "required": ["insights"], "type": "object",
        });
        assert_eq!(
            rules(&insights),
            concat!(
                r#"root ::= "{" "\"insights\":" "[" (item1 ("," item1){0,2})? "]" "}""#,
                "\n",
                r#"item0 ::= ("\"m1\"" | "\"m2\"")"#,
                "\n",
                r#"item1 ::= "{" "\"cites\":" "[" item0 ("," item0){1,1} "]" ",\"confidence\":" number "}""#,
                "\n",
            )
        );
    }

    #[test]
    fn lists_have_their_bounds() {
        for (bounds, wanted) in [
            (json!({}), r#""[" (item0 ("," item0){0,})? "]""#),
            (json!({"minItems": 1}), r#""[" item0 ("," item0){0,} "]""#),
            (json!({"minItems": 2, "maxItems": 4}), r#""[" item0 ("," item0){1,3} "]""#),
            (json!({"maxItems": 100_000}), r#""[" (item0 ("," item0){0,})? "]""#),
            (json!({"maxItems": 0}), r#""[]""#),
        ] {
            let mut schema = bounds;
            schema["type"] = "array".into();
            schema["items"] = json!({"type": "boolean"});
            let grammar = rules(&schema);
            assert_eq!(grammar.lines().next(), Some(format!("root ::= {wanted}").as_str()), "{schema}");
        }
    }

    #[test]
    fn enum_values_become_escaped_literals() {
        assert_eq!(
            rules(&json!({"enum": ["a\"b\\c\n", 1, null]})),
            "root ::= (\"\\\"a\\\\\\\"b\\\\\\\\c\\\\n\\\"\" | \"1\" | \"null\")\n"
        );
    }

    #[test]
    fn unsupported_schema_has_no_grammar() {
        for schema in [
            json!({}),
            json!(true),
            json!({"anyOf": [{"type": "string"}]}),
            json!({"type": ["string", "null"]}),
            json!({"enum": []}),
            json!({"type": "array"}),
            json!({"type": "array", "items": {"type": "string"}, "minItems": 3, "maxItems": 2}),
            json!({"type": "array", "items": {"type": "string"}, "minItems": -1}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": []}),
            json!({"type": "object", "properties": {"a": {"$ref": "#/a"}}, "required": ["a"]}),
        ] {
            assert_eq!(of(&schema), None, "{schema}");
        }
    }
}
