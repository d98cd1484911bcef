//! Applying a night, and reading the result.

use nightfold_memory::{
    Change, Confidence, Fingerprint, GameTime, Importance, LogFilter, MAX_ID_BYTES, MemoryId, MemorySnapshot,
    MemoryStore, Outcome, State, StoreError,
};

use crate::support::{Story, all_of, applied, apply, full_night, id, ids, memory, npc, time, vector};

conformance![
    unknown_npc_has_an_empty_snapshot,
    night_stores_or_archives_every_memory,
    stored_entry_round_trips_with_every_field,
    recalls_are_counted_independently_of_nights,
    times_in_plain_seconds_round_trip,
    log_lists_every_change_in_order,
    corroboration_updates_only_the_merged_state,
    an_empty_night_writes_nothing,
    repeated_night_is_applied_once,
    stale_plan_is_refused_without_changes,
    refused_night_does_not_affect_other_nights,
    owners_lists_every_npc_with_the_id,
    longest_ids_round_trip,
    nights_are_listed_in_order_of_application,
    npcs_do_not_see_each_other,
    faulty_nights_are_refused_without_changes,
];

fn unknown_npc_has_an_empty_snapshot(store: &dyn MemoryStore) {
    let mara = npc("Mara");
    assert_eq!(store.snapshot(&mara).unwrap(), MemorySnapshot::empty());
    assert_eq!(store.entries(&mara).unwrap(), []);
    assert_eq!(store.log(&mara, LogFilter::Entry(&id("m"))).unwrap(), []);
    assert_eq!(store.derived(&mara, &id("m")).unwrap(), []);
    assert_eq!(store.nights(Some(&mara)).unwrap(), []);
    assert_eq!(store.npcs().unwrap(), []);
    assert_eq!(store.model().unwrap(), None);
    assert_eq!(store.undo(&mara).unwrap(), None);
}

fn night_stores_or_archives_every_memory(store: &dyn MemoryStore) {
    let version = applied(store, &full_night());
    let fates: Vec<_> = store
        .entries(&npc("Mara"))
        .unwrap()
        .into_iter()
        .map(|e| format!("{} {:?} {}", e.entry.id, e.state, e.archived_by.unwrap_or_default()))
        .collect();
    assert_eq!(
        fates,
        [
            "bread Archived similar",
            "butter Archived similar",
            "dull Archived unimportant-loose",
            "dull~2 Archived exact-repeat",
            "insight Active ",
            "kept Active ",
            "kept~2 Archived exact-repeat",
            "kept~3 Archived exact-repeat",
            "told Active ",
        ]
    );
    let past = store.snapshot(&npc("Mara")).unwrap();
    assert_eq!(past.version, version);
    let active: Vec<_> = past.entries.iter().map(|e| e.entry.id.clone()).collect();
    assert_eq!(active, ids(&["insight", "kept", "told"]));
    assert_eq!(past.known.len(), 9);
    let dull = memory(&npc("Mara"), "dull~2");
    assert_eq!(past.known[&id("dull~2")], Fingerprint::of(&dull.text, dull.at));
}

fn stored_entry_round_trips_with_every_field(store: &dyn MemoryStore) {
    let night = full_night();
    applied(store, &night);
    let past = store.snapshot(&night.0.npc).unwrap();
    assert_eq!(past.model.as_ref().unwrap().as_str(), "test-model");
    for change in &night.0.changes {
        let Some(entry) = change.entry() else { continue };
        let row = past.entries.iter().find(|row| row.entry.id == entry.id).unwrap();
        assert_eq!(row.entry, *entry);
        assert_eq!((row.corroborations, row.confidence), (0, Confidence::Normal));
        assert_eq!((row.touched_at, &row.night), (night.0.at, &night.0.night));
    }
    // A memory in the archive keeps all that the game said of it.
    let rows = store.entries(&night.0.npc).unwrap();
    let dull = &rows.iter().find(|row| row.entry.id == id("dull")).unwrap().entry;
    let lived = memory(&night.0.npc, "dull");
    assert_eq!((&dull.text, &dull.actors, &dull.tags), (&lived.text, &lived.actors, &lived.tags));
    assert_eq!((&dull.place, dull.emotion, dull.pinned), (&lived.place, lived.emotion, lived.pinned));
    assert_eq!((dull.at, dull.last_at, dull.occurrences), (lived.at, lived.at, 1));
    assert!(rows.iter().all(|row| row.entry.vector.is_none()), "entries leave the vectors out");
}

