//! Steps in the life of a store.

use proptest::prelude::*;

use super::NPCS;

#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// A fitting night of changes of these kinds, each with a number that selects an older entry; in a new
    /// run or, depending on the number, in an earlier one.
    Sleep { npc: usize, changes: Vec<(Kind, usize)>, take_back: bool, run: usize },
    /// A fitting night of which a reader declines every change whose bit is set.
    SleepInPart { npc: usize, changes: Vec<(Kind, usize)>, declined: u8, run: usize },
    /// A night planned at a version that is not in force.
    SleepStale { npc: usize },
    /// A night that was given before, whether it is still applied or not.
    SleepAgain { lot: usize },
    /// Undo of the latest night.
    Undo { npc: usize },
    /// Undo of a night and all later ones.
    UndoSince { npc: usize, lot: usize },
    /// Undo of a run.
    UndoRun { lot: usize },
    /// Purge of the entries archived before the most recent nights.
    Purge { npc: usize, keep: usize },
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Store,
    Collapse,
    Prune,
    Chunk,
    Reflect,
    Corroborate,
    Strengthen,
    Supersede,
    Contest,
    End,
    Archive,
    Forget,
    Unite,
    Abstract,
    Restore,
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let weighted = [
        (Kind::Store, 2),
        (Kind::Collapse, 1),
        (Kind::Prune, 1),
        (Kind::Chunk, 1),
        (Kind::Reflect, 1),
        (Kind::Corroborate, 2),
        (Kind::Strengthen, 1),
        (Kind::Supersede, 1),
        (Kind::Contest, 3),
        (Kind::End, 2),
        (Kind::Archive, 1),
        (Kind::Forget, 1),
        (Kind::Unite, 3),
        (Kind::Abstract, 2),
        (Kind::Restore, 2),
    ];
    let kinds: Vec<Kind> = weighted.into_iter().flat_map(|(kind, n)| std::iter::repeat_n(kind, n)).collect();
    let kind = prop::sample::select(kinds);
    let changes = prop::collection::vec((kind, any::<usize>()), 0..8);
    let npc = 0..NPCS.len();
    let step = prop_oneof![
        6 => (npc.clone(), changes.clone(), any::<bool>(), any::<usize>())
            .prop_map(|(npc, changes, take_back, run)| Step::Sleep { npc, changes, take_back, run }),
        4 => (npc.clone(), changes, any::<u8>(), any::<usize>())
            .prop_map(|(npc, changes, declined, run)| Step::SleepInPart { npc, changes, declined, run }),
        1 => npc.clone().prop_map(|npc| Step::SleepStale { npc }),
        2 => any::<usize>().prop_map(|lot| Step::SleepAgain { lot }),
        2 => npc.clone().prop_map(|npc| Step::Undo { npc }),
        1 => (npc, any::<usize>()).prop_map(|(npc, lot)| Step::UndoSince { npc, lot }),
        2 => any::<usize>().prop_map(|lot| Step::UndoRun { lot }),
        2 => (0..NPCS.len(), 0_usize..4).prop_map(|(npc, keep)| Step::Purge { npc, keep }),
    ];
    prop::collection::vec(step, 1..16)
}
