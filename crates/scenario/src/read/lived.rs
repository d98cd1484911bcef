//! Whose memories there are, and since when.

use std::collections::BTreeMap;

use nightfold_memory::{MemoryId, NpcId};

use super::Night;

/// Which memories there are.
pub(super) struct Lived {
    /// By id: who has it, and since which night.
    owners: BTreeMap<MemoryId, BTreeMap<NpcId, usize>>,
}

impl Lived {
    pub(super) fn of(nights: &[Night]) -> Self {
        let mut owners: BTreeMap<MemoryId, BTreeMap<NpcId, usize>> = BTreeMap::new();
        for (number, night) in nights.iter().enumerate() {
            for (npc, day) in &night.days {
                for memory in &day.memories {
                    let of_it = owners.entry(memory.id.clone()).or_default();
                    of_it.entry(npc.clone()).or_insert(number);
                }
            }
        }
        Self { owners }
    }

    /// Who has a memory of this id; `a~2` is the second different memory under the id `a`.
    pub(super) fn owners(&self, id: &MemoryId) -> Option<&BTreeMap<NpcId, usize>> {
        let base = || {
            let (base, number) = id.as_str().rsplit_once('~')?;
            number.parse::<u32>().ok().filter(|n| *n > 1)?;
            self.owners.get(&MemoryId::new(base).ok()?)
        };
        self.owners.get(id).or_else(base)
    }

    /// The ids of those whose owners are of this sort, in order.
    pub(super) fn ids(&self, of: impl Fn(&BTreeMap<NpcId, usize>) -> bool) -> Vec<&str> {
        self.owners.iter().filter(|(_, owners)| of(owners)).map(|(id, _)| id.as_str()).collect()
    }
}
