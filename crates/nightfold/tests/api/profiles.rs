//! NPCs with profiles: each sleeps, is maintained and recalls by its own settings, whoever sleeps beside it.

use crate::support::{Toy, config, memory, nightly, npc, sleeping, town};
use nightfold::english::Packs;
use nightfold::{
    Maintenance, MaintenanceTasks, Nightfold,
    memory::{
        GameTime, Memory, MemoryReader as _, MemoryStore as _, NpcNight, ValidConfig, config::Profile,
        config::ProfileName,
    },
};
use nightfold_store::SqliteStore;

/// Configuration with one profile of these matches and changes.
fn with_profile(name: &str, change: impl FnOnce(&mut Profile)) -> ValidConfig {
    config(|c| {
        c.profiles.insert(name.to_owned(), Profile::default().with(change));
    })
}

fn plan(memories: Vec<Memory>, config: &ValidConfig) -> Vec<NpcNight> {
    let (toy, store) = (Toy::new(), SqliteStore::in_memory().unwrap());
    let planned = sleeping(config, &toy, &store).plan(nightly(memories, config)).unwrap();
    assert!(planned.failures.is_empty(), "{:?}", planned.failures);
    assert!(toy.asked().values().all(|times| *times == 1), "every text is embedded once");
    planned.plan.nights
}

fn of(nights: &[NpcNight], name: &str) -> Vec<NpcNight> {
    nights.iter().filter(|night| night.npc == npc(name)).cloned().collect()
}

#[test]
fn npcs_of_one_batch_sleep_by_their_own_budgets_as_if_alone() {
    let profiles = with_profile("miser", |p| {
        p.npcs = vec!["Ann-01".to_owned()];
        p.budget.storage = Some(0.1);
        p.budget.min_kept = Some(0);
        p.triage.important = Some(9);
        p.judge.same_from = Some(0.8);
    });
    let together = plan(town(3, 2), &profiles);
    for name in ["Ann-00", "Ann-01", "Ann-02"] {
        let alone = plan(town(3, 2).into_iter().filter(|m| m.npc == npc(name)).collect(), &profiles);
        assert_eq!(
            serde_json::to_string(&of(&together, name)).unwrap(),
            serde_json::to_string(&alone).unwrap(),
            "{name}"
        );
    }

    // The profile is as good as a configuration with its values, and concerns nobody else.
    let plain = plan(town(3, 2), &ValidConfig::default());
    assert_eq!(
        (of(&together, "Ann-00"), of(&together, "Ann-02")),
        (of(&plain, "Ann-00"), of(&plain, "Ann-02"))
    );
    let own = plan(
        town(3, 2),
        &config(|c| {
            c.budget.storage = 0.1;
            c.budget.min_kept = 0;
            c.triage.important = 9;
            c.judge.same_from = 0.8;
        }),
    );
    for (night, expected) in of(&together, "Ann-01").iter().zip(of(&own, "Ann-01")) {
        assert_eq!(night.report.profile, Some(ProfileName::new("miser").unwrap()));
        assert_eq!((&night.memories, &night.themes), (&expected.memories, &expected.themes));
        assert_eq!(night.changes, expected.changes);
        assert_eq!(night.report.counts, expected.report.counts);
    }
    let kept = |nights: &[NpcNight]| nights.iter().map(|night| night.report.counts.kept).sum::<usize>();
    assert!(kept(&of(&together, "Ann-01")) < kept(&of(&plain, "Ann-01")));
}

#[test]
fn run_report_counts_the_nights_of_each_profile() {
    let profiles = with_profile("ann", |p| p.npcs = vec!["Ann-0*".to_owned()]);
    let (toy, store) = (Toy::new(), SqliteStore::in_memory().unwrap());
    let memories = town(2, 2).into_iter().chain([memory("Tom", 0, 1, "a ship came in", 5)]).collect();
    let plan = sleeping(&profiles, &toy, &store).plan(nightly(memories, &profiles)).unwrap().plan;
    let counted: Vec<_> = plan.report.profiles.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!(counted, [("ann", 4)]);
    let json = serde_json::to_value(&plan).unwrap();
    assert_eq!(json["nights"][0]["report"]["profile"], "ann");
    assert_eq!(json["nights"][4]["report"].get("profile"), None, "left out where there is none");
}

