//! A base configuration, and the same with some settings changed.

use std::collections::BTreeMap;

use nightfold::memory::{Config, NpcId, ValidConfig};
use serde_json::Value as Json;
use toml::{Table, Value};

use crate::{DeskError, DeskSetting, desk_settings};

/// The configuration that the days come with.
#[derive(Debug, Clone, Default)]
pub struct BaseConfig {
    base: ValidConfig,
    /// Tables of the file that hold the configuration, the outer one first; none if the whole file does.
    tables: Vec<String>,
}

impl BaseConfig {
    /// Starts from this configuration.
    pub fn new(base: ValidConfig) -> Self {
        Self { base, tables: Vec::new() }
    }

    /// Names the table of the file that holds the configuration: `config` for keys like `[config.budget]`.
    #[must_use]
    pub fn under(mut self, table: &str) -> Self {
        self.tables.push(table.to_owned());
        self
    }

    /// Returns the configuration of one NPC: that of its profile, if one applies. Changed settings are then those
    /// of the profile.
    #[must_use]
    pub fn for_npc(&self, npc: &NpcId, tags: &[String]) -> Self {
        let own = Self { base: self.base.for_npc(npc, tags), tables: self.tables.clone() };
        match self.base.profile_for(npc, tags) {
            Some(found) => own.under("profiles").under(found.name.as_str()),
            None => own,
        }
    }

    /// Returns the unchanged configuration.
    pub fn config(&self) -> &ValidConfig {
        &self.base
    }

    /// Returns the value of each setting.
    ///
    /// # Errors
    /// [`DeskError`] if the configuration cannot be written as TOML, or lacks a setting of the desk.
    pub fn values(&self) -> Result<BTreeMap<&'static str, Json>, DeskError> {
        let table = table(&self.base)?;
        let value = |setting: &DeskSetting| {
            let key = setting.key;
            let value = at(&table, key).ok_or_else(|| DeskError::UnknownSetting(key.to_owned()))?;
            let value = match value {
                // The page offers its words.
                Value::Boolean(is_set) => is_set.to_string().into(),
                value => serde_json::to_value(value).map_err(DeskError::Json)?,
            };
            Ok((key, value))
        };
        desk_settings().iter().map(value).collect()
    }

    /// Returns the configuration with the values of `keys` changed.
    ///
    /// # Errors
    /// [`DeskError`] if a key is not a setting of the desk, or a value has the wrong type or is out of range.
    pub fn with(&self, keys: &BTreeMap<String, Json>) -> Result<ValidConfig, DeskError> {
        let (mut config, mut table) = (Config::clone(&self.base), table(&self.base)?);
        for (key, value) in keys {
            let is_setting = desk_settings().iter().any(|setting| setting.key == key);
            let Some(present) = at_mut(&mut table, key).filter(|_| is_setting) else {
                return Err(DeskError::UnknownSetting(key.clone()));
            };
            let wrong = |source| DeskError::Value {
                key: key.clone(),
                value: value.to_string(),
                source: Box::new(source),
            };
            *present = as_before(value, present).map_err(wrong)?;
            // One by one, so that an error is about this key.
            config = table.clone().try_into().map_err(wrong)?;
        }
        Ok(config.check()?)
    }

    /// Returns the keys whose values differ in another configuration, as TOML.
    ///
    /// # Errors
    /// [`DeskError::Toml`] if one of them cannot be written as TOML.
    pub fn differences(&self, other: &ValidConfig) -> Result<String, DeskError> {
        let (before, after) = (table(&self.base)?, table(other)?);
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
        if out.is_empty() {
            return Ok(String::new());
        }
        let inside = |inner, name: &String| Table::from_iter([(name.clone(), Value::Table(inner))]);
        Ok(self.tables.iter().rev().fold(out, inside).to_string())
    }
}

fn table(config: &Config) -> Result<Table, DeskError> {
    Table::try_from(config).map_err(DeskError::Toml)
}

fn at<'t>(table: &'t Table, key: &str) -> Option<&'t Value> {
    let (section, name) = key.split_once('.')?;
    table.get(section)?.get(name)
}

