//! Comparing settings on the same nights.

use serde_json::{Value, json};

use crate::support::{Desk, list};

const DAY_ONE: &str = "{scenarios/riverbend/days/1.jsonl}";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[test]
fn settings_are_compared_on_the_same_nights_without_writing() {
    let settings = ["kmeans", "hierarchical", "single+budget.storage=0.3"];
    let compare = format!("compare {DAY_ONE} --with {}", settings.join(","));
    let desk = Desk::new();
    let compared = desk.run(&format!("{compare} --json")).json();
    let outcomes = &compared["settings"];
    let [kmeans, hierarchical, tight] = list(outcomes) else { panic!("{outcomes}") };
    assert_eq!([&kmeans["setting"], &hierarchical["setting"], &tight["setting"]], settings);
    for outcome in list(outcomes) {
        assert_eq!((&outcome["nights"], &outcome["distinct"]), (&json!(6), &kmeans["distinct"]));
        assert_eq!(outcome["important_kept"], outcome["important"], "{outcome}");
    }
    let [by_kmeans, by_hierarchical, by_tight] =
        [kmeans, hierarchical, tight].map(|outcome| number(&outcome["reduction"]));
    assert!(by_tight > by_kmeans && by_tight > by_hierarchical, "{outcomes}");
    // Clusters a night.
    assert!(number(&tight["clusters"]) <= 1.0 && number(&kmeans["clusters"]) > 1.0, "{outcomes}");

    let table = desk.run(&compare).ok();
    let cells = |first: &str| -> Vec<Vec<&str>> {
        let lines = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        lines.filter(|cells| cells.first() == Some(&first)).collect()
    };
    let [headings] = cells("setting").try_into().expect("one header");
    let kept = headings.iter().position(|h| *h == "kept").expect("a column of what is kept");
    for outcome in list(outcomes) {
        let [row] = cells(outcome["setting"].as_str().expect("a name")).try_into().expect("one line");
        assert_eq!(row[kept], outcome["kept"].to_string(), "{table}");
    }
    assert!(table.lines().all(|line| line.chars().count() <= 110), "{table}");

    // Every memory with several fates is in the JSON; the most important are below the table.
    let differing = list(&compared["differing"]);
    let importance = |memory: &Value| number(&memory["importance"]);
    assert!(
        differing.len() > 10 && differing.is_sorted_by(|a, b| importance(a) >= importance(b)),
        "{compared}"
    );
    assert!(
        differing.iter().all(|memory| list(&memory["fates"]).iter().any(|fate| *fate != memory["fates"][0]))
    );
    let told = format!("{} memories differ, the most important first:\n  [", differing.len());
    let (_, told) = table.split_once(&told).expect("a list below the table");
    assert!(told.starts_with(differing[0]["id"].as_str().expect("an id")), "{told}");
    assert!(
        told.contains("pruned under single+budget.storage=0.3") && told.contains("more; -v shows all\n"),
        "{told}"
    );
    assert_eq!(std::fs::read_dir(desk.path("")).expect("the desk").count(), 0, "something was written");
}

#[test]
fn incomparable_setting_is_reported_with_the_comparable_ones() {
    let desk = Desk::new();
    let told = |with: &str| {
        let ran = desk.run(&format!("compare {DAY_ONE} --with kmeans,{with}"));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        ran.err
    };
    let algorithm = told("nonsense");
    for word in ["nonsense", "kmeans", "hierarchical", "dbscan", "hdbscan", "single"] {
        assert!(algorithm.contains(&format!("`{word}`")), "{word} is not in: {algorithm}");
    }
    let key = told("single+budget.storge=1");
    assert!(key.contains("`budget.storge`") && key.contains("did you mean `budget.storage`?"), "{key}");
    // The days are read once, and are the same under all settings.
    let day = told("kmeans+day.turns~at=14400");
    assert!(
        day.contains("day.turns_at=14400") && day.contains("hint: set it for all of them with --set"),
        "{day}"
    );
}
