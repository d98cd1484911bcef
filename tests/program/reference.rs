//! The book's page of commands, which consists of what the program prints.

use std::{collections::BTreeSet, fmt::Write as _, fs};

use crate::support::{Desk, root};

const PAGE: &str = "docs/src/reference/commands.md";

const INTRODUCTION: &str = "# Commands

<!-- Generated: `NIGHTFOLD_ACCEPT=1 cargo test -p nightfold-tests --test program reference` writes it anew. -->

Every command with what `nightfold COMMAND --help` prints. [Exit codes](exit-codes.md) and [JSON shapes](json.md)
have pages of their own. Options that every command takes are listed once, here:
";

fn help(desk: &Desk, command: &str) -> String {
    let help = desk.run_with(&format!("{command} --help"), &[("COLUMNS", "96")]).ok();
    help.replace("nightfold-under-test", "nightfold")
}

/// Returns the options that a line of help begins to describe, such as `--seed`.
fn option(line: &str) -> Option<&str> {
    let flags = line.strip_prefix("  ")?.trim_start();
    let long = flags.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| rest.get(3..));
    let long = long.unwrap_or(flags);
    let indent = line.len() - line.trim_start().len();
    (indent <= 6 && long.starts_with("--")).then(|| long.split([' ', '.', '=']).next().unwrap_or(long))
}

/// Returns a command's help without the options in `common`, and without a heading that is left without options.
fn without_options(help: &str, common: &[&str]) -> String {
    let (mut out, mut skips) = (String::new(), false);
    for line in help.lines() {
        match option(line) {
            Some(name) => skips = common.contains(&name),
            None if !line.starts_with(' ') && !line.is_empty() => skips = false,
            None => {}
        }
        let doubled = line.is_empty() && out.ends_with("\n\n");
        if !skips && !doubled {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.trim_end().trim_end_matches("Options:").trim_end().to_owned()
}

/// Returns the groups of commands that a help lists, each with its heading.
fn command_groups(help: &str) -> Vec<(&str, Vec<&str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in help.lines().skip_while(|line| !line.starts_with("Usage:")) {
        if let Some(heading) = line.strip_suffix(':').filter(|heading| !heading.starts_with(' ')) {
            groups.push((heading, Vec::new()));
        } else if let (Some((_, commands)), Some(name)) = (groups.last_mut(), line.strip_prefix("  ")) {
            let name = name.split(' ').next().unwrap_or_default();
            commands.extend((!name.is_empty() && !name.starts_with('-') && name != "help").then_some(name));
        }
    }
    groups.retain(|(heading, commands)| {
        !commands.is_empty() && !matches!(*heading, "Options" | "Arguments" | "Examples")
    });
    groups
}

/// Returns the commands whose help has an option, such as `--json`.
pub(crate) fn commands_with(desk: &Desk, name: &str) -> BTreeSet<String> {
    let mut commands = BTreeSet::new();
    for command in command_groups(&help(desk, "")).iter().flat_map(|(_, commands)| commands) {
        let own = help(desk, command);
        let parts = command_groups(&own);
        let parts = parts.iter().filter(|(heading, _)| *heading == "Commands").flat_map(|(_, parts)| parts);
        let all = std::iter::once((*command).to_owned()).chain(parts.map(|part| format!("{command} {part}")));
        commands
            .extend(all.filter(|command| help(desk, command).lines().any(|line| option(line) == Some(name))));
    }
    commands
}

fn page(desk: &Desk) -> String {
    let top = help(desk, "");
    let options = top.get(top.find("Options:").expect("options")..).expect("a text").trim_end();
    let common: Vec<&str> = options.lines().filter_map(option).collect();
    let mut page = format!("{INTRODUCTION}\n```text\n{options}\n```\n");
    let section = |page: &mut String, level: &str, command: &str, help: &str| {
        let own = without_options(help, &common);
        write!(page, "\n{level} `{command}`\n\n```text\n{own}\n```\n").expect("a string takes all");
    };
    for (heading, commands) in command_groups(&top) {
        write!(page, "\n## {heading}\n").expect("a string takes all");
        for command in commands {
            let own = help(desk, command);
            section(&mut page, "###", command, &own);
            for (_, parts) in command_groups(&own).iter().filter(|(heading, _)| *heading == "Commands") {
                for part in parts {
                    let name = format!("{command} {part}");
                    section(&mut page, "####", &name, &help(desk, &name));
                }
            }
        }
    }
    page
}

#[test]
fn page_of_commands_is_what_the_program_prints() {
    let fresh = page(&Desk::new());
    assert!(fresh.contains("### `sleep`") && fresh.contains("#### `models fetch`"), "{fresh}");
    let kept = root().join(PAGE);
    if std::env::var_os("NIGHTFOLD_ACCEPT").is_some() {
        fs::write(&kept, &fresh).expect("written");
    }
    let same = fs::read_to_string(&kept).is_ok_and(|kept| kept == fresh);
    assert!(same, "{PAGE} is stale; NIGHTFOLD_ACCEPT=1 writes it anew: look at the difference then");
}
