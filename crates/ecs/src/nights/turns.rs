//! NPCs that wait for their night to begin.

use std::collections::{BTreeMap, BTreeSet};

use nightfold::memory::{GameTime, NpcId};

/// Queue to bed, in the order of falling asleep and of names. It depends on the sleeping NPCs alone, not on the
/// order in which a world spawned them: a loaded game has the same queue.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    order: BTreeSet<(GameTime, NpcId)>,
    since: BTreeMap<NpcId, GameTime>,
}

impl Turns {
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// Adds an NPC, or moves it.
    pub(crate) fn insert(&mut self, npc: &NpcId, since: GameTime) {
        self.remove(npc);
        self.since.insert(npc.clone(), since);
        self.order.insert((since, npc.clone()));
    }

    /// Removes an NPC; returns true if it was there.
    pub(crate) fn remove(&mut self, npc: &NpcId) -> bool {
        let Some(since) = self.since.remove(npc) else { return false };
        self.order.remove(&(since, npc.clone()))
    }

    /// Removes and returns the first NPCs that are ready, at most `most`.
    pub(super) fn take(&mut self, most: usize, is_ready: impl Fn(&NpcId) -> bool) -> Vec<NpcId> {
        let ready = self.order.iter().map(|(_, npc)| npc).filter(|npc| is_ready(npc));
        let taken: Vec<NpcId> = ready.take(most).cloned().collect();
        for npc in &taken {
            self.remove(npc);
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_sleepers_come_first_and_equal_ones_by_name() {
        let mut queue = Turns::default();
        let at = |seconds| GameTime::from_seconds(seconds).unwrap();
        let npc = |name: &str| NpcId::new(name).unwrap();
        for (name, since) in [("Cid", 5), ("Ann", 9), ("Ben", 5), ("Dora", 1), ("Ann", 5)] {
            queue.insert(&npc(name), at(since));
        }
        assert_eq!(queue.len(), 4);
        let taken = queue.take(2, |npc| npc.as_str() != "Dora");
        assert_eq!(taken, [npc("Ann"), npc("Ben")]);
        assert!(queue.remove(&npc("Dora")) && !queue.remove(&npc("Ann")));
        assert_eq!(queue.take(9, |_| true), [npc("Cid")]);
    }
}
