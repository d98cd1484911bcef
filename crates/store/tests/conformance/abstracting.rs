//! Summarising older entries: they are archived, and references to them stay valid.

use nightfold_memory::{LogFilter, MemoryStore, Rule, State};

use crate::night_cases::{apply_and_undo, derived, night, refused, row, sources};
use crate::support::{Story, applied, id, ids, npc};

conformance![summarised_entries_are_archived_and_stay_referenced, invalid_summary_is_refused_without_changes,];

fn summarised_entries_are_archived_and_stay_referenced(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("a").store("b").reflect("insight", &["a", "b"]));
    let before = row(store, "a");
    apply_and_undo(store, &night(store, "maintenance").abstracted("week", &["a", "b"]));
    let a = row(store, "a");
    assert_eq!((a.state, a.archived_by.as_deref()), (State::Archived, Some(Rule::Abstracted.as_str())));
    assert_eq!((&a.entry, &a.superseded_by, a.touched_at), (&before.entry, &None, before.touched_at));
    assert_eq!(derived(store, "a"), ids(&["insight", "week"]));
    assert_eq!((sources(store, "week"), sources(store, "insight")), (ids(&["a", "b"]), ids(&["a", "b"])));
    let active = store.snapshot(&npc("Mara")).unwrap().entries;
    assert_eq!(active.iter().map(|m| m.entry.id.as_str()).collect::<Vec<_>>(), ["insight", "week"]);
    assert_eq!(store.log(&npc("Mara"), LogFilter::Entry(&id("week"))).unwrap()[0].verb, "chunk");
}

fn invalid_summary_is_refused_without_changes(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("a").store("b").archive("b"));
    refused(
        store,
        [
            (night(store, "two").abstracted("week", &[]), "cannot chunk week, which tells nothing"),
            (night(store, "two").abstracted("week", &["b"]), "cannot chunk b, which is archived already"),
            (
                night(store, "two").abstracted("week", &["a", "a"]),
                "cannot chunk a, which is archived already",
            ),
            (night(store, "two").abstracted("week", &["c"]), "cannot chunk c, which is not in the store"),
            (night(store, "two").abstracted("a", &["a"]), "cannot chunk a, which is in the store already"),
            (
                night(store, "two").store("c").abstracted("week", &["a", "c"]),
                "cannot chunk c, which is of this night",
            ),
            (
                night(store, "two").chunk("week", &["x"]).abstracted("m", &["week"]),
                "cannot chunk week, which is of this night",
            ),
        ],
    );
}
