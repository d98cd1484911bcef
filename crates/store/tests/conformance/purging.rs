//! Purging entries that were archived long ago.

use nightfold_memory::{LogFilter, MemorySnapshot, MemoryStore, NightLabel, Purge, State, StoreError, Theme};

use crate::night_cases::{night, refused, row, undo};
use crate::support::{Story, all_of, applied, apply, full_night, id, npc, second_night};

conformance![
    purge_removes_entries_archived_by_old_nights,
    purged_memory_cannot_be_stored_again,
    purged_night_cannot_be_undone,
    unknown_npc_has_nothing_to_purge,
    purge_keeps_the_latest_state_of_each_theme,
    purge_bounds_the_themes_of_a_long_life,
];

fn purge(store: &dyn MemoryStore, keep: usize) -> (usize, usize) {
    let mara = npc("Mara");
    let (version, known) = (store.snapshot(&mara).unwrap().version, store.snapshot(&mara).unwrap().known);
    let found = store.purgeable(&mara, keep).unwrap();
    assert_eq!(store.purge(&mara, keep).unwrap(), found);
    let past = store.snapshot(&mara).unwrap();
    assert_eq!((past.version, past.known), (version, known), "what was slept on is known for ever");
    assert!(store.purge(&mara, keep).unwrap().is_empty());
    (found.entries, found.nights)
}

fn names(store: &dyn MemoryStore) -> Vec<String> {
    store.entries(&npc("Mara")).unwrap().iter().map(|m| m.entry.id.to_string()).collect()
}

fn purge_removes_entries_archived_by_old_nights(store: &dyn MemoryStore) {
    let version = applied(store, &full_night());
    applied(store, &second_night(version));
    // The first night put its repeats, what is dull and what is told away.
    assert_eq!(purge(store, 1), (6, 1));
    assert_eq!(names(store), ["again", "and-again", "insight", "kept", "new", "noise", "told"]);
    for name in ["bread", "dull", "kept~2"] {
        assert_eq!(store.log(&npc("Mara"), LogFilter::Entry(&id(name))).unwrap(), []);
        assert_eq!(store.sources(&npc("Mara"), &id(name)).unwrap(), []);
    }
    assert_eq!(store.sources(&npc("Mara"), &id("told")).unwrap().len(), 2, "it says where it comes from");
    assert_eq!(row(store, "kept").state, State::Active);
    assert_eq!(purge(store, 0), (5, 1));
    assert_eq!(names(store), ["kept", "new"]);
}

fn purged_memory_cannot_be_stored_again(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("a").prune("c"));
    assert_eq!(purge(store, 0), (1, 1));
    assert!(store.snapshot(&npc("Mara")).unwrap().known.contains_key(&id("c")));
    refused(
        store,
        [
            (night(store, "two").store("c"), "cannot store c, which was purged"),
            (night(store, "two").restore("c", None), "cannot restore c, which is not in the store"),
        ],
    );
    assert!(store.owners(&id("c")).unwrap().is_empty());
}

fn purged_night_cannot_be_undone(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("a").prune("c"));
    applied(store, &night(store, "two").store("b"));
    assert_eq!(purge(store, 1), (1, 1));
    undo(store);
    let before = all_of(store);
    let error = store.undo(&npc("Mara")).unwrap_err();
    assert!(matches!(&error, StoreError::Purged { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "night one of Mara cannot be taken back: what it archived was purged or erased"
    );
    let run = store.nights(None).unwrap()[0].run;
    assert!(matches!(store.undo_run(run), Err(StoreError::Purged { .. })));
    assert_eq!(all_of(store), before);
    // It is still known as applied.
    let again = Story::new("Mara", "one", 0).store("a").prune("c");
    assert_eq!(apply(store, &again).unwrap(), nightfold_memory::Outcome::AlreadyApplied);
    applied(store, &night(store, "two").store("b"));
}

fn unknown_npc_has_nothing_to_purge(store: &dyn MemoryStore) {
    let empty = Purge { npc: npc("Mara"), entries: 0, until: None, nights: 0 };
    assert_eq!(store.purge(&npc("Mara"), 0).unwrap(), empty);
    applied(store, &Story::new("Mara", "one", 0).prune("a"));
    assert_eq!(store.purgeable(&npc("Mara"), 1).unwrap(), empty);
    let all = Purge { entries: 1, nights: 1, until: Some(NightLabel::new("one").unwrap()), ..empty };
    assert_eq!(store.purge(&npc("Mara"), 0).unwrap(), all);
    assert!(store.entries(&npc("Mara")).unwrap().is_empty());
}

/// Themes of the snapshot.
fn themes(store: &dyn MemoryStore) -> Vec<Theme> {
    store.snapshot(&npc("Mara")).unwrap().themes
}

/// Names of the themes, each with the nights that its history has.
fn histories(store: &dyn MemoryStore) -> Vec<(String, Vec<String>)> {
    let themes = store.themes(&npc("Mara")).unwrap();
    let nights = |theme: &nightfold_memory::ThemeHistory| {
        theme.history.iter().map(|point| point.night.to_string()).collect()
    };
    themes.iter().map(|theme| (theme.id.to_string(), nights(theme))).collect()
}

fn purge_keeps_the_latest_state_of_each_theme(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).prune("a").theme("feud").theme("mill"));
    applied(store, &night(store, "two").prune("b").sees("mill", 2));
    applied(store, &night(store, "three").prune("c").sees("mill", 3).theme("lantern"));
    let two = {
        let three = themes(store);
        undo(store);
        let two = themes(store);
        applied(store, &night(store, "three").prune("c").sees("mill", 3).theme("lantern"));
        assert_eq!(themes(store), three);
        two
    };
    let three = themes(store);
    purge(store, 1);
    assert_eq!(themes(store), three);
    let of = |name: &str, nights: &[&str]| {
        (name.to_owned(), nights.iter().map(|&night| night.to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(
        histories(store),
        [of("lantern", &["three"]), of("mill", &["two", "three"]), of("feud", &["one"])]
    );
    undo(store);
    assert_eq!(themes(store), two, "a night that can be taken back leaves the themes of before");
}

fn purge_bounds_the_themes_of_a_long_life(store: &dyn MemoryStore) {
    let many = MemorySnapshot::MAX_THEMES + 3;
    let mut first = Story::new("Mara", "one", 0).prune("noise").theme("routine");
    for n in 0..many {
        first = first.theme(&format!("theme {n:03}"));
    }
    applied(store, &first);
    for n in 2..10 {
        let label = format!("night {n}");
        applied(store, &night(store, &label).prune(&label).sees("routine", n));
    }
    let before = themes(store);
    purge(store, 2);
    let now = histories(store);
    assert_eq!(now[0].1, ["night 7", "night 8", "night 9"]);
    assert_eq!(now.len(), MemorySnapshot::MAX_THEMES);
    assert_eq!(themes(store), before);
    undo(store);
    undo(store);
    assert_eq!((themes(store).len(), &themes(store)[1..]), (before.len(), &before[1..]));
}
