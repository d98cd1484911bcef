//! Statements archived by pruning, decay or a cap: a snapshot holds the most recent ones, and each can be
//! restored or superseded.

use nightfold_memory::{Change, Kind, MemoryRecord, MemorySnapshot, MemoryStore, Rule, State};

use crate::night_cases::{apply_and_undo, night, refused, undo};
use crate::support::{Story, applied, id, npc, reason, sketch_of, time, vector};

conformance![
    snapshot_holds_only_pruned_or_forgotten_statements,
    archived_entry_is_faint_with_its_sketch_until_it_is_superseded,
    archived_statements_are_newest_first_and_bounded,
    archived_statement_keeps_its_vector_if_it_had_one,
    invalid_supersession_is_refused_without_changes,
];

fn archived_ids(store: &dyn MemoryStore) -> Vec<String> {
    let past = store.snapshot(&npc("Mara")).unwrap();
    assert!(past.archived.iter().all(|entry| entry.state == State::Archived));
    past.archived.iter().map(|entry| entry.entry.id.to_string()).collect()
}

/// Archives a memory of the day by a rule.
fn prune_by(story: Story, name: &str, rule: Rule) -> Story {
    let (id, sources, reason) = (id(name), Vec::new(), reason(rule));
    story.day(&[name]).change(Change::Prune { id, sources, reason })
}

fn archived_entry_is_faint_with_its_sketch_until_it_is_superseded(store: &dyn MemoryStore) {
    let faint = || {
        let found = store.faint(&npc("Mara")).unwrap();
        let placed = |record: MemoryRecord| {
            (record.entry.id.to_string(), record.sketch, record.entry.vector.is_some())
        };
        found.into_iter().map(placed).collect::<Vec<_>>()
    };
    assert_eq!(faint(), [], "one never seen has nothing");
    let first = Story::new("Mara", "one", 0).store("a").store("b").prune("dust").chunk("told", &["d"]);
    applied(store, &prune_by(first, "declined", Rule::Declined));
    let dust = || ("dust".to_owned(), Some(sketch_of("dust")), false);
    assert_eq!(faint(), [("d".to_owned(), None, false), dust()]);
    applied(store, &night(store, "two").forget("a").archive("b"));
    let was_active = |name: &str| (name.to_owned(), None, true);
    assert_eq!(faint(), [was_active("a"), was_active("b"), ("d".to_owned(), None, false), dust()]);
    applied(
        store,
        &night(store, "three").store("news").supersede("a", &["news"]).supersede("dust", &["news"]),
    );
    assert_eq!(faint(), [was_active("b"), ("d".to_owned(), None, false)]);
    undo(store);
    undo(store);
    assert_eq!(faint(), [("d".to_owned(), None, false), dust()]);
}

fn snapshot_holds_only_pruned_or_forgotten_statements(store: &dyn MemoryStore) {
    assert_eq!(archived_ids(store), [""; 0], "one never seen has nothing");
    let first = Story::new("Mara", "one", 0).store("a").store("b").store("c").collapse("a", &["a~2"]);
    let mut first =
        first.chunk("told", &["d", "e"]).reflect("insight", &["a"]).corroborate("a", &["a-again"], 1);
    for (name, rule) in [
        ("blank", Rule::Blank),
        ("budget", Rule::OverBudget),
        ("declined", Rule::Declined),
        ("status", Rule::OverBudget),
        ("trifle", Rule::UnimportantLoose),
        ("z-contradicted", Rule::Contradicted),
    ] {
        first = prune_by(first, name, rule);
    }
    first.0.memories.iter_mut().filter(|m| m.id == id("status")).for_each(|m| m.kind = Kind::Status);
    applied(store, &first);
    assert_eq!(archived_ids(store), ["budget", "trifle"]);
    applied(store, &Story::new("Tom", "one", 0).prune("tom-s"));
    // Maintenance archives too; superseded entries and sources of insights are not restorable.
    let second = night(store, "two").store("new").forget("b").supersede("c", &["new"]).archive("insight");
    apply_and_undo(store, &second);
    assert_eq!(archived_ids(store), ["b", "budget", "trifle"]);
    apply_and_undo(store, &night(store, "three").restore("trifle", Some(vector("trifle"))));
    assert_eq!(archived_ids(store), ["b", "budget"]);
    undo(store);
    undo(store);
    assert_eq!(archived_ids(store), ["budget", "trifle"]);
}

fn archived_statements_are_newest_first_and_bounded(store: &dyn MemoryStore) {
    let mut story = Story::new("Mara", "one", 0);
    for n in 0..MemorySnapshot::MAX_ARCHIVED + 9 {
        story = story.prune(&format!("m{n:03}"));
    }
    // Of one time by id, but for two; the same moment is written in two ways.
    story.0.memories[7].at = time("1204-05-03T08:00:00Z");
    story.0.memories[3].at = time("1204-05-03T09:30:00+02:00");
    applied(store, &story);
    let held = archived_ids(store);
    assert_eq!(held.len(), MemorySnapshot::MAX_ARCHIVED);
    assert_eq!(held[..5], ["m007", "m003", "m000", "m001", "m002"]);
    assert_eq!(held.last().unwrap(), "m255");
}

fn archived_statement_keeps_its_vector_if_it_had_one(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("was-active").prune("never"));
    applied(store, &night(store, "two").forget("was-active"));
    let past = store.snapshot(&npc("Mara")).unwrap();
    let vectors: Vec<_> = past.archived.iter().map(|entry| entry.entry.vector.is_some()).collect();
    assert_eq!(
        (archived_ids(store), vectors),
        (vec!["was-active".to_owned(), "never".to_owned()], vec![true, false])
    );
}

fn invalid_supersession_is_refused_without_changes(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("a").store("b").prune("trifle").prune("denied"));
    applied(store, &night(store, "one-more").supersede("denied", &["a"]));
    let two = || night(store, "two").store("news");
    refused(
        store,
        [
            (two().supersede("denied", &["news"]), "cannot supersede denied, which is archived already"),
            (
                two().prune("dull").supersede("dull", &["news"]),
                "cannot supersede dull, which is archived already",
            ),
            (two().archive("a").supersede("a", &["news"]), "cannot supersede a, which is archived already"),
            (
                two().supersede("trifle", &["news"]).supersede("trifle", &["b"]),
                "cannot supersede trifle, which is archived already",
            ),
            (
                two().supersede("trifle", &["nobody"]),
                "cannot supersede trifle, which is to be replaced by what is not in the store",
            ),
        ],
    );
}
