//! Failures of one NPC, the embedder or the store: what stops, and what continues.

use std::error::Error as _;

use crate::support::{Refusal, ScriptedStore, Toy, all_of, config, memory, nightly, npc, sleeping, town};
use nightfold::{
    Failure, NightError, RunError, apply_plan,
    consolidate::ConsolidateError,
    memory::{
        Embedded, Embedder, EmbedderError, Memory, MemoryReader, ModelId, NightPlan, StoreError, ValidConfig,
        Vectors,
    },
};
use nightfold_store::SqliteStore;

/// Memories of a town whose second NPC has more memories on its second day than the configuration allows.
fn with_a_crowded_day() -> Vec<Memory> {
    let mut memories = town(4, 3);
    let crowd = (100..140).map(|n| memory("Ann-01", 1, n, &format!("I met stranger {n}"), 5));
    memories.extend(crowd);
    memories
}

fn slept_of(plan: &NightPlan) -> Vec<(&str, &str)> {
    plan.nights.iter().map(|n| (n.npc.as_str(), n.night.as_str())).collect()
}

/// Asserts that the third night was skipped because the second one failed.
fn assert_waits(failure: &Failure) {
    assert_eq!((&failure.npc, failure.night.as_str()), (&npc("Ann-01"), "day-2"));
    let NightError::Blocked { earlier } = &failure.error else { panic!("{failure:?}") };
    assert_eq!(earlier.as_str(), "day-1");
}

#[test]
fn unplannable_night_stops_only_its_npc() {
    let config = config(|c| c.input.max_memories = 25);
    let (toy, store) = (Toy::new(), SqliteStore::in_memory().unwrap());
    let sleep = sleeping(&config, &toy, &store);
    let planned = sleep.plan(nightly(with_a_crowded_day(), &config)).unwrap();
    let applied = sleep.apply(&store, nightly(with_a_crowded_day(), &config)).unwrap();
    for slept in [&planned, &applied] {
        let [failure, waits] = slept.failures.as_slice() else { panic!("{:?}", slept.failures) };
        assert_eq!((&failure.npc, failure.night.as_str()), (&npc("Ann-01"), "day-1"));
        assert!(matches!(
            failure.error,
            NightError::Consolidate(ConsolidateError::TooManyMemories { given, most: 25 }) if given > 25
        ));
        assert_waits(waits);
        assert_eq!(failure.to_string(), "night day-1 of Ann-01");
        assert!(failure.source().unwrap().to_string().contains("input.max_memories"));
    }
    assert_eq!(planned.plan, applied.plan);
    let nights = slept_of(&applied.plan);
    assert_eq!(nights.len(), 10);
    assert_eq!(nights.iter().filter(|(of, _)| *of == "Ann-01").collect::<Vec<_>>(), [&("Ann-01", "day-0")]);
    assert_eq!(applied.written, 10);
    assert_eq!(store.nights(Some(&npc("Ann-01"))).unwrap().len(), 1);
    assert_eq!(store.nights(Some(&npc("Ann-02"))).unwrap().len(), 3);
}

#[test]
fn failed_nights_are_completed_by_the_next_run() {
    let narrow = config(|c| c.input.max_memories = 25);
    let (toy, store) = (Toy::new(), SqliteStore::in_memory().unwrap());
    sleeping(&narrow, &toy, &store).apply(&store, nightly(with_a_crowded_day(), &narrow)).unwrap();
    let wide = ValidConfig::default();
    let slept = sleeping(&wide, &toy, &store).apply(&store, nightly(with_a_crowded_day(), &wide)).unwrap();
    assert_eq!((slept.written, slept.failures.len()), (2, 0));

    let at_once = SqliteStore::in_memory().unwrap();
    sleeping(&wide, &toy, &at_once).apply(&at_once, nightly(with_a_crowded_day(), &wide)).unwrap();
    assert_eq!(all_of(&store), all_of(&at_once));
}

#[test]
fn other_embedding_model_is_refused_without_changes() {
    struct Other(Toy, ModelId);
    impl Embedder for Other {
        fn model(&self) -> &ModelId {
            &self.1
        }
        fn dimensions(&self) -> usize {
            self.0.dimensions()
        }
        fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
            self.0.embed(texts)
        }
    }
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), SqliteStore::in_memory().unwrap());
    sleeping(&config, &toy, &store).apply(&store, nightly(town(2, 1), &config)).unwrap();
    let before = all_of(&store);
    let other = Other(Toy::new(), "other@2".parse().unwrap());
    let slept = sleeping(&config, &other, &store).apply(&store, nightly(town(2, 2), &config)).unwrap();
    assert_eq!((slept.written, slept.plan.nights.len()), (0, 0));
    let first = slept.failures.iter().filter(|f| f.night.as_str() == "day-0");
    assert_eq!(first.clone().count(), 2);
    for failure in first {
        let NightError::Consolidate(ConsolidateError::Model { stored, given }) = &failure.error else {
            panic!("{failure:?}")
        };
        assert_eq!((stored.as_str(), given.as_str()), ("toy@1", "other@2"));
    }
    assert_eq!(all_of(&store), before);

    // A saved plan of the other model, for NPCs the store does not know yet, is refused as well.
    let elsewhere = SqliteStore::in_memory().unwrap();
    let plan = sleeping(&config, &other, &elsewhere).plan(nightly(town(3, 1), &config)).unwrap().plan;
    let newcomer = NightPlan { nights: plan.nights[2..].to_vec(), ..plan };
    let refused = apply_plan(&store, &newcomer);
    assert!(matches!(refused, Err(RunError::Store(StoreError::Model { .. }))), "{refused:?}");
    assert_eq!(all_of(&store), before);
}

