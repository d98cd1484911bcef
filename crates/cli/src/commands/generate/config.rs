//! `nightfold generate config`: prints the documented configuration or that of one NPC, or checks a file.

use std::path::Path;

use nightfold::memory::{
    Config, NpcId, ValidConfig,
    config::{MatchedBy, ProfileMatch},
};
use serde::Serialize;
use toml::{Table, Value};

use crate::{
    args::{Common, ConfigArgs},
    command_line::is_default_store,
    config,
    error::{CliError, Exit, message},
    output, store,
    terminal::clean,
};

pub(super) fn run(args: &ConfigArgs, common: &Common) -> Result<(), CliError> {
    let path = args.store.as_deref();
    let Some(npc) = &args.npc else {
        if path.is_some_and(|path| !is_default_store(path)) {
            let text = "--store is for the configuration of an NPC, whose tags it knows";
            return Err(message(Exit::Usage, text).hint("name the NPC with --npc NAME, or leave it out"));
        }
        return match &common.config {
            Some(file) => output::product(&checked(file, &config::load(common)?)?),
            None => output::product(Config::DEFAULT_FILE),
        };
    };
    let config = config::load(common)?;
    let tags = if args.npc_tags.is_empty() { stored_tags(path, npc)? } else { args.npc_tags.clone() };
    output::product(&render(&config, npc, &tags)?)
}

/// Returns that a configuration file is sound, with the keys in which this call's configuration differs from the defaults.
fn checked(file: &Path, config: &ValidConfig) -> Result<String, CliError> {
    let (ours, defaults) = (table(&**config)?, table(&Config::default())?);
    let mut lines = Vec::new();
    let mut note = |name: String, value: &Value, default: Option<&Value>| {
        if default != Some(value) {
            let default = default.map_or_else(String::new, |default| format!("  # default: {default}"));
            lines.push(format!("  {name} = {value}{default}\n"));
        }
    };
    for (key, value) in &ours {
        match (value.as_table(), defaults.get(key).and_then(Value::as_table)) {
            (Some(keys), Some(defaults)) if key != "profiles" => {
                keys.iter()
                    .for_each(|(inner, value)| note(format!("{key}.{inner}"), value, defaults.get(inner)));
            }
            _ => note(key.clone(), value, defaults.get(key)),
        }
    }
    let differ = match lines.len() {
        0 => "no key differs from its default".to_owned(),
        1 => "1 key differs from its default:".to_owned(),
        n => format!("{n} keys differ from their defaults:"),
    };
    let lines: String = lines.iter().map(|line| clean(line.trim_end()).into_owned() + "\n").collect();
    Ok(format!("{} is sound; {differ}\n{lines}", clean(&file.display().to_string())))
}

/// Returns the tags that an NPC had on its latest night in the store, if there is a store.
fn stored_tags(path: Option<&Path>, npc: &NpcId) -> Result<Vec<String>, CliError> {
    let Some(path) = store::optional(path) else { return Ok(Vec::new()) };
    let latest = store::read_only(path)?.latest_night(npc)?;
    Ok(latest.map(|night| night.npc_tags).unwrap_or_default())
}

/// Returns the configuration of an NPC as TOML. A comment behind each value that a profile changes names the
/// profile.
fn render(config: &ValidConfig, npc: &NpcId, tags: &[String]) -> Result<String, CliError> {
    let (base, own) = (table(&**config)?, table(&*config.for_npc(npc, tags))?);
    let found = config.profile_for(npc, tags);
    let line = match &found {
        Some(found) => config.lineage(found.name.as_str()).map_err(nightfold::memory::ConfigError::from)?,
        None => Vec::new(),
    };
    let line = line.into_iter().map(|(name, profile)| Ok((name, table(profile)?)));
    let line = line.collect::<Result<Vec<(&str, Table)>, CliError>>()?;
    let mut out = heading(config, npc, tags, found.as_ref(), &line);
    let comment = |section: &str, key: &str, value: &Value| {
        let before = base.get(section).and_then(|keys| keys.get(key));
        let (name, _) =
            line.iter().find(|(_, set)| set.get(section).is_some_and(|s| s.get(key).is_some()))?;
        before
            .filter(|before| *before != value)
            .map(|before| format!("  # profiles.{name}; {before} without"))
    };
    for (key, value) in own.iter().filter(|(_, value)| !value.is_table()) {
        out.push_str(&format!("{key} = {value}\n"));
    }
    for (section, keys) in own.iter().filter_map(|(section, keys)| Some((section, keys.as_table()?))) {
        if section == "profiles" {
            continue;
        }
        out.push_str(&format!("\n[{section}]\n"));
        for (key, value) in keys {
            let from = comment(section, key, value).unwrap_or_default();
            out.push_str(&format!("{key} = {value}{from}\n"));
        }
    }
    Ok(out)
}

/// Returns comment lines that say which profile applies, and why.
fn heading(
    config: &ValidConfig,
    npc: &NpcId,
    tags: &[String],
    found: Option<&ProfileMatch<'_>>,
    line: &[(&str, Table)],
) -> String {
    let tagged = if tags.is_empty() { String::new() } else { format!(" (tags: {})", tags.join(", ")) };
    let applies = match found {
        Some(ProfileMatch { name, by }) => {
            let by = match by {
                MatchedBy::Name => "its name".to_owned(),
                MatchedBy::Pattern(pattern) => format!("the pattern {pattern:?}"),
                MatchedBy::Tag(tag) => format!("the tag {tag:?}"),
            };
            let parents: Vec<&str> = line.iter().skip(1).map(|(name, _)| *name).collect();
            let inherits = match parents.as_slice() {
                [] => String::new(),
                parents => format!("; it inherits from {}", parents.join(", then ")),
            };
            format!("the profile {name} applies, by {by}{inherits}")
        }
        None if config.profiles.is_empty() => "no profile applies: there are none".to_owned(),
        None => {
            let names: Vec<&str> = config.profiles.keys().map(String::as_str).collect();
            format!("no profile applies; there are {}", names.join(", "))
        }
    };
    let first = clean(&format!("{npc}{tagged}: {applies}")).into_owned();
    let second = match found {
        Some(_) => {
            "# A comment behind a value names the profile that sets it, and the value of NPCs without a profile.\n"
        }
        None => "",
    };
    format!("# {first}\n{second}\n")
}

/// Returns a configuration, or the keys that a profile sets, by section.
fn table(keys: &impl Serialize) -> Result<Table, CliError> {
    Table::try_from(keys).map_err(|error| CliError::new(Exit::Usage, error))
}
