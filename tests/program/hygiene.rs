//! Repeated status lines: results of `collapse`, and their agreement with labels by people.

use serde_json::json;

use crate::support::Desk;

/// Similar readings of two NPCs, a line that is not a reading, and a reading of something else.
const READINGS: &str = r#"{"id":"b1","npc":"Bran","at":100,"kind":"status","text":"Guard post status: 3 patrols, 1 alert","importance":2}
{"id":"b2","npc":"Bran","at":200,"kind":"status","text":"Guard post status: 5 patrols, 0 alerts","importance":2}
{"id":"b3","npc":"Bran","at":300,"kind":"status","text":"Guard post status: 6 patrols, 2 alerts","importance":7}
{"id":"b4","npc":"Bran","at":400,"kind":"event","text":"Joss paid 9 silver","importance":5}
{"id":"m1","npc":"Mara","at":100,"kind":"status","text":"Guard post status: 9 patrols, 9 alerts","importance":2}
{"id":"m2","npc":"Mara","at":200,"kind":"status","text":"Stock of kegs: 4 full","importance":2}
"#;

#[test]
fn readings_that_differ_in_numbers_are_grouped_within_one_npc() {
    let desk = Desk::new();
    desk.write("readings.jsonl", READINGS);
    let report = desk.run("collapse readings.jsonl --json").json();
    // The most significant stands for the others; Mara's reading is her own.
    assert_eq!(report["groups"], json!([["b3", "b1", "b2"]]));
    for (field, value) in [
        ("dry_run", json!(true)),
        ("scanned_profiles", json!(6)),
        ("operational_profiles", json!(5)),
        ("unique_signatures", json!(3)),
        ("duplicate_groups", json!(1)),
        ("duplicates_found", json!(2)),
        ("groups_collapsed", json!(0)),
        ("duplicates_removed", json!(0)),
        ("reinforcements_applied", json!(0)),
        ("exact_duplicate_groups", json!(1)),
        ("token_duplicate_groups", json!(0)),
        ("fuzzy_duplicate_groups", json!(0)),
    ] {
        assert_eq!(report[field], value, "{field}");
    }
    assert_eq!(report["samples"][0]["reinforcement"], 3);
    let all = desk.run("collapse readings.jsonl --all-status --json").json();
    assert_eq!(all["operational_profiles"], 6);
}

#[test]
fn malformed_line_is_reported_with_its_position() {
    let desk = Desk::new();
    desk.write("readings.jsonl", format!("{READINGS}{{\"id\":1}}\n"));
    let ran = desk.run("collapse readings.jsonl");
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("readings.jsonl:7"), "{}", ran.err);
}