#[test]
fn embedder_failure_stops_the_run_before_writing_the_batch() {
    let toy = Toy::failing_at("the bell tower leans");
    let lived = || {
        let third_night = memory("Ann-02", 2, 20, "the bell tower leans", 5);
        nightly(town(4, 3).into_iter().chain([third_night]).collect(), &ValidConfig::default())
    };
    for (npcs, written) in [(1, vec![3, 3, 2, 0]), (2, vec![3, 3, 2, 2]), (64, vec![2, 2, 2, 2])] {
        let config = config(|c| c.run.npcs = npcs);
        let store = SqliteStore::in_memory().unwrap();
        let sleep = sleeping(&config, &toy, &store);
        let error = sleep.apply(&store, lived()).unwrap_err();
        assert!(matches!(error, RunError::Embedder(EmbedderError::Run(_))), "{error:?}");
        let nights: Vec<_> =
            (0..4).map(|n| store.nights(Some(&npc(&format!("Ann-{n:02}")))).unwrap().len()).collect();
        assert_eq!(nights, written, "{npcs} at a time");

        // Nights written before the failure are complete, and a run with a working embedder finishes the rest.
        let whole = SqliteStore::in_memory().unwrap();
        sleeping(&config, &Toy::new(), &whole).apply(&whole, lived()).unwrap();
        let slept = sleeping(&config, &Toy::new(), &store).apply(&store, lived()).unwrap();
        assert_eq!(slept.written, 12 - written.iter().sum::<usize>());
        assert_eq!(all_of(&store), all_of(&whole));
    }
}

#[test]
fn embedder_failure_on_a_reflection_leaves_the_batch_unwritten() {
    let (config, store) = (ValidConfig::default(), SqliteStore::in_memory().unwrap());
    let days = || nightly(town(4, 3), &config);
    let plan = sleeping(&config, &Toy::new(), &SqliteStore::in_memory().unwrap()).plan(days()).unwrap().plan;
    let insights = plan.nights.iter().flat_map(|night| {
        let reflections = night.changes.iter().filter(|c| c.verb() == "reflect");
        reflections.filter_map(|c| Some((&night.night, &c.entry()?.text)))
    });
    let (night, insight) = insights.min().expect("a night with an insight");
    // No memory says this: nothing of the night fails before.
    assert!(town(4, 3).iter().all(|m| !m.text.contains(insight.as_str())));
    let toy = Toy::failing_at(insight.clone().leak());
    let sleep = sleeping(&config, &toy, &store);
    assert!(matches!(sleep.plan(days()), Err(RunError::Embedder(_))));
    assert!(matches!(sleep.apply(&store, days()), Err(RunError::Embedder(_))));
    assert!(store.nights(None).unwrap().iter().all(|applied| applied.night < *night));
}

#[test]
fn embedder_with_wrong_vectors_writes_nothing() {
    /// Embedder that returns vectors of half the promised width, or none for the last text.
    struct Broken(Toy, bool);
    impl Embedder for Broken {
        fn model(&self) -> &ModelId {
            self.0.model()
        }
        fn dimensions(&self) -> usize {
            self.0.dimensions()
        }
        fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
            if self.1 {
                return self.0.embed(&texts[..texts.len() - 1]);
            }
            let mut vectors = Vectors::with_capacity(2, texts.len());
            texts.iter().for_each(|_| vectors.push(&[1.0, 0.0]).unwrap());
            Ok(Embedded::without_grammar(vectors, vec![false; texts.len()]))
        }
    }
    let config = ValidConfig::default();
    let store = SqliteStore::in_memory().unwrap();
    let narrow = Broken(Toy::new(), false);
    let result = sleeping(&config, &narrow, &store).apply(&store, nightly(town(1, 1), &config));
    assert!(matches!(result, Err(RunError::Vectors(_))), "{result:?}");
    let short = Broken(Toy::new(), true);
    let result = sleeping(&config, &short, &store).apply(&store, nightly(town(1, 1), &config));
    assert!(
        result.is_err_and(|e| matches!(e, RunError::Vectors(_))) || store.nights(None).unwrap().is_empty()
    );
    assert_eq!(store.nights(None).unwrap(), []);
}

#[test]
fn refused_night_is_reported_and_others_are_written() {
    let refusing = |label| ScriptedStore::new(Refusal::Night(npc("Ann-01"), label));
    let (config, toy) = (ValidConfig::default(), Toy::new());
    let store = refusing("day-1");
    let slept = sleeping(&config, &toy, &store).apply(&store, nightly(town(3, 3), &config)).unwrap();
    let [failure, waits] = slept.failures.as_slice() else { panic!("{:?}", slept.failures) };
    assert_eq!((&failure.npc, failure.night.as_str()), (&npc("Ann-01"), "day-1"));
    assert!(matches!(failure.error, NightError::Store(StoreError::Conflict { .. })));
    assert_waits(waits);
    // Failed nights are not in the plan either.
    assert_eq!((slept.written, slept.plan.nights.len()), (7, 7));
    assert_eq!(store.nights(Some(&npc("Ann-01"))).unwrap().len(), 1);
    assert_eq!(slept.plan.report.nights, 7);

    let store = refusing("day-2");
    let plan = sleeping(&config, &toy, &store).plan(nightly(town(3, 3), &config)).unwrap().plan;
    let applied = apply_plan(&store, &plan).unwrap();
    assert_eq!((applied.written, applied.failures.len()), (8, 1));
    assert_eq!((&applied.failures[0].npc, applied.failures[0].night.as_str()), (&npc("Ann-01"), "day-2"));
}
