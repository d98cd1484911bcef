//! From files to a scenario that holds together.

mod days;
mod expect;
mod lived;
mod nights;
mod script;
mod worded;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use nightfold_memory::{Day, MemoryId, NightLabel, NpcId, ValidConfig};

#[cfg(feature = "schema")]
pub(crate) use self::expect::KINDS;
pub use self::script::{SCENARIO_FILE, Script};

/// A story, its nights, and what is expected of them. Made by [`Script::stage`].
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The folder it was read from.
    pub folder: PathBuf,
    /// What it is called.
    pub title: String,
    /// What happens.
    pub story: String,
    /// What it teaches about nights.
    pub lesson: String,
    /// Everybody in it, and who that is.
    pub npcs: BTreeMap<NpcId, String>,
    /// At least one, in order of time.
    pub nights: Vec<Night>,
    /// After every so many nights upkeep is done.
    pub upkeep_every: Option<usize>,
    /// In the order of the file.
    pub expectations: Vec<Expectation>,
    /// The configuration that its nights were split with, and are slept with.
    pub config: ValidConfig,
}

impl Scenario {
    /// The name of its folder.
    pub fn name(&self) -> String {
        name_of(&self.folder)
    }
}

/// The name of a scenario's folder.
pub(crate) fn name_of(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    whole.file_name().map_or_else(|| folder.display().to_string(), |n| n.to_string_lossy().into_owned())
}

/// One night of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Night {
    /// What it is called.
    pub label: NightLabel,
    /// The day of everybody who sleeps.
    pub days: BTreeMap<NpcId, Day>,
}

/// One thing that is expected.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// What.
    pub expected: Expected,
    /// Of whom: of each of them. Nobody where it is about anybody, or about all together.
    pub npcs: Vec<NpcId>,
    /// After which night, as an index into [`Scenario::nights`].
    pub after: usize,
    /// Why, in its author's words.
    pub because: Option<String>,
    /// The line of `scenario.toml` where it stands, from 1.
    pub line: usize,
}

/// What can be expected. Of a memory it is always expected of the one NPC in [`Expectation::npcs`].
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// Its words stand whole in an active entry.
    Kept(MemoryId),
    /// Nothing active stands for it.
    Forgotten(MemoryId),
    /// An active synthesis tells it.
    Told(MemoryId),
    /// One active synthesis tells them all.
    ToldTogether(Vec<MemoryId>),
    /// It only confirmed an active entry.
    Known(MemoryId),
    /// The entry is active and was said again so often.
    Corroborated {
        /// The entry.
        id: MemoryId,
        /// How often, at least.
        times: u32,
    },
    /// The entry no longer holds.
    Superseded {
        /// The entry.
        id: MemoryId,
        /// The entry that took its place, if that is expected too.
        by: Option<MemoryId>,
    },
    /// The entry is active and contested, by this one if it says so.
    Contested {
        /// The entry.
        id: MemoryId,
        /// The other side.
        by: Option<MemoryId>,
    },
    /// It comes to mind, or does not.
    Recalled {
        /// The memory.
        id: MemoryId,
        /// What is asked.
        query: String,
        /// Among how many.
        top: usize,
        /// Whether it should.
        wanted: bool,
    },
    /// Some active entry mentions all of these words, or none does.
    Mentioned {
        /// In any case.
        words: Vec<String>,
        /// Whether only insights count.
        insight: bool,
        /// Whether one should.
        wanted: bool,
    },
    /// A theme with these words was met so often.
    Theme {
        /// In any case.
        words: Vec<String>,
        /// On how many nights, at least.
        nights: u32,
    },
    /// The share of different memories that is gone.
    Reduction(Within<f64>, OneNight),
    /// What is important stands whole.
    ImportantKept(OneNight),
    /// Each NPC's night costs less.
    TokensUnder(u64, OneNight),
    /// The number of active insights.
    Insights(Within<u64>),
    /// The number of active entries.
    ActiveEntries(Within<u64>),
}

/// A night alone, as an index into [`Scenario::nights`]; without one all nights so far.
pub type OneNight = Option<usize>;

/// A range whose ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Within<T> {
    /// The least.
    pub from: T,
    /// The most.
    pub to: T,
}

impl<T: PartialOrd> Within<T> {
    pub(crate) fn holds(&self, x: &T) -> bool {
        self.from <= *x && *x <= self.to
    }
}
