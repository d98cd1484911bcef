//! A plan that is read from a file states what can be true, or is refused with its entry and its field.

use std::sync::LazyLock;

use crate::support::{day, memory, sleep};
use nightfold_memory::effect::advance;
use nightfold_memory::{
    Emotion, MemorySnapshot, NightPlan, NpcNight, PLAN_FORMAT, RunReport, ValidConfig, Vector,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Two nights, with themes, a synthesis and a corroborated entry.
static PLAN: LazyLock<Value> = LazyLock::new(|| {
    let config = ValidConfig::default();
    let lived = |n: i64| {
        let told = ["Joss owes Tom 14 silver", "Joss owes Tom silver for the axle", "the mill is loud"];
        let again = told.iter().zip(1..).map(|(text, hour)| memory(&format!("t{n}-{hour}"), hour, text, 6));
        let new = memory(&format!("n{n}"), 9, &format!("a stranger came on day {n}"), 8)
            .with(|m| m.emotion = Some(Emotion { valence: -0.5, intensity: 0.5 }));
        day(n, again.chain([new]).collect())
    };
    let mut past = MemorySnapshot::empty();
    let nights: Vec<NpcNight> = (0..2)
        .map(|n| {
            let night = sleep(lived(n), past.clone(), &config);
            advance(&mut past, &night).unwrap();
            night
        })
        .collect();
    let report = RunReport::sum(1, nights.iter().map(|night| &night.report));
    serde_json::to_value(NightPlan { format: PLAN_FORMAT, nights, report }).unwrap()
});

fn read(plan: &Value) -> Result<NightPlan, String> {
    NightPlan::from_json(&serde_json::to_vec(plan).unwrap()).map_err(|error| error.to_string())
}

/// Returns the fault of the plan with one value of the first `store` changed.
fn fault(field: &str, value: Value) -> String {
    let mut plan = PLAN.clone();
    let changes = plan["nights"][0]["changes"].as_array_mut().unwrap();
    changes.iter_mut().find(|change| change["do"] == "store").unwrap()[field] = value;
    read(&plan).unwrap_err()
}

#[test]
fn store_that_is_not_its_memory_is_refused() {
    read(&PLAN).unwrap();
    for (field, value) in [("text", json!("Joss owes nobody")), ("at", json!(7))] {
        let fault = fault(field, value);
        assert!(fault.starts_with("night day-0 of Mara: store "), "{fault}");
        assert!(fault.contains("field `text`: text and time are not those of the memory"), "{fault}");
    }
    assert!(fault("form", json!("reflection")).contains("field `form`"));
}

#[test]
fn counts_and_moments_out_of_range_are_refused() {
    for (field, value, expected) in [
        ("occurrences", json!(0), "field `occurrences`: 0 is out of range; it lies between 1 and"),
        ("last_at", json!(-9), "field `last_at`: -9 is before"),
        ("importance", json!(11), "importance 11 is out of range"),
        ("emotion", json!({"valence": 7, "intensity": 0}), "valence 7 is out of range"),
    ] {
        let fault = fault(field, value);
        assert!(fault.contains(expected), "{fault}");
    }
    let mut plan = PLAN.clone();
    plan["nights"][0]["themes"][0]["importance"] = json!(11);
    let fault = read(&plan).unwrap_err();
    assert!(
        fault.contains(": theme ") && fault.contains("field `importance`: 11 is out of range"),
        "{fault}"
    );
}

#[test]
fn vectors_of_another_length_are_refused() {
    let short = serde_json::to_value(Vector::new([0.6, 0.8]).unwrap()).unwrap();
    assert!(fault("vector", short).contains("field `vector`"));
    let whole = read(&PLAN).unwrap();
    assert_eq!(whole.dimensions(&crate::support::model()), Some(crate::support::DIMENSIONS));
    assert_eq!(whole.dimensions(&"other@1".parse().unwrap()), None);
}

#[test]
fn changes_that_could_be_true_break_the_seal() {
    let (mut plan, seal) = (PLAN.clone(), "the plan was changed since it was saved");
    for field in ["memories", "changes"] {
        plan["nights"][0][field][0]["importance"] = json!(9);
        plan["nights"][0][field][0]["kind"] = json!("status");
    }
    assert!(read(&plan).unwrap_err().starts_with(seal));
    for (field, value) in [("pinned", json!(true)), ("actors", json!(["Joss"])), ("place", json!("the well"))]
    {
        assert!(fault(field, value).starts_with(seal), "{field}");
    }
}

/// Returns the paths of all values that are no lists or objects.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| leaves(item, &format!("{path}/{at}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| leaves(field, &format!("{path}/{name}"), found));
        }
        _ => found.push(path.to_owned()),
    }
}

proptest! {
    #[test]
    fn plan_with_a_changed_field_is_refused(place in any::<prop::sample::Index>(), pick in 0_usize..6) {
        let (mut plan, mut paths) = (PLAN.clone(), Vec::new());
        leaves(&plan, "", &mut paths);
        let path = &paths[place.index(paths.len())];
        let value = plan.pointer_mut(path).unwrap();
        *value = match &*value {
            Value::Number(_) => [json!(0), json!(-1), json!(1e9), json!(11), json!(0.25), json!("7")][pick].clone(),
            Value::String(text) => [json!(""), json!(format!("{text}x")), json!(3), json!(null), json!("a"), json!([])][pick].clone(),
            Value::Bool(is) => json!(!is),
            _ => json!(1),
        };
        // Seconds may be written as text, and what has its default may be left out.
        if let Ok(changed) = read(&plan) {
            prop_assert_eq!(changed, read(&PLAN).unwrap());
        }
    }
}
