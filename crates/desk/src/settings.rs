//! A configuration, and one with some knobs turned.

use std::collections::BTreeMap;

use nightfold::memory::{Config, ValidConfig};
use serde_json::Value as Json;
use toml::{Table, Value};

use crate::{DeskError, knobs};

/// The configuration that a story comes with.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    base: ValidConfig,
    /// The table of a file in which the configuration stands, if it is not the whole of it.
    table: Option<&'static str>,
}

impl Settings {
    /// Knobs are turned from here.
    pub fn new(base: ValidConfig) -> Self {
        Self { base, table: None }
    }

    /// Of a file in which the configuration stands under this table, as `[config.budget]`.
    #[must_use]
    pub fn under(self, table: &'static str) -> Self {
        Self { table: Some(table), ..self }
    }

    /// As the story has it.
    pub fn base(&self) -> &ValidConfig {
        &self.base
    }

    /// What each knob stands at.
    pub fn values(&self) -> BTreeMap<&'static str, Json> {
        let table = table(&self.base);
        let value = |key: &str| serde_json::to_value(at(&table, key)).unwrap_or_default();
        knobs().iter().map(|knob| (knob.key, value(knob.key))).collect()
    }

    /// The configuration with these keys set otherwise.
    ///
    /// # Errors
    /// [`DeskError`] when there is no such knob, or the value is none of the key or out of its range.
    pub fn turned(&self, keys: &BTreeMap<String, Json>) -> Result<ValidConfig, DeskError> {
        let mut table = table(&self.base);
        for (key, value) in keys {
            let knob = knobs().iter().find(|knob| knob.key == key);
            let (Some(_), Some((section, name))) = (knob, key.split_once('.')) else {
                return Err(DeskError::Knob(key.clone()));
            };
            let wrong = |source| DeskError::Value { key: key.clone(), value: value.to_string(), source };
            let new = as_before(value, at(&table, key)).map_err(|e| wrong(Box::new(e)))?;
            if let Some(Value::Table(section)) = table.get_mut(section) {
                section.insert(name.to_owned(), new);
            }
            // One by one, so that an error is about this key.
            Config::deserialize_from(&table).map_err(|e| wrong(Box::new(e)))?;
        }
        let config = Config::deserialize_from(&table).map_err(|source| DeskError::Value {
            key: "the configuration".to_owned(),
            value: "so".to_owned(),
            source: Box::new(source),
        })?;
        Ok(config.check()?)
    }

    /// The keys that another configuration has otherwise, as a file has them.
    pub fn differences(&self, other: &ValidConfig) -> String {
        let (before, after) = (table(&self.base), table(other));
        let mut out = Table::new();
        for (section, value) in &after {
            let (Value::Table(keys), Some(Value::Table(old))) = (value, before.get(section)) else {
                continue;
            };
            let changed: Table = keys
                .iter()
                .filter(|(key, new)| old.get(*key) != Some(new))
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect();
            if !changed.is_empty() {
                out.insert(section.clone(), Value::Table(changed));
            }
        }
        match self.table {
            Some(name) if !out.is_empty() => {
                Table::from_iter([(name.to_owned(), Value::Table(out))]).to_string()
            }
            _ => out.to_string(),
        }
    }
}

/// Reading a configuration from a table.
trait FromTable: Sized {
    fn deserialize_from(table: &Table) -> Result<Self, toml::de::Error>;
}

impl FromTable for Config {
    fn deserialize_from(table: &Table) -> Result<Self, toml::de::Error> {
        table.clone().try_into()
    }
}

fn table(config: &Config) -> Table {
    // A configuration is a table of tables of plain values.
    Table::try_from(config).unwrap_or_default()
}

fn at<'t>(table: &'t Table, key: &str) -> Option<&'t Value> {
    let (section, name) = key.split_once('.')?;
    table.get(section)?.get(name)
}

/// A value of the page as the file would have it: a slider gives 8 where the key is 8.0.
fn as_before(value: &Json, before: Option<&Value>) -> Result<Value, toml::de::Error> {
    match (value.as_f64(), before) {
        (Some(number), Some(Value::Float(_))) => Ok(Value::Float(number)),
        // The page's numbers are doubles; a whole one is a count.
        (Some(number), Some(Value::Integer(_))) if number.fract() == 0.0 && number.abs() < 1e15 => {
            Ok(Value::Integer(number as i64))
        }
        _ => Value::try_from(value).map_err(serde::de::Error::custom),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn turn(keys: &[(&str, Json)]) -> Result<ValidConfig, DeskError> {
        let keys = keys.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        Settings::default().turned(&keys)
    }

    #[test]
    fn what_differs_is_told_as_a_file_has_it() {
        let config = turn(&[
            ("triage.important", json!(8.0)),
            ("budget.storage", json!(1)),
            ("cluster.algorithm", json!("single")),
        ])
        .unwrap();
        assert_eq!((config.triage.important, config.budget.storage), (8, 1.0));
        let file = Settings::default().differences(&config);
        assert_eq!(
            file,
            "[budget]\nstorage = 1.0\n\n[cluster]\nalgorithm = \"single\"\n\n[triage]\nimportant = 8\n"
        );
        assert_eq!(toml::from_str::<Config>(&file).unwrap(), *config);
        let file = Settings::default().under("config").differences(&config);
        assert!(file.starts_with("[config.budget]\nstorage = 1.0\n"), "{file}");
        assert_eq!(Settings::default().differences(&ValidConfig::default()), "");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_key() {
        for (key, value, said) in [
            ("budget.storage", json!(7), "budget.storage is 7; it must lie between 0.01 and 1"),
            ("budget.storge", json!(0.5), "there is no knob `budget.storge`"),
            ("input.max_memories", json!(5), "there is no knob `input.max_memories`"),
            ("triage.important", json!(7.5), "triage.important cannot be 7.5"),
            ("cluster.algorithm", json!("magic"), "cluster.algorithm cannot be \"magic\""),
            ("budget.storage", json!(null), "budget.storage cannot be null"),
            ("budget.storage", json!({"a": [1]}), "budget.storage cannot be {\"a\":[1]}"),
        ] {
            assert_eq!(turn(&[(key, value)]).unwrap_err().to_string(), said);
        }
        let error = turn(&[("cluster.k_min", json!(9))]).unwrap_err().to_string();
        assert!(error.contains("cluster.k_max, which is 7"), "{error}");
    }
}
