//! A base configuration, and the same with some settings changed.

use std::collections::BTreeMap;

use nightfold::memory::{
    Config, ConfigError, NpcId, ValidConfig,
    config::{MAX_PROFILE_NAME_BYTES, MAX_PROFILES},
};
use serde_json::Value as Json;
use toml::{Table, Value};

use crate::{DeskError, DeskSetting, desk_settings};

/// The configuration that the days come with, for everybody or for one NPC.
#[derive(Debug, Clone, Default)]
pub struct BaseConfig {
    base: ValidConfig,
    /// Table of the file that holds the configuration; none if the whole file does.
    file_table: Option<String>,
    /// Profile whose settings are changed; none if those outside of profiles are.
    profile: Option<String>,
}

impl BaseConfig {
    /// Starts from this configuration.
    pub fn new(base: ValidConfig) -> Self {
        Self { base, file_table: None, profile: None }
    }

    /// Names the table of the file that holds the configuration: `config` for keys like `[config.budget]`.
    #[must_use]
    pub fn under(mut self, table: &str) -> Self {
        self.file_table = Some(table.to_owned());
        self
    }

    /// Returns the configuration of one NPC: that of its profile, if one applies. Changed settings are then those
    /// of the profile.
    #[must_use]
    pub fn for_npc(&self, npc: &NpcId, tags: &[String]) -> Self {
        let profile = self.base.profile_for(npc, tags).map(|found| found.name.as_str().to_owned());
        Self { base: self.base.for_npc(npc, tags), file_table: self.file_table.clone(), profile }
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
        Ok(self.in_file(self.changed(other)?))
    }

    /// Returns the differences of an NPC's configuration as a new profile for it, as TOML; `None` if a profile
    /// applies to it already, nothing differs, or a key that differs is no profile's.
    ///
    /// # Errors
    /// [`DeskError::Toml`] if one of them cannot be written as TOML.
    pub fn as_profile(
        &self,
        npc: &NpcId,
        tags: &[String],
        other: &ValidConfig,
    ) -> Result<Option<String>, DeskError> {
        let own = self.for_npc(npc, tags);
        let mut profile = own.changed(other)?;
        let is_taken = |name: &String| self.base.profiles.contains_key(name);
        let Some(name) = profile_names(npc).find(|name| !is_taken(name)) else { return Ok(None) };
        if own.profile.is_some() || profile.is_empty() || !fits_profile(&profile) {
            return Ok(None);
        }
        profile.insert("npcs".to_owned(), Value::Array(vec![Value::String(npc.to_string())]));
        Ok(Some(self.in_file(inside("profiles", inside(&name, profile)))))
    }

    /// Returns this configuration with the differences of an NPC's one from `other`: they concern everybody who
    /// sleeps by the settings that differ.
    ///
    /// # Errors
    /// [`DeskError`] if the result is no valid configuration.
    pub fn with_changes_for(
        &self,
        npc: &NpcId,
        tags: &[String],
        other: &ValidConfig,
    ) -> Result<ValidConfig, DeskError> {
        let mut whole = table(&self.base)?;
        merge(&mut whole, self.for_npc(npc, tags).changed(other)?);
        let config: Config = whole.try_into().map_err(|source| DeskError::Changes(Box::new(source)))?;
        Ok(config.check()?)
    }

    /// The keys that differ in another configuration, in the profile if there is one. Keys that no profile may
    /// have stand outside of it.
    fn changed(&self, other: &ValidConfig) -> Result<Table, DeskError> {
        let (before, after) = (table(&self.base)?, table(other)?);
        let (mut shared, mut own) = (Table::new(), Table::new());
        for (section, value) in &after {
            let (Value::Table(keys), Some(Value::Table(old))) = (value, before.get(section)) else {
                continue;
            };
            for (key, new) in keys.iter().filter(|(key, new)| old.get(*key) != Some(new)) {
                let changed = inside(section, inside(key, new.clone()));
                let is_own = self.profile.is_some() && fits_profile(&changed);
                merge(if is_own { &mut own } else { &mut shared }, changed);
            }
        }
        if let Some(name) = self.profile.as_ref().filter(|_| !own.is_empty()) {
            merge(&mut shared, inside("profiles", inside(name, own)));
        }
        Ok(shared)
    }

