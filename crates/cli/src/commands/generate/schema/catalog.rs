//! All JSON that leaves the program: the name of each output, and its type.

use nightfold::{
    consolidate::{
        Recalled,
        themes::{RecalledTheme, RelatedTheme},
    },
    memory::{MemoryRecord, NightPlan, SavePoint, ThemeHistory},
};
use nightfold_language::recorded;
use nightfold_scenario::ScenarioOutcome;
use nightfold_store::{StoreCheck, export_line_schema};
use schemars::JsonSchema as _;

use crate::{
    commands::{
        bench, cap, collapse, compare, erase, purge, replay, rewind, shards, show, sleep, stats, why,
    },
    logging::LogRecord,
    output_schema::{OutputSchema, SchemaMaker},
};

/// Outputs of commands, each by its name.
const OUTPUTS: &[(&str, SchemaMaker)] = &[
    ("plan", NightPlan::json_schema),
    ("worker", sleep::WorkerReport::json_schema),
    ("summary", sleep::SleepSummary::json_schema),
    ("show", show::ShowOutput::json_schema),
    ("list", Vec::<MemoryRecord>::json_schema),
    ("recall", Vec::<Recalled<'_>>::json_schema),
    ("why", why::WhyOutput::json_schema),
    ("recall-theme", Vec::<RecalledTheme<'_>>::json_schema),
    ("themes", Vec::<ThemeHistory>::json_schema),
    ("theme-graph", Vec::<RelatedTheme>::json_schema),
    ("save-points", Vec::<SavePoint>::json_schema),
    ("rewind", rewind::RewindOutput::json_schema),
    ("shards", Vec::<shards::RunView<'_>>::json_schema),
    ("collapse", collapse::CollapseOutput::json_schema),
    ("cap", cap::CapOutput::json_schema),
    ("purge", purge::PurgeOutput::json_schema),
    ("erase", erase::EraseOutput::json_schema),
    ("stats", stats::StatsOutput::json_schema),
    ("check", StoreCheck::json_schema),
    ("export-line", export_line_schema),
    ("entry-line", MemoryRecord::json_schema),
    ("compare", compare::Comparison::json_schema),
    ("bench", bench::BenchReport::json_schema),
    ("replay", Vec::<replay::ScenarioOutput<'_>>::json_schema),
    ("outcome", ScenarioOutcome::json_schema),
    #[cfg(feature = "serve")]
    ("serve", crate::commands::serve::Listening::json_schema),
    ("log-line", LogRecord::json_schema),
    ("record-line", recorded::record_line_schema),
];

/// Returns all outputs, in the order of the list.
pub(super) fn outputs() -> impl Iterator<Item = OutputSchema> {
    named().filter_map(|&(name, schema)| OutputSchema::described(name, schema))
}

fn named() -> impl Iterator<Item = &'static (&'static str, SchemaMaker)> {
    let commands = OUTPUTS.iter();
    #[cfg(feature = "mcp")]
    let commands = commands.chain(crate::mcp::SCHEMAS);
    commands
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Notes the names of all commands with `--json`.
    #[cfg(feature = "serve")]
    fn with_json(command: &clap::Command, parents: &str, names: &mut BTreeSet<String>) {
        for inner in command.get_subcommands() {
            let name = format!("{parents}{}", inner.get_name());
            if inner.get_arguments().any(|argument| argument.get_long() == Some("json")) {
                names.insert(name.clone());
            }
            with_json(inner, &format!("{name} "), names);
        }
    }

    // The help lists commands whose feature a build lacks, too.
    #[cfg(feature = "serve")]
    #[test]
    fn every_command_with_json_has_a_schema() {
        let mut commands = BTreeSet::new();
        with_json(&crate::command_line::command(), "", &mut commands);
        assert!(commands.len() > 15, "{commands:?}");
        let calls: Vec<&str> = outputs().flat_map(|output| output.calls).collect();
        let of = |command: &String| {
            calls.iter().any(|call| call.starts_with(&format!("{command} ")) && call.ends_with(" --json"))
        };
        let missing: Vec<&String> = commands.iter().filter(|command| !of(command)).collect();
        assert!(missing.is_empty(), "no schema is catalogued for {missing:?}");
    }

    #[test]
    fn every_output_is_described_and_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = outputs().map(|output| output.name).collect();
        assert_eq!((names.len(), outputs().count()), (named().count(), named().count()));
    }
}
