//! Stance judges: decisions they may take, vetoes of the rules, and nights whose judge fails.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::support::{Rooster, Toy, all_of, bytes, config, memory, nightly, sleeping, town};
use nightfold::english::English;
use nightfold::{
    Sleep, judge_pairs,
    memory::{
        Change, JudgeError, JudgeReport, Memory, MemoryReader, MemoryStore, NightPlan, NpcNight, Stance,
        StanceJudge, StancePair, StanceReply, ValidConfig, Verdict, config::JudgeBy,
    },
};
use nightfold_store::SqliteStore;

/// Judge that answers by a function of the two texts and records its questions.
struct Scripted<F> {
    answer: F,
    /// Cost of a pair in tokens.
    price: usize,
    /// Maximum number of pairs in one call.
    batch: usize,
    asked: Mutex<Vec<(String, String)>>,
    /// Largest number of pairs in one call.
    largest: AtomicUsize,
    /// Largest number of tokens allowed for one call.
    allowed: AtomicUsize,
}

impl<F> Scripted<F> {
    fn new(answer: F) -> Self {
        Self {
            answer,
            price: 0,
            batch: usize::MAX,
            asked: Mutex::default(),
            largest: AtomicUsize::new(0),
            allowed: AtomicUsize::new(0),
        }
    }

    fn asked(&self) -> Vec<(String, String)> {
        self.asked.lock().unwrap().clone()
    }
}

impl<F: Fn(&str, &str) -> Result<Stance, JudgeError> + Send + Sync> StanceJudge for Scripted<F> {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn max_batch(&self) -> usize {
        self.batch
    }

    fn judge(&self, pairs: &[StancePair<'_>], tokens: usize) -> StanceReply {
        self.largest.fetch_max(pairs.len(), Ordering::Relaxed);
        self.allowed.fetch_max(tokens, Ordering::Relaxed);
        let one = |pair: &StancePair<'_>| {
            self.asked.lock().unwrap().push((pair.older.to_owned(), pair.newer.to_owned()));
            (self.answer)(pair.older, pair.newer).map(Verdict::certain)
        };
        StanceReply { verdicts: pairs.iter().map(one).collect(), tokens: pairs.len() * self.price }
    }
}

fn broken(_: &str, _: &str) -> Result<Stance, JudgeError> {
    Err(JudgeError::Run("out of memory".into()))
}

/// Settings for the toy embedder's coarse vectors: texts that share most words are close enough to be compared.
fn with(band: f64, fail_safe: f64) -> ValidConfig {
    config(|c| {
        (c.reconcile.min_similarity, c.reconcile.fallback_similarity) = (band, fail_safe);
        c.judge.by = JudgeBy::Language;
        // All memories of the first day are stored word for word.
        (c.budget.storage, c.triage.similar, c.triage.similar_over_budget) = (1.0, 1.0, 1.0);
    })
}

fn settings() -> ValidConfig {
    with(0.3, 0.99)
}

const OLD: &str = "the miller mended the wheel of the mill";
const LIKE_IT: &str = "the miller mended the axle of the mill";
const OLDER_DEBT: &str = "Joss owes Tom 14 silver for the axle";

fn first_day() -> Vec<Memory> {
    vec![memory("Ann", 0, 1, OLD, 5), memory("Ann", 0, 2, OLDER_DEBT, 5), memory("Ann", 0, 3, LIKE_IT, 5)]
}

/// Applies a first night by the rules, and plans a second one with this judge.
fn second_night(new: &str, judge: &dyn StanceJudge, config: &ValidConfig) -> NpcNight {
    let (toy, store) = (Toy::new(), SqliteStore::in_memory().unwrap());
    sleeping(config, &toy, &store).apply(&store, nightly(first_day(), config)).unwrap();
    let sleep = Sleep { judge: Some(judge), ..sleeping(config, &toy, &store) };
    let before = all_of(&store);
    let mut slept = sleep.plan(nightly(vec![memory("Ann", 1, 1, new, 5)], config)).unwrap();
    assert!(slept.failures.is_empty(), "{:?}", slept.failures);
    assert_eq!(all_of(&store), before);
    slept.plan.nights.remove(0)
}

fn report(night: &NpcNight) -> &JudgeReport {
    night.report.judge.as_ref().unwrap()
}

fn verbs(night: &NpcNight) -> Vec<&'static str> {
    night.changes.iter().map(Change::verb).collect()
}

