//! Schemas as documents: the type of an output, closed, with its descriptions made readable.

use schemars::{
    Schema,
    generate::SchemaSettings,
    transform::{RecursiveTransform, Transform as _},
};
use serde_json::{Map, Value};

use crate::output_schema::OutputSchema;

/// Returns the schema of an output as text.
///
/// Drafts before 2019-09 allow no description beside a reference, and most fields are described. Schemas of what users write stay
/// with draft 7, which editors of TOML read.
pub(super) fn of(output: &OutputSchema) -> serde_json::Result<String> {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = (output.schema)(&mut generator);
    let definitions = generator.take_definitions(true);
    schema.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
    schema.insert("title".to_owned(), output.title.into());
    if !definitions.is_empty() {
        schema.insert("$defs".to_owned(), definitions.into());
    }
    RecursiveTransform(tidy).transform(&mut schema);
    let calls: Vec<String> = output.calls.iter().map(|call| format!("`nightfold {call}`")).collect();
    schema.insert("$comment".to_owned(), format!("Output of {}.", calls.join(", ")).into());
    Ok(format!("{}\n", serde_json::to_string_pretty(&schema)?))
}

/// Closes objects, and removes what readers of JSON cannot use: formats of Rust's numbers, links of its documentation, defaults
/// that belong to input, and `null` where a field is left out instead.
fn tidy(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::String(description)) = object.get_mut("description") {
        *description = plain(description);
    }
    object.remove("default");
    if object.get("type").is_some_and(is_number) {
        object.remove("format");
    }
    close(object);
}

fn is_number(kind: &Value) -> bool {
    let number = |kind: &Value| kind == "integer" || kind == "number";
    number(kind) || kind.as_array().is_some_and(|kinds| kinds.iter().any(number))
}

/// Returns a documentation comment as a sentence: its first paragraph, without line breaks and links.
fn plain(description: &str) -> String {
    let first = description.split("\n\n").next().unwrap_or(description);
    let mut text = first.replace('\n', " ");
    while let Some(link) = text.find("`](") {
        let end = text.get(link..).and_then(|rest| rest.find(')')).map_or(text.len(), |end| link + end + 1);
        text.replace_range(link + 1..end, "");
    }
    text.replace("[`", "`").replace("`]", "`")
}

/// Closes an object, and takes `null` from the fields that are left out where there is nothing to say: all that are not
/// required.
fn close(object: &mut Map<String, Value>) {
    let required: Vec<String> = object
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
        .unwrap_or_default();
    let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (_, property) in properties.iter_mut().filter(|(name, _)| !required.contains(name)) {
        without_null(property);
    }
    object.entry("additionalProperties").or_insert(false.into());
}

fn without_null(property: &mut Value) {
    let Some(property) = property.as_object_mut() else { return };
    if let Some(Value::Array(kinds)) = property.get("type") {
        let mut left: Vec<Value> = kinds.iter().filter(|kind| *kind != "null").cloned().collect();
        let kind = if left.len() == 1 { left.remove(0) } else { left.into() };
        property.insert("type".to_owned(), kind);
    }
    if let Some(Value::Array(kinds)) = property.get("anyOf") {
        let is_null = |kind: &&Value| kind.get("type").is_some_and(|kind| kind == "null");
        let left: Vec<Value> = kinds.iter().filter(|kind| !is_null(kind)).cloned().collect();
        match left.as_slice() {
            [Value::Object(kind)] => {
                property.remove("anyOf");
                property.extend(kind.clone());
            }
            _ => _ = property.insert("anyOf".to_owned(), left.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema as _;
    use serde_json::json;

    use super::{super::outputs, *};

    #[test]
    fn links_and_further_paragraphs_are_left_out_of_descriptions() {
        assert_eq!(
            plain("Sum of [`NightReport::counts`],\nrounded.\n\n[`X`]: y"),
            "Sum of `NightReport::counts`, rounded."
        );
        assert_eq!(
            plain("Under [`Rule::Abstracted`](crate::Rule) and [`A`](b), so."),
            "Under `Rule::Abstracted` and `A`, so."
        );
    }

    #[test]
    fn field_that_is_left_out_is_never_null_and_one_that_is_written_may_be() {
        #[derive(schemars::JsonSchema, serde::Serialize)]
        struct Figures {
            /// Always written.
            written: Option<u8>,
            /// Left out if there is none.
            #[serde(skip_serializing_if = "Option::is_none")]
            left_out: Option<u8>,
        }
        let output =
            OutputSchema { name: "figures", title: "", calls: Vec::new(), schema: Figures::json_schema };
        let schema: Value = serde_json::from_str(&of(&output).unwrap()).unwrap();
        let kind = |name: &str| schema["properties"][name]["type"].clone();
        assert_eq!((kind("written"), kind("left_out")), (json!(["integer", "null"]), json!("integer")));
        assert_eq!(
            (&schema["required"], &schema["additionalProperties"]),
            (&json!(["written"]), &json!(false))
        );
    }

    /// Reports every object of a schema that is open, or has a field without a description.
    fn look(schema: &Value, at: &str, definitions: &Value, faults: &mut Vec<String>) {
        let described = |field: &Value| {
            let named = field["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/"));
            field["description"].is_string()
                || named.is_some_and(|name| definitions[name]["description"].is_string())
        };
        match schema {
            Value::Object(object) => {
                for (name, field) in object.get("properties").and_then(Value::as_object).into_iter().flatten()
                {
                    // A field with one value only is the name of what the others describe.
                    if !described(field) && field.get("const").is_none() {
                        faults.push(format!("{at}.{name} has no description"));
                    }
                }
                if object.contains_key("properties") && !object.contains_key("additionalProperties") {
                    faults.push(format!("{at} is open"));
                }
                object
                    .iter()
                    .for_each(|(key, inner)| look(inner, &format!("{at}.{key}"), definitions, faults));
            }
            Value::Array(items) => items.iter().for_each(|item| look(item, at, definitions, faults)),
            _ => {}
        }
    }

    #[test]
    fn every_object_is_closed_and_every_field_described() {
        for output in outputs() {
            let schema: Value = serde_json::from_str(&of(&output).unwrap()).unwrap();
            let mut faults = Vec::new();
            look(&schema, "", &schema["$defs"], &mut faults);
            // Rows of an export are those of the tables, whose columns have the names of the fields that they hold.
            faults.retain(|fault| output.name != "export-line" || !fault.ends_with("has no description"));
            assert!(faults.is_empty(), "{}: {}", output.name, faults.join("\n"));
        }
    }
}
