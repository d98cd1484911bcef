//! Commands, saved towns and plans that were changed at random: done or refused, and what is refused changes nothing.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{sync::Arc, time::Duration};

use nightfold_town::{Town, TownModels, testing::Letters};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Values that take the place of others.
fn strange() -> Vec<Value> {
    let deep = (0..100).fold(json!(1), |within, _| json!([within]));
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(1e308),
        json!(-0.0),
        json!(0.5),
        json!(5e-324),
        json!(""),
        json!("Mara"),
        json!("tick"),
        json!("event"),
        json!("\u{1b}[2J\u{0}"),
        json!("9999-99-99T99:99:99Z"),
        json!("x".repeat(3_000)),
        json!([]),
        json!({}),
        json!([[], {}]),
        json!({"do": "status"}),
        deep,
    ]
}

/// Numbers at random from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        // SplitMix64 (Steele et al., 2014).
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % most as u64).unwrap()
    }
}

/// Number of values within a value, itself included.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(fields) => fields.values().map(size).sum(),
        _ => 0,
    }
}

/// The value of this number, counted from the outside.
fn nth(value: &mut Value, mut n: usize) -> &mut Value {
    if n == 0 {
        return value;
    }
    n -= 1;
    let within: Vec<&mut Value> = match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(fields) => fields.values_mut().collect(),
        _ => Vec::new(),
    };
    for part in within {
        let parts = size(part);
        if n < parts {
            return nth(part, n);
        }
        n -= parts;
    }
    unreachable!("the number is below the size")
}

/// Changes one value, or what it consists of.
fn change(document: &mut Value, dice: &mut Dice) {
    let at = dice.below(size(document));
    let other = nth(document, dice.below(size(document))).clone();
    let strange = strange();
    let replacement = if dice.below(4) == 0 { other } else { strange[dice.below(strange.len())].clone() };
    match (nth(document, at), dice.below(4)) {
        (Value::Object(fields), 0) if !fields.is_empty() => {
            let key = fields.keys().nth(dice.below(fields.len())).unwrap().clone();
            fields.remove(&key);
        }
        (Value::Object(fields), 1) => {
            fields.insert("else".to_owned(), replacement);
        }
        (Value::Array(items), 0) if !items.is_empty() => {
            items.remove(dice.below(items.len()));
        }
        (Value::Array(items), 1) => items.insert(dice.below(items.len() + 1), replacement),
        (Value::Number(number), 0..=2) if number.is_i64() => {
            let by = [-1, 1, 1_000, -86_400][dice.below(4)];
            *number = number.as_i64().unwrap().wrapping_add(by).into();
        }
        (place, _) => *place = replacement,
    }
}

/// Cuts, doubles or replaces a byte of the text.
fn scratch(text: &str, dice: &mut Dice) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let at = dice.below(bytes.len());
    match dice.below(4) {
        0 => bytes.truncate(at),
        1 => bytes.insert(at, b"\"{}[],:\\0e-\x01"[dice.below(12)]),
        2 => drop(bytes.remove(at)),
        _ => bytes[at] = b"\"{}[],:\\0e-\x01"[dice.below(12)],
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn town() -> Town {
    let timing = json!({"lockstep": {"plan_seconds": 600, "write_seconds": 60}});
    let options = serde_json::from_value(json!({"threads": 0, "timing": timing})).unwrap();
    Town::with_models(options, &TownModels::of_embedder(Arc::new(Letters::new()))).unwrap()
}

fn status(town: &mut Town) -> String {
    town.do_json(r#"{"do":"status"}"#).unwrap()
}

const STORY: &str = include_str!("../../../bindings/conformance/story.jsonl");

/// Tells the story of the bindings; of ten lines, about one is told again with changes before it is told.
fn tell_changed(seed: u64) -> (usize, usize) {
    let mut dice = Dice(seed);
    let mut town = town();
    let (mut saved, mut plan) = ("null".to_owned(), "null".to_owned());
    let (mut done, mut refused) = (0, 0);
    for line in STORY.lines() {
        let line = line.replace("\"@saved\"", &saved).replace("\"@plan\"", &plan);
        if dice.below(10) == 0 || line.len() > 2_000 {
            let mut document: Value = serde_json::from_str(&line).unwrap();
            for _ in 0..=dice.below(3) {
                change(&mut document, &mut dice);
            }
            let mut changed = document.to_string();
            if dice.below(5) == 0 {
                changed = scratch(&changed, &mut dice);
            }
            let before = status(&mut town);
            match town.do_json(&changed) {
                Ok(_) => done += 1,
                Err(error) => {
                    refused += 1;
                    assert!(
                        !error.message().is_empty() && !error.message().contains('\u{1b}'),
                        "{}",
                        error.message()
                    );
                    assert_eq!(status(&mut town), before, "{changed} was refused: {}", error.message());
                }
            }
        }
        // What follows a change that was done may be refused.
        if let Ok(reply) = town.do_json(&line) {
            let within = |key: &str| Some(reply.strip_prefix(key)?.strip_suffix('}')?.to_owned());
            saved = within("{\"saved\":").unwrap_or(saved);
            plan = within("{\"plan\":").unwrap_or(plan);
        }
        town.step(Duration::from_millis(1));
        while town.next_event().is_some() {}
    }
    town.do_json(r#"{"do":"export"}"#).unwrap();
    (done, refused)
}

#[test]
fn changed_lines_are_of_both_kinds() {
    let told = (0..30).map(tell_changed).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert!(told.0 >= 10 && told.1 >= 40, "{told:?} done and refused");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn changed_lines_are_done_or_refused(seed in any::<u64>()) {
        tell_changed(seed);
    }
}