fn judged_by(night: &NpcNight) -> String {
    night.changes[0].reason().values["judged_by"].to_string()
}

const AGAIN: &str = "the miller has mended the wheel of the mill for the farmers";

#[test]
fn judge_decides_pairs_that_the_rules_leave_open() {
    let same = Scripted::new(|_: &str, _: &str| Ok(Stance::Same));
    let night = second_night(AGAIN, &same, &settings());
    assert_eq!((verbs(&night), judged_by(&night).as_str()), (vec!["corroborate"], "model"));
    let (asked, answered) = (same.asked().len(), report(&night).answered);
    assert_eq!((report(&night).judge.as_str(), asked, answered), ("scripted", 1, 1));

    let other = Scripted::new(|_: &str, _: &str| Ok(Stance::Unrelated));
    assert_eq!(verbs(&second_night(AGAIN, &other, &settings())), ["store"]);
    let denied = Scripted::new(|old: &str, _: &str| {
        Ok(if old == OLD { Stance::Contradiction } else { Stance::Unrelated })
    });
    // Events of different days cannot contradict each other, so the judge's verdict is vetoed.
    let night = second_night(AGAIN, &denied, &settings());
    assert_eq!(verbs(&night), ["store"]);
}

#[test]
fn verdict_same_is_vetoed_on_differing_facts() {
    let same = Scripted::new(|_: &str, _: &str| Ok(Stance::Same));
    let night = second_night("Joss owes Tom 15 silver for the axle", &same, &settings());
    assert!(!verbs(&night).contains(&"corroborate"), "{:?}", night.changes);
    assert!(report(&night).vetoed > 0 && report(&night).by_fail_safe == 0, "{:?}", report(&night));
}

#[test]
fn judge_is_not_asked_after_a_match_or_about_equal_texts() {
    let same = Scripted::new(|_: &str, _: &str| Ok(Stance::Same));
    second_night(AGAIN, &same, &settings());
    assert_eq!(same.asked().len(), 1, "{:?}", same.asked());
    let unrelated = Scripted::new(|_: &str, _: &str| Ok(Stance::Unrelated));
    second_night(AGAIN, &unrelated, &settings());
    assert_eq!(
        unrelated.asked().len(),
        3,
        "the next one that differs in no fact is looked at, and the debt that might end: {:?}",
        unrelated.asked()
    );
    assert_eq!(unrelated.asked()[0].0, OLD, "the closest first");
    let never = Scripted::new(|_: &str, _: &str| -> Result<Stance, JudgeError> { panic!("asked") });
    assert_eq!(verbs(&second_night(OLD, &never, &settings())), ["corroborate"]);
}

#[test]
fn judge_is_not_asked_where_no_verdict_has_a_consequence() {
    let asked = |texts: [&str; 2], importance| {
        let (config, toy, store) = (settings(), Toy::new(), SqliteStore::in_memory().unwrap());
        let judge = Scripted::new(|_: &str, _: &str| Ok(Stance::Unrelated));
        let sleep = Sleep { judge: Some(&judge), ..sleeping(&config, &toy, &store) };
        let day = texts.iter().zip(1..).map(|(text, at)| memory("Ann", 0, at, text, importance)).collect();
        sleep.plan(nightly(day, &config)).unwrap();
        judge.asked().len()
    };
    assert_eq!(asked([OLD, AGAIN], 5), 1);
    assert_eq!(asked([OLD, AGAIN], 10), 0, "each of them must keep its own words");
    let by_two = ["Joss mended the wheel of the mill", "Wren mended the wheel of the mill"];
    assert_eq!(asked(by_two, 5), 0, "two happenings end nothing, and differ in a name, so are not the same");
    let of_two = ["Joss is at the wheel of the mill", "Wren is at the wheel of the mill"];
    assert_eq!(asked(of_two, 5), 1, "one may hold the place of the other");
}

#[test]
fn fallback_merges_close_texts_without_differing_facts() {
    let far = second_night(AGAIN, &Scripted::new(broken), &settings());
    assert_eq!(verbs(&far), ["store"]);
    let counts = |r: &JudgeReport| (r.answered, r.by_fail_safe, r.merged_by_fail_safe, r.failures["run"]);
    // Two entries are similar enough to be compared and differ in no fact, and the debt might end.
    assert_eq!(counts(report(&far)), (0, 3, 0, 3));

    let low = with(0.3, 0.3);
    let close = second_night(AGAIN, &Scripted::new(broken), &low);
    assert_eq!((verbs(&close), judged_by(&close).as_str()), (vec!["corroborate"], "fail-safe"));
    assert_eq!(counts(report(&close)), (0, 1, 1, 1));

    let debt = second_night("Joss owes Tom 15 silver for the axle", &Scripted::new(broken), &low);
    assert!(!verbs(&debt).contains(&"corroborate"), "{:?}", debt.changes);
    assert_eq!(report(&debt).merged_by_fail_safe, 0);
}

