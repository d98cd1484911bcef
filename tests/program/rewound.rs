//! Saved games: save points of a store, and rewinding to them.

use serde_json::json;

use crate::support::Desk;

fn day(n: usize, id: &str, text: &str) -> String {
    let memory = json!({"id": id, "npc": "Mara", "at": format!("1204-05-0{n}T12:00:00Z"), "kind": "event", "text": text, "importance": 6});
    format!("{memory}\n")
}

fn listed(desk: &Desk) -> String {
    desk.run("list --store s.db --all --json").ok()
}

#[test]
fn older_save_forgets_the_future_and_a_later_one_is_still_there() {
    let desk = Desk::new();
    let sleep = |name: &str, n: usize, text: &str| {
        desk.write("day.jsonl", day(n, name, text));
        desk.run("sleep day.jsonl --store s.db --apply").ok();
    };
    sleep("first", 1, "The miller mended the wheel of the mill.");
    let point = desk.run("rewind --save slot-1 --store s.db").ok();
    assert_eq!(point, "slot-1: 1 NPC\n");
    let one = listed(&desk);
    sleep("second", 2, "The mill burned down in the night.");
    desk.run("rewind --save slot-2 --store s.db").ok();
    let two = listed(&desk);

    let shown = desk.run("rewind --to slot-1 --store s.db").ok();
    assert!(
        shown.contains("Mara: 1 night shelved") && shown.contains("dry run: nothing was changed"),
        "{shown}"
    );
    assert_eq!(listed(&desk), two, "a dry run");
    let shown = desk.run("rewind --to slot-1 --store s.db --apply").ok();
    assert!(shown.contains("the state before is the save point `before the last rewind`"), "{shown}");
    assert_eq!(listed(&desk), one);
    let recalled = desk.run("recall Mara What_of_the_mill? --store s.db").ok();
    assert!(!recalled.contains("burned"), "{recalled}");

    // Another course of events, and back to the first one.
    sleep("other", 2, "The mill got a second wheel.");
    let other = listed(&desk);
    desk.run("rewind --save slot-3 --store s.db").ok();
    let shown = desk.run("rewind --to slot-2 --store s.db --apply").ok();
    assert!(shown.contains("Mara: 1 night shelved, 1 night in force again"), "{shown}");
    assert_eq!(listed(&desk), two);
    let done = desk.run("rewind --to slot-3 --store s.db --apply --json").json();
    assert_eq!((&done["dry_run"], &done["npcs"][0]["back"]), (&json!(false), &json!(1)));
    assert_eq!(listed(&desk), other);
    desk.run("rewind --to 1204-05-01T23:00:00Z --store s.db --npc Mara --apply").ok();
    assert_eq!(listed(&desk), one, "by a moment");
    let shown = desk.run("rewind --to 1204-05-01T23:00:00Z --store s.db --apply").ok();
    assert_eq!(shown, "nothing to do: the store is in that state\n");

    let points = desk.run("rewind --store s.db").ok();
    assert_eq!(points, "before the last rewind: 1 NPC\nslot-1: 1 NPC\nslot-2: 1 NPC\nslot-3: 1 NPC\n");
    desk.run("rewind --to slot-9 --store s.db")
        .code_is(2, "there is no save point slot-9, and it is no time");
    desk.run("rewind --forget slot-3 --store s.db").ok();
    desk.run("rewind --to slot-3 --store s.db")
        .code_is(2, "save points: before the last rewind, slot-1, slot-2");
}
