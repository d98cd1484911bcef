//! Failures of one NPC, the embedder, the store or a language model: what stops, and what continues.

use std::{
    collections::BTreeMap,
    error::Error as _,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::support::{
    Parrot, Refusal, ScriptedStore, Toy, all_of, bytes, config, memory, nightly, npc, sleeping, town,
};
use nightfold::english::Packs;
use nightfold::{
    Failure, NightError, NoObserver, Observer, RunError, Sleep, apply_plan,
    consolidate::ConsolidateError,
    memory::{
        Answer, Change, Embedded, Embedder, EmbedderError, LanguageError, LanguageModel, LanguageTask,
        Memory, MemoryReader, ModelId, NightPlan, NpcId, ReflectionKind, Reply, Request, StoreError,
        TaskKind, ValidConfig, Vectors,
    },
};
use nightfold_store::InMemoryStore;

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
    let (toy, store) = (Toy::new(), InMemoryStore::new());
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
    let (toy, store) = (Toy::new(), InMemoryStore::new());
    sleeping(&narrow, &toy, &store).apply(&store, nightly(with_a_crowded_day(), &narrow)).unwrap();
    let wide = ValidConfig::default();
    let slept = sleeping(&wide, &toy, &store).apply(&store, nightly(with_a_crowded_day(), &wide)).unwrap();
    assert_eq!((slept.written, slept.failures.len()), (2, 0));

    let at_once = InMemoryStore::new();
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
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), InMemoryStore::new());
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
    let elsewhere = InMemoryStore::new();
    let plan = sleeping(&config, &other, &elsewhere).plan(nightly(town(3, 1), &config)).unwrap().plan;
    let newcomer = NightPlan { nights: plan.nights[2..].to_vec(), ..plan };
    let refused = apply_plan(&store, &newcomer);
    assert!(matches!(refused, Err(RunError::Store(StoreError::Model { .. }))), "{refused:?}");
    assert_eq!(all_of(&store), before);
}

#[test]
fn embedder_failure_stops_the_run_before_writing_the_batch() {
    // Only the third NPC owes Joss sixteen on its third night.
    let toy = Toy::failing_at("Ann-02 owes Joss 16");
    for (npcs, written) in [(1, vec![3, 3, 2, 0]), (2, vec![3, 3, 2, 2]), (64, vec![2, 2, 2, 2])] {
        let config = config(|c| c.run.npcs = npcs);
        let store = InMemoryStore::new();
        let sleep = sleeping(&config, &toy, &store);
        let error = sleep.apply(&store, nightly(town(4, 3), &config)).unwrap_err();
        assert!(matches!(error, RunError::Embedder(EmbedderError::Run(_))), "{error:?}");
        let nights: Vec<_> =
            (0..4).map(|n| store.nights(Some(&npc(&format!("Ann-{n:02}")))).unwrap().len()).collect();
        assert_eq!(nights, written, "{npcs} at a time");

        // Nights written before the failure are complete, and a run with a working embedder finishes the rest.
        let whole = InMemoryStore::new();
        sleeping(&config, &Toy::new(), &whole).apply(&whole, nightly(town(4, 3), &config)).unwrap();
        let slept =
            sleeping(&config, &Toy::new(), &store).apply(&store, nightly(town(4, 3), &config)).unwrap();
        assert_eq!(slept.written, 12 - written.iter().sum::<usize>());
        assert_eq!(all_of(&store), all_of(&whole));
    }
}

#[test]
fn embedder_failure_on_a_reflection_leaves_the_batch_unwritten() {
    let (config, store) = (ValidConfig::default(), InMemoryStore::new());
    let days = || nightly(town(4, 3), &config);
    let plan = sleeping(&config, &Toy::new(), &InMemoryStore::new()).plan(days()).unwrap().plan;
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
    let store = InMemoryStore::new();
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

#[test]
fn store_failure_stops_the_run_and_keeps_written_nights() {
    let config = config(|c| c.run.npcs = 1);
    let store = ScriptedStore::new(Refusal::WholeCall(npc("Ann-02")));
    let error =
        sleeping(&config, &Toy::new(), &store).apply(&store, nightly(town(4, 2), &config)).unwrap_err();
    assert!(matches!(error, RunError::Store(StoreError::Backend(_))), "{error:?}");
    assert_eq!(store.npcs().unwrap(), ["Ann-00", "Ann-01"].map(npc));
    assert_eq!(store.nights(None).unwrap().len(), 4);
}

// ---- a language model

fn speaking<'a>(
    config: &'a ValidConfig,
    toy: &'a Toy,
    store: &'a InMemoryStore,
    parrot: &'a Parrot,
) -> Sleep<'a> {
    Sleep {
        config,
        packs: &Packs,
        embedder: toy,
        store,
        language: Some(parrot),
        judge: None,
        observer: &NoObserver,
    }
}

