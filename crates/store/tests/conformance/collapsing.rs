//! Collapsing older entries: one entry replaces its duplicates and takes over references to them.

use nightfold_memory::{Confidence, LogFilter, MemoryStore, State};

use crate::night_cases::{apply_and_undo, derived, night, refused, row, set_sources};
use crate::support::{Story, applied, id, ids, npc, time};

conformance![
    collapsed_entries_merge_into_the_canonical_entry,
    invalid_collapse_is_refused_without_changes,
    collapse_must_move_every_reference_to_a_duplicate,
];

fn collapsed_entries_merge_into_the_canonical_entry(store: &dyn MemoryStore) {
    let mut first = Story::new("Mara", "one", 0).store("b").corroborate("b", &["said"], 4).store("d");
    set_sources(&mut first, 0, &["b"]);
    applied(store, &first);
    applied(store, &night(store, "two").store("a").store("c"));
    let before = ["a", "b", "c", "d"].map(|name| row(store, name));
    let mut maintenance = night(store, "maintenance").unite("b", &["d", "a"], &[]);
    maintenance.0.at = time("1204-05-05T03:00:00Z");
    apply_and_undo(store, &maintenance);

    let [mut a, mut b, c, mut d] = before;
    for duplicate in [&mut a, &mut d] {
        duplicate.state = State::Archived;
        duplicate.archived_by = Some("status-repeat".to_owned());
        duplicate.superseded_by = Some(id("b"));
    }
    assert_eq!(b.confidence, Confidence::High);
    b.corroborations = 6;
    b.entry.last_at = time("1204-05-03T22:30:00Z");
    b.touched_at = time("1204-05-03T22:45:00Z");
    assert_eq!(b.entry.sources, ids(&["b", "said"]), "a game may name what it likes");
    b.entry.sources = ids(&["a", "d", "said"]);
    assert_eq!(["a", "b", "c", "d"].map(|name| row(store, name)), [a, b, c, d]);
    assert_eq!((derived(store, "a"), derived(store, "d")), (ids(&["b"]), ids(&["b"])));
    let active = store.active_page(&npc("Mara"), None, 9).unwrap();
    assert_eq!(active.into_iter().map(|row| row.entry.id).collect::<Vec<_>>(), ids(&["b", "c"]));
    let log = store.log(&npc("Mara"), LogFilter::Entry(&id("b"))).unwrap();
    let line = log.last().unwrap();
    assert_eq!((line.verb.as_str(), &line.reason), ("collapse", maintenance.0.changes[0].reason()));
}

fn invalid_collapse_is_refused_without_changes(store: &dyn MemoryStore) {
    let first =
        Story::new("Mara", "one", 0).store("a").store("b").store("c").reflect("r", &["b"]).prune("gone");
    applied(store, &first);
    let night = || night(store, "two");
    let drawn = |story: Story| story.reflect("new", &["c"]);
    let faulty = vec![
        (night().unite("a", &[], &[]), "cannot collapse a, which nothing is collapsed into"),
        (night().unite("a", &["a"], &[]), "cannot collapse a, which is to be collapsed into itself"),
        (night().unite("a", &["c", "c"], &[]), "cannot collapse c, which is named twice"),
        (night().unite("a", &["gone"], &[]), "cannot collapse gone, which is archived already"),
        (night().unite("gone", &["c"], &[]), "cannot collapse gone, which is archived already"),
        (night().unite("a", &["nowhere"], &[]), "cannot collapse nowhere, which is not in the store"),
        (night().unite("nowhere", &["c"], &[]), "cannot collapse nowhere, which is not in the store"),
        (night().store("x").unite("x", &["c"], &[]), "cannot collapse x, which is of this night"),
        (night().unite("x", &["c"], &[]).store("x"), "cannot collapse x, which is of this night"),
        (night().unite("a", &["x"], &[]).store("x"), "cannot collapse x, which is of this night"),
        (drawn(night()).unite("a", &["new"], &[]), "cannot collapse new, which is of this night"),
        (drawn(night()).unite("new", &["a"], &[]), "cannot collapse new, which is of this night"),
        (night().archive("c").unite("a", &["c"], &[]), "cannot collapse c, which is archived already"),
        (
            night().unite("a", &["c"], &[]).unite("b", &["c"], &[]),
            "cannot collapse c, which is archived already",
        ),
        (night().unite("a", &["c"], &[]).archive("c"), "cannot archive c, which is archived already"),
        (night().unite("a", &["b"], &["r", "nowhere"]), "cannot move nowhere, which is not in the store"),
        (night().unite("a", &["b"], &["r", "c"]), "cannot move c, which names none of what is collapsed"),
        (night().unite("a", &["b"], &["r", "b"]), "cannot move b, which names none of what is collapsed"),
        (night().unite("a", &["b"], &["r", "r"]), "cannot move r, which names none of what is collapsed"),
        (night().unite("a", &["b"], &["r", "a"]), "cannot move a, which the others are collapsed into"),
        (drawn(night()).unite("a", &["c"], &["new"]), "cannot move new, which is of this night"),
    ];
    refused(store, faulty);
}

fn collapse_must_move_every_reference_to_a_duplicate(store: &dyn MemoryStore) {
    let first = Story::new("Mara", "one", 0).store("a").store("b").store("c").store("d").store("old");
    let drawn = first.reflect("r", &["b"]).reflect("archived", &["c"]).archive("archived");
    applied(store, &drawn.supersede("old", &["d"]));
    let night = || night(store, "two");
    let left = |name| match name {
        "r" => "cannot leave out r, which names what is collapsed",
        "archived" => "cannot leave out archived, which names what is collapsed",
        "old" => "cannot leave out old, which names what is collapsed",
        _ => "cannot leave out new, which names what is collapsed",
    };
    let faulty = [
        (night().unite("a", &["b"], &[]), left("r")),
        (night().unite("a", &["c", "b"], &["archived"]), left("r")),
        (night().unite("a", &["c"], &[]), left("archived")),
        (night().unite("a", &["d"], &[]), left("old")),
        (night().unite("a", &["b", "d"], &["r"]), left("old")),
        // What the night itself writes may not name them either, before or after.
        (night().reflect("new", &["b"]).unite("a", &["b"], &["r"]), left("new")),
        (night().unite("a", &["b"], &["r"]).reflect("new", &["b"]), left("new")),
        (night().supersede("r", &["b"]).unite("a", &["b"], &[]), left("r")),
        (night().unite("a", &["b"], &["r"]).supersede("r", &["b"]), left("r")),
    ];
    refused(store, faulty);
    // A canonical entry may refer to its duplicates, and an entry without references need not be listed.
    applied(store, &night().unite("r", &["b"], &[]).unite("a", &["c", "d"], &["archived", "old"]));
}
