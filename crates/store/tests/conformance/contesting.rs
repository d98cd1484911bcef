//! Contested entries: both sides stay active and name each other until one of them leaves the active set.

use nightfold_memory::effect::advance;
use nightfold_memory::{LogFilter, MemoryId, MemoryStore, State};

use crate::night_cases::{apply_and_undo, night, refused, row, undo};
use crate::support::{Story, all_of, applied, ids, npc};

conformance![
    contested_entries_stay_active_and_name_each_other,
    entries_of_one_night_can_be_contested,
    an_entry_can_be_contested_with_several,
    contesting_twice_changes_nothing_more,
    archiving_an_entry_ends_its_contests,
    collapse_transfers_contests_to_the_canonical_entry,
    a_collapse_of_both_sides_ends_the_contest,
    restored_entry_is_uncontested,
    corroboration_keeps_a_contest,
    contests_of_nights_planned_ahead_match_the_store,
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

fn entries_of_one_night_can_be_contested(store: &dyn MemoryStore) {
    let story = Story::new("Mara", "one", 0).store("seen").chunk("told", &["a", "b"]);
    apply_and_undo(store, &story.contest("told", &["seen"]));
    assert_eq!((contested(store, "seen"), contested(store, "told")), (ids(&["told"]), ids(&["seen"])));
}

fn an_entry_can_be_contested_with_several(store: &dyn MemoryStore) {
    rumour(store);
    apply_and_undo(store, &night(store, "three").store("ajar").contest("shut", &["third", "ajar"]));
    assert_eq!(contested(store, "shut"), ids(&["ajar", "open", "third"]), "in order of id");
    for name in ["ajar", "open", "third"] {
        assert_eq!(contested(store, name), ids(&["shut"]));
    }
}

fn contesting_twice_changes_nothing_more(store: &dyn MemoryStore) {
    rumour(store);
    let before = store.entries(&npc("Mara")).unwrap();
    apply_and_undo(store, &night(store, "three").contest("open", &["shut", "shut"]));
    assert_eq!(store.entries(&npc("Mara")).unwrap(), before);
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

fn a_collapse_of_both_sides_ends_the_contest(store: &dyn MemoryStore) {
    rumour(store);
    for (canonical, duplicates) in [("shut", &["open"][..]), ("other", &["shut", "open"])] {
        apply_and_undo(store, &night(store, "three").unite(canonical, duplicates, &[]));
        for name in ["shut", "open", "other"] {
            assert_eq!(contested(store, name), [], "{name} once {canonical} stands for {duplicates:?}");
        }
        undo(store);
    }
}

fn restored_entry_is_uncontested(store: &dyn MemoryStore) {
    rumour(store);
    applied(store, &night(store, "three").archive("open"));
    apply_and_undo(store, &night(store, "four").restore("open", None));
    assert_eq!((contested(store, "open"), contested(store, "shut")), (vec![], vec![]));
    apply_and_undo(store, &night(store, "five").contest("open", &["shut"]));
    assert_eq!(contested(store, "open"), ids(&["shut"]));
}

fn corroboration_keeps_a_contest(store: &dyn MemoryStore) {
    rumour(store);
    apply_and_undo(store, &night(store, "three").corroborate("shut", &["again"], 1));
    assert_eq!((contested(store, "open"), contested(store, "shut")), (ids(&["shut"]), ids(&["open"])));
}

fn contests_of_nights_planned_ahead_match_the_store(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("shut").store("other"));
    let mara = npc("Mara");
    let mut ahead = store.snapshot(&mara).unwrap();
    let stories: [&dyn Fn(Story) -> Story; 4] = [
        &|story| story.store("open").contest("shut", &["open", "other"]),
        &|story| story.store("again").contest("again", &["shut"]),
        &|story| story.supersede("open", &["shut"]).forget("other"),
        &|story| story.archive("shut"),
    ];
    for (n, add) in stories.into_iter().enumerate() {
        let story = add(Story::new("Mara", &format!("ahead-{n}"), ahead.version));
        advance(&mut ahead, &story.0).unwrap();
        applied(store, &story);
        assert_eq!(store.snapshot(&mara).unwrap(), ahead, "after night {n}");
    }
    assert!(ahead.entries.iter().all(|entry| entry.contested_with.is_empty()));
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