fn insight(task: &LanguageTask) -> Option<Vec<Answer>> {
    let cites = task.sources.iter().take(2).map(|s| s.id.clone()).collect();
    let text = format!("I will look back at it on many a quiet evening: {}", task.sources[0].text);
    matches!(task.kind, TaskKind::Reflections { .. })
        .then(|| vec![Answer { text, kind: Some(ReflectionKind::Oneself), cites, confidence: None }])
}

/// Returns the changes of a plan's nights, without the reports and versions, which depend on the model's calls.
fn changes(plan: &NightPlan) -> Vec<&[Change]> {
    plan.nights.iter().map(|night| night.changes.as_slice()).collect()
}

fn silence(_: &LanguageTask) -> Option<Vec<Answer>> {
    None
}

#[test]
fn language_model_within_its_bounds_stays_within_the_ledger() {
    let to_the_last: fn(usize) -> usize = |tokens| tokens;
    let thrifty: fn(usize) -> usize = |tokens| tokens / 3;
    for costs in [to_the_last, thrifty] {
        for tokens in [0, 1, 700, 1_500, 5_000, 100_000] {
            let config = config(|c| c.budget.tokens = tokens);
            let (toy, store) = (Toy::new(), InMemoryStore::new());
            // One NPC and night, so that the calls are those of one ledger.
            let parrot = Parrot::new(insight, costs);
            let plan =
                speaking(&config, &toy, &store, &parrot).plan(nightly(town(1, 1), &config)).unwrap().plan;
            let report = plan.nights[0].report.tokens;
            assert!(report.spent <= tokens && report.budget == tokens, "{report:?}");
            let mut left_before = tokens;
            for (task, left) in parrot.calls() {
                assert!(task <= left && left <= left_before, "{task} of {left}");
                left_before = left;
            }
            assert_eq!(report.spent > 0, parrot.answered() > 0, "{tokens}");
            if tokens == 100_000 {
                assert!(report.estimate > 0 && parrot.calls().len() > 1);
            }
        }
    }
}

/// The report counts the tokens actually spent, and no further call is made.
#[test]
fn overspending_language_model_is_not_asked_again() {
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), InMemoryStore::new());
    let parrot = Parrot::new(|_| Some(Vec::new()), |_| 7_000);
    let plan = speaking(&config, &toy, &store, &parrot).plan(nightly(town(1, 1), &config)).unwrap().plan;
    assert_eq!(plan.nights[0].report.tokens.spent, 7_000);
    assert_eq!(parrot.calls().len(), 1);
}

/// Token counts come from servers and may be arbitrary numbers.
#[test]
fn overflowing_token_count_saturates_without_stopping_the_run() {
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), InMemoryStore::new());
    let by_rules = sleeping(&config, &toy, &store).plan(nightly(town(3, 1), &config)).unwrap().plan;
    // Small tasks are charged correctly.
    let parrot = Parrot::new(
        |_| Some(vec![Answer { text: String::new(), kind: None, cites: Vec::new(), confidence: None }]),
        |tokens| if tokens < 400 { 1 } else { usize::MAX },
    );
    let plan = speaking(&config, &toy, &store, &parrot).plan(nightly(town(3, 1), &config)).unwrap().plan;
    assert_eq!(changes(&plan), changes(&by_rules));
    assert_eq!(plan.report.tokens.spent, usize::MAX);
}

