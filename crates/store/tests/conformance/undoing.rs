//! Undoing nights, versions and runs.

use nightfold_memory::{LogFilter, MemorySnapshot, MemoryStore, ModelId, StoreError};

use crate::support::{Story, all_of, applied, apply, full_night, id, ids, npc, second_night};

conformance![
    undo_goes_back_night_by_night,
    tags_of_the_latest_night_hold_until_it_is_undone,
    undo_keeps_edges_of_earlier_nights,
    versions_are_never_reused,
    other_model_is_refused_while_vectors_remain,
    run_numbers_are_unique,
    entries_and_log_do_not_depend_on_the_run_number,
];

fn undo_goes_back_night_by_night(store: &dyn MemoryStore) {
    let empty = all_of(store);
    let version = applied(store, &full_night());
    let one = all_of(store);
    applied(store, &second_night(version));
    let two = all_of(store);
    let third = Story::on(store, "Mara", "three").corroborate("kept", &["once more"], 5).forget("new");
    applied(store, &third);
    for expected in [two, one, empty] {
        store.undo(&npc("Mara")).unwrap().unwrap();
        assert_eq!(all_of(store), expected);
    }
    assert_eq!(store.undo(&npc("Mara")).unwrap(), None);
    assert_eq!(store.snapshot(&npc("Mara")).unwrap(), MemorySnapshot::empty());
}

fn tags_of_the_latest_night_hold_until_it_is_undone(store: &dyn MemoryStore) {
    let tagged = |story: Story, tags: &[&str]| {
        let Story(mut night) = story;
        night.npc_tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        Story(night)
    };
    let tags = || {
        let snapshot = store.snapshot(&npc("Mara")).unwrap().npc_tags;
        let latest = store.nights(Some(&npc("Mara"))).unwrap().pop();
        assert_eq!(latest.map(|night| night.npc_tags).unwrap_or_default(), snapshot);
        snapshot
    };
    applied(store, &tagged(Story::new("Mara", "one", 0).store("a"), &["guard"]));
    applied(store, &tagged(Story::on(store, "Mara", "two").store("b"), &["captain", "guard"]));
    assert_eq!(tags(), ["captain", "guard"]);
    applied(store, &tagged(Story::on(store, "Mara", "three").store("c"), &[]));
    assert_eq!(tags(), [""; 0]);
    for expected in [&["captain", "guard"][..], &["guard"], &[]] {
        store.undo(&npc("Mara")).unwrap().unwrap();
        assert_eq!(tags(), expected);
    }
}

fn undo_keeps_edges_of_earlier_nights(store: &dyn MemoryStore) {
    let mut first = Story::new("Mara", "one", 0).prune("old").store("seen");
    first.0.memories[0].sources = ids(&["later"]);
    applied(store, &first);
    let mut second = Story::on(store, "Mara", "two").store("later");
    second = second.collapse("later", &["repeat"]);
    second.0.memories[1].sources = ids(&["later"]);
    applied(store, &second);
    let derived = || store.derived(&npc("Mara"), &id("later")).unwrap();
    assert_eq!(derived(), ids(&["old", "repeat"]));
    store.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!(derived(), ids(&["old"]));
}

fn versions_are_never_reused(store: &dyn MemoryStore) {
    let one = applied(store, &Story::new("Mara", "one", 0).store("a"));
    let two = applied(store, &Story::new("Mara", "two", one).store("b"));
    store.undo(&npc("Mara")).unwrap().unwrap();
    let other = applied(store, &Story::new("Mara", "two", one).store("c"));
    assert!(![0, one, two].contains(&other));
    // A plan made at the version that was taken back does not fit.
    let error = apply(store, &Story::new("Mara", "three", two).store("d")).unwrap_err();
    let StoreError::Stale { planned, found, .. } = error else { panic!("{error}") };
    assert_eq!((planned, found), (two, other));
}

fn other_model_is_refused_while_vectors_remain(store: &dyn MemoryStore) {
    let mut other = Story::new("Tom", "one", 0).store("a");
    other.0.model = ModelId::new("other-model").unwrap();
    applied(store, &Story::new("Ana", "one", 0).prune("dull"));
    assert_eq!(store.model().unwrap(), None, "no vector, no model");
    applied(store, &Story::new("Mara", "one", 0).store("a"));
    let error = apply(store, &other).unwrap_err();
    assert!(matches!(error, StoreError::Model { .. }), "{error}");
    assert_eq!(store.snapshot(&npc("Tom")).unwrap().model.unwrap().as_str(), "test-model");
    store.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!(store.model().unwrap(), None);
    applied(store, &other);
    assert_eq!(store.model().unwrap(), Some(other.0.model));
}

fn run_numbers_are_unique(store: &dyn MemoryStore) {
    assert_eq!(store.begin_run().unwrap(), 1);
    assert_eq!(store.begin_run().unwrap(), 2, "a number is given once, whether it is used or not");
    store.apply(1, &[Story::new("Mara", "one", 0).store("a").0]).unwrap();
    assert_eq!(store.begin_run().unwrap(), 3);
    store.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!(store.begin_run().unwrap(), 4, "the number of a run that was taken back is not used again");
    store.apply(9, &[Story::new("Mara", "one", 0).store("a").0]).unwrap();
    assert_eq!(store.begin_run().unwrap(), 10, "nor is one that was not given here");
}

fn entries_and_log_do_not_depend_on_the_run_number(store: &dyn MemoryStore) {
    let (night, mara) = (full_night().0, npc("Mara"));
    let listed = || {
        let (entries, past) = (store.entries(&mara).unwrap(), store.snapshot(&mara).unwrap());
        let logs: Vec<_> =
            entries.iter().map(|e| store.log(&mara, LogFilter::Entry(&e.entry.id)).unwrap()).collect();
        (entries, past, logs)
    };
    store.apply(1, std::slice::from_ref(&night)).unwrap();
    let first = listed();
    store.undo(&mara).unwrap().unwrap();
    store.apply(77, &[night]).unwrap();
    assert_eq!(listed(), first);
    assert_eq!(store.nights(None).unwrap()[0].run, 77);
}
