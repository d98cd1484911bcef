//! All JSON that leaves the program: the name of each output, the calls that make it, and its type.

use nightfold::{
    consolidate::Recalled,
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
    output_schema::OutputSchema,
};

/// Outputs of commands.
const OUTPUTS: &[OutputSchema] = &[
    OutputSchema {
        name: "plan",
        title: "A plan: the nights of NPCs, or maintenance, with every change and its reason",
        calls: &[
            "sleep --json",
            "sleep --plan FILE",
            "maintain --json",
            "maintain --plan FILE",
            "cap --store FILE --json",
            "cap --store FILE --plan FILE",
            "collapse --store FILE --plan FILE",
            "restore --json",
            "restore --plan FILE",
            "settle --json",
            "settle --plan FILE",
        ],
        schema: NightPlan::json_schema,
    },
    OutputSchema {
        name: "worker",
        title: "Work of a worker that shared a run",
        calls: &["sleep PACK --store postgres://… --apply --json"],
        schema: sleep::WorkerReport::json_schema,
    },
    OutputSchema {
        name: "summary",
        title: "Figures of a call of sleep",
        calls: &["sleep --summary-json FILE"],
        schema: sleep::SleepSummary::json_schema,
    },
    OutputSchema {
        name: "show",
        title: "A plan laid out for review",
        calls: &["show --json"],
        schema: show::ShowOutput::json_schema,
    },
    OutputSchema {
        name: "list",
        title: "Entries of long-term memory",
        calls: &["list --json"],
        schema: Vec::<MemoryRecord>::json_schema,
    },
    OutputSchema {
        name: "recall",
        title: "Entries that a query recalls, best first",
        calls: &["recall --json"],
        schema: Vec::<Recalled<'_>>::json_schema,
    },
    OutputSchema {
        name: "why",
        title: "An entry with its log, its sources, and the entries derived from it",
        calls: &["why --json"],
        schema: why::WhyOutput::json_schema,
    },
    OutputSchema {
        name: "themes",
        title: "Themes of an NPC, the last seen first",
        calls: &["themes --json"],
        schema: Vec::<ThemeHistory>::json_schema,
    },
    OutputSchema {
        name: "save-points",
        title: "Save points of a store",
        calls: &["rewind --json", "rewind --save NAME --json", "rewind --forget NAME --json"],
        schema: Vec::<SavePoint>::json_schema,
    },
    OutputSchema {
        name: "rewind",
        title: "Effect of a rewind",
        calls: &["rewind --to NAME --json"],
        schema: rewind::RewindOutput::json_schema,
    },
    OutputSchema {
        name: "shards",
        title: "Runs that workers share, the latest first",
        calls: &["shards show --json"],
        schema: Vec::<shards::RunView<'_>>::json_schema,
    },
    OutputSchema {
        name: "collapse",
        title: "Status lines that repeat with new numbers",
        calls: &["collapse --json"],
        schema: collapse::CollapseOutput::json_schema,
    },
    OutputSchema {
        name: "cap",
        title: "Files of a folder over the cap",
        calls: &["cap FOLDER --json"],
        schema: cap::CapOutput::json_schema,
    },
    OutputSchema {
        name: "purge",
        title: "Entries that are deleted for good",
        calls: &["purge --json", "sleep --then purge --json"],
        schema: purge::PurgeOutput::json_schema,
    },
    OutputSchema {
        name: "erase",
        title: "Erasure of a person",
        calls: &["erase --json"],
        schema: erase::EraseOutput::json_schema,
    },
    OutputSchema {
        name: "stats",
        title: "Figures of a store",
        calls: &["stats --json"],
        schema: stats::StatsOutput::json_schema,
    },
    OutputSchema {
        name: "check",
        title: "Damage in a store",
        calls: &["check --json"],
        schema: StoreCheck::json_schema,
    },
    OutputSchema {
        name: "export-line",
        title: "A line of an exported store",
        calls: &["export --to FILE.jsonl"],
        schema: export_line_schema,
    },
    OutputSchema {
        name: "entry-line",
        title: "A line of exported entries",
        calls: &["export --entries --to FILE.jsonl"],
        schema: MemoryRecord::json_schema,
    },
    OutputSchema {
        name: "compare",
        title: "The same nights under several settings",
        calls: &["compare --json"],
        schema: Vec::<compare::CompareRow>::json_schema,
    },
    OutputSchema {
        name: "bench",
        title: "Speed of nights",
        calls: &["bench --json"],
        schema: bench::BenchReport::json_schema,
    },
    OutputSchema {
        name: "replay",
        title: "Results of scenarios",
        calls: &["replay --json"],
        schema: Vec::<replay::ScenarioOutput<'_>>::json_schema,
    },
    OutputSchema {
        name: "outcome",
        title: "Accepted outcome of a scenario",
        calls: &["replay --update"],
        schema: ScenarioOutcome::json_schema,
    },
    #[cfg(feature = "serve")]
    OutputSchema {
        name: "serve",
        title: "Address of a server, and the token that was made for it",
        calls: &["serve --json"],
        schema: crate::commands::serve::Listening::json_schema,
    },
    OutputSchema {
        name: "log-line",
        title: "A line of standard error",
        calls: &["--log-format json"],
        schema: LogRecord::json_schema,
    },
    OutputSchema {
        name: "record-line",
        title: "A line of recorded answers",
        calls: &["sleep --record FILE", "maintain --record FILE"],
        schema: recorded::record_line_schema,
    },
];

/// Returns all outputs, in the order of the list.
pub(super) fn outputs() -> impl Iterator<Item = &'static OutputSchema> {
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
        let calls: Vec<&str> = outputs().flat_map(|output| output.calls).copied().collect();
        let of = |command: &String| {
            calls.iter().any(|call| call.starts_with(&format!("{command} ")) && call.ends_with(" --json"))
        };
        let missing: Vec<&String> = commands.iter().filter(|command| !of(command)).collect();
        assert!(missing.is_empty(), "no schema is catalogued for {missing:?}");
    }

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = outputs().map(|output| output.name).collect();
        assert_eq!(names.len(), outputs().count());
    }
}