    /// Writes tables of the configuration as the file has them.
    fn in_file(&self, tables: Table) -> String {
        match &self.file_table {
            Some(name) if !tables.is_empty() => inside(name, tables).to_string(),
            _ => tables.to_string(),
        }
    }
}

/// A table with one key.
fn inside(name: &str, value: impl Into<Value>) -> Table {
    Table::from_iter([(name.to_owned(), value.into())])
}

/// Adds tables to others; what both have is taken from the added ones.
fn merge(into: &mut Table, added: Table) {
    for (key, value) in added {
        match (into.get_mut(&key), value) {
            (Some(Value::Table(into)), Value::Table(added)) => merge(into, added),
            (_, value) => drop(into.insert(key, value)),
        }
    }
}

/// True if a profile may have these keys.
fn fits_profile(keys: &Table) -> bool {
    let mut profile = keys.clone();
    profile.insert("npcs".to_owned(), Value::Array(vec!["*".into()]));
    let profile = inside("profiles", inside("any", profile));
    profile.try_into::<Config>().is_ok_and(|config| !matches!(config.check(), Err(ConfigError::Profile(_))))
}

/// Names for the profile of an NPC: its own, in the letters that names of profiles have, and then numbered ones.
fn profile_names(npc: &NpcId) -> impl Iterator<Item = String> {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let own: String = npc.as_str().chars().map(letter).take(MAX_PROFILE_NAME_BYTES - 4).collect();
    let own = match own.trim_matches('-') {
        "" => "npc".to_owned(),
        own => own.to_owned(),
    };
    std::iter::once(own.clone()).chain((2..=MAX_PROFILES + 1).map(move |n| format!("{own}-{n}")))
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
    fn differences_for_one_npc_are_a_profile_that_is_read() {
        let base = BaseConfig::default().under("config");
        let mara = "Mara Thorne".parse().unwrap();
        let changed = base.with(&[("budget.storage".to_owned(), json!(0.2))].into()).unwrap();
        let toml = base.as_profile(&mara, &[], &changed).unwrap().unwrap();
        assert!(toml.contains("[config.profiles.mara-thorne]\nnpcs = [\"Mara Thorne\"]\n"), "{toml}");
        let file: Table = toml.parse().unwrap();
        let read: Config = file["config"].clone().try_into().unwrap();
        let read = read.check().unwrap();
        let storage = |npc| read.for_npc(npc, &[]).budget.storage;
        assert_eq!((storage(&mara), storage(&"Bran".parse().unwrap())), (0.2, 0.5));

        // What all NPCs of a run share is no profile's.
        let shared = base.with(&[("collapse.day".to_owned(), json!("false"))].into()).unwrap();
        assert_eq!(base.as_profile(&mara, &[], &shared).unwrap(), None);
        assert_eq!(base.as_profile(&mara, &[], base.config()).unwrap(), None);
    }

    #[test]
    fn changes_for_an_npc_concern_those_who_share_its_settings() {
        let base: Config =
            toml::from_str("[profiles.guard]\nnpcs = [\"Bran\"]\nbudget.storage = 0.3\n").unwrap();
        let base = BaseConfig::new(base.check().unwrap());
        let storage =
            |of: &str, config: &ValidConfig| config.for_npc(&of.parse().unwrap(), &[]).budget.storage;
        for (npc, bran, mara) in [("Bran", 0.2, 0.5), ("Mara", 0.3, 0.2)] {
            let npc = npc.parse().unwrap();
            let own = base.for_npc(&npc, &[]);
            let changed = own.with(&[("budget.storage".to_owned(), json!(0.2))].into()).unwrap();
            let whole = base.with_changes_for(&npc, &[], &changed).unwrap();
            assert_eq!((storage("Bran", &whole), storage("Mara", &whole)), (bran, mara));
        }
        // A key that no profile may have changes for all, and says so in the file.
        let bran = "Bran".parse().unwrap();
        let changed =
            base.for_npc(&bran, &[]).with(&[("collapse.day".to_owned(), json!("false"))].into()).unwrap();
        assert_eq!(base.for_npc(&bran, &[]).differences(&changed).unwrap(), "[collapse]\nday = false\n");
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
