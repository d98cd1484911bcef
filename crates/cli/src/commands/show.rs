//! `nightfold show`: shows a saved plan as a diff.

use nightfold::{
    consolidate::review::{Extent, NightView},
    memory::{MemoryReader, NpcNight, RunReport},
};
use nightfold_report::Maps;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::{
    args::{Common, ShowArgs},
    error::CliError,
    files_in_use::FilesInUse,
    npcs::chosen,
    output::{self, NewFile},
    plan,
    report::{self, PageOptions},
    show::{
        Detail, DiffView, NightSequence, brief_totals, markdown, markdown_totals, nights, run_totals, text,
        wrapped,
    },
    store,
};

/// JSON output: the nights as diffs, and the report of the run.
#[derive(Serialize, JsonSchema)]
pub(super) struct ShowOutput<'a> {
    /// Nights laid out for review, in the order of the plan.
    #[schemars(with = "Vec<NightView<'_>>")]
    nights: Vec<Value>,
    /// Sums over all nights of the plan.
    report: &'a RunReport,
}

pub(crate) fn run(args: &ShowArgs, common: &Common, verbose: u8) -> Result<(), CliError> {
    let plan = plan::read(&args.plan)?;
    let npcs = chosen(&args.npc, plan.nights.iter().map(|n| n.npc.clone()).collect(), "the plan")?;
    let store = store::optional(args.store.as_deref()).map(store::read_only).transpose()?;
    let wanted: Vec<NpcNight> = plan.nights.iter().filter(|n| npcs.contains(&n.npc)).cloned().collect();
    if let Some(path) = &args.report {
        let in_use = FilesInUse::of(common).and([&args.plan]).and(args.store.as_ref());
        let store = store.as_deref().map(|store| store as &dyn MemoryReader);
        let options = PageOptions { opens: args.open, ..PageOptions::default() };
        report::write(NewFile::prepare(path, &in_use)?, &plan, &wanted, &Maps::new(), store, &options)?;
    }
    let store = store.as_deref().map(|store| store as &dyn MemoryReader);
    if args.json {
        let mut sequence = NightSequence::default();
        let nights = wanted.iter().map(|night| {
            Ok(sequence.night(night, store, Extent::All, |night| serde_json::to_value(night))??)
        });
        let nights = nights.collect::<Result<_, CliError>>()?;
        return output::json(&ShowOutput { nights, report: &plan.report });
    }
    let view = DiffView::of_nights(verbose);
    output::long_text(&if args.markdown {
        nights(&wanted, store, view, markdown)? + &markdown_totals(&run_totals(&plan.report))
    } else {
        let shown = nights(&wanted, store, view, text)?;
        let (more, totals) = if view.detail == Detail::Summary {
            (format!("{}\n", view.more), brief_totals(&plan.report))
        } else {
            (String::new(), run_totals(&plan.report))
        };
        shown + &more + &wrapped(&totals, view.terminal.width)
    })
}
