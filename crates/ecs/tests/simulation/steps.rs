//! The steps of a run, drawn from one seed before it begins. A run depends on its steps alone, and a step on its own lot
//! and the state that it meets, so that steps can be left out without changing the others.

use serde::{Deserialize, Serialize};

use crate::disk::FaultKind;

/// Number of steps of a run.
const STEPS: usize = 48;

/// Pseudo-random numbers: `SplitMix64` (Steele, Lea, Flood 2014). The simulation has its own, so that no seed changes its
/// meaning with a dependency.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lot(pub(crate) u64);

impl Lot {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }

    /// Returns one of some things.
    pub(crate) fn of<'a, T>(&mut self, things: &'a [T]) -> Option<&'a T> {
        let place = self.below(things.len() as u64) as usize;
        things.get(place)
    }
}

/// Returns a number that depends on a text and a seed alone: outcomes of models are drawn by it, not in the order of
/// questions, which threads decide.
pub(crate) fn lot_of(seed: u64, text: &str) -> u64 {
    // FNV-1a.
    let hash =
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    Lot(hash ^ seed).next()
}

macro_rules! actions {
    ($($name:ident $weight:literal),*) => {
        /// Kind of a step. Who, how long and how much is drawn from the lot of the step.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub(crate) enum Action {
            $($name),*
        }

        impl Action {
            /// Actions with their weights.
            const ALL: &[(Self, u64)] = &[$((Self::$name, $weight)),*];
        }
    };
}

// First those of the game, then those of a second process, which does what calls of the program do.
actions! {
    Live 26, FallAsleep 14, Wake 4, Despawn 2, Ask 4, Tick 14, Save 4, Load 3, SwitchModels 2, SwitchEmbedder 1,
    RefillTokens 1, Restart 2,
    Sleep 12, Plan 4, Apply 5, ApplyAgain 2, Maintain 6, Restore 4, Settle 3, Recall 4, Undo 5, UndoRun 2, SavePoint 4,
    Forget 1, Rewind 6, Purge 2, Erase 2, Checkpoint 4, Vacuum 1, BackUp 1, Transfer 1, HoldLock 2, HoldRead 2,
    TakeAway 1
}

impl Action {
    /// True for actions of the game; the others are the tool's.
    pub(crate) fn is_of_town(self) -> bool {
        (self as u8) < Self::Sleep as u8
    }
}

/// Fault of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    /// Number of operations of the disk that pass before.
    pub(crate) passes: u32,
}

/// One step of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Step {
    #[serde(rename = "do")]
    pub(crate) action: Action,
    #[serde(default)]
    pub(crate) lot: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fault: Option<Fault>,
}

/// Returns the steps of a seed.
pub(crate) fn steps(seed: u64) -> Vec<Step> {
    let mut lot = Lot(seed);
    (0..STEPS).map(|_| step(&mut lot)).collect()
}

fn step(lot: &mut Lot) -> Step {
    const FAULTS: [FaultKind; 10] = [
        FaultKind::Full,
        FaultKind::StaysFull,
        FaultKind::ShortWrite,
        FaultKind::WriteFails,
        FaultKind::SyncFails,
        FaultKind::SyncFailsAndAllDie,
        FaultKind::ReadFails,
        FaultKind::ToolDies,
        FaultKind::AllDie,
        FaultKind::PowerLoss,
    ];
    let mut place = lot.below(Action::ALL.iter().map(|(_, weight)| weight).sum());
    let mut action = Action::Live;
    for &(one, weight) in Action::ALL {
        action = one;
        if place < weight {
            break;
        }
        place -= weight;
    }
    // Small, so that a list of steps stays readable.
    let own = lot.below(10_000);
    let fault = (lot.below(6) == 0).then(|| {
        let kind = FAULTS[lot.below(FAULTS.len() as u64) as usize];
        // The first operations of a step, or any of a night's.
        let most = [3, 12, 120][lot.below(3) as usize];
        // The first call of a process syncs three times.
        let syncs = matches!(kind, FaultKind::SyncFails | FaultKind::SyncFailsAndAllDie);
        let most = if syncs { 4 } else { most };
        Fault { kind, passes: lot.below(most) as u32 }
    });
    Step { action, lot: own, fault }
}
