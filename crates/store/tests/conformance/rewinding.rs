//! Save points, rewinding, and the branches that it leaves.

use nightfold_memory::{
    LogFilter, MemoryStore, NpcId, RewindTarget, Rewound, SavePoint, SavePointName, StoreError,
};

use crate::support::{Story, all_of, applied, full_night, id, npc, second_night, time};

conformance![
    rewind_goes_back_to_a_save_point_and_forward_again,
    night_that_is_slept_again_after_a_rewind_can_be_rewound_again,
    rewind_to_a_moment_keeps_the_nights_up_to_it,
    save_points_are_listed_replaced_and_forgotten,
    undone_and_purged_states_cannot_be_reached,
    recalls_by_day_outlast_a_rewind,
    vectors_of_two_models_never_meet,
    random_branches_lead_back_to_every_save_point,
];

fn name(name: &str) -> SavePointName {
    SavePointName::new(name).unwrap()
}

fn to(point: &str) -> RewindTarget {
    RewindTarget::SavePoint(name(point))
}

fn vectors_of_two_models_never_meet(store: &dyn MemoryStore) {
    store.save_point(&name("new game")).unwrap();
    applied(store, &Story::new("Mara", "one", 0).store("a"));
    store.save_point(&name("mara")).unwrap();
    let mara = all_of(store);
    store.rewind(None, &to("new game")).unwrap();
    let mut other = Story::new("Bob", "one", 0).store("b");
    other.0.model = "other-model".parse().unwrap();
    applied(store, &other);
    let bob = all_of(store);
    let refused = store.rewind(Some(&npc("Mara")), &to("mara")).unwrap_err();
    assert!(matches!(refused, StoreError::Model { .. }), "{refused}");
    assert_eq!(all_of(store), bob, "nothing was changed");
    // Where Bob goes, his vectors go with him.
    store.rewind(None, &to("mara")).unwrap();
    assert_eq!(all_of(store), mara);
}

fn rewind_goes_back_to_a_save_point_and_forward_again(store: &dyn MemoryStore) {
    let empty = all_of(store);
    store.save_point(&name("new game")).unwrap();
    let first = applied(store, &full_night());
    store.save_point(&name("one")).unwrap();
    let one = all_of(store);
    let second = applied(store, &second_night(first));
    let third = applied(
        store,
        &Story::on(store, "Mara", "three").corroborate("kept", &["once more"], 5).forget("new").end(
            "kept",
            "heard",
            &["once more"],
        ),
    );
    store.save_point(&name("three")).unwrap();
    let three = all_of(store);
    let rewound = |back, forward, version| vec![Rewound { npc: npc("Mara"), back, forward, version }];
    for _ in 0..2 {
        assert_eq!(store.rewind(None, &to("one")).unwrap(), rewound(2, 0, first));
        assert_eq!(all_of(store), one);
        assert_eq!(store.rewind(None, &to("one")).unwrap(), [], "it is there already");
        assert_eq!(store.rewind(None, &to("three")).unwrap(), rewound(0, 2, third));
        assert_eq!(all_of(store), three);
        assert_eq!(store.rewind(None, &to("new game")).unwrap(), rewound(3, 0, 0));
        assert_eq!(all_of(store), empty);
        assert_eq!(store.rewind(None, &to("three")).unwrap(), rewound(0, 3, third));
        assert_eq!(all_of(store), three);
    }
    // A night that was carried out again is undone like any other.
    store.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!(store.snapshot(&npc("Mara")).unwrap().version, second);
    store.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!(all_of(store), one);
}

fn night_that_is_slept_again_after_a_rewind_can_be_rewound_again(store: &dyn MemoryStore) {
    store.save_point(&name("new game")).unwrap();
    let empty = all_of(store);
    let first = applied(store, &full_night());
    for _ in 0..2 {
        store.rewind(None, &to("new game")).unwrap();
        assert_eq!(all_of(store), empty);
        assert_eq!(applied(store, &full_night()), first);
    }
}

fn rewind_to_a_moment_keeps_the_nights_up_to_it(store: &dyn MemoryStore) {
    let mut versions = vec![0];
    for day in 1..=4 {
        let mut night = Story::on(store, "Mara", &format!("day {day}")).store(&format!("m{day}"));
        night.0.at = time(&format!("1204-05-0{day}T21:00:00Z"));
        versions.push(applied(store, &night));
    }
    let at = |moment: &str| {
        store.rewind(None, &RewindTarget::At(time(moment))).unwrap();
        store.snapshot(&npc("Mara")).unwrap().version
    };
    assert_eq!(at("1204-05-09T00:00:00Z"), versions[4]);
    assert_eq!(at("1204-05-03T21:00:00Z"), versions[3], "the night of that moment stays");
    assert_eq!(at("1204-05-03T20:59:59Z"), versions[2]);
    assert_eq!(at("1204-05-04T00:00:00Z"), versions[2], "a moment never leads forward");
    assert_eq!(at("1204-04-30T00:00:00Z"), versions[0]);
}

