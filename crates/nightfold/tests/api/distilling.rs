//! Typed records that maintenance distils from similar memories of several days.

use crate::support::{Parrot, Toy, config, memory, nightly, npc, sleeping};
use nightfold::english::Packs;
use nightfold::{
    Maintenance, MaintenancePlan, MaintenanceTasks, RunError, apply_plan,
    memory::{
        Answer, Change, Config, LanguageModel, LanguageTask, Memory, MemoryReader, MemoryStore, NpcNight,
        ReflectionKind, State, ValidConfig,
    },
};
use nightfold_store::SqliteStore;

const TASKS: MaintenanceTasks =
    MaintenanceTasks { collapse: None, summarize: false, cap: false, forget: false, distil: true, now: None };

/// Words of a language model for the episodes.
const SAID: &str = "I trust the auth middleware little: it caused a test timeout, and it was flaky in CI";

const EPISODES: [&str; 3] = [
    "auth middleware caused test timeout",
    "auth middleware race condition under load",
    "auth middleware flaky in CI",
];

/// Settings that keep every memory in its own words and draw no reflections at night.
fn keep(config: &mut Config) {
    config.budget.storage = 1.0;
    config.budget.conclusions = 0;
    config.budget.reflections_per_cluster = 0;
    config.triage.similar = 1.0;
    config.maintain.similar = 0.12;
}

fn keeping() -> ValidConfig {
    config(keep)
}

fn sleep_on(store: &dyn MemoryStore, memories: Vec<Memory>) {
    let (config, toy) = (keeping(), Toy::new());
    let slept = sleeping(&config, &toy, store).apply(store, nightly(memories, &config)).unwrap();
    assert!(slept.failures.is_empty(), "{:?}", slept.failures);
}

fn planned(
    store: &SqliteStore,
    language: Option<&dyn LanguageModel>,
    config: &ValidConfig,
) -> MaintenancePlan {
    let (toy, npcs) = (Toy::new(), store.npcs().unwrap());
    let open = |_| Ok::<_, RunError>(&toy);
    Maintenance { config, packs: &Packs, store }.plan_worded(&npcs, TASKS, language, open).unwrap()
}

/// A store in which the episodes are known, on the days 1, 3 and 6.
fn lived() -> SqliteStore {
    let store = SqliteStore::in_memory().unwrap();
    let memories = [1, 3, 6].iter().zip(EPISODES).map(|(&day, text)| memory("agent", day, 0, text, 5));
    sleep_on(&store, memories.collect());
    store
}

fn reflections(night: &NpcNight) -> Vec<(&str, ReflectionKind, &str)> {
    let found = night.changes.iter().filter_map(|change| match change {
        Change::Reflect { entry, name, reflection, .. } => {
            Some((name.as_str(), *reflection, entry.text.as_str()))
        }
        _ => None,
    });
    found.collect()
}

#[test]
fn record_is_replaced_when_its_episodes_have_grown_by_two() {
    let store = lived();
    apply_plan(&store, &planned(&store, None, &keeping()).plan).unwrap();
    sleep_on(&store, vec![memory("agent", 8, 0, "auth middleware crashed under load", 5)]);
    assert!(planned(&store, None, &keeping()).plan.nights.is_empty(), "one more tells nothing new");
    sleep_on(&store, vec![memory("agent", 9, 0, "auth middleware lost a test session", 5)]);
    let plan = planned(&store, None, &keeping()).plan;
    let [Change::Reflect { entry, .. }, Change::Supersede { id, sources, .. }] =
        plan.nights[0].changes.as_slice()
    else {
        panic!("{plan:?}")
    };
    assert!(entry.text.starts_with("At least five times in nine days"), "{}", entry.text);
    assert_eq!(sources.as_slice(), std::slice::from_ref(&entry.id));
    let old = id.clone();
    apply_plan(&store, &plan).unwrap();
    assert_eq!(store.entry(&npc("agent"), &old).unwrap().unwrap().state, State::Archived);
    assert!(planned(&store, None, &keeping()).plan.nights.is_empty());
}

#[test]
fn model_words_a_record_within_its_ledger_and_the_rules_word_the_rest() {
    let store = lived();
    let words = |task: &LanguageTask| {
        let cites = task.sources.iter().map(|source| source.id.clone()).collect();
        Some(vec![Answer {
            text: SAID.to_owned(),
            kind: Some(ReflectionKind::Oneself),
            cites,
            confidence: None,
        }])
    };
    let parrot = Parrot::new(words, |_| 100);
    let plan = planned(&store, Some(&parrot), &keeping()).plan;
    let night = &plan.nights[0];
    assert_eq!(
        reflections(night),
        [("Auth middleware", ReflectionKind::Caution, SAID)],
        "the type is the rules'"
    );
    assert_eq!(night.report.tokens.spent, 100);
    assert_eq!(night.report.language.as_ref().map(|report| (report.tasks, report.answered)), Some((1, 1)));

    let invents = |task: &LanguageTask| {
        let cites = task.sources.iter().map(|source| source.id.clone()).collect();
        let text = "I know that the auth middleware cost 900 gold".to_owned();
        Some(vec![Answer { text, kind: None, cites, confidence: None }])
    };
    let liar = Parrot::new(invents, |_| 100);
    let plan = planned(&store, Some(&liar), &keeping()).plan;
    assert!(reflections(&plan.nights[0])[0].2.starts_with("At least three times in six days"), "{plan:?}");

    let poor = config(|c| {
        keep(c);
        c.budget.tokens = 10;
    });
    let plan = planned(&store, Some(&parrot), &poor).plan;
    assert!(reflections(&plan.nights[0])[0].2.starts_with("At least three times in six days"), "{plan:?}");
    assert_eq!(plan.nights[0].report.tokens.spent, 0);
}

#[test]
fn days_of_one_npc_teach_no_other_one() {
    let store = SqliteStore::in_memory().unwrap();
    let memories = [("Ann", 1), ("Tom", 3), ("Eve", 6)]
        .iter()
        .zip(EPISODES)
        .map(|((of, day), text)| memory(of, *day, 0, text, 5))
        .collect();
    sleep_on(&store, memories);
    assert!(planned(&store, None, &keeping()).plan.nights.is_empty());
}
