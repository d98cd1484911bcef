//! Reads the days to consolidate from the files that a user names.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use nightfold::{
    BoxError, Days, days, days_by_night,
    memory::{GameTime, Memory, ValidConfig},
    waits,
};
use nightfold_formats::grouped::{NpcGroups, NpcSorter, SpillError};

use crate::{
    args::{Common, DaysArgs},
    confusables::ConfusableNames,
    error::{CliError, Exit, message},
    input::MemoryReading,
    npcs::chosen,
    progress::ReadBar,
    show::{count, noun},
};

/// Memories of NPCs by day; at most `input.held_bytes` of them are held in memory.
pub(crate) struct InputDays {
    npcs: NpcGroups,
    by_day: bool,
    until: Option<GameTime>,
    /// Number of memories to consolidate.
    pub(crate) memories: usize,
    /// Line about the memories that wait for another night.
    pub(crate) left_for_later: Option<String>,
    /// Names of the NPCs; those that look alike were warned of.
    pub(crate) names: ConfusableNames,
    /// Files with a skipped line.
    pub(crate) damaged: Vec<PathBuf>,
}

impl InputDays {
    pub(crate) fn read(args: &DaysArgs, config: &ValidConfig, common: &Common) -> Result<Self, CliError> {
        let reading = MemoryReading::new(&args.memories, config, common);
        let (mut builder, bar) = (DayBuilder::new(args.until, config), ReadBar::new());
        let (mut names, mut alike) = (BTreeSet::new(), ConfusableNames::default());
        let damaged = reading.each(&args.memories.inputs, args.shard, &mut |memory| {
            bar.read();
            alike.add(&memory.npc);
            if !args.npc.is_empty() {
                if !names.contains(&memory.npc) {
                    names.insert(memory.npc.clone());
                }
                if !args.npc.contains(&memory.npc) {
                    return Ok(());
                }
            }
            Ok(builder.take(memory)?)
        })?;
        drop(bar);
        chosen(&args.npc, names, "the input")?;
        alike.warn();
        Ok(Self { names: alike, damaged, ..builder.finish(args.by_day)? })
    }

    /// True if a file holds a memory of this kind.
    pub(crate) fn has_any(
        path: &Path,
        args: &DaysArgs,
        config: &ValidConfig,
        common: &Common,
        is_wanted: impl Fn(&Memory) -> bool,
    ) -> Result<bool, CliError> {
        let mut found = false;
        MemoryReading::new(&args.memories, config, common).each(&[path.to_owned()], None, &mut |memory| {
            found |= is_wanted(&memory);
            Ok(())
        })?;
        Ok(found)
    }

    /// Returns one night of all memories up to a moment, or one for each date.
    #[cfg(feature = "mcp")]
    pub(crate) fn of(
        memories: Vec<Memory>,
        by_day: bool,
        until: Option<GameTime>,
        config: &ValidConfig,
    ) -> Result<Self, CliError> {
        let mut builder = DayBuilder::new(until, config);
        memories.into_iter().try_for_each(|memory| builder.take(memory))?;
        builder.finish(by_day)
    }

    /// Iterates over the NPCs by name, each with its days in order of time.
    pub(crate) fn each(
        self,
        config: &ValidConfig,
    ) -> impl Iterator<Item = Result<nightfold::NpcDays, BoxError>> + Send {
        let Self { npcs, by_day, until, .. } = self;
        let split = if by_day { days_by_night } else { days };
        npcs.flat_map(move |lived| match lived {
            Ok((_, memories)) => split(memories, until, config).into_iter().map(Ok).collect(),
            Err(error) => vec![Err(CliError::from(error).into())],
        })
    }

    /// Returns all days at once.
    pub(crate) fn all(self, config: &ValidConfig) -> Result<Days, CliError> {
        let (mut all, split) = (Days::new(), if self.by_day { days_by_night } else { days });
        for lived in self.npcs {
            let (_, memories) = lived?;
            all.append(&mut split(memories, self.until, config));
        }
        Ok(all)
    }
}

/// Groups memories by NPC, without those that wait for another night.
pub(crate) struct DayBuilder {
    until: Option<GameTime>,
    sorter: NpcSorter,
    first: Option<GameTime>,
    memories: usize,
    waiting: usize,
}

impl DayBuilder {
    pub(crate) fn new(until: Option<GameTime>, config: &ValidConfig) -> Self {
        Self { until, sorter: NpcSorter::new(&config.input), first: None, memories: 0, waiting: 0 }
    }

    pub(crate) fn take(&mut self, memory: Memory) -> Result<(), SpillError> {
        self.first = Some(self.first.map_or(memory.at, |first| first.min(memory.at)));
        if waits(memory.at, self.until) {
            self.waiting += 1;
            return Ok(());
        }
        self.memories += 1;
        self.sorter.push(memory)
    }

    /// Returns the days.
    ///
    /// # Errors
    /// All memories are later than `--until`.
    fn finish(self, by_day: bool) -> Result<InputDays, CliError> {
        if let (0, Some(until), Some(first)) = (self.memories, self.until, self.first) {
            let text = format!("no memory at or before {until}; the first is at {first}");
            return Err(message(Exit::Usage, text)
                .hint("--until is the moment of sleep: give one at or after the first memory"));
        }
        self.finish_empty_too(by_day)
    }

    /// Returns the days, though all memories may be later than `--until`.
    pub(crate) fn finish_empty_too(self, by_day: bool) -> Result<InputDays, CliError> {
        let Self { until, sorter, memories, waiting, .. } = self;
        let left_for_later = left_for_later(waiting, until);
        let names = ConfusableNames::default();
        let damaged = Vec::new();
        Ok(InputDays { npcs: sorter.finish()?, by_day, until, memories, left_for_later, names, damaged })
    }
}

fn left_for_later(waiting: usize, until: Option<GameTime>) -> Option<String> {
    let until = until.filter(|_| waiting > 0)?;
    let verb = noun(waiting, "waits", "wait");
    Some(format!("{} after {until} {verb} for another night\n", count(waiting, "memory", "memories")))
}
