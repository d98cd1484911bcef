//! Defaults of all settings, as the documented file states them.

use std::sync::LazyLock;

use serde::de::DeserializeOwned;
use toml::Table;

/// Every key with its default, its meaning and its range.
pub(super) const FILE: &str = include_str!("default.toml");

static TABLE: LazyLock<Table> = LazyLock::new(|| FILE.parse().expect("the default file is TOML"));

/// Returns the defaults of a section, or of the whole configuration.
pub(super) fn of<T: DeserializeOwned>(section: Option<&str>) -> T {
    let table = section.map_or(&*TABLE, |section| TABLE[section].as_table().expect("a section is a table"));
    table.clone().try_into().expect("the default file holds every key with a value")
}