fn recalls_are_counted_independently_of_nights(store: &dyn MemoryStore) {
    let night = full_night();
    applied(store, &night);
    let (name, at) = (npc("Mara"), time("1204-05-04T12:00:00Z"));
    let before = store.snapshot(&name).unwrap();
    let asked = ids(&["kept", "nowhere", "insight"]);
    assert_eq!(store.touch(&name, &asked, at).unwrap(), 2);
    assert_eq!(store.touch(&name, &asked[..1], at).unwrap(), 1);
    assert_eq!(store.touch(&npc("Nobody"), &asked, at).unwrap(), 0);
    let past = store.snapshot(&name).unwrap();
    let noted = |id: &str| {
        let row = past.entries.iter().find(|row| row.entry.id.as_str() == id).unwrap();
        (row.recalls, row.recalled_at)
    };
    assert_eq!([noted("kept"), noted("insight"), noted("told")], [(2, Some(at)), (1, Some(at)), (0, None)]);
    assert_eq!(past.version, before.version, "a plan made before still applies");
    // A later night that changes an entry, and its undoing, leave what came to mind.
    let mut later = Story::new("Mara", "later", past.version).archive("kept");
    later.0.at = at;
    applied(store, &later);
    let rows = store.entries(&name).unwrap();
    let kept = rows.iter().find(|row| row.entry.id.as_str() == "kept").unwrap();
    assert_eq!((kept.state, kept.recalls), (State::Archived, 2));
    store.undo(&name).unwrap();
    assert_eq!(store.snapshot(&name).unwrap(), past);
}

fn times_in_plain_seconds_round_trip(store: &dyn MemoryStore) {
    let mut night = Story::new("Mara", "day-0", 0).store("a").prune("b");
    night.0.at = GameTime::from_seconds(80_000).unwrap();
    night.0.memories[1].at = GameTime::from_seconds(-5).unwrap();
    applied(store, &night);
    let past = store.snapshot(&npc("Mara")).unwrap();
    assert_eq!(past.entries[0].touched_at, night.0.at);
    assert_eq!(store.entries(&npc("Mara")).unwrap()[1].entry.at, night.0.memories[1].at);
    assert_eq!(past.known[&id("b")], Fingerprint::of(&night.0.memories[1].text, night.0.memories[1].at));
    assert_eq!(store.nights(None).unwrap()[0].at, night.0.at);
}

fn log_lists_every_change_in_order(store: &dyn MemoryStore) {
    let first = full_night();
    applied(store, &first);
    let mut second =
        Story::on(store, "Mara", "1204-05-04").corroborate("kept", &["again"], 1).archive("kept");
    second.0.at = "1204-05-05T03:00:00Z".parse().unwrap();
    applied(store, &second);
    let log = store.log(&npc("Mara"), LogFilter::Entry(&id("kept"))).unwrap();
    let verbs: Vec<_> = log.iter().map(|line| (line.night.as_str(), line.verb.as_str())).collect();
    let [one, two] = ["1204-05-03", "1204-05-04"];
    assert_eq!(verbs, [(one, "collapse"), (one, "store"), (two, "corroborate"), (two, "archive")]);
    assert_eq!(&log[1].reason, first.0.changes[1].reason());
    assert_eq!(log[3].at, second.0.at);
}

fn corroboration_updates_only_the_merged_state(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("b"));
    let untouched = all_of(store);
    let before = store.snapshot(&npc("Mara")).unwrap().entries.remove(0);
    assert_eq!((before.entry.importance.get(), before.entry.pinned), (7, false));
    let mut night = Story::on(store, "Mara", "two").corroborate("b", &["z", "a"], 8);
    night.0.at = "1204-05-05T03:00:00Z".parse().unwrap();
    applied(store, &night);
    let after = store.snapshot(&npc("Mara")).unwrap().entries.remove(0);
    let mut expected = before;
    expected.corroborations = 8;
    expected.confidence = Confidence::High;
    expected.last_corroborated_at = Some(night.0.at);
    expected.touched_at = night.0.at;
    expected.entry.last_at = "1204-05-03T23:00:00Z".parse().unwrap();
    expected.entry.tags = vec!["united".to_owned()];
    expected.entry.importance = Importance::new(9).unwrap();
    expected.entry.pinned = true;
    expected.entry.sources = ids(&["a", "z"]);
    assert_eq!(after, expected);
    assert_eq!(store.derived(&npc("Mara"), &id("z")).unwrap(), ids(&["b"]));
    let archived = store.entries(&npc("Mara")).unwrap().remove(0);
    assert_eq!(archived.archived_by.as_deref(), Some("already-known"));
    store.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!(all_of(store), untouched);
}