#[test]
fn malformed_answer_is_retried_once_and_paid_twice() {
    struct Garbler(Mutex<Vec<(usize, usize)>>);
    impl LanguageModel for Garbler {
        fn name(&self) -> &'static str {
            "garbler"
        }
        fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
            self.0.lock().unwrap().push((request.task.id, request.tokens));
            Err(LanguageError::Malformed {
                model: "garbler".to_owned(),
                tokens: 100,
                source: "no JSON".into(),
            })
        }
    }
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), InMemoryStore::new());
    let garbler = Garbler(Mutex::default());
    let sleep = Sleep {
        config: &config,
        packs: &Packs,
        embedder: &toy,
        store: &store,
        language: Some(&garbler),
        judge: None,
        observer: &NoObserver,
    };
    let night = sleep.plan(nightly(town(1, 1), &config)).unwrap().plan.nights.remove(0);
    let calls = garbler.0.into_inner().unwrap();
    assert!(calls.len() >= 4 && calls.len().is_multiple_of(2), "{calls:?}");
    for (n, pair) in calls.chunks(2).enumerate() {
        assert_eq!(pair[0].0, pair[1].0, "{calls:?}");
        assert_eq!((pair[0].1, pair[1].1), (5_000 - 200 * n, 4_900 - 200 * n), "{calls:?}");
    }
    assert_eq!(night.report.tokens.spent, 100 * calls.len());
    let by_rules = sleeping(&config, &toy, &store).plan(nightly(town(1, 1), &config)).unwrap().plan;
    assert_eq!(night.changes, by_rules.nights[0].changes);
}

#[test]
fn supported_answers_of_a_language_model_are_used() {
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), InMemoryStore::new());
    let parrot = Parrot::new(insight, |tokens| tokens / 2);
    let plan = speaking(&config, &toy, &store, &parrot).plan(nightly(town(2, 1), &config)).unwrap().plan;
    for night in &plan.nights {
        let said = night.changes.iter().filter(|c| c.verb() == "reflect").filter_map(Change::entry);
        assert!(said.clone().any(|e| e.text.starts_with("I will look back")), "{:#?}", night.changes);
        assert!(night.report.tokens.spent > 0);
    }
    let spent: usize = plan.nights.iter().map(|n| n.report.tokens.spent).sum();
    assert_eq!(plan.report.tokens.spent, spent);
}

#[test]
fn failing_language_model_falls_back_to_the_rules() {
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), InMemoryStore::new());
    let by_rules = sleeping(&config, &toy, &store).plan(nightly(town(3, 2), &config)).unwrap().plan;
    let parrot = Parrot::new(silence, |_| unreachable!("it never answers"));
    let slept = speaking(&config, &toy, &store, &parrot).plan(nightly(town(3, 2), &config)).unwrap();
    assert!(!parrot.calls().is_empty() && slept.failures.is_empty());
    assert_eq!(changes(&slept.plan), changes(&by_rules));
}

#[test]
fn empty_ledger_asks_no_model() {
    let config = config(|c| c.budget.tokens = 0);
    let (toy, store) = (Toy::new(), InMemoryStore::new());
    let by_rules = sleeping(&config, &toy, &store).plan(nightly(town(2, 2), &config)).unwrap().plan;
    let parrot = Parrot::new(insight, |tokens| tokens);
    let plan = speaking(&config, &toy, &store, &parrot).plan(nightly(town(2, 2), &config)).unwrap().plan;
    assert_eq!(parrot.calls(), []);
    assert_eq!(changes(&plan), changes(&by_rules));
}

#[test]
fn every_npc_and_night_has_a_ledger_of_its_own() {
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), InMemoryStore::new());
    // The first task takes the whole ledger of its night.
    let parrot = Parrot::new(|_| Some(Vec::new()), |_| 5_000);
    let plan = speaking(&config, &toy, &store, &parrot).plan(nightly(town(3, 2), &config)).unwrap().plan;
    let spent: Vec<_> = plan.nights.iter().map(|n| n.report.tokens.spent).collect();
    assert_eq!(spent, [5_000; 6]);
    assert_eq!(parrot.calls().len(), 6);
}

/// Declines every task, at its full cost.
#[derive(Default)]
struct Reticent(Mutex<Vec<LanguageTask>>);

impl LanguageModel for Reticent {
    fn name(&self) -> &'static str {
        "reticent"
    }

    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        self.0.lock().unwrap().push(request.task.clone());
        let (model, reason) = ("reticent".to_owned(), "not tonight".to_owned());
        Err(LanguageError::Refused { model, tokens: request.task.tokens, reason })
    }
}

