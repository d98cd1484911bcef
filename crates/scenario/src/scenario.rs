//! A scenario as it was read: nights, and expectations about them.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use nightfold_memory::{Day, MemoryId, NightLabel, NpcId, ValidConfig};

/// A scenario with its nights and expectations. Created by [`Script::stage`](crate::Script::stage).
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Folder from which it was read.
    pub folder: PathBuf,
    /// Files from which it was read: its `scenario.toml` and its days.
    pub files: Vec<PathBuf>,
    /// Title.
    pub title: String,
    /// Summary of the events.
    pub story: String,
    /// Lesson about nights that it teaches.
    pub lesson: String,
    /// NPCs, each with a short description.
    pub npcs: BTreeMap<NpcId, String>,
    /// Nights in order of time; at least one.
    pub nights: Vec<ScenarioNight>,
    /// Interval in nights at which maintenance is run; `None` for never.
    pub upkeep_every: Option<usize>,
    /// Expectations in the order of the file.
    pub expectations: Vec<Expectation>,
    /// Configuration with which its nights are split and run.
    pub config: ValidConfig,
}

impl Scenario {
    /// Returns the name of its folder.
    pub fn name(&self) -> String {
        name_of(&self.folder)
    }
}

/// Returns the name of a scenario's folder.
pub(crate) fn name_of(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    whole.file_name().map_or_else(|| folder.display().to_string(), |n| n.to_string_lossy().into_owned())
}

/// One night of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioNight {
    /// Label of the night.
    pub label: NightLabel,
    /// Days of the NPCs that sleep.
    pub days: BTreeMap<NpcId, Day>,
}

/// One expectation.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// Expected fact.
    pub expected: Expected,
    /// NPCs concerned, each by itself; empty if it is about any NPC or about all together.
    pub npcs: Vec<NpcId>,
    /// Night after which it is checked, as an index into [`Scenario::nights`].
    pub after: usize,
    /// Reason given by the author.
    pub because: Option<String>,
    /// Line in `scenario.toml`, from 1.
    pub line: usize,
}

/// Kinds of expectations. One about a memory is about the single NPC in [`Expectation::npcs`].
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// Fate of one memory or entry.
    Memory {
        /// The memory or entry.
        id: MemoryId,
        /// Its expected fate.
        fate: ExpectedFate,
    },
    /// An active entry mentions all of these words, or none does.
    Mentioned {
        /// Words, in any case.
        words: Vec<String>,
        /// True if only reflections count.
        insight: bool,
        /// True if an entry should mention them.
        wanted: bool,
    },
    /// A theme with these words was seen on a number of nights.
    Theme {
        /// Words, in any case.
        words: Vec<String>,
        /// Least number of nights.
        nights: u32,
    },
    /// Range of the share of distinct memories that is removed.
    Reduction(Bounds<f64>, NightFilter),
    /// All important memories stand whole.
    ImportantKept(NightFilter),
    /// Upper limit of the tokens of each NPC's night.
    TokensUnder(u64, NightFilter),
    /// Range of the number of active reflections.
    Insights(Bounds<u64>),
    /// Range of the number of active entries.
    ActiveEntries(Bounds<u64>),
}

/// Expected fate of a memory or entry.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpectedFate {
    /// Its text stands whole in an active entry.
    Kept,
    /// No active entry carries it.
    Forgotten,
    /// It is part of an active synthesis, together with other memories if any are named.
    Told {
        /// Other memories of the synthesis.
        with: Vec<MemoryId>,
    },
    /// It only corroborated an active entry.
    Known,
    /// It, or what stands for it, is active and was corroborated a number of times.
    Corroborated {
        /// Least number of corroborations.
        times: u32,
    },
    /// It was superseded.
    Superseded {
        /// Entry that superseded it, if that is expected too.
        by: Option<MemoryId>,
    },
    /// It is active and contested, by a given entry if one is named.
    Contested {
        /// Other side of the contradiction.
        by: Option<MemoryId>,
    },
    /// It is recalled, or is not.
    Recalled {
        /// Question.
        query: String,
        /// Number of first entries considered.
        top: usize,
        /// True if it should be recalled.
        wanted: bool,
    },
}

impl Expected {
    /// Returns the memories and entries that are named, the one concerned first.
    pub(crate) fn ids(&self) -> Vec<&MemoryId> {
        let Self::Memory { id, fate } = self else { return Vec::new() };
        let others = match fate {
            ExpectedFate::Told { with } => with.as_slice(),
            ExpectedFate::Superseded { by } | ExpectedFate::Contested { by } => by.as_slice(),
            _ => &[],
        };
        std::iter::once(id).chain(others).collect()
    }
}

/// A single night, as an index into [`Scenario::nights`]; `None` for all nights so far.
pub type NightFilter = Option<usize>;

/// Range with both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds<T> {
    /// Lower end.
    pub from: T,
    /// Upper end.
    pub to: T,
}

impl<T: PartialOrd> Bounds<T> {
    pub(crate) fn holds(&self, x: &T) -> bool {
        self.from <= *x && *x <= self.to
    }
}
