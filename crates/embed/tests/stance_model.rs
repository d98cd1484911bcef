//! Tests of the stance model's contract: a verdict depends on its two texts alone, to the bit.

use std::{num::NonZero, sync::OnceLock};

use nightfold_embed::{LazyStanceModel, ModelFiles, ModelOptions, Models, StanceModel, StanceOptions};
use nightfold_memory::{JudgeError, StanceJudge, StancePair};

fn files() -> &'static ModelFiles {
    static FILES: OnceLock<ModelFiles> = OnceLock::new();
    FILES.get_or_init(|| {
        let models = Models::new(ModelOptions::from_env());
        models.provide(&|_| {}).unwrap_or_else(|error| panic!("{error}"))
    })
}

fn open(sessions: usize) -> StanceModel {
    let options =
        StanceOptions { sessions: NonZero::new(sessions).expect("at least one"), ..StanceOptions::default() };
    StanceModel::open(&files().tokenizer, &files().runtime, options).expect("the model opens")
}

/// Pairs of many lengths, with many of one length.
fn pairs() -> Vec<(String, String)> {
    let people = ["Mara", "Joss", "Wren", "Tom", "Bran", "Pell", "Odo", "Ida"];
    let things = ["gate", "mill", "bridge", "well", "door", "ford"];
    let states = ["is open", "is not open", "burned down", "stands", "is guarded by two men", "was sold"];
    let text = |n: usize, of: usize| {
        let (person, thing, state) = (people[n % 8], things[n / 3 % 6], states[(n + of) % 6]);
        let more = " and it rained on the road to Hollowfen".repeat((n + of) % 5);
        format!("{person} told me that the {thing} {state}{more}.")
    };
    let mut pairs: Vec<_> = (0..60).map(|n| (text(n, 0), text(n, 1))).collect();
    // Of one length, with nothing but a word that differs.
    pairs.extend(people.map(|who| (format!("{who} is at the inn."), format!("{who} has left the inn."))));
    pairs.push((String::new(), "The mill burns.".to_owned()));
    pairs.push(("🦊".to_owned(), "Grüße aus Hollowfen".to_owned()));
    pairs
}

/// The bits of each verdict.
fn judged(model: &StanceModel, pairs: &[&(String, String)]) -> Vec<[u64; 2]> {
    let asked: Vec<_> = pairs.iter().map(|(older, newer)| StancePair { older, newer, cosine: 0.8 }).collect();
    let verdicts = model.judge(&asked, 0).verdicts.into_iter();
    verdicts.map(|v| v.expect("a verdict")).map(|v| [v.same.to_bits(), v.contradiction.to_bits()]).collect()
}

#[test]
fn verdict_does_not_depend_on_batch_or_sessions() {
    let pairs = pairs();
    let all: Vec<&(String, String)> = pairs.iter().collect();
    let one = open(1);
    let alone: Vec<[u64; 2]> = all.iter().map(|pair| judged(&one, &[*pair])[0]).collect();
    for sessions in [1, 2] {
        let model = open(sessions);
        for size in [1, 2, 7, 64, all.len()] {
            let together: Vec<_> = all.chunks(size).flat_map(|some| judged(&model, some)).collect();
            assert!(together == alone, "{size} at once in {sessions} sessions");
        }
        let backwards: Vec<_> = all.iter().rev().copied().collect();
        let mut together = judged(&model, &backwards);
        together.reverse();
        assert!(together == alone, "backwards in {sessions} sessions");
        // Each among copies of itself: batches of one length and of many sizes.
        for copies in [2, 7, 64] {
            for (pair, alone) in all.iter().zip(&alone).step_by(9) {
                let same = judged(&model, &vec![*pair; copies]);
                assert!(same.iter().all(|verdict| verdict == alone), "{copies} copies of {pair:?}");
            }
        }
    }
}

#[test]
fn pairs_that_are_too_long_need_no_model() {
    // There is no library to run a model with.
    let files = ModelFiles { runtime: "no library".into(), ..files().clone() };
    let judge = LazyStanceModel::new(files, StanceOptions::default());
    let long = "It rained on the road to Hollowfen. ".repeat(60);
    let of = |older| StancePair { older, newer: "The mill burns.", cosine: 0.9 };
    let refused = judge.judge(&[of(&long)], 0).verdicts;
    assert!(matches!(refused[..], [Err(JudgeError::TooLong { most: 256, .. })]), "{refused:?}");
    let failed = judge.judge(&[of(&long), of("The mill stands.")], 0).verdicts;
    assert!(matches!(failed[..], [Err(JudgeError::Run(_)), Err(JudgeError::Run(_))]), "{failed:?}");
}
