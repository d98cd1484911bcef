//! Themes in a store.

use nightfold_memory::{MemorySnapshot, MemoryStore, Outcome, ThemeHistory};

use crate::support::{Story, all_of, applied, apply, full_night, npc, second_night};

conformance![
    theme_has_the_state_of_its_last_night,
    theme_history_lists_every_night,
    snapshot_holds_the_most_recent_themes,
    theme_vectors_set_the_model_of_the_store,
    invalid_theme_is_refused_without_changes,
];

fn names(store: &dyn MemoryStore) -> Vec<String> {
    store.snapshot(&npc("Mara")).unwrap().themes.iter().map(|theme| theme.id.to_string()).collect()
}

fn history(store: &dyn MemoryStore, name: &str) -> ThemeHistory {
    let themes = store.themes(&npc("Mara")).unwrap();
    themes.into_iter().find(|theme| theme.id.as_str() == name).unwrap()
}

fn theme_has_the_state_of_its_last_night(store: &dyn MemoryStore) {
    let first = full_night();
    let version = applied(store, &first);
    let past = store.snapshot(&npc("Mara")).unwrap();
    assert_eq!(names(store), ["feud", "mill"], "those of one night by name");
    let given: Vec<_> = first.0.themes.iter().rev().map(|seen| seen.theme.clone()).collect();
    assert_eq!(past.themes, given);
    let second = second_night(version);
    applied(store, &second);
    let past = store.snapshot(&npc("Mara")).unwrap();
    assert_eq!(names(store), ["feud", "lantern", "mill"], "the last seen first");
    assert_eq!(past.themes[0], second.0.themes[0].theme);
    assert_eq!(past.themes[2], first.0.themes[0].theme);
    // The same nights again change nothing.
    let before = all_of(store);
    assert_eq!(apply(store, &second).unwrap(), Outcome::AlreadyApplied);
    assert_eq!(all_of(store), before);
}

fn theme_history_lists_every_night(store: &dyn MemoryStore) {
    let version = applied(store, &full_night());
    let second = second_night(version);
    applied(store, &second);
    let (feud, last) = (history(store, "feud"), &second.0.themes[0].theme);
    assert_eq!((&feud.words, feud.memories, feud.nights), (&last.words, last.memories, last.nights));
    assert_eq!((feud.first_at, feud.last_at), (last.first_at, last.last_at));
    let nights: Vec<_> = feud.history.iter().map(|point| point.night.as_str()).collect();
    assert_eq!(nights, ["1204-05-03", "1204-05-04"]);
    let point = &feud.history[1];
    assert_eq!(
        (point.at, &point.members, point.importance),
        (second.0.at, &second.0.themes[0].members, 4.3333)
    );
    assert_eq!(history(store, "mill").history.len(), 1);
    assert_eq!(store.themes(&npc("Tom")).unwrap(), []);
}

fn snapshot_holds_the_most_recent_themes(store: &dyn MemoryStore) {
    let many = MemorySnapshot::MAX_THEMES + 3;
    let mut first = Story::new("Mara", "one", 0).prune("noise");
    for n in 0..many {
        first = first.theme(&format!("theme {n:03}"));
    }
    applied(store, &first);
    assert_eq!(store.snapshot(&npc("Mara")).unwrap().themes.len(), MemorySnapshot::MAX_THEMES);
    let last = format!("theme {:03}", many - 1);
    assert!(!names(store).contains(&last));
    assert_eq!(store.themes(&npc("Mara")).unwrap().len(), many, "the others stay in the store");
    applied(store, &Story::on(store, "Mara", "two").prune("more").sees(&last, 2));
    let now = names(store);
    assert_eq!((now.len(), &now[0], now[1].as_str()), (MemorySnapshot::MAX_THEMES, &last, "theme 000"));
}

fn theme_vectors_set_the_model_of_the_store(store: &dyn MemoryStore) {
    // Nothing of the night is kept, and still there is a vector.
    applied(store, &Story::new("Mara", "one", 0).prune("noise").theme("mill"));
    assert_eq!(store.model().unwrap().unwrap().as_str(), "test-model");
    let mut other = Story::new("Tom", "one", 0).store("a");
    other.0.model = "other-model".parse().unwrap();
    assert!(apply(store, &other).is_err());
    store.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!(store.model().unwrap(), None);
    applied(store, &other);
}

fn invalid_theme_is_refused_without_changes(store: &dyn MemoryStore) {
    applied(store, &full_night());
    let before = all_of(store);
    let night = || Story::on(store, "Mara", "two").prune("noise");
    for (story, state) in [
        (night().theme("mill"), "mill, which is in the store already"),
        (night().sees("ghost", 2), "ghost, which is not in the store"),
        (night().theme("ghost").theme("ghost"), "ghost, which the night sees twice"),
    ] {
        let refused = apply(store, &story).unwrap_err().to_string();
        assert_eq!(refused, format!("night two of Mara: cannot follow the theme {state}"));
        assert_eq!(all_of(store), before);
    }
}
