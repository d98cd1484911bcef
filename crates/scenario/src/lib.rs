//! Replay of scenarios: memories that NPCs form night after night, and their author's expectations of the
//! result.
//!
//! A scenario is a folder with a `scenario.toml`, days as JSONL, and the outcome accepted by its author.
//! [`Script::read`] reads the first, [`Script::stage`] reads the days and checks both against each other;
//! every diagnostic names file, line and column. [`Replay`] runs the nights in a temporary store and reports
//! the result of each expectation with its reasons. [`synthetic`] draws days from a seed, for measuring speed.

mod check;
mod comparisons;
mod diagnostic;
mod differences;
mod format;
mod history;
mod nearest;
mod outcome;
mod read;
mod reasons;
mod run;
mod scenario;
#[cfg(feature = "schema")]
pub mod schema;
pub mod synthetic;
mod written;

pub use check::CheckedExpectation;
pub use diagnostic::{Diagnostic, Diagnostics};
pub use differences::{OutcomeDifference, differences};
pub use nearest::{is_slip, nearest};
pub use outcome::{OUTCOME_FILE, ScenarioOutcome};
pub use read::{SCENARIO_FILE, Script};
pub use run::{Replay, Replayed};
pub use scenario::{Bounds, Expectation, Expected, ExpectedFate, NightFilter, Scenario, ScenarioNight};
pub use written::expected_fate;