fn an_empty_night_writes_nothing(store: &dyn MemoryStore) {
    let outcome = apply(store, &Story::new("Mara", "one", 7)).unwrap();
    assert_eq!(outcome, Outcome::Empty);
    assert_eq!(store.nights(None).unwrap(), []);
    assert_eq!(store.snapshot(&npc("Mara")).unwrap(), MemorySnapshot::empty());
}

fn repeated_night_is_applied_once(store: &dyn MemoryStore) {
    let first = full_night();
    applied(store, &first);
    applied(store, &Story::on(store, "Mara", "two").store("x"));
    let before = all_of(store);
    assert_eq!(apply(store, &first).unwrap(), Outcome::AlreadyApplied);
    assert_eq!(all_of(store), before);
    // Also when it stands twice in one call.
    let night = Story::on(store, "Mara", "three").store("y").0;
    let outcomes = store.apply(9, &[night.clone(), night]).unwrap();
    assert!(matches!(outcomes[0], Ok(Outcome::Applied { .. })));
    assert!(matches!(outcomes[1], Ok(Outcome::AlreadyApplied)));
}

fn stale_plan_is_refused_without_changes(store: &dyn MemoryStore) {
    let version = applied(store, &full_night());
    let before = all_of(store);
    for planned in [0, version + 1, u64::MAX] {
        let error = apply(store, &Story::new("Mara", "two", planned).store("x")).unwrap_err();
        assert!(
            matches!(error, StoreError::Stale { planned: p, found, .. } if (p, found) == (planned, version))
        );
    }
    assert_eq!(all_of(store), before);
}

fn refused_night_does_not_affect_other_nights(store: &dyn MemoryStore) {
    let first = Story::new("Ana", "one", 0).store("a").0;
    let second = Story::new("Ana", "two", first.next_version().unwrap()).store("b").0;
    let nights = [
        first,
        Story::new("Mara", "one", 0).store("a").archive("a").store("b").archive("nowhere").0,
        Story::new("Tom", "one", 3).store("a").0,
        Story::new("Zoe", "one", 0).0,
        second,
    ];
    let outcomes = store.apply(1, &nights).unwrap();
    assert!(matches!(outcomes[0], Ok(Outcome::Applied { .. })));
    assert!(matches!(outcomes[1], Err(StoreError::Conflict { .. })));
    assert!(matches!(outcomes[2], Err(StoreError::Stale { planned: 3, found: 0, .. })));
    assert!(matches!(outcomes[3], Ok(Outcome::Empty)));
    assert!(matches!(outcomes[4], Ok(Outcome::Applied { .. })));
    assert_eq!(store.npcs().unwrap(), [npc("Ana")]);
    assert_eq!(store.snapshot(&npc("Ana")).unwrap().entries.len(), 2);
    assert_eq!(
        store.snapshot(&npc("Mara")).unwrap(),
        MemorySnapshot { model: store.model().unwrap(), ..MemorySnapshot::empty() }
    );
}

fn owners_lists_every_npc_with_the_id(store: &dyn MemoryStore) {
    assert_eq!(store.owners(&id("a")).unwrap(), []);
    applied(store, &Story::new("Tom", "one", 0).store("a").reflect("r", &["a", "elsewhere"]));
    applied(store, &Story::new("Mara", "one", 0).store("b"));
    applied(store, &Story::new("Ana", "one", 0).prune("a"));
    assert_eq!(store.owners(&id("a")).unwrap(), [npc("Ana"), npc("Tom")], "archived or not, in order");
    assert_eq!(store.owners(&id("r")).unwrap(), [npc("Tom")]);
    assert_eq!(store.owners(&id("elsewhere")).unwrap(), [], "being named as a source is not enough");
    store.undo(&npc("Ana")).unwrap().unwrap();
    assert_eq!(store.owners(&id("a")).unwrap(), [npc("Tom")]);
}

fn longest_ids_round_trip(store: &dyn MemoryStore) {
    let long = id(&"\u{fc}".repeat(MAX_ID_BYTES / 2));
    let numbered = long.numbered(2);
    let story = Story::new("Mara", "one", 0)
        .store(long.as_str())
        .store(numbered.as_str())
        .reflect("r", &[long.as_str(), numbered.as_str()]);
    applied(store, &story);
    let known = store.snapshot(&npc("Mara")).unwrap().known;
    assert!([&long, &numbered].into_iter().all(|id| known.contains_key(id)));
    assert_eq!(store.entries(&npc("Mara")).unwrap().len(), 3);
    assert_eq!(store.owners(&numbered).unwrap(), [npc("Mara")]);
    assert_eq!(store.derived(&npc("Mara"), &numbered).unwrap(), ids(&["r"]));
    // One byte more is no id, and a night that names it is none either.
    assert!(MemoryId::new(format!("{long}.")).is_err());
    let json = serde_json::to_string(&story.0).unwrap().replace(long.as_str(), &format!("{long}."));
    let refused = serde_json::from_str::<nightfold_memory::NpcNight>(&json).unwrap_err().to_string();
    assert!(refused.contains("257 bytes"), "{refused}");
}