#[test]
fn failing_judge_leaves_a_consistent_store() {
    let (config, toy, store) = (settings(), Toy::new(), SqliteStore::in_memory().unwrap());
    let judge = Scripted::new(broken);
    let sleep = Sleep { judge: Some(&judge), ..sleeping(&config, &toy, &store) };
    let slept = sleep.apply(&store, nightly(town(3, 3), &config)).unwrap();
    assert!(slept.failures.is_empty(), "{:?}", slept.failures);
    assert_eq!(slept.written, 9);
    let run = slept.plan.report.judge.as_ref().unwrap();
    assert!(run.by_fail_safe > 0 && run.answered == 0, "{run:?}");
    assert_eq!(slept.plan.report.important_kept, slept.plan.report.important);
    let after = all_of(&store);
    assert_eq!(sleep.apply(&store, nightly(town(3, 3), &config)).unwrap().written, 0, "slept on before");
    assert_eq!(all_of(&store), after);
    let run = store.nights(None).unwrap()[0].run;
    assert_eq!(store.undo_run(run).unwrap().len(), 9);
    assert!(store.entries(&crate::support::npc("Ann-00")).unwrap().is_empty());
}

#[test]
fn failing_judge_is_given_up_after_five_failures() {
    let config = config(|c| (c.reconcile.min_similarity, c.language.in_flight) = (0.3, 1));
    let (toy, store, mut judge) = (Toy::new(), SqliteStore::in_memory().unwrap(), Scripted::new(broken));
    judge.batch = 1;
    let sleep = Sleep { judge: Some(&judge), ..sleeping(&config, &toy, &store) };
    let run = sleep.plan(nightly(town(3, 3), &config)).unwrap().plan.report.judge.unwrap();
    assert_eq!((judge.asked().len(), run.asked, run.failures["run"]), (5, 5, 5));
    assert!(run.unasked > 0 && run.by_fail_safe == run.unasked + 5, "{run:?}");
}

#[test]
fn too_few_verdicts_count_as_no_answer() {
    struct Short;
    impl StanceJudge for Short {
        fn name(&self) -> &'static str {
            "short"
        }
        fn judge(&self, _: &[StancePair<'_>], _: usize) -> StanceReply {
            StanceReply { verdicts: Vec::new(), tokens: 0 }
        }
    }
    let night = second_night(AGAIN, &Short, &settings());
    assert_eq!((verbs(&night), report(&night).failures["no-answer"]), (vec!["store"], 3));
}

#[test]
fn judging_is_paid_from_the_ledgers_of_night_and_run() {
    let night = |tokens: u64, budget: usize| {
        let mut judge = Scripted::new(|_: &str, _: &str| Ok(Stance::Same));
        judge.price = 70;
        let config = config(|c| {
            (c.reconcile.min_similarity, c.judge.by) = (0.3, JudgeBy::Language);
            (c.language.tokens_per_run, c.budget.tokens) = (tokens, budget);
            (c.budget.storage, c.triage.similar, c.triage.similar_over_budget) = (1.0, 1.0, 1.0);
        });
        let night = second_night(AGAIN, &judge, &config);
        (night.report.tokens.spent, judge.allowed.load(Ordering::Relaxed))
    };
    // Half of the night's tokens are left for its words.
    assert_eq!(night(10_000_000, 5_000), (70, 2_500));
    assert_eq!(night(300, 5_000), (70, 300));
    assert_eq!(night(10_000_000, 0), (70, 0));
}

