//! The configuration: file, then `--set`, then the flags that stand for a key.

use std::{fs, path::Path};

use nightfold::memory::{Config, ValidConfig};
use toml::{Table, Value};

use crate::{
    args::Common,
    error::{CliError, Exit, message},
};

const IN_THIS_FOLDER: &str = "nightfold.toml";
const WHERE_TO_LOOK: &str =
    "every key, with its default and range, stands in the README under \"Configuration\"";

/// The configuration of this call, checked.
pub(crate) fn load(common: &Common) -> Result<ValidConfig, CliError> {
    let mut table = match &common.config {
        Some(path) => read(path)?,
        None if Path::new(IN_THIS_FOLDER).is_file() => read(Path::new(IN_THIS_FOLDER))?,
        None => Table::new(),
    };
    for setting in &common.set {
        set(&mut table, setting)?;
    }
    if let Some(seed) = common.seed {
        let seed = i64::try_from(seed)
            .map_err(|_| message(Exit::Usage, format!("--seed {seed} is above {}", i64::MAX)))?;
        table.insert("seed".to_owned(), Value::Integer(seed));
    }
    let config: Config = table.try_into().map_err(|e: toml::de::Error| {
        message(Exit::Usage, format!("the configuration: {}", e.message())).hint(WHERE_TO_LOOK)
    })?;
    config.check().map_err(|e| CliError::new(Exit::Usage, e).hint(WHERE_TO_LOOK))
}

fn read(path: &Path) -> Result<Table, CliError> {
    let text = fs::read_to_string(path).map_err(|e| {
        message(Exit::Usage, format!("cannot read the configuration {}: {e}", path.display()))
    })?;
    // Read as the configuration first: only that way does an error point into the file.
    let error =
        |e: &toml::de::Error| message(Exit::Usage, format!("{}: {e}", path.display())).hint(WHERE_TO_LOOK);
    toml::from_str::<Config>(&text).map_err(|e| error(&e))?;
    toml::from_str(&text).map_err(|e| error(&e))
}

/// Puts `section.key=value` in its place; the value is read as TOML, or as text where that fails.
fn set(table: &mut Table, setting: &str) -> Result<(), CliError> {
    let usage = || message(Exit::Usage, format!("--set {setting:?} is not of the form section.key=value"));
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
    fn a_set_key_lands_in_its_section() {
        let mut table = Table::new();
        set(&mut table, "triage.important=8").unwrap();
        set(&mut table, "cluster.algorithm=single").unwrap();
        let config: Config = table.try_into().unwrap();
        assert_eq!(config.triage.important, 8);
        assert_eq!(config.cluster.algorithm, nightfold::memory::ClusterAlgorithm::Single);
        assert!(set(&mut Table::new(), "storage").is_err());
    }
}
