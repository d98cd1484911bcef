//! Holds JSON against the part of JSON Schema that this project writes.

use serde_json::Value;

/// Faults of a value, each with its place.
pub(crate) struct Validator<'a> {
    /// Document within which references point.
    document: &'a Value,
    faults: Vec<String>,
}

/// Keywords that say nothing of what is allowed.
const NOTES: [&str; 12] = [
    "$schema",
    "$defs",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "format",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "pattern",
];

impl<'a> Validator<'a> {
    /// Returns the faults of `value` by the schema at a JSON pointer of the document; `""` is the whole.
    pub(crate) fn faults(document: &'a Value, at: &str, value: &Value) -> Vec<String> {
        let mut validator = Self { document, faults: Vec::new() };
        let schema = document.pointer(at).unwrap_or_else(|| panic!("no schema at {at}"));
        validator.check(schema, value, "");
        validator.faults
    }

    fn fits(&self, schema: &Value, value: &Value) -> bool {
        let mut inner = Self { document: self.document, faults: Vec::new() };
        inner.check(schema, value, "");
        inner.faults.is_empty()
    }

    fn expect(&mut self, holds: bool, at: &str, fault: impl FnOnce() -> String) {
        if !holds {
            self.faults.push(format!("{at}: {}", fault()));
        }
    }

    fn check(&mut self, schema: &Value, value: &Value, at: &str) {
        let Value::Object(keywords) = schema else {
            return self.expect(schema != &Value::Bool(false), at, || "is not allowed".to_owned());
        };
        for (keyword, says) in keywords {
            let all = || says.as_array().map(Vec::as_slice).unwrap_or_default();
            let most = says.as_f64().unwrap_or_default();
            match keyword.as_str() {
                "$ref" => {
                    let pointer =
                        says.as_str().and_then(|to| to.strip_prefix('#')).expect("a reference within");
                    let named = self.document.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}"));
                    self.check(named, value, at);
                }
                "type" => {
                    let fits = says.as_str().map_or_else(
                        || all().iter().filter_map(Value::as_str).any(|kind| is_of(kind, value)),
                        |kind| is_of(kind, value),
                    );
                    self.expect(fits, at, || format!("{value} is not of type {says}"));
                }
                "const" => self.expect(says == value, at, || format!("{value} is not {says}")),
                "enum" => self.expect(all().contains(value), at, || format!("{value} is none of {says}")),
                "allOf" => all().iter().for_each(|schema| self.check(schema, value, at)),
                "anyOf" => {
                    let fits = all().iter().any(|schema| self.fits(schema, value));
                    self.expect(fits, at, || format!("{value} fits none of {says}"));
                }
                "oneOf" => {
                    let fitting = all().iter().filter(|schema| self.fits(schema, value)).count();
                    self.expect(fitting == 1, at, || format!("{value} fits {fitting} of {says}"));
                }
                "minimum" => self.expect(value.as_f64().is_none_or(|n| n >= most), at, || {
                    format!("{value} is below {says}")
                }),
                "maximum" => self.expect(value.as_f64().is_none_or(|n| n <= most), at, || {
                    format!("{value} is above {says}")
                }),
                "minLength" => {
                    self.expect(length(value).is_none_or(|n| n >= most), at, || format!("{value} is short"));
                }
                "maxLength" => {
                    self.expect(length(value).is_none_or(|n| n <= most), at, || format!("{value} is long"));
                }
                "minItems" => {
                    self.expect(items(value).is_none_or(|n| n >= most), at, || "has few items".to_owned());
                }
                "maxItems" => {
                    self.expect(items(value).is_none_or(|n| n <= most), at, || "has many items".to_owned());
                }
                "required" => {
                    for name in all().iter().filter_map(Value::as_str) {
                        self.expect(!value.is_object() || value.get(name).is_some(), at, || {
                            format!("has no {name}")
                        });
                    }
                }
                "properties" => {
                    for (name, schema) in says.as_object().into_iter().flatten() {
                        if let Some(field) = value.get(name) {
                            self.check(schema, field, &format!("{at}/{name}"));
                        }
                    }
                }
                "additionalProperties" => {
                    let known = keywords.get("properties");
                    let others = value.as_object().into_iter().flatten();
                    for (name, field) in
                        others.filter(|(name, _)| known.is_none_or(|known| known.get(name).is_none()))
                    {
                        self.check(says, field, &format!("{at}/{name}"));
                    }
                }
                "prefixItems" => {
                    let pairs = all().iter().zip(value.as_array().into_iter().flatten());
                    pairs
                        .enumerate()
                        .for_each(|(n, (schema, item))| self.check(schema, item, &format!("{at}/{n}")));
                }
                "items" => {
                    let before = keywords.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
                    let rest = value.as_array().into_iter().flatten().enumerate().skip(before);
                    rest.for_each(|(n, item)| self.check(says, item, &format!("{at}/{n}")));
                }
                note => assert!(NOTES.contains(&note), "the validator does not know {note}"),
            }
        }
    }
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type {other}"),
    }
}

fn length(value: &Value) -> Option<f64> {
    value.as_str().map(|text| text.chars().count() as f64)
}

fn items(value: &Value) -> Option<f64> {
    value.as_array().map(|items| items.len() as f64)
}
