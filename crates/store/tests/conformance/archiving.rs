//! Statements archived by pruning, decay or a cap: they come faintly to mind, and each can be restored or superseded.

use nightfold_memory::{Change, MemoryId, MemoryRecord, MemorySnapshot, MemoryStore, Rule, State};

use crate::night_cases::{apply_and_undo, night, refused, undo};
use crate::support::{Story, applied, id, npc, reason, sketch_of, time, vector};

conformance![
    snapshot_holds_faint_entries_recalled_after_the_latest_night,
    snapshot_holds_no_more_recalled_entries_than_its_bound,
    archived_entry_is_faint_with_its_sketch_until_it_is_superseded,
    invalid_supersession_is_refused_without_changes,
];

fn recalled_ids(store: &dyn MemoryStore) -> Vec<String> {
    let past = store.snapshot(&npc("Mara")).unwrap();
    assert!(past.recalled.iter().all(|record| record.state == State::Archived));
    past.recalled.iter().map(|record| record.entry.id.to_string()).collect()
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

fn snapshot_holds_faint_entries_recalled_after_the_latest_night(store: &dyn MemoryStore) {
    let recall = |ids: &[&str], at: &str| {
        let ids: Vec<MemoryId> = ids.iter().copied().map(id).collect();
        store.touch(&npc("Mara"), &ids, time(at)).unwrap();
    };
    assert_eq!(recalled_ids(store), [""; 0], "one never seen has nothing");
    let first = Story::new("Mara", "one", 0).store("a").store("b").prune("trifle").prune("dust");
    let first = prune_by(first, "declined", Rule::Declined);
    applied(store, &first);
    let last_night = store.snapshot(&npc("Mara")).unwrap().last_night;
    assert_eq!(last_night, Some(first.0.at));
    recall(&["dust"], &first.0.at.to_string());
    assert_eq!(recalled_ids(store), [""; 0], "what was recalled before the night is of the night");
    recall(&["a", "trifle", "dust", "declined"], "1204-06-01T08:00:00Z");
    recall(&["dust"], "1204-06-01T09:00:00Z");
    assert_eq!(recalled_ids(store), ["dust", "trifle"]);
    let second = night(store, "two").restore("trifle", Some(vector("trifle"))).forget("b");
    let later = store.snapshot(&npc("Mara")).unwrap();
    assert!(later.recalled.iter().all(|record| record.entry.vector.is_none()));
    apply_and_undo(store, &second);
    assert_eq!(recalled_ids(store), ["dust"]);
    recall(&["b"], "1204-06-03T08:00:00Z");
    let past = store.snapshot(&npc("Mara")).unwrap();
    assert_eq!(recalled_ids(store), ["b", "dust"]);
    assert!(past.recalled[0].entry.vector.is_some(), "it was active");
}

fn snapshot_holds_no_more_recalled_entries_than_its_bound(store: &dyn MemoryStore) {
    let names: Vec<String> = (0..MemorySnapshot::MAX_RECALLED + 9).map(|n| format!("m{n:03}")).collect();
    let story = names.iter().fold(Story::new("Mara", "one", 0), |story, name| story.prune(name));
    applied(store, &story);
    let ids: Vec<MemoryId> = names.iter().map(|name| id(name)).collect();
    store.touch(&npc("Mara"), &ids, time("1204-06-01T08:00:00Z")).unwrap();
    store.touch(&npc("Mara"), &ids[70..71], time("1204-06-01T09:00:00Z")).unwrap();
    let held = recalled_ids(store);
    assert_eq!((held.len(), held[0].as_str(), held[1].as_str()), (64, "m070", "m000"));
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
