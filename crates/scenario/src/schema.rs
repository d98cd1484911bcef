//! JSON Schemas of the files that users write, generated from the types: editors complete and check by them.

use std::collections::BTreeMap;

use nightfold_memory::{Config, Memory};
use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::{Map, Value, json};

use crate::format::ScenarioFile;

/// Returns every schema with the name of its file.
///
/// # Errors
/// None known: schemas are text and numbers.
pub fn all() -> Result<Vec<(&'static str, String)>, serde_json::Error> {
    Ok(vec![
        ("config.schema.json", to_text(&config())?),
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

/// Removes details that are not for editors: line breaks of the documentation, and the defaults of whole sections.
fn tidy(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::String(description)) = object.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    if object.get("default").is_some_and(Value::is_object) {
        object.remove("default");
    }
}

/// Returns the schema of the configuration, its numbers with their ranges.
fn config() -> Schema {
    let mut schema = of::<Config>("The configuration of Nightfold");
    let ranges = Config::ranges();
    let range_of = |key: &str| ranges.iter().find(|range| range.key == key);
    let sections = sections(&schema);
    let definitions = schema.get_mut("definitions").and_then(Value::as_object_mut);
    for (name, definition) in definitions.into_iter().flatten() {
        let Some(section) = sections.get(name) else { continue };
        let keys = definition.get_mut("properties").and_then(Value::as_object_mut);
        for (key, number) in keys.into_iter().flatten() {
            let (Some(range), Some(number)) = (range_of(&format!("{section}.{key}")), number.as_object_mut())
            else {
                continue;
            };
            if number.get("type").is_some_and(|kind| kind == "number" || kind == "integer") {
                put(number, "minimum", &range.low);
                put(number, "maximum", &range.high);
            }
        }
    }
    schema
}

/// Returns the section of each definition that one is described by, in the configuration or in a profile.
fn sections(schema: &Schema) -> BTreeMap<String, String> {
    let root = schema.get("properties");
    let definitions = schema.get("definitions").and_then(Value::as_object).into_iter().flatten();
    let tables =
        root.into_iter().chain(definitions.filter_map(|(_, definition)| definition.get("properties")));
    let properties = tables.filter_map(Value::as_object).flatten();
    properties
        .filter_map(|(section, property)| {
            let at = ["/$ref", "/allOf/0/$ref", "/anyOf/0/$ref"];
            let link = at.iter().find_map(|path| property.pointer(path))?.as_str()?;
            Some((link.strip_prefix("#/definitions/")?.to_owned(), section.clone()))
        })
        .collect()
}

fn put(number: &mut Map<String, Value>, name: &str, bound: &str) {
    // A bound that is another key is no number.
    if let Ok(bound) = bound.parse::<f64>() {
        let whole = bound.fract() == 0.0;
        number.insert(name.to_owned(), if whole { json!(bound as i64) } else { json!(bound) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::KINDS;

    #[test]
    fn every_key_has_a_description_default_and_range() {
        let schema = config().to_value();
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
