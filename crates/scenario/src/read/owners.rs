//! Owners of memories.

use std::collections::BTreeMap;

use nightfold_memory::{MemoryId, NpcId};

use crate::scenario::ScenarioNight;

/// NPCs that have a memory of each id.
pub(super) struct MemoryOwners {
    /// NPCs by id, each with the first night on which it has the memory.
    owners: BTreeMap<MemoryId, BTreeMap<NpcId, usize>>,
}

impl MemoryOwners {
    pub(super) fn of(nights: &[ScenarioNight]) -> Self {
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

    /// Returns the NPCs that have a memory of this id; `a~2` is the second different memory under the id `a`.
    pub(super) fn owners(&self, id: &MemoryId) -> Option<&BTreeMap<NpcId, usize>> {
        let base = || {
            let (base, number) = id.as_str().rsplit_once('~')?;
            number.parse::<u32>().ok().filter(|n| *n > 1)?;
            self.owners.get(&MemoryId::new(base).ok()?)
        };
        self.owners.get(id).or_else(base)
    }

    /// Returns the ids whose owners satisfy a condition, in order.
    pub(super) fn ids(&self, of: impl Fn(&BTreeMap<NpcId, usize>) -> bool) -> Vec<&str> {
        self.owners.iter().filter(|(_, owners)| of(owners)).map(|(id, _)| id.as_str()).collect()
    }
}
