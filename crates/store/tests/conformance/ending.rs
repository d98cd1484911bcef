//! Ended positions: an entry stays active and tells which of its words no longer hold.

use nightfold_memory::{EndedPosition, LogFilter, MemoryStore};

use crate::night_cases::{apply_and_undo, night, refused, row, undo};
use crate::support::{Story, all_of, applied, id, npc, time};

conformance![
    entry_with_an_ended_position_stays_as_it_was,
    ended_position_names_a_purged_entry,
    invalid_end_is_refused_without_changes,
];

/// Words that every entry of the tests has.
const TWICE: &str = "'twice'";

fn mark(position: &str, by: &str) -> EndedPosition {
    EndedPosition { since: time("1204-05-04T01:00:00Z"), text: position.to_owned(), by: id(by) }
}

/// Stores an entry of Mara of which news ends a position, and another one.
fn news(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("fair").store("other"));
    applied(store, &night(store, "two").store("news").end("fair", TWICE, &["news"]));
}

fn entry_with_an_ended_position_stays_as_it_was(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("fair"));
    let mut expected = row(store, "fair");
    let story = night(store, "two").end("fair", TWICE, &["news"]).store("news");
    apply_and_undo(store, &story);
    expected.ended = vec![mark(TWICE, "news")];
    assert_eq!(row(store, "fair"), expected, "nothing else of it changes");
    let mara = npc("Mara");
    let snapshot = store.snapshot(&mara).unwrap().entries;
    let page = store.active_page(&mara, None, 9).unwrap();
    for entries in [snapshot, page, store.entries(&mara).unwrap()] {
        let marked: Vec<_> = entries.iter().map(|entry| entry.ended.len()).collect();
        assert_eq!(marked, [1, 0]);
    }
    let log = store.log(&mara, LogFilter::Entry(&id("fair"))).unwrap();
    assert_eq!((log[1].verb.as_str(), &log[1].reason), ("end", story.0.changes[0].reason()));
}

fn ended_position_names_a_purged_entry(store: &dyn MemoryStore) {
    news(store);
    applied(store, &night(store, "three").archive("news"));
    applied(store, &night(store, "four").store("later"));
    assert!(!store.purge(&npc("Mara"), 1).unwrap().is_empty());
    assert_eq!(store.entry(&npc("Mara"), &id("news")).unwrap(), None);
    assert_eq!(row(store, "fair").ended, [mark(TWICE, "news")]);
    applied(store, &night(store, "five").end("fair", "heard", &["later"]));
}

fn invalid_end_is_refused_without_changes(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("a").store("b").prune("gone"));
    let night = || night(store, "two");
    let stated = "cannot end a, which does not state the position";
    let faulty = [
        (night().end("a", TWICE, &[]), "cannot end a, which nothing ends"),
        (night().end("a", TWICE, &["a"]), "cannot end a, which is to end its own position"),
        (night().end("a", TWICE, &["b", "a"]), "cannot end a, which is to end its own position"),
        (night().end("a", "the mayor is alive", &["b"]), stated),
        (night().end("a", "", &["b"]), stated),
        (night().end("a", " ", &["b"]), stated),
        (
            night().end("a", TWICE, &["b"]).end("a", TWICE, &["new"]).store("new"),
            "cannot end a, which has this position ended already",
        ),
        (night().end("gone", TWICE, &["a"]), "cannot end gone, which is archived already"),
        (night().end("nowhere", TWICE, &["a"]), "cannot end nowhere, which is not in the store"),
        (
            night().end("a", TWICE, &["nowhere"]),
            "cannot end a, which is to be ended by what is not in the store",
        ),
        (night().archive("a").end("a", TWICE, &["b"]), "cannot end a, which is archived already"),
    ];
    refused(store, faulty);
    let before = all_of(store);
    applied(store, &night().end("a", TWICE, &["b"]));
    undo(store);
    assert_eq!(all_of(store), before);
}
