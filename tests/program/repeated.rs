//! Trifles that are pruned on one night and said again on later nights.

use serde_json::{Value, json};

use crate::support::Desk;

const TRIFLE: &str = "A grey heron stands on the ferry post.";
/// Events that happen on every one of the days.
const CHORES: [&str; 4] = [
    "I paid the carter nine coppers for a sack of flour.",
    "Joss promised to mend the roof of the smithy.",
    "The bailiff read a new law about the tolls.",
    "Ida taught me how to dye wool red.",
];

/// Returns a day on which Mara experiences the chores, and the given event at noon.
fn day(n: usize, id: &str, text: &str, importance: u8) -> String {
    let at = |hour: usize| format!("1204-05-0{n}T{hour:02}:00:00Z");
    let memory = |id: &str, hour: usize, text: &str, importance: u8| json!({"id": id, "npc": "Mara", "at": at(hour), "kind": "event", "text": text, "importance": importance});
    let chores = CHORES.iter().enumerate();
    let chores = chores.map(|(i, text)| memory(&format!("d{n}-{i}"), 14 + i, &format!("{text} Day {n}."), 6));
    chores.chain([memory(id, 12, text, importance)]).map(|memory| format!("{memory}\n")).collect()
}

fn entry(desk: &Desk, id: &str) -> Value {
    let all = desk.run("list --store s.db --all --json").json();
    all.as_array().expect("entries").iter().find(|e| e["id"] == id).cloned().expect("an entry of this id")
}

#[test]
fn trifle_stays_archived_however_often_it_is_said() {
    let desk = Desk::new();
    for (n, id) in [(1, "heron"), (2, "again"), (3, "once-more")] {
        desk.write("day.jsonl", day(n, id, TRIFLE, 1));
        desk.run("sleep day.jsonl --store s.db --apply --by-day").ok();
        let pruned = entry(&desk, id);
        let state = (&pruned["state"], &pruned["archived_by"], &pruned["corroborations"]);
        assert_eq!(state, (&json!("archived"), &json!("unimportant-loose"), &json!(0)), "{id}");
    }
    assert_eq!(entry(&desk, "heron")["state"], "archived");
}
