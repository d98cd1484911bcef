//! `nightfold evaluate recurring`: measures the recognition of themes that recur.

use std::collections::BTreeMap;

use nightfold::memory::{NpcId, ValidConfig};
use nightfold_evaluate::{
    LabelledRows, data,
    suites::{Life, RecurringScore, ThemeGroup, found_groups, given_groups, recurring},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::sets::{MANY_TEXTS, wrong};
use crate::{
    args::{Common, ScenarioArgs},
    error::CliError,
    models::embedder,
    output,
    show::TextTable,
};

/// Labels of memories about nothing in particular.
const PASSED_OVER: &[&str] = &["idle", "status"];

/// Thresholds of the cosine that are tried.
const TRIED: [f64; 7] = [0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75];

/// Scores of one threshold.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ThresholdScore {
    /// Source of the groups: `given by people` or `found by nights`.
    groups: &'static str,
    /// Cosine from which a group continues a theme.
    same_from: f64,
    /// Score on days 2, 4, …, on which to choose.
    even: RecurringScore,
    /// Score on days 3, 5, …, on which to check.
    odd: RecurringScore,
}

pub(super) fn run(args: &ScenarioArgs, config: &ValidConfig, common: &Common) -> Result<(), CliError> {
    let labelled = data::scenario(&args.scenario)?;
    let embedder = embedder(common, config, MANY_TEXTS)?;
    let rows = LabelledRows::of_days(&labelled, &embedder)?;
    let mut of_npc: BTreeMap<&NpcId, Vec<&LabelledRows>> = BTreeMap::new();
    labelled.iter().zip(&rows).for_each(|(day, rows)| of_npc.entry(&day.npc).or_default().push(rows));
    let lives = |groups: &dyn Fn(&LabelledRows) -> Result<Vec<ThemeGroup>, CliError>| {
        let life = |days: &Vec<&'_ LabelledRows>| -> Result<Vec<Vec<ThemeGroup>>, CliError> {
            days.iter().map(|day| groups(day)).collect()
        };
        of_npc.values().map(life).collect::<Result<Vec<_>, _>>()
    };
    let given = lives(&|day| Ok(given_groups(day, PASSED_OVER)))?;
    let found = lives(&|day| found_groups(day, config).map_err(wrong))?;
    let mut tried = Vec::new();
    for (name, groups) in [("given by people", given), ("found by nights", found)] {
        let lives: Vec<Life<'_>> = of_npc
            .values()
            .zip(groups)
            .map(|(days, groups)| days.iter().copied().zip(groups).collect())
            .collect();
        tried.extend(TRIED.map(|same_from| ThresholdScore {
            groups: name,
            same_from,
            even: recurring(&lives, same_from, |place| place % 2 == 1),
            odd: recurring(&lives, same_from, |place| place > 0 && place % 2 == 0),
        }));
    }
    if args.json { output::json(&tried) } else { output::text(&render(&tried)) }
}

fn render(tried: &[ThresholdScore]) -> String {
    let mut out = String::from(
        "of themes that came before: how many are known again, or taken for another; of new ones: how many are taken for \
         an earlier one\n",
    );
    for groups in tried.chunk_by(|a, b| a.groups == b.groups) {
        let title = groups.first().map_or("", |t| t.groups);
        let mut table = TextTable::new([title, "even days", "", "", "odd days", "", ""]);
        table.row(
            ["least cosine", "again", "another", "mistaken", "again", "another", "mistaken"]
                .map(str::to_owned),
        );
        for t in groups {
            let share = |n: usize, of: usize| format!("{:.0} %", 100.0 * n as f64 / of.max(1) as f64);
            let cells = |s: RecurringScore| {
                [share(s.found, s.again), share(s.wrong, s.again), share(s.mistaken, s.new)]
            };
            let name = std::iter::once(format!("{:.2}", t.same_from));
            table.row(name.chain(cells(t.even)).chain(cells(t.odd)));
        }
        out.push_str(&table.render());
        if let Some(t) = groups.first() {
            let days = [t.even, t.odd].map(|s| format!("{} that came before and {} new", s.again, s.new));
            out.push_str(&format!(
                "at {:.2}: {} on even days, {} on odd ones\n",
                t.same_from, days[0], days[1]
            ));
        }
    }
    out
}
