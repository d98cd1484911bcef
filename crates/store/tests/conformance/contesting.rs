//! Contested entries: both sides stay active and name each other until one of them leaves the active set.

use nightfold_memory::{LogFilter, MemoryId, MemoryStore, State};

use crate::night_cases::{apply_and_undo, night, refused, row};
use crate::support::{Story, applied, ids, npc};

conformance![contested_entries_stay_active_and_name_each_other, invalid_contest_is_refused_without_changes,];

fn contested(store: &dyn MemoryStore, name: &str) -> Vec<MemoryId> {
    row(store, name).contested_with
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