fn nights_are_listed_in_order_of_application(store: &dyn MemoryStore) {
    for (run, (of, name)) in [("Tom", "a"), ("Ana", "b"), ("Tom", "c"), ("Tom", "d")].into_iter().enumerate()
    {
        store.apply(run as u64 + 1, &[Story::on(store, of, name).store(name).0]).unwrap();
    }
    let nights = store.nights(None).unwrap();
    let order: Vec<_> = nights.iter().map(|n| (n.npc.as_str(), n.night.as_str(), n.run, n.changes)).collect();
    assert_eq!(order, [("Tom", "a", 1, 1), ("Ana", "b", 2, 1), ("Tom", "c", 3, 1), ("Tom", "d", 4, 1)]);
    assert_eq!(store.nights(Some(&npc("Ana"))).unwrap(), nights[1..2]);
    let (c, d) = (&nights[2], &nights[3]);
    assert_eq!((nights[0].base_version, c.base_version, d.base_version), (0, nights[0].version, c.version));
}

fn npcs_do_not_see_each_other(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("a").reflect("r", &["a"]));
    applied(store, &Story::new("Ana", "one", 0).store("a"));
    assert_eq!(store.npcs().unwrap(), [npc("Ana"), npc("Mara")]);
    assert_eq!(store.derived(&npc("Ana"), &id("a")).unwrap(), []);
    assert_eq!(store.log(&npc("Ana"), LogFilter::Entry(&id("a"))).unwrap().len(), 1);
    let vector_of = |of: &str| store.snapshot(&npc(of)).unwrap().entries[0].entry.vector.clone();
    assert_eq!(vector_of("Ana"), Some(vector(&memory(&npc("Ana"), "a").text)));
    let mara = store.snapshot(&npc("Mara")).unwrap();
    store.undo(&npc("Ana")).unwrap().unwrap();
    assert_eq!(store.snapshot(&npc("Mara")).unwrap(), mara);
}

fn faulty_nights_are_refused_without_changes(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("old").prune("gone"));
    let before = all_of(store);
    let night = || Story::on(store, "Mara", "two");
    let mut blind = night().store("a");
    if let Change::Store { entry, .. } = &mut blind.0.changes[0] {
        entry.vector = None;
    }
    let mut strange = night().store("a");
    strange.0.memories[0].npc = npc("Tom");
    let mut elsewhere = night().store("a").prune("b");
    elsewhere.0.memories.pop();
    let faulty = vec![
        (night().store("old"), "cannot store old, which is in the store already"),
        (night().store("gone"), "cannot store gone, which is in the store already"),
        (night().prune("old"), "cannot prune old, which is in the store already"),
        (night().reflect("old", &[]), "cannot reflect old, which is in the store already"),
        (night().store("a").reflect("a", &[]), "cannot reflect a, which is in the store already"),
        (night().corroborate("gone", &["a"], 1), "cannot corroborate gone, which is archived already"),
        (night().corroborate("nowhere", &["a"], 1), "cannot corroborate nowhere, which is not in the store"),
        (night().archive("old").archive("old"), "cannot archive old, which is archived already"),
        (night().forget("nowhere"), "cannot forget nowhere, which is not in the store"),
        (night().supersede("old", &[]), "cannot supersede old, which nothing replaces"),
        (
            night().supersede("old", &["x"]),
            "cannot supersede old, which is to be replaced by what is not in the store",
        ),
        (night().day(&["a"]), "cannot sleep on a, which no change decides"),
        (night().store("a").day(&["a"]), "cannot sleep on a, which the night holds twice"),
        (strange, "cannot sleep on a, which is another NPC's"),
        (elsewhere, "cannot prune b, which is not of this night"),
        (night().collapse("z", &["a"]), "cannot collapse z, which is not of this night"),
        (
            night().collapse("b", &["b"]).change(night().prune("b").0.changes.remove(0)),
            "cannot prune b, which an earlier change of the night decides",
        ),
        (blind, "cannot store a, which has no vector"),
    ];
    for (story, expected) in faulty {
        let message = apply(store, &story).unwrap_err().to_string();
        assert_eq!(message, format!("night two of Mara: {expected}"));
        assert_eq!(all_of(store), before, "{expected}");
    }
}
