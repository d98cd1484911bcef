//! Reading single entries and pages of them, and restoring archived entries.

use nightfold_memory::{LogFilter, MemoryStore, ModelId, State, StoreError};

use crate::night_cases::{apply_and_undo, derived, night, referring, refused, row, undo};
use crate::support::{Story, all_of, applied, apply, full_night, id, npc, time, vector};

conformance![
    pages_hold_only_active_entries,
    single_entry_is_read_with_its_vector,
    restored_entry_equals_its_earlier_active_state,
    never_active_memory_is_restored_with_the_given_vector,
    first_vector_sets_the_model_of_the_store,
    invalid_restore_is_refused_without_changes,
];

fn pages_hold_only_active_entries(store: &dyn MemoryStore) {
    let mara = npc("Mara");
    let page = |after: Option<&str>, most| -> Vec<_> {
        let page = store.active_page(&mara, after.map(id).as_ref(), most).unwrap();
        page.into_iter().map(|row| row.entry.id.to_string()).collect()
    };
    assert_eq!(page(None, 9), [""; 0], "one never seen has no pages");
    applied(store, &Story::new("Ana", "one", 0).store("a1").store("b1"));
    applied(store, &Story::new("Mara", "one", 0).store("c").store("a").store("e").store("b").store("d"));
    applied(store, &night(store, "two").archive("b").prune("bb").store("\u{fc}"));
    assert_eq!(page(None, 2), ["a", "c"], "what is archived takes no place on a page");
    assert_eq!(page(Some("c"), 2), ["d", "e"]);
    assert_eq!(page(Some("e"), 2), ["\u{fc}"]);
    assert_eq!(page(Some("\u{fc}"), 2), [""; 0]);
    assert_eq!(page(Some("b"), 1), ["c"], "a page can begin after what is archived");
    assert_eq!(page(Some("cc"), 1), ["d"], "or after what never was");
    assert_eq!(page(None, 0), [""; 0]);
    assert_eq!(page(None, usize::MAX).len(), 5);
    let mut whole = store.snapshot(&mara).unwrap().entries;
    whole.iter_mut().for_each(|row| row.entry.vector = None);
    assert_eq!(store.active_page(&mara, None, 9).unwrap(), whole);
}

fn single_entry_is_read_with_its_vector(store: &dyn MemoryStore) {
    let read = |of: &str, name: &str| store.entry(&npc(of), &id(name)).unwrap();
    assert_eq!(read("Mara", "a"), None);
    applied(store, &Story::new("Mara", "one", 0).store("a").store("b").prune("c"));
    applied(store, &Story::new("Ana", "one", 0).store("d"));
    applied(store, &night(store, "two").archive("b"));
    assert_eq!((read("Mara", "d"), read("Ana", "a"), read("Tom", "a")), (None, None, None));
    assert_eq!(read("Mara", "a").as_ref(), store.snapshot(&npc("Mara")).unwrap().entries.first());
    let all = store.entries(&npc("Mara")).unwrap();
    let archived = row(store, "b");
    assert_eq!(archived.entry.vector, Some(vector(&archived.entry.text)), "the archive keeps vectors");
    let mut without = archived;
    without.entry.vector = None;
    assert_eq!((&without, &row(store, "c")), (&all[1], &all[2]));
}

fn restored_entry_equals_its_earlier_active_state(store: &dyn MemoryStore) {
    let first = Story::new("Mara", "one", 0).store("a").store("b").corroborate("b", &["said"], 4);
    applied(store, &first.reflect("r", &["b"]));
    let mut active = ["a", "b", "r"].map(|name| row(store, name));
    let (edges, text) = (derived(store, "b"), active[1].entry.text.clone());
    applied(store, &night(store, "two").supersede("b", &["a"]).archive("a").forget("r"));
    let mut back = night(store, "three").restore("b", None).restore("a", Some(vector("another text")));
    back.0.at = time("1204-05-06T03:00:00Z");
    back = back.restore("r", None);
    apply_and_undo(store, &back);
    active.iter_mut().for_each(|row| row.touched_at = back.0.at);
    assert_eq!(
        ["a", "b", "r"].map(|name| row(store, name)),
        active,
        "a vector that is not needed is ignored"
    );
    assert_eq!((derived(store, "b"), referring(store, "a")), (edges, vec![]));
    let past = store.snapshot(&npc("Mara")).unwrap();
    let b = past.entries.iter().find(|row| row.entry.id == id("b")).unwrap();
    assert_eq!(b.entry.vector, Some(vector(&text)));
    let log = store.log(&npc("Mara"), LogFilter::Entry(&id("b"))).unwrap();
    assert_eq!((log.last().unwrap().verb.as_str(), log.last().unwrap().at), ("restore", back.0.at));
}

fn never_active_memory_is_restored_with_the_given_vector(store: &dyn MemoryStore) {
    applied(store, &full_night());
    let mut dull = row(store, "dull");
    assert_eq!(dull.entry.vector, None);
    apply_and_undo(store, &night(store, "two").restore("dull", Some(vector("dull"))));
    dull.state = State::Active;
    dull.archived_by = None;
    dull.entry.vector = Some(vector("dull"));
    assert_eq!(row(store, "dull"), dull);
    let past = store.snapshot(&npc("Mara")).unwrap();
    assert!(past.entries.contains(&dull), "it is recalled by this vector");
    undo(store);
    assert_eq!(row(store, "dull").entry.vector, None);
}

fn first_vector_sets_the_model_of_the_store(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).prune("a"));
    let before = all_of(store);
    let mut back = night(store, "two").restore("a", Some(vector("a")));
    back.0.model = ModelId::new("other-model").unwrap();
    applied(store, &back);
    assert_eq!(store.model().unwrap(), Some(back.0.model));
    let error = apply(store, &Story::new("Ana", "one", 0).store("x")).unwrap_err();
    assert!(matches!(error, StoreError::Model { .. }), "{error}");
    undo(store);
    assert_eq!(all_of(store), before);
    assert_eq!(store.model().unwrap(), None);
}

fn invalid_restore_is_refused_without_changes(store: &dyn MemoryStore) {
    let given = || Some(vector("given"));
    applied(store, &Story::new("Mara", "one", 0).store("a").store("old").prune("gone"));
    applied(store, &night(store, "one").archive("old"));
    let night = || night(store, "two");
    let faulty = [
        (night().restore("a", given()), "cannot restore a, which is active already"),
        (night().restore("nowhere", given()), "cannot restore nowhere, which is not in the store"),
        (night().restore("gone", None), "cannot restore gone, which has no vector"),
        (night().restore("old", None).restore("old", None), "cannot restore old, which is active already"),
        (night().prune("new").restore("new", None), "cannot restore new, which has no vector"),
        (night().restore("new", given()).prune("new"), "cannot restore new, which is not in the store"),
        (night().store("new").restore("new", given()), "cannot restore new, which is active already"),
    ];
    refused(store, faulty);
}
