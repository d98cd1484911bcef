//! The command line: its description with groups and examples, and its parsing.

use std::{env, ffi::OsString, path::Path};

use clap::{
    CommandFactory, Error, FromArgMatches,
    builder::StyledStr,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::{
    args::{Args, CommandExamples, GROUPS},
    show::hang,
    terminal::Terminal,
};

/// Environment variable that names the store of calls without `--store`.
const STORE_VARIABLE: &str = "NIGHTFOLD_STORE";

/// Advice for a call that needs a store and names none.
const NO_STORE: &str = "name the store with '--store FILE', or for every call in the environment variable \
                        NIGHTFOLD_STORE; 'nightfold sleep INPUT --store FILE --apply' makes one";

/// Most columns of a help text.
const MOST_COLUMNS: usize = 110;

/// Columns before the description of a command.
const NAME_COLUMNS: usize = 15;

/// Returns the description of the command line.
pub(crate) fn command() -> clap::Command {
    described(true)
}

/// Returns the description of the command line; with `default_store`, the environment names the store of calls
/// that do not.
fn described(default_store: bool) -> clap::Command {
    let command = Args::command().mut_subcommands(|command| completed(command, "", default_store));
    let template = template(&command);
    command.help_template(template)
}

/// Returns a command with its examples and its default store, and likewise those that belong to it.
fn completed(command: clap::Command, parents: &str, default_store: bool) -> clap::Command {
    let path = format!("{parents}{}", command.get_name());
    let known = GROUPS.iter().flat_map(|group| group.commands).find(|known| known.path == path);
    let command = match known {
        Some(known) => command.after_long_help(examples(known)),
        None => command,
    };
    let has_store = command.get_arguments().any(|argument| argument.get_id() == "store");
    let command = if has_store && default_store {
        command.mut_arg("store", |store| store.env(STORE_VARIABLE).hide_env_values(true))
    } else {
        command
    };
    let parents = format!("{path} ");
    command.mut_subcommands(|inner| completed(inner, &parents, default_store))
}

fn examples(command: &CommandExamples) -> StyledStr {
    let styles = clap::builder::Styles::styled();
    let header = styles.get_header();
    let lines: Vec<String> =
        command.examples.iter().map(|(what, line)| format!("  {what}:\n      {line}")).collect();
    let heading = if lines.len() == 1 { "Example:" } else { "Examples:" };
    format!("{header}{heading}{header:#}\n{}", lines.join("\n")).into()
}

/// Returns the layout of the program's help, with its commands by group.
fn template(command: &clap::Command) -> StyledStr {
    let styles = clap::builder::Styles::styled();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let width = Terminal::stdout().width.min(MOST_COLUMNS);
    let mut groups = String::new();
    for group in &GROUPS {
        groups.push_str(&format!("{header}{}:{header:#}\n", group.heading));
        for known in group.commands {
            let Some(found) = command.find_subcommand(known.path) else { continue };
            let about = found.get_about().map(ToString::to_string).unwrap_or_default();
            let lead = format!("  {literal}{:<1$}{literal:#}", known.path, NAME_COLUMNS - 2);
            groups.push_str(&hang(&lead, NAME_COLUMNS, &about, width));
        }
        groups.push('\n');
    }
    format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\
         {header}Options:{header:#}\n{{options}}{{after-help}}"
    )
    .into()
}

/// Reads the arguments of this process.
///
/// # Errors
/// The arguments are wrong, or ask for help or the version.
pub(crate) fn parse() -> Result<Args, Error> {
    let arguments: Vec<OsString> = env::args_os().collect();
    let default_store = default_store().is_some();
    // Without a name in it, the variable would be read as an empty path.
    let described_store = default_store || env::var_os(STORE_VARIABLE).is_none();
    let parsed = match parse_as(described(described_store), &arguments) {
        // A call about days or a folder names no store: the default one must not contradict it.
        Err(error) if default_store && error.kind() == ErrorKind::ArgumentConflict => {
            parse_as(described(false), &arguments).map_err(|_| error)
        }
        parsed => parsed,
    };
    parsed.map_err(with_advice)
}

fn parse_as(mut command: clap::Command, arguments: &[OsString]) -> Result<Args, Error> {
    let mut matches = command.try_get_matches_from_mut(arguments)?;
    Args::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Adds to the error of a missing store the ways to name one.
fn with_advice(mut error: Error) -> Error {
    let lacks_store = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(missing)) => missing.iter().any(|name| name.starts_with("--store")),
        Some(ContextValue::String(missing)) => missing.starts_with("--store"),
        _ => false,
    };
    if error.kind() == ErrorKind::MissingRequiredArgument && lacks_store {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![NO_STORE.into()]));
    }
    error
}

fn default_store() -> Option<OsString> {
    env::var_os(STORE_VARIABLE).filter(|store| !store.is_empty())
}

/// True if a store is the one that the environment names.
pub(crate) fn is_default_store(path: &Path) -> bool {
    default_store().is_some_and(|store| store == path.as_os_str())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn paths(command: &clap::Command, parents: &str, all: &mut BTreeSet<String>) {
        for inner in command.get_subcommands() {
            let path = format!("{parents}{}", inner.get_name());
            paths(inner, &format!("{path} "), all);
            all.insert(path);
        }
    }

    #[test]
    fn every_command_is_in_one_group_and_has_examples() {
        let mut there = BTreeSet::new();
        paths(&Args::command(), "", &mut there);
        let known: Vec<String> =
            GROUPS.iter().flat_map(|group| group.commands).map(|known| known.path.to_owned()).collect();
        assert_eq!(known.iter().cloned().collect::<BTreeSet<_>>(), there);
        assert_eq!(known.len(), there.len(), "a command is in two groups");
        assert!(GROUPS.iter().flat_map(|group| group.commands).all(|known| !known.examples.is_empty()));
    }

    #[test]
    fn every_example_is_a_valid_call_of_its_command() {
        for known in GROUPS.iter().flat_map(|group| group.commands) {
            for (_, line) in known.examples {
                assert!(line.starts_with(&format!("nightfold {}", known.path)), "{line}");
                let call = line.split(" > ").next().unwrap_or(line);
                // Quoted words are one argument.
                let words: Vec<OsString> = call
                    .split('"')
                    .enumerate()
                    .flat_map(|(n, part)| match n % 2 {
                        0 => part.split_whitespace().map(OsString::from).collect(),
                        _ => vec![OsString::from(part)],
                    })
                    .collect();
                let parsed = parse_as(described(false), &words);
                assert!(
                    parsed.is_ok(),
                    "{line}: {}",
                    parsed.err().map(|e| e.to_string()).unwrap_or_default()
                );
            }
        }
    }

    #[test]
    fn every_store_has_the_default_of_the_environment() {
        fn check(command: &clap::Command, stores: &mut usize) {
            for store in command.get_arguments().filter(|argument| argument.get_id() == "store") {
                assert_eq!(store.get_env(), Some(STORE_VARIABLE.as_ref()), "{}", command.get_name());
                *stores += 1;
            }
            command.get_subcommands().for_each(|inner| check(inner, stores));
        }
        let mut stores = 0;
        check(&command(), &mut stores);
        assert!(stores > 15, "{stores}");
    }

    #[test]
    fn command_line_is_consistent() {
        command().debug_assert();
    }
}
