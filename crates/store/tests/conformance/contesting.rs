//! Contested entries: both sides stay active and name each other until one of them leaves the active set.

use nightfold_memory::{LogFilter, MemoryId, MemoryStore, State};

use crate::night_cases::{apply_and_undo, night, refused, row, undo};
use crate::support::{Story, all_of, applied, ids, npc};

conformance![
    contested_entries_stay_active_and_name_each_other,
    archiving_an_entry_ends_its_contests,
    collapse_transfers_contests_to_the_canonical_entry,
    restored_entry_is_uncontested,
    invalid_contest_is_refused_without_changes,
];

fn contested(store: &dyn MemoryStore, name: &str) -> Vec<MemoryId> {
    row(store, name).contested_with
}

/// Stores two contested entries of Mara: she saw that the mill is shut, and hears that it is open.
fn rumour(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("shut").store("other").store("third"));
    applied(store, &night(store, "two").store("open").contest("shut", &["open"]));
}

fn contested_entries_stay_active_and_name_each_other(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("shut"));
    let before = row(store, "shut");
    let story = night(store, "two").store("open").contest("shut", &["open"]);
    apply_and_undo(store, &story);
    let mut expected = before;
    expected.contested_with = ids(&["open"]);
    assert_eq!(row(store, "shut"), expected, "nothing else of it changes");
    assert_eq!((contested(store, "open"), row(store, "open").state), (ids(&["shut"]), State::Active));
    let past = store.snapshot(&npc("Mara")).unwrap();
    assert!(past.entries.iter().all(|entry| entry.contested_with.len() == 1));
    let page = store.active_page(&npc("Mara"), None, 9).unwrap();
    assert!(page.iter().all(|entry| entry.contested_with.len() == 1));
    let log = store.log(&npc("Mara"), LogFilter::Entry(&ids(&["shut"])[0])).unwrap();
    assert_eq!((log[1].verb.as_str(), &log[1].reason), ("contest", story.0.changes[1].reason()));
}

fn archiving_an_entry_ends_its_contests(store: &dyn MemoryStore) {
    rumour(store);
    applied(store, &night(store, "three").contest("open", &["third"]));
    let before = all_of(store);
    let leaving: [&dyn Fn(Story) -> Story; 5] = [
        &|story| story.supersede("open", &["other"]),
        &|story| story.supersede("open", &["shut"]),
        &|story| story.archive("open"),
        &|story| story.forget("open"),
        &|story| story.abstracted("summary", &["open", "other"]),
    ];
    for leave in leaving {
        apply_and_undo(store, &leave(night(store, "four")));
        assert_eq!((row(store, "open").state, contested(store, "open")), (State::Archived, vec![]));
        assert_eq!((contested(store, "shut"), contested(store, "third")), (vec![], vec![]));
        undo(store);
        assert_eq!(all_of(store), before);
    }
    // Also what became contested earlier the same night.
    let story = night(store, "four").store("new").contest("other", &["new"]).archive("new");
    apply_and_undo(store, &story);
    assert_eq!((contested(store, "new"), contested(store, "other")), (vec![], vec![]));
}

fn collapse_transfers_contests_to_the_canonical_entry(store: &dyn MemoryStore) {
    rumour(store);
    apply_and_undo(store, &night(store, "three").unite("other", &["open", "third"], &[]));
    assert_eq!((contested(store, "other"), contested(store, "shut")), (ids(&["shut"]), ids(&["other"])));
    assert_eq!(contested(store, "open"), []);
    undo(store);
    // The canonical entry keeps what it was contested with itself.
    applied(store, &night(store, "three").contest("other", &["third"]));
    apply_and_undo(store, &night(store, "four").unite("other", &["open"], &[]));
    assert_eq!(contested(store, "other"), ids(&["shut", "third"]));
    assert_eq!((contested(store, "shut"), contested(store, "third")), (ids(&["other"]), ids(&["other"])));
}

fn restored_entry_is_uncontested(store: &dyn MemoryStore) {
    rumour(store);
    applied(store, &night(store, "three").archive("open"));
    apply_and_undo(store, &night(store, "four").restore("open", None));
    assert_eq!((contested(store, "open"), contested(store, "shut")), (vec![], vec![]));
    apply_and_undo(store, &night(store, "five").contest("open", &["shut"]));
    assert_eq!(contested(store, "open"), ids(&["shut"]));
}

fn invalid_contest_is_refused_without_changes(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("a").store("b").prune("gone"));
    let night = || night(store, "two");
    let faulty = [
        (night().contest("a", &[]), "cannot contest a, which nothing contests"),
        (night().contest("a", &["a"]), "cannot contest a, which is to be contested with itself"),
        (night().contest("a", &["b", "a"]), "cannot contest a, which is to be contested with itself"),
        (night().contest("gone", &["a"]), "cannot contest gone, which is archived already"),
        (night().contest("a", &["gone"]), "cannot contest gone, which is archived already"),
        (night().contest("nowhere", &["a"]), "cannot contest nowhere, which is not in the store"),
        (night().contest("a", &["nowhere"]), "cannot contest nowhere, which is not in the store"),
        (night().contest("a", &["new"]).store("new"), "cannot contest new, which is not in the store"),
        (night().archive("b").contest("a", &["b"]), "cannot contest b, which is archived already"),
        (night().prune("new").contest("a", &["new"]), "cannot contest new, which is archived already"),
    ];
    refused(store, faulty);
}
