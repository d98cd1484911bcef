//! Expectations of a scenario that hold under some settings and not under others.

use nightfold_scenario::{CheckedExpectation, SCENARIO_FILE};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    show::{count, wrap_hanging},
    terminal::Terminal,
};

/// An expectation whose result depends on the setting.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FlippedExpectation {
    /// Line in `scenario.toml`, from 1.
    line: usize,
    /// Expectation as a sentence.
    expected: String,
    /// True for each setting, in their order, under which it holds.
    holds: Vec<bool>,
    /// State that was found under each setting.
    found: Vec<String>,
}

/// Returns the expectations whose result differs between settings; `checks` are those under each setting, in the
/// same order.
pub(super) fn flipped(checks: &[Vec<CheckedExpectation>]) -> Vec<FlippedExpectation> {
    let of_first = checks.first().map_or(&[][..], Vec::as_slice);
    let under = |at: usize| checks.iter().filter_map(move |checks| checks.get(at));
    let compared = of_first.iter().enumerate().map(|(at, check)| FlippedExpectation {
        line: check.line,
        expected: check.expected.clone(),
        holds: under(at).map(|check| check.holds).collect(),
        found: under(at).map(|check| check.found.clone()).collect(),
    });
    compared.filter(|check| check.holds.iter().any(|holds| *holds != check.holds[0])).collect()
}

/// Returns the expectations as text; nothing without any.
pub(super) fn listed(flipped: &[FlippedExpectation], settings: &[&str]) -> String {
    if flipped.is_empty() {
        return String::new();
    }
    let width = Terminal::stdout().width;
    let mut out =
        format!("{} on the setting:\n", count(flipped.len(), "expectation depends", "expectations depend"));
    for check in flipped {
        let about = format!("{}  [{SCENARIO_FILE}:{}]", check.expected, check.line);
        out.push_str(&wrap_hanging("  ", 2, &about, width));
        let named = |holds: bool| {
            let under = check.holds.iter().zip(settings).filter(move |(held, _)| **held == holds);
            under.map(|(_, setting)| *setting).collect::<Vec<_>>().join(", ")
        };
        out.push_str(&wrap_hanging("    + ", 6, &format!("holds under {}", named(true)), width));
        let found = check.holds.iter().zip(&check.found).find(|(holds, _)| !**holds);
        let found = found.map_or("", |(_, found)| found.as_str());
        out.push_str(&wrap_hanging("    - ", 6, &format!("does not under {}: {found}", named(false)), width));
    }
    out
}
