//! Stories that are replayed: what NPCs live through night after night, and what their author expects to be left of it.
//!
//! A scenario is a folder with a `scenario.toml`, days as JSONL, and the outcome its author accepted. [`Script::read`] reads
//! the first, [`Script::stage`] the days, and holds both to each other; every mistake is named with file, line and place.
//! [`Replay`] lives through it in a store that is thrown away, and says what became of each expectation and why.

mod changes;
mod check;
mod compared;
mod format;
mod mistake;
mod nearest;
mod outcome;
mod read;
mod run;
#[cfg(feature = "schema")]
pub mod schema;
mod story;
mod words;

pub use changes::{Difference, differences};
pub use check::Checked;
pub use mistake::{Mistake, Mistakes};
pub use nearest::nearest;
pub use outcome::{OUTCOME_FILE, Outcome};
pub use read::{Expectation, Expected, Night, OneNight, SCENARIO_FILE, Scenario, Script, Within};
pub use run::{Replay, Replayed};
