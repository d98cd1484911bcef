//! Erasing a person from what NPCs know.

use nightfold_memory::{
    Confidence, Erasure, Fingerprint, LogFilter, MemoryId, MemoryStore, PersonNames, Reason, RewindTarget,
    Rule, SavePointName, State, StoreError,
};

use crate::night_cases::{derived, night, row, sources};
use crate::support::{Story, all_of, applied, apply, full_night, id, ids, memory, npc, reason, vector};

conformance![
    erasure_deletes_what_names_the_person_and_what_was_concluded_from_it,
    reflection_with_other_support_stays_and_loses_the_source,
    superseded_and_summarised_entries_are_active_again,
    contest_marks_ended_positions_and_corroborations_are_withdrawn,
    reasons_that_name_the_person_lose_their_values,
    themes_go_back_to_before_the_erased_memories,
    erased_memories_stay_known_and_their_ids_do_not_name_the_person,
    nights_before_an_erasure_cannot_be_undone_and_plans_are_stale,
    save_point_of_the_present_state_goes_along,
    shelved_nights_are_given_up,
    others_stay_as_they_are_and_nothing_is_erased_twice,
    npc_of_that_name_is_deleted_whole,
];

fn conan() -> PersonNames {
    PersonNames::new(["Conan"]).unwrap()
}

/// Erases Conan from what Mara knows, as announced.
fn erase(store: &dyn MemoryStore) -> Erasure {
    let mara = npc("Mara");
    let announced = store.erasable(&mara, &conan()).unwrap().unwrap();
    let run = store.begin_run().unwrap();
    assert_eq!(store.erase(run, &mara, &conan()).unwrap().as_ref(), Some(&announced));
    assert_eq!(store.erasable(&mara, &conan()).unwrap(), None);
    assert_eq!(store.erase(run, &mara, &conan()).unwrap(), None, "it is done");
    assert!(!conan().are_in(&all_of(store)), "{}", all_of(store));
    announced
}

fn erasure(named: &[&str], withdrawn: &[&str]) -> Erasure {
    Erasure { named: ids(named), withdrawn: ids(withdrawn), nights: 1, ..Erasure::default() }
}

fn names(store: &dyn MemoryStore) -> Vec<String> {
    store.entries(&npc("Mara")).unwrap().iter().map(|m| m.entry.id.to_string()).collect()
}

fn erasure_deletes_what_names_the_person_and_what_was_concluded_from_it(store: &dyn MemoryStore) {
    let story = Story::new("Mara", "one", 0).store("a").store("conan-came");
    let story = story.chunk("told", &["bread", "conan-butter"]).reflect("weak", &["a", "conan-came"]);
    applied(store, &story);
    applied(store, &night(store, "two").reflect("of-weak", &["weak", "a"]).prune("conan-dull"));
    let expected = Erasure {
        others: 5,
        nights: 2,
        ..erasure(&["conan-butter", "conan-came", "conan-dull"], &["of-weak", "told", "weak"])
    };
    assert_eq!(erase(store), expected);
    assert_eq!(names(store), ["a", "bread"]);
    assert_eq!(derived(store, "a"), []);
    for erased in expected.deleted() {
        assert_eq!(store.entry(&npc("Mara"), erased).unwrap(), None);
        assert_eq!(store.log(&npc("Mara"), LogFilter::Entry(erased)).unwrap(), []);
        assert_eq!(store.sources(&npc("Mara"), erased).unwrap(), []);
    }
}

fn reflection_with_other_support_stays_and_loses_the_source(store: &dyn MemoryStore) {
    let story = Story::new("Mara", "one", 0).store("a").store("b").store("conan-came");
    applied(store, &story.reflect("insight", &["a", "b", "conan-came"]));
    assert_eq!(erase(store), Erasure { others: 2, ..erasure(&["conan-came"], &[]) });
    assert_eq!(
        (names(store), sources(store, "insight")),
        (vec!["a".into(), "b".into(), "insight".into()], ids(&["a", "b"]))
    );
    assert_eq!(store.sources(&npc("Mara"), &id("insight")).unwrap(), ids(&["a", "b"]));
}

