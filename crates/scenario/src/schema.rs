//! JSON Schemas of the files that users write, generated from the types: editors complete and check by them.

use nightfold_memory::{Config, Memory};
use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::{Map, Value, json};

use crate::{format::ScenarioFile, read::KINDS};

/// Returns every schema with the name of its file.
///
/// # Errors
/// None known: schemas are text and numbers.
pub fn all() -> Result<Vec<(&'static str, String)>, serde_json::Error> {
    Ok(vec![
        ("config.schema.json", to_text(&of::<Config>("The configuration of Nightfold"))?),
        ("memory.schema.json", to_text(&of::<Memory>("A memory: one line of a day"))?),
        ("scenario.schema.json", to_text(&of::<ScenarioFile>("A scenario of Nightfold"))?),
    ])
}

fn of<T: JsonSchema>(title: &str) -> Schema {
    let settings = SchemaSettings::draft07().for_deserialize().with_transform(RecursiveTransform(tidy));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    schema
}

fn to_text(schema: &Schema) -> Result<String, serde_json::Error> {
    Ok(format!("{}\n", serde_json::to_string_pretty(schema)?))
}

/// Requires exactly one kind of expectation per table.
pub(crate) fn one_kind_each(schema: &mut Schema) {
    let kinds: Vec<Value> = KINDS.iter().map(|kind| json!({ "required": [kind] })).collect();
    schema.insert("oneOf".to_owned(), kinds.into());
    let recalled = json!([{
        "if": { "anyOf": [{ "required": ["recalled"] }, { "required": ["not_recalled"] }] },
        "then": { "required": ["query"] },
    }]);
    schema.insert("allOf".to_owned(), recalled);
}

/// Reads the range of a number from its documentation, `[0.5; 0.01 to 1]`, and removes details that are not
/// for editors: line breaks of the documentation, and the defaults of whole sections.
fn tidy(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::String(description)) = object.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    if object.get("default").is_some_and(Value::is_object) {
        object.remove("default");
    }
    let Some((low, high)) = object.get("description").and_then(Value::as_str).and_then(range) else { return };
    let numbers = object.get("type").and_then(Value::as_str).is_some_and(|t| t == "number" || t == "integer");
    if numbers {
        put(object, "minimum", low);
        put(object, "maximum", high);
    }
}

fn put(object: &mut Map<String, Value>, key: &str, bound: Option<f64>) {
    let Some(bound) = bound else { return };
    let whole = object.get("type").is_some_and(|t| t == "integer") || bound.fract() == 0.0;
    object.insert(key.to_owned(), if whole { json!(bound as i64) } else { json!(bound) });
}

/// Returns the ends of the first range in brackets, each if it is a number.
fn range(text: &str) -> Option<(Option<f64>, Option<f64>)> {
    let mut brackets = text.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
    brackets.find_map(|(inside, _)| {
        let (_, range) = inside.split_once(';')?;
        let (low, high) = range.trim().split_once(" to ")?;
        let number = |text: &str| text.trim().replace('−', "-").parse::<f64>().ok();
        Some((number(low), number(high)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_ranges_come_from_the_documentation() {
        assert_eq!(range("A share [0.5; 0.01 to 1]. More."), Some((Some(0.01), Some(1.0))));
        assert_eq!(range("From −1 on [0.2; −1 to 1]"), Some((Some(-1.0), Some(1.0))));
        assert_eq!(range("Fewest [3; 2 to `k_max`]"), Some((Some(2.0), None)));
        assert_eq!(range("Whether so [true]"), None);
    }

    #[test]
    fn every_key_has_a_description_default_and_range() {
        let schema = of::<Config>("").to_value();
        let storage = &schema["definitions"]["BudgetConfig"]["properties"]["storage"];
        assert_eq!(
            (&storage["minimum"], &storage["maximum"], &storage["default"]),
            (&json!(0.01), &json!(1), &json!(0.5))
        );
        for (name, section) in schema["definitions"].as_object().unwrap() {
            for (key, value) in section["properties"].as_object().into_iter().flatten() {
                assert!(value["description"].is_string(), "{name}.{key}: {value}");
            }
        }
    }

    #[test]
    fn every_expectation_kind_is_a_schema_property() {
        let schema = of::<ScenarioFile>("").to_value();
        let keys = &schema["definitions"]["ExpectTable"]["properties"];
        for kind in KINDS {
            assert!(keys[kind].is_object(), "{kind}");
        }
    }
}
