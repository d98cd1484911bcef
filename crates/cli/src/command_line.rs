//! The command line: its description with groups and examples, and its parsing.

use std::{env, ffi::OsString, path::Path};

use clap::{
    CommandFactory, Error, FromArgMatches,
    builder::StyledStr,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::{args::Args, show::wrap_hanging, terminal::Terminal};

/// Commands by group, in the order of the help: below the heading of a group the names of its commands, and below each its
/// examples.
const CATALOG: &str = include_str!("../data/commands.txt");

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
    let command = match examples(&path) {
        examples if examples.is_empty() => command,
        examples => command.after_long_help(with_heading("Examples", &examples)),
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

/// Returns the examples of a command, each with a line that says what it does.
fn examples(command: &str) -> String {
    let below = CATALOG.lines().skip_while(|line| line.strip_prefix("  ") != Some(command)).skip(1);
    let lines = below.map_while(|line| line.strip_prefix("  ").filter(|line| line.starts_with("  ")));
    lines.collect::<Vec<_>>().join("\n")
}

fn with_heading(heading: &str, text: &str) -> StyledStr {
    let styles = clap::builder::Styles::styled();
    let header = styles.get_header();
    format!("{header}{heading}:{header:#}\n{text}").into()
}

/// Returns the layout of the program's help, with its commands by group.
fn template(command: &clap::Command) -> StyledStr {
    let styles = clap::builder::Styles::styled();
    let literal = styles.get_literal();
    let width = Terminal::stdout().width.min(MOST_COLUMNS);
    let mut groups = String::new();
    for line in CATALOG.lines() {
        match line.strip_prefix("  ") {
            None if line.is_empty() => groups.push('\n'),
            None => groups.push_str(&with_heading(line, "").ansi().to_string()),
            Some(name) => {
                let Some(found) = command.find_subcommand(name) else { continue };
                let about = found.get_about().map(ToString::to_string).unwrap_or_default();
                let lead = format!("  {literal}{name:<0$}{literal:#}", NAME_COLUMNS - 2);
                groups.push_str(&wrap_hanging(&lead, NAME_COLUMNS, &about, width));
            }
        }
    }
    let options = with_heading("Options", "{options}{after-help}");
    format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\n{}",
        options.ansi()
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
    use super::*;

    /// Names of the commands of the catalog, each with its examples as calls.
    fn catalog() -> Vec<(&'static str, Vec<String>)> {
        let names =
            CATALOG.lines().filter_map(|line| line.strip_prefix("  ").filter(|name| !name.starts_with(' ')));
        let calls = |name| {
            examples(name).lines().filter_map(|line| line.strip_prefix("      ").map(str::to_owned)).collect()
        };
        names.map(|name| (name, calls(name))).collect()
    }

    #[test]
    fn every_command_is_in_one_group_and_has_examples() {
        let mut there: Vec<String> =
            Args::command().get_subcommands().map(|c| c.get_name().to_owned()).collect();
        let mut known: Vec<&str> = catalog().into_iter().map(|(name, _)| name).collect();
        there.sort();
        known.sort_unstable();
        assert_eq!(known, there);
        assert!(catalog().iter().all(|(_, calls)| !calls.is_empty()));
    }

    #[test]
    fn every_example_is_a_valid_call_of_its_command() {
        for (name, line) in
            catalog().into_iter().flat_map(|(name, calls)| calls.into_iter().map(move |call| (name, call)))
        {
            assert!(line.starts_with(&format!("nightfold {name}")), "{line}");
            let call = line.split(" > ").next().unwrap_or(&line);
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
            assert!(parsed.is_ok(), "{line}: {}", parsed.err().map(|e| e.to_string()).unwrap_or_default());
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
