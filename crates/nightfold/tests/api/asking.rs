//! A language model beside the rules: what a run may spend on it, and what happens when it fails.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::support::{Parrot, Rooster, Toy, bytes, config, nightly, sleeping, town, verdict};
use nightfold::{
    Sleep,
    memory::{
        Answer, Change, LanguageError, LanguageModel, LanguageTask, NightPlan, ReflectionKind, Reply,
        Request, Stance, TaskKind, ValidConfig,
    },
};
use nightfold_store::SqliteStore;

fn speaking<'a>(
    config: &'a ValidConfig,
    toy: &'a Toy,
    store: &'a SqliteStore,
    parrot: &'a Parrot,
) -> Sleep<'a> {
    Sleep { language: Some(parrot), ..sleeping(config, toy, store) }
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
            let (toy, store) = (Toy::new(), SqliteStore::in_memory().unwrap());
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
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), SqliteStore::in_memory().unwrap());
    let parrot = Parrot::new(|_| Some(Vec::new()), |_| 7_000);
    let plan = speaking(&config, &toy, &store, &parrot).plan(nightly(town(1, 1), &config)).unwrap().plan;
    assert_eq!(plan.nights[0].report.tokens.spent, 7_000);
    assert_eq!(parrot.calls().len(), 1);
}

/// Token counts come from servers and may be arbitrary numbers.
#[test]
fn overflowing_token_count_saturates_without_stopping_the_run() {
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), SqliteStore::in_memory().unwrap());
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
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), SqliteStore::in_memory().unwrap());
    let garbler = Garbler(Mutex::default());
    let sleep = Sleep { language: Some(&garbler), ..sleeping(&config, &toy, &store) };
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
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), SqliteStore::in_memory().unwrap());
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
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), SqliteStore::in_memory().unwrap());
    let by_rules = sleeping(&config, &toy, &store).plan(nightly(town(3, 2), &config)).unwrap().plan;
    let parrot = Parrot::new(silence, |_| unreachable!("it never answers"));
    let slept = speaking(&config, &toy, &store, &parrot).plan(nightly(town(3, 2), &config)).unwrap();
    assert!(!parrot.calls().is_empty() && slept.failures.is_empty());
    assert_eq!(changes(&slept.plan), changes(&by_rules));
}

#[test]
fn every_npc_and_night_has_a_ledger_of_its_own() {
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), SqliteStore::in_memory().unwrap());
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
        let (toy, store, model) = (Toy::new(), SqliteStore::in_memory().unwrap(), Reticent::default());
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
        let (toy, store) = (Toy::new(), SqliteStore::in_memory().unwrap());
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
fn unreachable_model_is_given_up_after_five_failures() {
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
    let config = config(|c| c.language.in_flight = 1);
    let (toy, store, dead) = (Toy::new(), SqliteStore::in_memory().unwrap(), Dead(AtomicUsize::new(0)));
    let sleep = Sleep { language: Some(&dead), ..sleeping(&config, &toy, &store) };
    let plan = sleep.plan(nightly(town(4, 2), &config)).unwrap().plan;
    assert_eq!(dead.0.load(Ordering::Relaxed), 5);
    let language = plan.report.language.unwrap();
    assert_eq!(language.failures, BTreeMap::from([("unreachable".to_owned(), 5)]));
    assert_eq!(language.unasked, language.tasks - 5);
}

#[test]
fn cancelled_night_is_finished_by_the_rules_without_affecting_others() {
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), SqliteStore::in_memory().unwrap());
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

/// Draws a conclusion from every theme, and answers this when it is asked if it follows; nothing if it is `None`.
struct Doubter(Option<Stance>);

impl LanguageModel for Doubter {
    fn name(&self) -> &'static str {
        "doubter"
    }

    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        let task = request.task;
        let answers = match task.kind {
            TaskKind::Support => {
                let (said, cited) = task.sources.split_last().unwrap();
                assert!(cited.len() == 2 && said.text.starts_with("I will look back"), "{task:?}");
                assert!(request.faults.is_empty() && task.me == "Ann-00");
                self.0.map(|stance| vec![verdict(stance)])
            }
            _ => insight(task),
        };
        let declined =
            || LanguageError::Refused { model: "doubter".to_owned(), tokens: 10, reason: "no".to_owned() };
        Ok(Reply { answers: answers.ok_or_else(declined)?, tokens: 10 })
    }
}

#[test]
fn sentences_that_do_not_follow_are_asked_once_more_and_then_left_to_the_rules() {
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), SqliteStore::in_memory().unwrap());
    let by_rules = sleeping(&config, &toy, &store).plan(nightly(town(1, 1), &config)).unwrap().plan;
    for (stance, fault) in [
        (Some(Stance::Same), None),
        (Some(Stance::Contradiction), Some("contradicted")),
        (Some(Stance::Unrelated), Some("unsupported")),
        (None, Some("unsupported")),
    ] {
        let doubter = Doubter(stance);
        let sleep = Sleep { language: Some(&doubter), ..sleeping(&config, &toy, &store) };
        let plan = sleep.plan(nightly(town(1, 1), &config)).unwrap().plan;
        let language = plan.report.language.clone().unwrap();
        let Some(fault) = fault else {
            assert!(language.answered > 0 && language.faults.is_empty(), "{language:?}");
            continue;
        };
        assert_eq!(language.answered, 0, "{language:?}");
        assert!(language.faults[fault] >= 2, "each is asked twice: {language:?}");
        assert_eq!(changes(&plan), changes(&by_rules));
    }
}

/// Has nothing to say, and room for this many bytes of the past.
struct Narrow {
    room: usize,
    asked: Mutex<Vec<LanguageTask>>,
}

impl LanguageModel for Narrow {
    fn name(&self) -> &'static str {
        "narrow"
    }

    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        let past: usize = request.task.past.iter().map(|past| past.text.len()).sum();
        if past > self.room {
            let needed = request.tokens + past - self.room;
            return Err(LanguageError::OverBudget { needed, left: request.tokens });
        }
        self.asked.lock().unwrap().push(request.task.clone());
        Ok(Reply { answers: Vec::new(), tokens: 10 })
    }
}

#[test]
fn past_that_cannot_be_afforded_is_left_out_of_the_question() {
    let config = config(|c| c.reconcile.rival_similarity = 0.0);
    let (toy, store) = (Toy::new(), SqliteStore::in_memory().unwrap());
    let tasks = |room: usize| {
        let model = Narrow { room, asked: Mutex::default() };
        let sleep = Sleep { language: Some(&model), ..sleeping(&config, &toy, &store) };
        let plan = sleep.plan(nightly(town(1, 2), &config)).unwrap().plan;
        assert_eq!(plan.report.language.unwrap().unaffordable, 0);
        let asked = model.asked.into_inner().unwrap().into_iter();
        asked.filter(|task| matches!(task.kind, TaskKind::Reflections { .. })).collect::<Vec<_>>()
    };
    let (whole, cut) = (tasks(usize::MAX), tasks(45));
    assert!(whole.iter().any(|task| task.past.len() > 1), "{whole:#?}");
    for task in &cut {
        let asked = whole.iter().find(|other| other.sources == task.sources).expect("the same question");
        assert!(asked.past.starts_with(&task.past), "what is most telling stays");
    }
    assert!(cut.iter().any(|task| !task.past.is_empty()), "no more is left out than has to be");
}
