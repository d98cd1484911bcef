//! Eventfulness of a night: the counts by which pages choose the NPC and the night that they open.

use std::ops::AddAssign;

use nightfold_memory::NpcNight;
use serde::{Serialize, Serializer};

/// Counts of the changes of a night that matter to a reader. Ordered by the first count that differs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NightEvents {
    /// Entries superseded.
    pub superseded: usize,
    /// Entries found contested.
    pub contested: usize,
    /// Positions of entries that ended.
    pub ended: usize,
    /// Reflections drawn.
    pub reflections: usize,
    /// Distinct important memories.
    pub important: usize,
    /// Memories of the day.
    pub memories: usize,
}

impl NightEvents {
    /// Returns the counts of one night.
    pub fn of(night: &NpcNight) -> Self {
        let report = &night.report;
        Self {
            superseded: report.counts.superseded,
            contested: report.counts.contested,
            ended: report.counts.ended,
            reflections: report.counts.reflections,
            important: report.important,
            memories: report.counts.memories,
        }
    }

    /// Returns the index of the most eventful of several nights or NPCs, the first in a tie; 0 if there are
    /// none.
    pub fn most(of: impl IntoIterator<Item = Self>) -> usize {
        let of = of.into_iter().enumerate();
        of.max_by_key(|&(index, events)| (events, std::cmp::Reverse(index))).map_or(0, |(index, _)| index)
    }
}

impl AddAssign for NightEvents {
    fn add_assign(&mut self, other: Self) {
        self.superseded += other.superseded;
        self.contested += other.contested;
        self.ended += other.ended;
        self.reflections += other.reflections;
        self.important += other.important;
        self.memories += other.memories;
    }
}

impl Serialize for NightEvents {
    /// Serializes the counts as an array, in the order in which they are compared.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.superseded, self.contested, self.ended, self.reflections, self.important, self.memories]
            .serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_eventful_is_the_first_with_the_weightiest_change() {
        let busy = NightEvents { memories: 90, important: 9, ..NightEvents::default() };
        let thoughtful = NightEvents { reflections: 1, memories: 3, ..NightEvents::default() };
        let upset = NightEvents { superseded: 1, memories: 2, ..NightEvents::default() };
        assert_eq!(NightEvents::most([busy, thoughtful]), 1);
        assert_eq!(NightEvents::most([thoughtful, upset, busy, upset]), 1);
        assert_eq!(NightEvents::most([busy, busy]), 0);
        assert_eq!(NightEvents::most([]), 0);
    }
}
