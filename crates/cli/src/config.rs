//! The configuration: the file, then `--set`, then the flags that set a key.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use nightfold::memory::{Config, ConfigError, ValidConfig, config::ProfileError};
use nightfold_formats::{in_words, irregular_file::irregular_kind};
use nightfold_scenario::nearest;
use serde::Deserializer;
use toml::{Table, Value, de::DeTable};

use crate::{
    args::Common,
    error::{CliError, Exit},
};

const IN_THIS_FOLDER: &str = "nightfold.toml";
const WHERE_TO_LOOK: &str =
    "`nightfold generate config` prints every key with its meaning, default and range";

/// Error of loading the configuration.
#[derive(Debug, thiserror::Error)]
enum ConfigLoadError {
    #[error("the configuration {} is {kind}, not a file", path.display())]
    NotAFile { path: PathBuf, kind: &'static str },
    #[error("cannot read the configuration {}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("{}: {}{}", path.display(), lead(key.as_deref()), with_excerpt(problem))]
    File { path: PathBuf, key: Option<String>, problem: Box<toml::de::Error> },
    #[error("{}:{line}: {source}", path.display())]
    ValueInFile { path: PathBuf, line: usize, source: Box<ConfigError> },
    #[error("--set {0:?} is not of the form section.key=value")]
    Form(String),
    #[error("there is no key `{0}`")]
    Unknown(String),
    #[error("{}{}", lead(key.as_deref()), in_words(problem.message()))]
    Value { key: Option<String>, problem: Box<toml::de::Error> },
    #[error("--seed {0} is above {most}", most = i64::MAX)]
    Seed(u64),
    #[error(transparent)]
    Config(#[from] ConfigError),
}

/// Returns an error in a file with the lines that it is in.
fn with_excerpt(problem: &toml::de::Error) -> String {
    problem.to_string().replace(problem.message(), &in_words(problem.message()))
}

/// Beginning of an error about a key, if it is about one.
fn lead(key: Option<&str>) -> String {
    key.map_or_else(String::new, |key| format!("{key}: "))
}

impl From<ConfigLoadError> for CliError {
    fn from(error: ConfigLoadError) -> Self {
        let hint = match &error {
            ConfigLoadError::Open { .. } | ConfigLoadError::NotAFile { .. } => {
                "give the path of a TOML file".to_owned()
            }
            ConfigLoadError::Seed(_) => "give a smaller one".to_owned(),
            ConfigLoadError::Unknown(key) => hint_of_key(Some(key)),
            ConfigLoadError::File { key, .. } | ConfigLoadError::Value { key, .. } => {
                hint_of_key(key.as_deref())
            }
            ConfigLoadError::Config(error) => hint_of(error),
            ConfigLoadError::ValueInFile { source, .. } => hint_of(source),
            ConfigLoadError::Form(_) => hint_of_key(None),
        };
        Self::new(Exit::Usage, error).hint(hint)
    }
}

/// Returns where to look for keys, and the key that was probably meant by one that does not exist.
fn hint_of_key(key: Option<&str>) -> String {
    match key.and_then(similar) {
        Some(known) => format!("did you mean `{known}`? {WHERE_TO_LOOK}"),
        None => WHERE_TO_LOOK.to_owned(),
    }
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        ConfigLoadError::from(error).into()
    }
}

/// Returns what to do about a configuration that was read and is not right.
fn hint_of(error: &ConfigError) -> String {
    match error {
        ConfigError::Profile(ProfileError::UnknownParent { parent, known, .. }) => {
            match nearest(parent, known) {
                Some(known) => format!("did you mean `{known}`?"),
                None => "name one of these, or leave `inherits` out".to_owned(),
            }
        }
        ConfigError::Profile(ProfileError::Cycle { .. }) => {
            "leave `inherits` out in one of them: settings come from the last profile of the line".to_owned()
        }
        ConfigError::Profile(ProfileError::WholeRun { key, .. }) => {
            format!("set it outside of [profiles], as `{key}`, for all NPCs")
        }
        _ => WHERE_TO_LOOK.to_owned(),
    }
}

/// Returns the configuration of this call, checked.
pub(crate) fn load(common: &Common) -> Result<ValidConfig, CliError> {
    with(common, &Table::new())
}

/// Returns the configuration of this call with these settings, which override its file and are overridden by
/// its flags.
pub(crate) fn with(common: &Common, settings: &Table) -> Result<ValidConfig, CliError> {
    Ok(resolve(common, settings)?)
}

/// Returns the configuration file that is read, if there is one.
pub(crate) fn file(common: &Common) -> Option<&Path> {
    let in_this_folder = || Some(Path::new(IN_THIS_FOLDER)).filter(|path| path.is_file());
    common.config.as_deref().or_else(in_this_folder)
}

/// True if a `--set` of this call sets a key of a section.
pub(crate) fn is_set_by_flag(common: &Common, section: &str, key: &str) -> bool {
    common.set.iter().any(|setting| {
        let mut table = Table::new();
        set(&mut table, setting).is_ok()
            && table.get(section).is_some_and(|section| section.get(key).is_some())
    })
}

/// Overrides the keys of one table with those of another, section by section.
fn lay_over(below: &mut Table, above: &Table) {
    for (key, value) in above {
        match (below.get_mut(key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => lay_over(below, above),
            _ => {
                below.insert(key.clone(), value.clone());
            }
        }
    }
}

fn resolve(common: &Common, settings: &Table) -> Result<ValidConfig, ConfigLoadError> {
    let mut table = file(common).map_or_else(|| Ok(Table::new()), read)?;
    let mut above = settings.clone();
    for setting in &common.set {
        let mut of_flag = Table::new();
        set(&mut of_flag, setting)?;
        lay_over(&mut above, &of_flag);
    }
    if let Some(seed) = common.seed {
        let seed = i64::try_from(seed).map_err(|_| ConfigLoadError::Seed(seed))?;
        above.insert("seed".to_owned(), Value::Integer(seed));
    }
    lay_over(&mut table, &above);
    if let Some(key) = unknown(&table, &defaults(), "").or_else(|| unknown_in_profiles(&table)) {
        return Err(ConfigLoadError::Unknown(key));
    }
    let config =
        parse(Value::Table(table)).map_err(|(key, problem)| ConfigLoadError::Value { key, problem })?;
    config.check().map_err(|error| in_file(error, file(common), &above))
}

/// Returns the error of a value with its place in the configuration file, if it is from there and not from `above`.
fn in_file(error: ConfigError, file: Option<&Path>, above: &Table) -> ConfigLoadError {
    let key = error.key();
    let mut keys = key.split('.');
    let first = keys.next().and_then(|first| above.get(first));
    let is_above = keys.fold(first, |at, key| at.and_then(|at| at.get(key))).is_some();
    let line = file.filter(|_| !is_above).and_then(|path| Some((path, line_of(path, &key)?)));
    match line {
        Some((path, line)) => {
            ConfigLoadError::ValueInFile { path: path.to_owned(), line, source: Box::new(error) }
        }
        None => error.into(),
    }
}

/// Returns the number of the line of a TOML file in which a key stands, from 1.
fn line_of(path: &Path, key: &str) -> Option<usize> {
    let text = fs::read_to_string(path).ok()?;
    let table = DeTable::parse(&text).ok()?;
    let mut keys = key.split('.');
    let mut at = table.get_ref().get(keys.next()?)?;
    for key in keys {
        at = at.get_ref().get(key)?;
    }
    Some(text.get(..at.span().start)?.matches('\n').count() + 1)
}

fn read(path: &Path) -> Result<Table, ConfigLoadError> {
    if let Some(kind) = irregular_kind(path) {
        return Err(ConfigLoadError::NotAFile { path: path.to_owned(), kind });
    }
    let text =
        fs::read_to_string(path).map_err(|source| ConfigLoadError::Open { path: path.to_owned(), source })?;
    let wrong = |(key, problem)| ConfigLoadError::File { path: path.to_owned(), key, problem };
    // Read as the configuration first: only that way does an error point into the file.
    toml::Deserializer::parse(&text)
        .map_err(|problem| (None, Box::new(problem)))
        .and_then(parse)
        .map_err(wrong)?;
    toml::from_str(&text).map_err(|problem| wrong((None, Box::new(problem))))
}

fn parse<'de, D>(toml: D) -> Result<Config, (Option<String>, Box<toml::de::Error>)>
where
    D: Deserializer<'de, Error = toml::de::Error>,
{
    serde_path_to_error::deserialize(toml).map_err(|error| {
        let path = error.path().to_string();
        (Some(path).filter(|p| p != "." && !p.contains('?')), Box::new(error.into_inner()))
    })
}

fn defaults() -> Table {
    Table::try_from(Config::default()).unwrap_or_default()
}

/// Returns the keys that a profile may have, those among them that its check refuses.
fn profile_keys() -> Table {
    let mut keys = defaults();
    keys.insert("inherits".to_owned(), Value::String(String::new()));
    keys.extend(["npcs", "tags"].map(|list| (list.to_owned(), Value::Array(Vec::new()))));
    keys
}

/// Returns the first key of a profile that no profile has.
fn unknown_in_profiles(table: &Table) -> Option<String> {
    let (profiles, known) = (table.get("profiles")?.as_table()?, profile_keys());
    let of_profile = |(name, profile): (&String, &Value)| {
        unknown(profile.as_table()?, &known, &format!("profiles.{name}."))
    };
    profiles.iter().find_map(of_profile)
}

/// Returns the first key of `table` that a configuration does not have. The profiles are left out: their names
/// are the user's.
fn unknown(table: &Table, known: &Table, section: &str) -> Option<String> {
    table.iter().find_map(|(key, value)| {
        let path = format!("{section}{key}");
        match (value, known.get(key)) {
            _ if path == "profiles" => None,
            // A table that is empty by default takes any names: those of people and tags.
            (Value::Table(_), Some(Value::Table(known))) if known.is_empty() => None,
            (Value::Table(inner), Some(Value::Table(known))) => unknown(inner, known, &format!("{path}.")),
            (_, Some(_)) => None,
            // For an unknown section, its first key says more about what was meant.
            (Value::Table(inner), None) => {
                Some(inner.keys().next().map_or(path.clone(), |first| format!("{path}.{first}")))
            }
            (_, None) => Some(path),
        }
    })
}

/// Returns the existing key that an unknown one was probably meant for.
fn similar(unknown: &str) -> Option<String> {
    if let Some((profile, key)) = unknown.strip_prefix("profiles.").and_then(|rest| rest.split_once('.')) {
        return similar_among(key, profile_keys()).map(|known| format!("profiles.{profile}.{known}"));
    }
    similar_among(unknown, defaults())
}

/// Returns the key of a table of sections that an unknown one was probably meant for.
fn similar_among(unknown: &str, known: Table) -> Option<String> {
    let mut keys = Vec::new();
    for (section, value) in known {
        if let Value::Table(inner) = value {
            keys.extend(inner.keys().map(|key| format!("{section}.{key}")));
        }
        keys.push(section);
    }
    if keys.iter().any(|key| key == unknown) {
        return None;
    }
    let section_left_out = || keys.iter().find(|key| key.split_once('.').is_some_and(|(_, k)| k == unknown));
    nearest(unknown, &keys).or_else(section_left_out).cloned()
}

/// Sets `section.key=value`; the value is read as TOML, or as text if that fails.
fn set(table: &mut Table, setting: &str) -> Result<(), ConfigLoadError> {
    let usage = || ConfigLoadError::Form(setting.to_owned());
    let (path, value) = setting.split_once('=').ok_or_else(usage)?;
    let value = toml::from_str::<Table>(&format!("value = {value}"))
        .ok()
        .and_then(|mut t| t.remove("value"))
        .unwrap_or_else(|| Value::String(value.to_owned()));
    let mut keys: Vec<&str> = path.split('.').map(str::trim).collect();
    let last = keys.pop().filter(|k| !k.is_empty()).ok_or_else(usage)?;
    let mut at = table;
    for key in keys {
        at = at.entry(key).or_insert_with(|| Value::Table(Table::new())).as_table_mut().ok_or_else(usage)?;
    }
    at.insert(last.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_key_is_put_in_its_section() {
        let mut table = Table::new();
        set(&mut table, "triage.important=8").unwrap();
        set(&mut table, "cluster.algorithm=single").unwrap();
        let config: Config = table.try_into().unwrap();
        assert_eq!(config.triage.important, 8);
        assert_eq!(config.cluster.algorithm, nightfold::memory::config::ClusterAlgorithm::Single);
        assert!(set(&mut Table::new(), "storage").is_err());
    }

    #[test]
    fn key_set_by_flag_is_found_in_every_notation() {
        let found = |setting: &str| {
            let common = Common { set: vec!["seed=1".to_owned(), setting.to_owned()], ..Common::default() };
            is_set_by_flag(&common, "review", "approval")
        };
        assert!(found("review.approval=auto") && found("review={ approval = \"auto\" }"));
        assert!(!found("review.plan_hours=1") && !found("approval=auto"));
    }

    #[test]
    fn names_of_people_and_tags_are_no_unknown_keys() {
        let mut table = Table::new();
        set(&mut table, "salience.actors.Player=1.5").unwrap();
        set(&mut table, "salience.tags={ quest = 2, idle = -1 }").unwrap();
        assert_eq!(unknown(&table, &defaults(), ""), None);
        let config: Config = table.try_into().unwrap();
        assert!((config.salience.actors["Player"] - 1.5).abs() < 1e-12 && config.salience.tags.len() == 2);
    }

    #[test]
    fn unknown_key_is_named_with_its_section_and_the_nearest_one_suggested() {
        for (given, named, meant) in [
            ("budget.storge=0.4", "budget.storge", Some("budget.storage")),
            ("buget.storage=0.4", "buget.storage", Some("budget.storage")),
            ("sed=1", "sed", Some("seed")),
            ("storage=0.4", "storage", Some("budget.storage")),
            ("weather.rain=1", "weather.rain", None),
            (
                "profiles.guard.budget.storge=0.4",
                "profiles.guard.budget.storge",
                Some("profiles.guard.budget.storage"),
            ),
            ("profiles.guard.inherit=x", "profiles.guard.inherit", Some("profiles.guard.inherits")),
            ("profiles.guard.storage=1", "profiles.guard.storage", Some("profiles.guard.budget.storage")),
        ] {
            let mut table = Table::new();
            set(&mut table, given).unwrap();
            let key = unknown(&table, &defaults(), "").or_else(|| unknown_in_profiles(&table)).unwrap();
            assert_eq!((key.as_str(), similar(&key).as_deref()), (named, meant));
        }
        assert_eq!(unknown(&defaults(), &defaults(), ""), None);
    }
}