fn superseded_and_summarised_entries_are_active_again(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("claim").store("old").store("conan-old").store("low"));
    applied(store, &night(store, "two").archive("low"));
    let story = night(store, "three").store("conan-denies").supersede("claim", &["conan-denies"]);
    applied(store, &story.supersede("low", &["conan-denies"]));
    applied(store, &night(store, "four").abstracted("week", &["old", "conan-old"]));
    let told = erase(store);
    assert_eq!(told.restored, ids(&["claim", "old"]));
    let claim = row(store, "claim");
    assert_eq!((claim.state, claim.archived_by, claim.superseded_by), (State::Active, None, None));
    assert_eq!(claim.entry.vector, Some(vector(&memory(&npc("Mara"), "claim").text)));
    let low = row(store, "low");
    assert_eq!((low.state, low.superseded_by), (State::Archived, None), "it was archived for lack of room");
    let lines = store.log(&npc("Mara"), LogFilter::Entry(&id("claim"))).unwrap();
    assert_eq!(lines.iter().map(|line| line.verb.as_str()).collect::<Vec<_>>(), ["store"]);
    // What is active again is known to the next night.
    assert_eq!(store.snapshot(&npc("Mara")).unwrap().entries.len(), 2);
    applied(store, &night(store, "five").store("new").supersede("claim", &["new"]));
}

fn contest_marks_ended_positions_and_corroborations_are_withdrawn(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("claim").store("kept"));
    let story = night(store, "two").store("conan-denies").contest("claim", &["conan-denies"]);
    let story = story.corroborate("kept", &["conan-again"], 2).corroborate("kept", &["again"], 3);
    let story =
        story.end("claim", "'twice'", &["conan-denies"]).store("news").end("claim", "heard", &["news"]);
    applied(store, &story);
    assert_eq!(row(store, "kept").confidence, Confidence::High);
    erase(store);
    let claim = row(store, "claim");
    assert_eq!(claim.contested_with, []);
    assert_eq!(claim.ended.iter().map(|ended| &*ended.text).collect::<Vec<_>>(), ["heard"]);
    let kept = row(store, "kept");
    assert_eq!((kept.corroborations, kept.confidence), (2, Confidence::Normal));
    assert_eq!(kept.entry.sources, ids(&["again"]));
}

fn reasons_that_name_the_person_lose_their_values(store: &dyn MemoryStore) {
    let mut story = Story::new("Mara", "one", 0).store("a").store("conan-came");
    let nightfold_memory::Change::Store { reason: why, .. } = &mut story.0.changes[0] else { panic!() };
    *why = reason(Rule::Important)
        .with("older", "conan-came")
        .with("newer", "a")
        .with("subject", "Conan's gifts");
    applied(store, &story);
    assert_eq!(erase(store).others, 2);
    let lines = store.log(&npc("Mara"), LogFilter::Entry(&id("a"))).unwrap();
    assert_eq!(lines.iter().map(|line| &line.reason).collect::<Vec<_>>(), [&Reason::new(Rule::Important)]);
}

fn themes_go_back_to_before_the_erased_memories(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("a").theme("mill").theme("feud"));
    applied(store, &night(store, "two").store("conan-came").sees("feud", 2).theme("lantern"));
    applied(store, &night(store, "three").store("b").sees("mill", 2).sees("feud", 3).theme("conan-war"));
    erase(store);
    let themes = store.themes(&npc("Mara")).unwrap();
    let nights = themes.iter().map(|theme| (theme.id.as_str(), theme.nights, theme.history.len()));
    assert_eq!(nights.collect::<Vec<_>>(), [("mill", 2, 2), ("feud", 1, 1)]);
    applied(store, &night(store, "four").store("c").sees("feud", 2).theme("lantern"));
}

fn erased_memories_stay_known_and_their_ids_do_not_name_the_person(store: &dyn MemoryStore) {
    applied(store, &Story::new("Mara", "one", 0).store("a").store("conan-came").prune("conan-dull"));
    store.purge(&npc("Mara"), 0).unwrap();
    erase(store);
    let known = store.snapshot(&npc("Mara")).unwrap().known;
    for name in ["conan-came", "conan-dull"] {
        let memory = memory(&npc("Mara"), name);
        assert_eq!(known.get(&memory.id), None);
        assert_eq!(known.get(&memory.id.erased()), Some(&Fingerprint::of(&memory.text, memory.at)));
    }
    assert_eq!(known.len(), 3);
}

fn nights_before_an_erasure_cannot_be_undone_and_plans_are_stale(store: &dyn MemoryStore) {
    let version = applied(store, &Story::new("Mara", "one", 0).store("a").store("conan-came"));
    let planned = night(store, "two").store("b");
    let run = store.nights(None).unwrap()[0].run;
    erase(store);
    let nights = store.nights(None).unwrap();
    assert_eq!((nights.len(), nights[1].base_version), (2, version));
    assert_eq!(nights[1].night.as_str(), "one \u{b7} upkeep");
    assert_eq!(store.snapshot(&npc("Mara")).unwrap().version, nights[1].version);
    assert!(matches!(apply(store, &planned), Err(StoreError::Stale { .. })));
    assert!(matches!(store.undo(&npc("Mara")), Err(StoreError::Purged { .. })));
    assert_eq!(store.undo_run(run).unwrap(), [], "a later night builds on it");
    let early = RewindTarget::At("1204-05-01".parse().unwrap());
    assert!(matches!(store.rewind(None, &early), Err(StoreError::Purged { .. })));
    // Later nights can be.
    let before = all_of(store);
    applied(store, &night(store, "two").store("b").archive("a"));
    store.undo(&npc("Mara")).unwrap().unwrap();
    assert_eq!(all_of(store), before);
}