#[test]
fn every_cluster_spends_its_share_of_the_tokens_first() {
    let slept = |tokens| {
        let config = config(|c| c.budget.tokens = tokens);
        let (toy, store, model) = (Toy::new(), InMemoryStore::new(), Reticent::default());
        let sleep = Sleep { language: Some(&model), ..sleeping(&config, &toy, &store) };
        let mut plan = sleep.plan(nightly(town(1, 1), &config)).unwrap().plan;
        (model.0.into_inner().unwrap(), plan.nights.remove(0).report.clusters)
    };
    let (tasks, _) = slept(1_000_000);
    let wanted: usize = tasks.iter().map(|task| task.tokens).sum();
    let (asked, clusters) = slept(wanted / 2);
    assert!(asked.len() < tasks.len() && clusters.iter().filter(|c| c.token_budget > 0).count() > 1);
    for cluster in clusters {
        let of_cluster = |task: &&LanguageTask| {
            let alone = !matches!(task.kind, TaskKind::Connection { .. });
            alone && task.sources.iter().all(|source| cluster.members.contains(&source.id))
        };
        let spent: usize = asked.iter().filter(of_cluster).map(|task| task.tokens).sum();
        let left = cluster.token_budget.saturating_sub(spent);
        for task in tasks.iter().filter(of_cluster).filter(|task| asked.iter().all(|t| t.id != task.id)) {
            assert!(task.tokens > left, "{} could still pay for task {}", cluster.name, task.id);
        }
    }
}

#[test]
fn run_stays_within_its_ledger_at_any_concurrency() {
    let plan = |in_flight, tokens_per_run| {
        let config = config(|c| {
            c.language.in_flight = in_flight;
            c.language.tokens_per_run = tokens_per_run;
        });
        let (toy, store) = (Toy::new(), InMemoryStore::new());
        let parrot = Parrot::new(insight, |tokens| tokens);
        speaking(&config, &toy, &store, &parrot).plan(nightly(town(6, 2), &config)).unwrap().plan
    };
    let unbounded = plan(4, 1_000_000);
    assert!(unbounded.report.tokens.spent > 6_000, "{:?}", unbounded.report.tokens);
    for tokens in [0, 700, 6_000] {
        let (one, many) = (plan(1, tokens), plan(4, tokens));
        assert!(one.report.tokens.spent <= usize::try_from(tokens).unwrap(), "{:?}", one.report.tokens);
        assert_eq!(bytes(&one), bytes(&many));
        let language = one.report.language.unwrap();
        assert!(language.unaffordable > 0 && language.answered < language.tasks, "{language:?}");
    }
}

#[test]
fn unreachable_model_is_given_up_after_the_configured_failures() {
    struct Dead(AtomicUsize);
    impl LanguageModel for Dead {
        fn name(&self) -> &'static str {
            "dead"
        }
        fn answer(&self, _: &Request<'_>) -> Result<Reply, LanguageError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Err(LanguageError::Unreachable { model: "dead".to_owned(), tokens: 0, source: "no route".into() })
        }
    }
    let config = config(|c| {
        c.language.in_flight = 1;
        c.language.give_up_after = 3;
    });
    let (toy, store, dead) = (Toy::new(), InMemoryStore::new(), Dead(AtomicUsize::new(0)));
    let sleep = Sleep { language: Some(&dead), ..sleeping(&config, &toy, &store) };
    let plan = sleep.plan(nightly(town(4, 2), &config)).unwrap().plan;
    assert_eq!(dead.0.load(Ordering::Relaxed), 3);
    let language = plan.report.language.unwrap();
    assert_eq!(language.failures, BTreeMap::from([("unreachable".to_owned(), 3)]));
    assert_eq!(language.unasked, language.tasks - 3);
}

#[test]
fn cancelled_night_is_finished_by_the_rules_without_affecting_others() {
    struct Rooster;
    impl Observer for Rooster {
        fn is_cancelled(&self, npc: &NpcId) -> bool {
            npc.as_str() == "Ann-00"
        }
    }
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), InMemoryStore::new());
    let parrot = Parrot::new(insight, |tokens| tokens / 4);
    let days = || nightly(town(2, 1), &config);
    let by_rules = sleeping(&config, &toy, &store).plan(days()).unwrap().plan;
    let sleep = Sleep { observer: &Rooster, ..speaking(&config, &toy, &store, &parrot) };
    let plan = sleep.plan(days()).unwrap().plan;
    let language = |n: usize| plan.nights[n].report.language.clone().unwrap();
    assert_eq!((language(0).calls, language(0).unasked), (0, language(0).tasks));
    assert_eq!(plan.nights[0].changes, by_rules.nights[0].changes);
    assert!(language(1).answered > 0, "{:?}", language(1));
}
