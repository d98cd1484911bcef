//! Differences between two outcomes.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::outcome::ScenarioOutcome;

/// One difference between two outcomes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutcomeDifference {
    /// Path of the value: night, NPC, memory.
    pub place: String,
    /// Old value; `None` if it is new.
    pub was: Option<String>,
    /// New value; `None` if there is none.
    pub is: Option<String>,
}

/// Returns the differences between the accepted outcome and another one, in order.
///
/// # Errors
/// None known: outcomes are text and numbers.
pub fn differences(
    accepted: &ScenarioOutcome,
    outcome: &ScenarioOutcome,
) -> Result<Vec<OutcomeDifference>, serde_json::Error> {
    let (was, is) = (flatten(accepted)?, flatten(outcome)?);
    let mut places: Vec<&(usize, String)> = was.keys().chain(is.keys()).collect();
    places.sort();
    places.dedup();
    Ok(places
        .into_iter()
        .filter(|place| was.get(*place) != is.get(*place))
        .map(|place| OutcomeDifference {
            place: place.1.clone(),
            was: was.get(place).cloned(),
            is: is.get(place).cloned(),
        })
        .collect())
}

/// Maps the path of every value to the value; nights in their order, then the state at the end.
fn flatten(outcome: &ScenarioOutcome) -> Result<BTreeMap<(usize, String), String>, serde_json::Error> {
    let mut values = BTreeMap::new();
    let Value::Object(whole) = serde_json::to_value(outcome)? else { return Ok(values) };
    let nights = whole.get("nights").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (number, night) in nights.iter().enumerate() {
        let label = night.get("night").and_then(Value::as_str).unwrap_or_default();
        if let Some(npcs) = night.get("npcs") {
            leaves(&format!("night {label}"), npcs, &mut |place, value| {
                values.insert((number, place), value);
            });
        }
    }
    if let Some(left) = whole.get("afterwards") {
        leaves("afterwards", left, &mut |place, value| {
            values.insert((usize::MAX, place), value);
        });
    }
    Ok(values)
}

fn leaves(place: &str, value: &Value, take: &mut dyn FnMut(String, String)) {
    match value {
        Value::Object(inner) => inner.iter().for_each(|(key, value)| {
            leaves(&format!("{place} · {key}"), value, take);
        }),
        Value::String(text) => take(place.to_owned(), text.clone()),
        other => take(place.to_owned(), other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An outcome with one night of Mara and the given fates.
    fn outcome(fate: &str, themes: &str) -> ScenarioOutcome {
        serde_json::from_str(&format!(
            r#"{{"format":1,"nights":[{{"night":"day-1","npcs":{{"Mara":{{"counts":"1 kept","fates":{{{fate}}}}}}}}}],
                "afterwards":{{"Mara":{{"active":{{}},"themes":{{{themes}}}}}}}}}"#
        ))
        .unwrap()
    }

    #[test]
    fn differences_report_path_old_and_new_value() {
        let was = outcome(r#""a":"kept (important)","b":"pruned (blank)""#, r#""silver":2"#);
        let is = outcome(r#""a":"kept (pinned)","c":"pruned (blank)""#, r#""silver":3"#);
        let told: Vec<_> = differences(&was, &is)
            .unwrap()
            .into_iter()
            .map(|d| format!("{}: {} → {}", d.place, d.was.unwrap_or_default(), d.is.unwrap_or_default()))
            .collect();
        assert_eq!(
            told,
            [
                "night day-1 · Mara · fates · a: kept (important) → kept (pinned)",
                "night day-1 · Mara · fates · b: pruned (blank) → ",
                "night day-1 · Mara · fates · c:  → pruned (blank)",
                "afterwards · Mara · themes · silver: 2 → 3",
            ]
        );
        assert_eq!(differences(&is, &is).unwrap(), []);
    }

    #[test]
    fn equal_outcomes_have_equal_digests() {
        let (one, other) = (outcome(r#""a":"kept (pinned)""#, ""), outcome(r#""a":"kept (important)""#, ""));
        assert_eq!(one.digest().unwrap(), one.clone().digest().unwrap());
        assert_ne!(one.digest().unwrap(), other.digest().unwrap());
        let read: ScenarioOutcome = serde_json::from_slice(&one.to_json().unwrap()).unwrap();
        assert_eq!(read, one);
    }
}