fn save_points_are_listed_replaced_and_forgotten(store: &dyn MemoryStore) {
    store.save_point(&name("b")).unwrap();
    store.save_point(&name("a")).unwrap();
    applied(store, &full_night());
    store.save_point(&name("b")).unwrap();
    let points = store.save_points().unwrap();
    assert_eq!(points.iter().map(|p| (p.name.as_str(), p.npcs)).collect::<Vec<_>>(), [("a", 0), ("b", 1)]);
    assert_eq!(store.rewind(None, &to("b")).unwrap(), [], "it was replaced");
    let [of_a, of_b]: [SavePoint; 2] = points.try_into().unwrap();
    assert_eq!(store.save_point(&name("b")).unwrap(), of_b, "of the same state");
    assert_eq!(store.rewind(None, &RewindTarget::Saved(of_b.clone())).unwrap(), []);
    let before = all_of(store);
    let replaced = RewindTarget::Saved(SavePoint { name: name("b"), ..of_a });
    for error in [store.rewindable(None, &replaced).unwrap_err(), store.rewind(None, &replaced).unwrap_err()]
    {
        assert!(matches!(&error, StoreError::SavePointReplaced { name } if *name == of_b.name), "{error}");
    }
    assert_eq!(all_of(store), before);
    assert!(store.forget_save_point(&name("a")).unwrap() && !store.forget_save_point(&name("a")).unwrap());
    let before = all_of(store);
    let error = store.rewind(None, &to("a")).unwrap_err();
    assert!(matches!(&error, StoreError::NoSavePoint { name } if name.as_str() == "a"), "{error}");
    assert_eq!(all_of(store), before);
}

fn undone_and_purged_states_cannot_be_reached(store: &dyn MemoryStore) {
    let first = applied(store, &full_night());
    applied(store, &Story::new("Ann", "one", 0).store("a"));
    let second = applied(store, &second_night(first));
    store.save_point(&name("two")).unwrap();
    store.undo(&npc("Mara")).unwrap().unwrap();
    applied(store, &Story::on(store, "Ann", "two").store("b"));
    let before = all_of(store);
    let error = store.rewind(None, &to("two")).unwrap_err();
    let lost = matches!(&error, StoreError::Unreachable { npc: of, version } if *of == npc("Mara") && *version == second);
    assert!(lost, "{error}");
    assert_eq!(all_of(store), before, "all or none");

    store.save_point(&name("one")).unwrap();
    applied(store, &Story::on(store, "Mara", "two").forget("kept"));
    applied(store, &Story::on(store, "Mara", "three").store("c"));
    store.purge(&npc("Mara"), 1).unwrap();
    let error = store.rewind(Some(&npc("Mara")), &to("one")).unwrap_err();
    assert!(matches!(error, StoreError::Purged { .. }), "{error}");
}

fn recalls_by_day_outlast_a_rewind(store: &dyn MemoryStore) {
    applied(store, &full_night());
    store.save_point(&name("one")).unwrap();
    applied(store, &Story::on(store, "Mara", "two").store("b"));
    store.save_point(&name("two")).unwrap();
    let mara = npc("Mara");
    for _ in 0..3 {
        store.touch(&mara, &[id("kept"), id("b")], time("1204-05-09T00:00:00Z")).unwrap();
    }
    store.rewind(None, &to("one")).unwrap();
    assert_eq!(store.entry(&mara, &id("kept")).unwrap().unwrap().recalls, 3);
    store.rewind(None, &to("two")).unwrap();
    let again = store.entry(&mara, &id("b")).unwrap().unwrap();
    assert_eq!((again.recalls, again.recalled_at), (3, Some(time("1204-05-09T00:00:00Z"))));
}

/// Returns what each NPC has, by itself: nights of different NPCs may be carried out again in another order.
fn minds(store: &dyn MemoryStore) -> String {
    let of = |npc: &NpcId| {
        let (snapshot, nights) = (store.snapshot(npc).unwrap(), store.nights(Some(npc)).unwrap());
        let (entries, log) =
            (store.entries(npc).unwrap(), store.log(npc, LogFilter::Verb("forget")).unwrap());
        format!("{npc} {snapshot:?} {nights:?} {entries:?} {log:?} {:?}", store.themes(npc).unwrap())
    };
    store.npcs().unwrap().iter().map(of).collect()
}

fn random_branches_lead_back_to_every_save_point(store: &dyn MemoryStore) {
    let mut draw = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |n: u64| {
        draw ^= draw >> 12;
        draw ^= draw << 25;
        draw ^= draw >> 27;
        (draw.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % n
    };
    let mut states: Vec<(SavePointName, String)> = Vec::new();
    for step in 0..60 {
        match below(4) {
            0 | 1 => {
                let who = ["Ann", "Ben"][below(2) as usize];
                let mut night = Story::on(store, who, &format!("night {step}")).store(&format!("m{step}"));
                let known = store.active_page(&npc(who), None, 9).unwrap();
                if let Some(entry) = known.get(below(9) as usize) {
                    night = night.forget(entry.entry.id.as_str());
                }
                applied(store, &night);
            }
            2 => {
                let point = name(&format!("save {step}"));
                store.save_point(&point).unwrap();
                states.push((point, minds(store)));
            }
            _ if states.is_empty() => {}
            _ => {
                let (point, state) = &states[below(states.len() as u64) as usize];
                let (before, target) = (minds(store), RewindTarget::SavePoint(point.clone()));
                let planned = store.rewindable(None, &target).unwrap();
                assert_eq!(minds(store), before, "only looked at");
                assert_eq!(store.rewind(None, &target).unwrap(), planned);
                assert_eq!(minds(store), *state, "step {step}: {point}");
            }
        }
    }
    for (point, state) in &states {
        store.rewind(None, &RewindTarget::SavePoint(point.clone())).unwrap();
        assert_eq!(minds(store), *state, "{point}");
    }
}