#[test]
fn cancelled_night_is_judged_by_the_fallback() {
    let (config, toy, store) = (settings(), Toy::new(), SqliteStore::in_memory().unwrap());
    let judge = Scripted::new(|_: &str, _: &str| Ok(Stance::Unrelated));
    let sleep = Sleep { judge: Some(&judge), observer: &Rooster, ..sleeping(&config, &toy, &store) };
    let plan = sleep.plan(nightly(town(2, 2), &config)).unwrap().plan;
    let of = |npc: &str| {
        let mut sum = JudgeReport::default();
        plan.nights.iter().filter(|n| n.npc.as_str() == npc).for_each(|n| sum.add(report(n)));
        sum
    };
    assert_eq!((of("Ann-00").asked, of("Ann-00").unasked > 0), (0, true));
    assert_eq!((of("Ann-01").unasked, of("Ann-01").answered > 0), (0, true));
}

/// Judges texts that share most of their words as the same.
#[expect(clippy::unnecessary_wraps, reason = "judges may fail")]
fn by_words(a: &str, b: &str) -> Result<Stance, JudgeError> {
    let words = |text: &str| text.split_whitespace().map(str::to_lowercase).collect::<BTreeSet<_>>();
    let (a, b) = (words(a), words(b));
    let shared = a.intersection(&b).count() as f64 / a.union(&b).count().max(1) as f64;
    Ok(if shared > 0.6 { Stance::Same } else { Stance::Unrelated })
}

#[test]
fn plan_does_not_depend_on_judge_concurrency_or_batch_size() {
    let plans = |in_flight: usize, batch: usize, npcs: usize| {
        let config = config(|c| {
            c.reconcile.min_similarity = 0.3;
            (c.language.in_flight, c.run.npcs) = (in_flight, npcs);
        });
        let (toy, store, mut judge) =
            (Toy::new(), SqliteStore::in_memory().unwrap(), Scripted::new(by_words));
        judge.batch = batch;
        let sleep = Sleep { judge: Some(&judge), ..sleeping(&config, &toy, &store) };
        let plan: NightPlan = sleep.plan(nightly(town(5, 3), &config)).unwrap().plan;
        assert!(judge.largest.load(Ordering::Relaxed) <= batch);
        assert!(plan.report.judge.as_ref().is_some_and(|j| j.answered > 0));
        bytes(&plan)
    };
    let expected = plans(1, 1, 64);
    for (in_flight, batch, npcs) in [(1, 16, 64), (8, 1, 64), (8, 16, 2), (3, 2, 1)] {
        assert!(plans(in_flight, batch, npcs) == expected, "{in_flight} {batch} {npcs}");
    }
}

#[test]
fn plan_without_a_judge_has_no_judge_report() {
    let (config, toy, store) = (settings(), Toy::new(), SqliteStore::in_memory().unwrap());
    let plan = sleeping(&config, &toy, &store).plan(nightly(town(1, 2), &config)).unwrap().plan;
    assert!(!bytes(&plan).contains("\"judge\""));
}

#[test]
fn judge_pairs_decides_as_a_night_does() {
    let pair = |older, newer, cosine| StancePair { older, newer, cosine };
    let debt = "Joss owes Tom 15 silver for the axle";
    let pairs =
        [pair(OLD, AGAIN, 0.9), pair(OLDER_DEBT, debt, 0.99), pair(OLD, OLD, 1.0), pair(OLD, AGAIN, 0.95)];
    let stances = |judge: Option<&dyn StanceJudge>| {
        let judged = judge_pairs(judge, &pairs, &ValidConfig::default(), &English);
        (judged.judgements.iter().map(|j| j.stance).collect::<Vec<_>>(), judged.report, judged.tokens)
    };
    let (ruled, none, _) = stances(None);
    assert_eq!((ruled[1], none), (Stance::Contradiction, None));
    let mut same = Scripted::new(|_: &str, _: &str| Ok(Stance::Same));
    for batch in [1, 3, 16] {
        same.batch = batch;
        let (judged, report, _) = stances(Some(&same));
        assert_eq!(judged, [Stance::Same, Stance::Contradiction, Stance::Same, Stance::Same]);
        let expected = JudgeReport {
            judge: "scripted".to_owned(),
            asked: 3,
            answered: 3,
            vetoed: 1,
            ..JudgeReport::default()
        };
        assert_eq!(report, Some(expected));
    }
    let (judged, report, _) = stances(Some(&Scripted::new(broken)));
    assert_eq!(judged, [Stance::Unrelated, Stance::Contradiction, Stance::Same, Stance::Same]);
    let report = report.unwrap();
    assert_eq!((report.by_fail_safe, report.merged_by_fail_safe), (3, 1));
    assert_eq!(report.failures, BTreeMap::from([("run".to_owned(), 3)]));
}