fn at_mut<'t>(table: &'t mut Table, key: &str) -> Option<&'t mut Value> {
    let (section, name) = key.split_once('.')?;
    table.get_mut(section)?.get_mut(name)
}

/// Converts a value of the page to the type that the file has: a slider sends 8 for the key's 8.0.
fn as_before(value: &Json, before: &Value) -> Result<Value, toml::de::Error> {
    match (value.as_f64(), before) {
        (Some(number), Value::Float(_)) => Ok(Value::Float(number)),
        // The page's numbers are doubles; a whole one is a count.
        (Some(number), Value::Integer(_)) if number.fract() == 0.0 && number.abs() < 1e15 => {
            Ok(Value::Integer(number as i64))
        }
        // A choice sends words.
        _ => match (value.as_str(), before) {
            (Some("true"), Value::Boolean(_)) => Ok(Value::Boolean(true)),
            (Some("false"), Value::Boolean(_)) => Ok(Value::Boolean(false)),
            _ => Value::try_from(value).map_err(serde::de::Error::custom),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn change(keys: &[(&str, Json)]) -> Result<ValidConfig, DeskError> {
        let keys = keys.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        BaseConfig::default().with(&keys)
    }

    #[test]
    fn differences_are_written_as_toml() {
        let config = change(&[
            ("triage.important", json!(8.0)),
            ("budget.storage", json!(1)),
            ("cluster.algorithm", json!("single")),
        ])
        .unwrap();
        assert_eq!((config.triage.important, config.budget.storage), (8, 1.0));
        let file = BaseConfig::default().differences(&config).unwrap();
        assert_eq!(
            file,
            "[budget]\nstorage = 1.0\n\n[cluster]\nalgorithm = \"single\"\n\n[triage]\nimportant = 8\n"
        );
        assert_eq!(toml::from_str::<Config>(&file).unwrap(), *config);
        let file = BaseConfig::default().under("config").differences(&config).unwrap();
        assert!(file.starts_with("[config.budget]\nstorage = 1.0\n"), "{file}");
        assert_eq!(BaseConfig::default().differences(&ValidConfig::default()).unwrap(), "");
    }

    #[test]
    fn changes_for_an_npc_with_a_profile_are_those_of_its_profile() {
        let base: Config = toml::from_str(
            "[profiles.guard]\nnpcs = [\"Bran\"]\nbudget.storage = 0.3\n[budget]\nstorage = 0.6\n",
        )
        .unwrap();
        let base = BaseConfig::new(base.check().unwrap()).under("config");
        let own = base.for_npc(&"Bran".parse().unwrap(), &[]);
        assert_eq!(
            (&base.values().unwrap()["budget.storage"], &own.values().unwrap()["budget.storage"]),
            (&json!(0.6), &json!(0.3))
        );
        let config = own.with(&[("budget.storage".to_owned(), json!(0.2))].into()).unwrap();
        assert_eq!(own.differences(&config).unwrap(), "[config.profiles.guard.budget]\nstorage = 0.2\n");
        assert_eq!(own.differences(own.config()).unwrap(), "");
        let other = base.for_npc(&"Mara".parse().unwrap(), &[]);
        assert_eq!(other.values().unwrap(), base.values().unwrap());
    }

    #[test]
    fn refused_values_are_reported_with_their_key() {
        for (key, value, said) in [
            ("budget.storage", json!(7), "budget.storage is 7; it must lie between 0.01 and 1"),
            ("budget.storge", json!(0.5), "there is no setting `budget.storge`"),
            ("input.max_memories", json!(5), "there is no setting `input.max_memories`"),
            ("triage.important", json!(7.5), "triage.important cannot be 7.5"),
            ("cluster.algorithm", json!("magic"), "cluster.algorithm cannot be \"magic\""),
            ("budget.storage", json!(null), "budget.storage cannot be null"),
            ("budget.storage", json!({"a": [1]}), "budget.storage cannot be {\"a\":[1]}"),
        ] {
            assert_eq!(change(&[(key, value)]).unwrap_err().to_string(), said);
        }
        let error = change(&[("cluster.k_min", json!(1))]).unwrap_err().to_string();
        assert!(error.contains("between 2 and 1000"), "{error}");
    }
}