/// Days of a guard, who says so once, and of a smith.
fn guard_and_smith() -> Vec<Memory> {
    ["Bran", "Odo"]
        .into_iter()
        .flat_map(|of| (0..3).map(move |day| (of, day)))
        .flat_map(|(of, day)| {
            let dull =
                ["old oak door nobody shuts", "cracked window pane facing west", "anvil Pell brought home"];
            let mut memories: Vec<Memory> = (0_i64..)
                .zip(dull)
                .map(|(n, text)| memory(of, day, n, &format!("{text} {day}"), 4))
                .collect();
            if of == "Bran" && day == 0 {
                memories[1].npc_tags = Some(vec!["guard".to_owned()]);
            }
            memories
        })
        .collect()
}

#[test]
fn tags_of_a_day_hold_for_later_nights_maintenance_and_recall() {
    let guard = Profile::default().with(|p| {
        p.tags = vec!["guard".to_owned()];
        p.maintain.base_days = Some(1.0);
        p.recall.limit = Some(1);
    });
    let profiles = config(|c| {
        c.recall.min_relevance = 0.0;
        c.profiles.insert("guard".to_owned(), guard);
    });
    let in_memory = SqliteStore::in_memory().unwrap();
    let store = &in_memory;
    let toy = Toy::new();
    let slept = sleeping(&profiles, &toy, store).apply(store, nightly(guard_and_smith(), &profiles)).unwrap();
    assert_eq!(slept.written, 6);
    for night in &slept.plan.nights {
        let guard = night.npc == npc("Bran");
        assert_eq!(night.report.profile.is_some(), guard, "{}", night.night);
        assert_eq!(night.npc_tags.len(), usize::from(guard));
        assert!(night.memories.iter().all(|memory| memory.npc_tags.is_none()), "they are of the day");
    }
    // A call that plans one night finds the tags in the store.
    let later = vec![memory("Bran", 4, 0, "the well froze", 5)];
    let planned = sleeping(&profiles, &toy, store).plan(nightly(later, &profiles)).unwrap().plan;
    assert_eq!(planned.nights[0].report.profile.as_ref().unwrap().as_str(), "guard");

    let tasks = MaintenanceTasks {
        forget: true,
        now: GameTime::from_seconds(86_400 * 12),
        ..MaintenanceTasks::default()
    };
    let maintenance = Maintenance { config: &profiles, packs: &Packs, store };
    let maintained = maintenance.plan(&store.npcs().unwrap(), tasks).unwrap().plan;
    let [night] = maintained.nights.as_slice() else { panic!("{maintained:?}") };
    assert_eq!(night.npc, npc("Bran"), "only the guard forgets so fast");
    assert!(night.report.counts.forgotten > 3);
    assert_eq!(night.report.profile.as_ref().unwrap().as_str(), "guard");
    assert_eq!(night.npc_tags, ["guard"], "maintenance keeps them");
    let run = store.begin_run().unwrap();
    assert!(store.apply(run, &maintained.nights).unwrap().iter().all(Result::is_ok));
    assert_eq!(store.snapshot(&npc("Bran")).unwrap().npc_tags, ["guard"]);
    store.undo_run(run).unwrap();

    let nightfold =
        Nightfold::builder().config(profiles).embedder(Toy::new()).store(in_memory).build().unwrap();
    let found = |of: &str| nightfold.recall(of, "old oak door nobody shuts").unwrap().len();
    assert_eq!(found("Bran"), 1);
    assert!(found("Odo") > 1);
}

#[test]
fn later_statement_of_tags_replaces_earlier_ones_and_an_empty_one_ends_them() {
    let profiles = with_profile("guard", |p| p.tags = vec!["guard".to_owned()]);
    let tagged = |day: i64, tags: Option<&[&str]>| {
        memory("Bran", day, 0, &format!("rain fell on day {day}"), 5)
            .with(|m| m.npc_tags = tags.map(|tags| tags.iter().map(|tag| (*tag).to_owned()).collect()))
    };
    let memories = vec![
        tagged(0, Some(&["guard", "castle"])),
        tagged(1, None),
        tagged(2, Some(&["thief"])),
        tagged(3, Some(&["guard"])),
        tagged(4, Some(&[])),
    ];
    let nights = plan(memories, &profiles);
    let had: Vec<_> = nights.iter().map(|night| night.report.profile.is_some()).collect();
    assert_eq!(had, [true, true, false, true, false]);
    assert_eq!(nights[1].npc_tags, ["castle", "guard"]);
}
