//! Helpers for the cases of collapsing and restoring.

use nightfold_memory::{Change, MemoryId, MemoryRecord, MemoryStore, Outcome};

use crate::support::{Story, all_of, apply, id, ids, npc};

pub(crate) fn row(store: &dyn MemoryStore, name: &str) -> MemoryRecord {
    store.entry(&npc("Mara"), &id(name)).unwrap().unwrap()
}

pub(crate) fn sources(store: &dyn MemoryStore, name: &str) -> Vec<MemoryId> {
    row(store, name).entry.sources
}

pub(crate) fn derived(store: &dyn MemoryStore, name: &str) -> Vec<MemoryId> {
    store.derived(&npc("Mara"), &id(name)).unwrap()
}

pub(crate) fn referring(store: &dyn MemoryStore, name: &str) -> Vec<MemoryId> {
    store.referring(&npc("Mara"), &id(name)).unwrap()
}

pub(crate) fn undo(store: &dyn MemoryStore) {
    store.undo(&npc("Mara")).unwrap().unwrap();
}

pub(crate) fn night(store: &dyn MemoryStore, label: &str) -> Story {
    Story::on(store, "Mara", label)
}

/// Gives a stored entry sources, as the game may.
pub(crate) fn set_sources(story: &mut Story, change: usize, named: &[&str]) {
    let Change::Store { entry, .. } = &mut story.0.changes[change] else { panic!("it stores nothing") };
    entry.sources = ids(named);
}

/// Applies a night, and asserts that undoing it restores everything.
pub(crate) fn apply_and_undo(store: &dyn MemoryStore, story: &Story) {
    let before = all_of(store);
    let run = store.begin_run().unwrap();
    let sleep = || {
        let outcomes = store.apply(run, std::slice::from_ref(&story.0)).unwrap();
        assert!(matches!(outcomes[0], Ok(Outcome::Applied { .. })), "{outcomes:?}");
        all_of(store)
    };
    let after = sleep();
    undo(store);
    assert!(all_of(store) == before, "{} is not undone", story.0.night);
    assert!(sleep() == after, "{} is not done again", story.0.night);
}

/// Asserts that each night is refused with its message and writes nothing.
pub(crate) fn refused(store: &dyn MemoryStore, faulty: impl IntoIterator<Item = (Story, &'static str)>) {
    let before = all_of(store);
    for (story, expected) in faulty {
        let message = apply(store, &story).unwrap_err().to_string();
        assert_eq!(message, format!("night two of Mara: {expected}"));
        assert_eq!(all_of(store), before, "{expected}");
    }
}