fn save_point_of_the_present_state_goes_along(store: &dyn MemoryStore) {
    let point = |name: &str| SavePointName::new(name).unwrap();
    store.save_point(&point("new game")).unwrap();
    applied(store, &Story::new("Mara", "one", 0).store("a").store("conan-came"));
    store.save_point(&point("one")).unwrap();
    erase(store);
    let after = all_of(store);
    assert_eq!(store.rewind(None, &RewindTarget::SavePoint(point("one"))).unwrap(), []);
    applied(store, &night(store, "two").store("b"));
    store.rewind(None, &RewindTarget::SavePoint(point("one"))).unwrap();
    assert_eq!(all_of(store), after);
    let start = RewindTarget::SavePoint(point("new game"));
    assert!(matches!(store.rewind(None, &start), Err(StoreError::Purged { .. })));
}

fn shelved_nights_are_given_up(store: &dyn MemoryStore) {
    let point = SavePointName::new("later").unwrap();
    applied(store, &Story::new("Mara", "one", 0).store("a"));
    let mut story = night(store, "two").store("conan-came");
    story.0.at = "1204-06-01".parse().unwrap();
    applied(store, &story);
    store.save_point(&point).unwrap();
    store.rewind(None, &RewindTarget::At("1204-05-04T03:00:00Z".parse().unwrap())).unwrap();
    assert_eq!(erase(store), Erasure { nights: 2, ..erasure(&[], &[]) });
    let later = RewindTarget::SavePoint(point);
    assert!(matches!(store.rewind(None, &later), Err(StoreError::Unreachable { .. })));
    assert_eq!(names(store), ["a"]);
}

fn others_stay_as_they_are_and_nothing_is_erased_twice(store: &dyn MemoryStore) {
    let ann = npc("Ann");
    applied(store, &Story::new("Ann", "one", 0).store("a").theme("mill"));
    let shown = |store: &dyn MemoryStore| {
        format!("{:?} {:?}", store.snapshot(&ann).unwrap(), store.nights(Some(&ann)).unwrap())
    };
    let before = shown(store);
    applied(store, &full_night());
    applied(store, &night(store, "two").store("conan-came"));
    erase(store);
    assert_eq!(store.erasable(&ann, &conan()).unwrap(), None);
    assert_eq!(store.erase(9, &ann, &conan()).unwrap(), None);
    assert_eq!(store.erase(9, &npc("nobody"), &conan()).unwrap(), None);
    assert_eq!(shown(store), before);
    store.undo(&ann).unwrap().unwrap();
}

fn npc_of_that_name_is_deleted_whole(store: &dyn MemoryStore) {
    let conan_himself = npc("Conan");
    let nobody_knows: Vec<MemoryId> = Vec::new();
    assert_eq!(store.erasable(&conan_himself, &conan()).unwrap(), None);
    applied(store, &Story::new("Mara", "one", 0).store("a"));
    applied(store, &Story::new("Conan", "one", 0).store("a").prune("b").theme("mill"));
    let point = SavePointName::new("both").unwrap();
    store.save_point(&point).unwrap();
    let told = store.erase(7, &conan_himself, &conan()).unwrap().unwrap();
    assert!(told.whole && told.nights == 1 && told.deleted().eq(nobody_knows.iter()));
    assert_eq!(store.npcs().unwrap(), [npc("Mara")]);
    assert_eq!(
        (store.nights(Some(&conan_himself)).unwrap(), store.save_points().unwrap()[0].npcs),
        (vec![], 1)
    );
    assert_eq!(store.rewind(None, &RewindTarget::SavePoint(point)).unwrap(), []);
    assert!(store.snapshot(&conan_himself).unwrap().known.is_empty());
    assert!(!conan().are_in(&all_of(store)));
    // One whose nights were all undone is still named at a save point.
    applied(store, &Story::new("Conan", "one", 0).store("a"));
    store.save_point(&SavePointName::new("both").unwrap()).unwrap();
    store.undo(&conan_himself).unwrap().unwrap();
    assert!(store.erase(8, &conan_himself, &conan()).unwrap().unwrap().whole);
    assert_eq!(store.save_points().unwrap()[0].npcs, 1);
    assert_eq!(store.erase(8, &conan_himself, &conan()).unwrap(), None);
}
