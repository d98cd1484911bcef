//! Reflections by rules on the real model: five small lives, and what each shows in the end.

use serde_json::{Value, json};

use crate::support::{Desk, list};

/// Plans the days of an NPC, one list of texts for each, and returns all reflections.
fn reflections(days: &[&[&str]]) -> Vec<Value> {
    let desk = Desk::new();
    let lines = days.iter().enumerate().flat_map(|(day, texts)| {
        texts.iter().enumerate().map(move |(n, text)| {
            let at = format!("1204-05-{:02}T{:02}:00:00Z", day + 3, 8 + 4 * n);
            json!({"npc": "Mara", "id": format!("d{day}-{n}"), "kind": "event", "at": at, "importance": 5 - 2 * n.min(1),
                "text": text})
        })
    });
    desk.write("days.jsonl", lines.map(|line| format!("{line}\n")).collect::<String>());
    desk.run("sleep days.jsonl --by-day --store s.db --apply").ok();
    let entries = desk.run("list --store s.db --json").json();
    list(&entries).iter().filter(|entry| entry["form"] == "reflection").cloned().collect()
}

fn concludes(days: &[&[&str]], text: &str) {
    let drawn = reflections(days);
    let told: Vec<&str> = drawn.iter().filter_map(|entry| entry["text"].as_str()).collect();
    assert!(told.contains(&text), "{told:#?}");
    assert!(drawn.iter().all(|entry| list(&entry["sources"]).len() >= 2), "{drawn:#?}");
}

#[test]
fn time_with_the_blacksmith_is_noticed() {
    concludes(
        &[
            &["I spent the morning at the forge with the blacksmith.", "I ate bread on the wall."],
            &["The blacksmith showed me how to hold the tongs.", "I swept the yard."],
            &["I carried water for the blacksmith until noon.", "My sister baked apples."],
            &["I sat by the forge and talked with the blacksmith about his father.", "I mended my coat."],
            &["The blacksmith let me strike the iron for the first time.", "The bell rang late."],
        ],
        "Five days running the blacksmith was part of my day.",
    );
}

#[test]
fn early_and_late_market_are_compared() {
    concludes(
        &[
            &["I went to the market early and got fresh fish for half the price.", "I mended nets."],
            &["I went to the market late and only wilted cabbage was left, and dear.", "It rained."],
            &["I went to the market early and found good eggs cheap.", "I swept the steps."],
            &["I went to the market late and was overcharged for stale bread.", "My knee hurt."],
            &[
                "I went to the market early and the butcher gave me a fine cut for little money.",
                "I lit the stove.",
            ],
        ],
        "It went better when I went to the market early than when I went to the market late.",
    );
}

#[test]
fn help_that_made_the_baker_friendlier_is_noticed() {
    concludes(
        &[
            &["The baker snapped at me for coming in with muddy boots.", "I fed the hens."],
            &["The baker barely looked at me and gave me yesterday's loaf.", "I walked to the mill."],
            &["I helped the baker carry his flour out of the rain.", "I dried my clothes."],
            &["The baker smiled at me and put a sweet roll into my basket.", "I picked beans."],
            &["The baker asked kindly after my mother and wished me a good day.", "I chopped wood."],
        ],
        "It has gone better with the baker since I helped the baker carry his flour out of the rain.",
    );
}

#[test]
fn long_and_short_sleep_are_compared() {
    concludes(
        &[
            &["I slept eight hours and felt fresh and strong all day.", "I weeded the beds."],
            &["I slept four hours and was tired and cross with everybody.", "I met the priest."],
            &["I slept eight hours and worked with a light heart.", "I wrote a letter."],
            &["I slept four hours and could hardly keep my eyes open at work.", "I dropped a jug."],
            &["I slept eight hours and woke up full of energy.", "I painted the door."],
        ],
        "It went better when I slept eight hours than when I slept four hours.",
    );
}

#[test]
fn third_quarrel_with_the_guard_is_counted() {
    concludes(
        &[
            &["I argued with the guard at the north gate about the toll.", "I bought onions."],
            &["I sold two baskets.", "The river was high."],
            &["I argued with the guard because he would not let my cart through.", "I counted my coins."],
            &["I mended the wheel.", "A minstrel came by."],
            &["I argued with the guard again over a stamped pass.", "I bought rope."],
        ],
        "On at least three of the last five days I argued with the guard.",
    );
}
