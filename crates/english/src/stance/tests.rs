//! Specification of the judge: pairs that are never the same, that contradict each other, that say the same.

use nightfold_memory::{FactRules as _, Reason, Rule, config::JudgeConfig};
use proptest::prelude::*;

use super::*;

/// Cosine so high that only facts in the texts can keep them from being the same.
const NEAR: f64 = 0.97;

fn judge(a: &str, b: &str, cosine: f64) -> Stance {
    judge_texts(a, b, cosine).stance
}

fn evidence(a: &str, b: &str) -> String {
    match judge_texts(a, b, NEAR).evidence {
        Evidence::DifferingFacts(facts) => facts,
        Evidence::Opposed { by, .. } => format!("opposed by {by}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn differing_facts_rule_out_same_and_are_named() {
    for (a, b, fact) in [
        ("I paid 3 coppers for salt", "I paid 5 coppers for salt", "number"),
        ("I traded 3 hens for 2 ducks", "I traded 2 hens for 3 ducks", "number"),
        ("I saw Bran at the gate", "I saw Pell at the gate", "name"),
        ("Tom hit Joss in the Heron", "Joss hit Tom in the Heron", "role"),
        ("The smith taught the boy", "The boy taught the smith", "role"),
        ("Bran opened the gate", "Bran did not open the gate", "negation"),
        ("Bran opened the gate", "Bran closed the gate", "opposite"),
        ("Joss paid Tom on Monday", "Joss paid Tom on Friday", "time"),
        ("The gate was open", "The gate is open", "tense"),
        ("The king might be ill", "The king is ill", "hedge"),
        ("All the guards are asleep", "Some guards are asleep", "quantity"),
        ("A rider carried a letter to the abbey", "A rider carried a letter from the abbey", "direction"),
    ] {
        assert_ne!(judge(a, b, NEAR), Stance::Same, "{a} / {b}");
        assert!(evidence(a, b).contains(fact), "{a} / {b}: {}", evidence(a, b));
    }
}

#[test]
fn statements_that_exclude_each_other_are_contradictions() {
    for (a, b, by) in [
        ("I trust the baker", "I do not trust the baker", "negation"),
        ("Pell no longer drinks ale", "Pell drinks ale", "negation"),
        ("Pell never speaks to the priest", "Pell speaks to the priest", "negation"),
        ("Pell hardly speaks to the priest", "Pell speaks to the priest", "negation"),
        ("Pell has stopped drinking ale", "Pell drinks ale", "negation"),
        ("There is no guard at the ford", "There is a guard at the ford", "negation"),
        ("The mill gate is open", "The mill gate is closed", "opposite"),
        ("The old miller has died", "The old miller is alive", "opposite"),
        ("Salt costs 3 coppers a measure", "Salt costs 5 coppers a measure", "number"),
    ] {
        assert_eq!(evidence(a, b), format!("opposed by {by}"), "{a} / {b}");
    }
}

#[test]
fn events_other_things_and_doubts_are_no_contradictions() {
    for (a, b) in [
        ("I practised the song and the note cracked", "I practised the song and the note did not crack"),
        ("In the morning Wren opened the doors", "In the morning Wren never opened the doors"),
        ("The bridge was open", "The bridge was not open"),
        ("The north gate is closed", "The south gate is closed"),
        ("The new kiln works", "The old kiln works"),
        ("Three goats are on the roof", "Two goats are on the roof"),
        ("The boy who never lies is here", "The boy who lies is here"),
        ("If the bridge falls, no salt comes", "The bridge falls and salt comes"),
        ("Pell did not say the bridge has fallen", "The bridge has not fallen"),
        ("Pell asked whether the bridge has fallen", "The bridge has not fallen"),
        ("River gate status: 2 patrols, 9 travellers", "River gate status: 2 patrols, 3 travellers"),
    ] {
        assert_eq!(judge(a, b, NEAR), Stance::Unrelated, "{a} / {b}");
    }
}

#[test]
fn paraphrases_are_the_same() {
    for (a, b) in [
        ("Joss owes Tom fourteen silver", "Joss owes Tom 14 silver"),
        ("Tom hit Joss in the Heron", "Joss was hit by Tom in the Heron"),
        ("Hanne gave Wren the keys", "Hanne gave the keys to Wren"),
        ("Pell no longer drinks ale", "Pell has stopped drinking ale"),
        ("Bran opened the gate at dawn", "At dawn Bran opened the gate"),
        ("The bridge at Stonewater has fallen.", "The bridge at Stonewater has fallen"),
        ("A hound is barking at the gate", "A dog is barking at the gate"),
        ("The cook is slicing onions", "The cook is cutting onions"),
    ] {
        assert_eq!(judge(a, b, NEAR), Stance::Same, "{a} / {b}: {}", evidence(a, b));
    }
}

#[test]
fn different_objects_are_unrelated() {
    for (a, b) in [
        ("Tom bought bread", "Tom bought a horse"),
        ("Hanne is baking bread", "Hanne is selling cakes"),
        ("I trust the baker", "She trusts the baker"),
        ("My brother lives in Ashford", "My brother lives in Stonewater"),
        ("A beggar sits on the steps of the temple", "A beggar sleeps in the yard of the inn"),
        (
            "Wren trusts Tom with the keys of the granary",
            "Tom does not trust Wren with the keys of the granary",
        ),
    ] {
        assert_eq!(judge(a, b, 0.88), Stance::Unrelated, "{a} / {b}");
    }
}

#[test]
fn quoted_and_reported_speech_is_judged() {
    let fallen = "Corwin told me: \"The bridge at Stonewater has fallen.\" No salt will come.";
    let stands = "Bran rode out and said \"The bridge at Stonewater has not fallen. It stands.\"";
    assert_eq!(judge(fallen, stands, 0.5), Stance::Contradiction);
    let reported = "Pell says the bridge has fallen";
    assert_eq!(judge(reported, "The bridge has not fallen", 0.8), Stance::Contradiction);
    assert_ne!(judge(reported, "The bridge has fallen", 0.9), Stance::Same, "who says so is part of it");
}

#[test]
fn long_texts_are_judged_by_their_beginning() {
    let long = "the gate is open. ".repeat(4_000);
    assert_eq!(judge(&long, "the gate is not open", 0.9), Stance::Contradiction);
    let long = "bread ".repeat(4_000);
    assert_eq!(judge_texts(&long, "bread", 0.9).evidence, Evidence::Unreadable);
}

#[test]
fn low_cosine_rules_out_same() {
    let (a, b) = ("The cook is slicing onions", "The cook is cutting onions");
    assert_eq!(
        judge_texts(a, b, MIN_SAME_COSINE - 0.01).evidence,
        Evidence::LowCosine(MIN_SAME_COSINE - 0.01)
    );
}

#[test]
fn reason_names_deciding_words_and_fact() {
    let reason = Reason::new(Rule::Contradicted);
    let told = judge_texts("The mill gate is open", "The mill gate is closed", NEAR)
        .explain(reason, &JudgeConfig::default());
    let shown: Vec<String> = told.values.iter().map(|(name, value)| format!("{name} {value}")).collect();
    assert_eq!(shown, ["differs closed / open", "judged_by opposite"]);
}

/// Texts of a few words each: names, things, numbers and negations in any order.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "Tom", "Joss", "the", "a", "gate", "bridge", "is", "was", "has", "open", "closed", "fallen", "not",
        "never", "owes", "3", "five", "silver", "says", "that", "no", "longer", "might", "by", "to", ".",
        "\"", "I", "she", "Monday", "all", "few", "who", "dozen", "running",
    ]);
    prop::collection::vec(word, 0..14).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn judgement_is_symmetric(a in text(), b in text(), cosine in 0.0..1.0) {
        prop_assert_eq!(judge_texts(&a, &b, cosine), judge_texts(&b, &a, cosine));
    }

    #[test]
    fn text_is_same_as_itself(a in text(), cosine in 0.0..1.0) {
        prop_assert_eq!(judge(&a, &a, cosine), Stance::Same);
    }

    #[test]
    fn any_text_can_be_judged(a in ".{0,60}", b in ".{0,60}", cosine in -1.0..1.0) {
        judge_texts(&a, &b, cosine);
    }

    #[test]
    fn negated_statement_is_never_the_same(
        who in prop::sample::select(vec!["Tom", "The miller", "My sister", "Nobody", "A grey cat"]),
        what in prop::sample::select(vec!["the open gate", "ill", "at the ford", "asleep", "owed 3 silver", "dead"]),
        when in prop::sample::select(vec!["", " today", " on Monday", ", says Pell"]),
    ) {
        let (told, denied) = (format!("{who} is {what}{when}"), format!("{who} is not {what}{when}"));
        prop_assert_ne!(judge(&told, &denied, 0.99), Stance::Same);
    }

    #[test]
    fn different_number_is_never_the_same(n in 2_u32..500, m in 2_u32..500) {
        prop_assume!(n != m);
        let told = |n| format!("Joss owes Tom {n} silver for the axle");
        prop_assert_ne!(judge(&told(n), &told(m), 0.999), Stance::Same);
    }
}

proptest! {
    /// Cached claims lead to the same judgements as texts read anew, whatever the spelling of the texts
    /// beside them.
    #[test]
    fn cached_claims_give_the_same_judgement(
        texts in prop::collection::vec(
            prop::collection::vec(
                prop::sample::select(vec![
                    "Bran", "bran", "Bread", "bread", "The", "the", "Pell", "gate", "is", "not", "open", "closed", "says",
                    "has", "3", "5", "coppers", "costs", "trust", "I", "no longer", "because", ".", ", for",
                ]),
                2..9,
            ),
            2..6,
        ),
    ) {
        let texts: Vec<String> = texts.iter().map(|words| words.join(" ")).collect();
        let mut book = ClaimCache::default();
        for a in &texts {
            for b in &texts {
                prop_assert_eq!(book.judge(a, b, NEAR), judge_texts(a, b, NEAR), "{} / {}", a, b);
            }
        }
    }
}
