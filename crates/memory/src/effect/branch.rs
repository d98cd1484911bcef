//! Branches of an NPC's history: nights that a rewind has shelved, and the way from one state to another.
//!
//! Every version names a state and, as the night that made it, the state before. Together the nights in force and those
//! shelved are a tree whose root is version 0. A rewind goes from the state in force back to where the branch of the
//! wanted state leaves it, shelving nights, and from there forward, carrying out again what was shelved.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::rows::Effect;
use crate::{id::ModelId, ports::AppliedNight};

/// A night that is not in force, with everything that carries it out again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShelvedNight {
    /// The night as it was applied.
    pub applied: AppliedNight,
    /// Model of the store's vectors at that time; `None` if there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelId>,
    /// Rows, edges and lines that it wrote, as they were when it was shelved.
    pub effect: Effect,
}

/// The way from the state in force to another one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RewindPath {
    /// Number of nights in force to shelve, from the latest.
    pub back: usize,
    /// Versions of the nights to carry out again, in order.
    pub forward: Vec<u64>,
}

/// Returns the way to the version `wanted`, given the versions of the nights in force, the oldest first, and those set
/// shelved, each with the version that it was planned against. `None` if the state cannot be reached: a night on the way
/// was undone or purged.
pub fn rewind_path(in_force: &[u64], shelved: &BTreeMap<u64, u64>, wanted: u64) -> Option<RewindPath> {
    let position = |version: u64| match version {
        0 => Some(0),
        version => in_force.iter().position(|known| *known == version).map(|at| at + 1),
    };
    let (mut forward, mut at) = (Vec::new(), wanted);
    // A damaged store could name a night that is based on itself.
    let mut seen = BTreeSet::new();
    loop {
        if let Some(kept) = position(at) {
            forward.reverse();
            return Some(RewindPath { back: in_force.len() - kept, forward });
        }
        if !seen.insert(at) {
            return None;
        }
        forward.push(at);
        at = *shelved.get(&at)?;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn path(back: usize, forward: &[u64]) -> RewindPath {
        RewindPath { back, forward: forward.to_vec() }
    }

    #[test]
    fn path_leads_over_the_state_where_the_branches_part() {
        // 1 - 2 - 3 are in force; 2 - 20 - 30 and 0 - 9 are shelved.
        let (in_force, shelved) = ([1, 2, 3], BTreeMap::from([(20, 2), (30, 20), (9, 0), (7, 6)]));
        let to = |wanted| rewind_path(&in_force, &shelved, wanted);
        assert_eq!(to(3), Some(path(0, &[])));
        assert_eq!(to(1), Some(path(2, &[])));
        assert_eq!(to(0), Some(path(3, &[])));
        assert_eq!(to(30), Some(path(1, &[20, 30])));
        assert_eq!(to(9), Some(path(3, &[9])));
        assert_eq!(to(7), None, "the night that it builds on is gone");
        assert_eq!(to(99), None);
        assert_eq!(rewind_path(&[], &BTreeMap::from([(5, 5)]), 5), None);
    }

    proptest! {
        #[test]
        fn path_ends_at_the_wanted_state(parents in prop::collection::vec(0_usize..20, 1..20), from in 0_usize..20, to in 0_usize..20) {
            // Night n + 1 is based on one of the nights up to n.
            let parents: Vec<u64> = parents.iter().enumerate().map(|(n, of)| (of % (n + 1)) as u64).collect();
            let parent = |version: u64| parents[version as usize - 1];
            let (from, to) = ((from % (parents.len() + 1)) as u64, (to % (parents.len() + 1)) as u64);
            let mut in_force = Vec::new();
            let mut at = from;
            while at != 0 {
                in_force.push(at);
                at = parent(at);
            }
            in_force.reverse();
            let shelved = (1..=parents.len() as u64).filter(|v| !in_force.contains(v)).map(|v| (v, parent(v))).collect();
            let RewindPath { back, forward } = rewind_path(&in_force, &shelved, to).unwrap();
            in_force.truncate(in_force.len() - back);
            for version in forward {
                prop_assert_eq!(parent(version), in_force.last().copied().unwrap_or(0));
                in_force.push(version);
            }
            prop_assert_eq!(in_force.last().copied().unwrap_or(0), to);
        }
    }
}
