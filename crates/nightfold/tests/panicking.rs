//! Panics fail only the night that they belong to.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{panic, sync::Once};

use nightfold::english::{English, Packs};
use nightfold::{
    Failure, Maintenance, MaintenanceTasks, NightError, Sleep, apply_plan, catches_panic, judge_pairs,
    memory::{
        LanguageError, LanguageModel, MemoryReader, NightPlan, NpcNight, Reply, Request, Stance, StanceJudge,
        StancePair, StanceReply, ValidConfig, Verdict, config::JudgeBy,
    },
};
use nightfold_store::SqliteStore;
use support::{Refusal, ScriptedStore, Toy, all_of, config, memory, nightly, npc, sleeping, town};

/// Keeps the tests' panic hook from printing panics that become failures.
fn quiet() {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !catches_panic() {
                loud(info);
            }
        }));
    });
}

/// Language model and judge that panics at the questions of one NPC; as a model it refuses all others, as a judge it
/// finds all others unrelated.
#[derive(Debug)]
struct Doomed(&'static str);

impl LanguageModel for Doomed {
    fn name(&self) -> &'static str {
        "doomed"
    }

    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        assert_ne!(request.task.me, self.0, "no words for \u{1b}[31m{}", self.0);
        let (model, reason) = ("doomed".to_owned(), "not in the mood".to_owned());
        Err(LanguageError::Refused { model, tokens: 0, reason })
    }
}

impl StanceJudge for Doomed {
    fn name(&self) -> &'static str {
        "doomed"
    }

    fn max_batch(&self) -> usize {
        1
    }

    fn judge(&self, pairs: &[StancePair<'_>], _: usize) -> StanceReply {
        assert!(pairs.iter().all(|pair| !pair.newer.contains(self.0)), "no verdict on {}", self.0);
        StanceReply {
            verdicts: pairs.iter().map(|_| Ok(Verdict::certain(Stance::Unrelated))).collect(),
            tokens: 0,
        }
    }
}

fn assert_panicked(failure: &Failure, of: &str, by: &str) {
    assert_eq!(failure.npc, npc(of));
    let NightError::Panicked { step, message } = &failure.error else { panic!("{failure:?}") };
    assert_eq!(*step, by);
    assert!(!message.is_empty() && message.chars().count() <= 200, "{message}");
    let told = failure.error.to_string();
    assert!(told.contains("please report this with the NPC, the night and its memories"), "{told}");
}

fn of_others<'p>(plan: &'p NightPlan, but: &str) -> Vec<&'p NpcNight> {
    plan.nights.iter().filter(|night| night.npc != npc(but)).collect()
}

#[test]
fn language_model_that_panics_fails_only_the_nights_that_asked_it() {
    quiet();
    let (toy, store) = (Toy::new(), SqliteStore::in_memory().unwrap());
    for in_flight in [1, 4] {
        let config = config(|c| c.language.in_flight = in_flight);
        let with = |model: &Doomed| {
            let sleep = Sleep { language: Some(model), ..sleeping(&config, &toy, &store) };
            sleep.plan(nightly(town(4, 2), &config)).unwrap()
        };
        let (slept, whole) = (with(&Doomed("Ann-02")), with(&Doomed("nobody")));
        let [failure, waits] = slept.failures.as_slice() else { panic!("{:?}", slept.failures) };
        assert_panicked(failure, "Ann-02", "asking the language model");
        assert!(matches!(waits.error, NightError::Blocked { .. }));
        assert_eq!(slept.plan.nights.len(), 6);
        // The others are charged nothing; what the failed night asked before is not known.
        assert_eq!(slept.plan.report.tokens.spent, 5_000);
        assert_eq!(of_others(&slept.plan, "Ann-02"), of_others(&whole.plan, "Ann-02"));
    }
}

#[test]
fn judge_that_panics_fails_only_the_nights_that_asked_it() {
    quiet();
    let config = config(|c| {
        c.judge.by = JudgeBy::Language;
        c.reconcile.min_similarity = 0.3;
    });
    let (toy, store) = (Toy::new(), SqliteStore::in_memory().unwrap());
    let with = |judge: &Doomed| {
        let sleep = Sleep { judge: Some(judge), ..sleeping(&config, &toy, &store) };
        let whereabouts = [(0, "Ann-01 is at the old mill"), (1, "Ann-01 is at the inn by the mill")];
        let of_her = whereabouts.map(|(day, text)| memory("Ann-01", day, 20, text, 5));
        sleep.plan(nightly(town(3, 2).into_iter().chain(of_her).collect(), &config)).unwrap()
    };
    let (slept, whole) = (with(&Doomed("Ann-01")), with(&Doomed("nobody")));
    assert!(whole.failures.is_empty());
    let [failure, ..] = slept.failures.as_slice() else { panic!("{:?}", slept.failures) };
    assert_panicked(failure, "Ann-01", "asking the judge");
    assert!(slept.failures.iter().all(|f| f.npc == npc("Ann-01")), "{:?}", slept.failures);
    assert_eq!(of_others(&slept.plan, "Ann-01"), of_others(&whole.plan, "Ann-01"));
}

#[test]
fn pairs_with_a_panicking_judge_use_the_fallback_verdict() {
    quiet();
    let pair =
        |newer: &'static str| StancePair { older: "the gate stands near the mill", newer, cosine: 0.8 };
    let pairs = [pair("the gate stands by the mill"), pair("the cursed gate is at the mill")];
    let judged = judge_pairs(Some(&Doomed("cursed")), &pairs, &ValidConfig::default(), &English);
    let report = judged.report.unwrap();
    assert_eq!((judged.judgements.len(), report.failures.get("panicked")), (2, Some(&1)));
    assert_eq!((report.asked, report.answered), (2, 1));
}

#[test]
fn maintenance_that_panics_leaves_that_npc_unchanged_and_plans_the_rest() {
    quiet();
    let (config, toy) = (ValidConfig::default(), Toy::new());
    let store = ScriptedStore::new(Refusal::Panics(npc("Ann-01")));
    sleeping(&config, &toy, &store.inner).apply(&store.inner, nightly(town(3, 3), &config)).unwrap();
    let tasks = MaintenanceTasks { collapse: Some(nightfold::StatusScope::All), ..MaintenanceTasks::ALL };
    let npcs = store.npcs().unwrap();
    let planned = Maintenance { config: &config, packs: &Packs, store: &store }.plan(&npcs, tasks).unwrap();
    let whole =
        Maintenance { config: &config, packs: &Packs, store: &store.inner }.plan(&npcs, tasks).unwrap();
    let [failure] = planned.failures.as_slice() else { panic!("{:?}", planned.failures) };
    assert_panicked(failure, "Ann-01", "maintenance");
    assert!(failure.night.as_str().starts_with("day-2"), "{failure}");
    assert!(whole.failures.is_empty() && whole.plan.nights.iter().any(|night| night.npc == npc("Ann-01")));
    assert_eq!(planned.plan.nights.iter().collect::<Vec<_>>(), of_others(&whole.plan, "Ann-01"));
    assert!(!planned.reports_after.contains_key(&npc("Ann-01")) && planned.reports_after.len() == 2);
    let before = store.entries(&npc("Ann-01")).unwrap();
    apply_plan(&store, &planned.plan).unwrap();
    assert_eq!(store.entries(&npc("Ann-01")).unwrap(), before);
    assert!(!all_of(&store.inner).is_empty());
}
