//! News on the real model: what ends, and what stays as it was.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::Desk;

/// Something that an NPC remembers.
#[derive(Clone, Copy)]
struct Said {
    kind: &'static str,
    text: &'static str,
    speaker: Option<&'static str>,
}

const fn event(text: &'static str) -> Said {
    Said { kind: "event", text, speaker: None }
}

const fn chat(speaker: &'static str, text: &'static str) -> Said {
    Said { kind: "chat", text, speaker: Some(speaker) }
}

/// State of an entry after the last night.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Status {
    Holds,
    Marked,
    Contested,
    Gone,
}

/// Sleeps two days of one NPC for each pair, and returns the status of every older and newer side.
fn sleep(pairs: &[(Said, Said)]) -> Vec<[Status; 2]> {
    let desk = Desk::new();
    let line = |n: usize, side: usize, said: &Said| {
        let mut memory = json!({"npc": format!("npc-{n:04}"), "id": format!("m{side}"), "kind": said.kind, "text": said.text,
            "at": format!("1204-05-0{}T09:00:00Z", side + 1), "importance": 6});
        if let Some(speaker) = said.speaker {
            memory["actors"] = json!([speaker]);
        }
        format!("{memory}\n")
    };
    let days: String =
        pairs.iter().enumerate().flat_map(|(n, (old, new))| [line(n, 0, old), line(n, 1, new)]).collect();
    desk.write("days.jsonl", days);
    desk.run("sleep days.jsonl --by-day --store s.db --apply --set budget.storage=1").ok();
    let entries = desk.run("list --store s.db --all --json").json();
    let status = |entry: &Value| match entry["state"].as_str() {
        Some("active") if entry["ended"].as_array().is_some_and(|ended| !ended.is_empty()) => Status::Marked,
        Some("active") if entry["contested_with"].as_array().is_some_and(|with| !with.is_empty()) => {
            Status::Contested
        }
        Some("active") => Status::Holds,
        _ => Status::Gone,
    };
    let found: BTreeMap<(&str, &str), Status> = entries
        .as_array()
        .expect("entries")
        .iter()
        .filter_map(|entry| Some(((entry["npc"].as_str()?, entry["id"].as_str()?), status(entry))))
        .collect();
    let of = |n: usize, id: &str| *found.get(&(format!("npc-{n:04}").as_str(), id)).expect("an entry");
    (0..pairs.len()).map(|n| ["m0", "m1"].map(|id| of(n, id))).collect()
}

/// Asserts that each older side has one of these states.
fn older_sides(pairs: &[(Said, Said)], allowed: &[Status]) {
    let wrong: Vec<String> = pairs
        .iter()
        .zip(sleep(pairs))
        .filter(|(_, [old, _])| !allowed.contains(old))
        .map(|((old, new), states)| format!("{states:?}: {} / {}", old.text, new.text))
        .collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), pairs.len());
}

#[test]
fn what_happened_and_what_holds_beside_the_news_stay_unmarked() {
    older_sides(
        &[
            (
                event("I climbed the hundred and twelve steps and did not light the lamp."),
                event("I lit the lamp with my own hands at twenty past eleven."),
            ),
            (event("I hit Joss with the shovel."), event("I did not hit Joss again.")),
            (event("The baby was born."), event("The baby died.")),
            (event("I offered Hale forty crowns."), event("I paid Hale twenty crowns.")),
            (event("Mara is the midwife."), event("Mara lives by the ford.")),
            (
                event("I did not sell the grey mare at the fair."),
                event("I sold the grey mare to the smith at last."),
            ),
            (event("We danced until the candles were out."), event("We did not dance, the fiddler was ill.")),
            (event("Peter Holm keeps the ferry."), event("Anna Holm, his sister, keeps the inn.")),
            (
                event("The blue door on the quay is locked."),
                event("The blue door of the chapel stands open."),
            ),
            (event("I owe the tanner six silver."), event("I paid the cooper six silver.")),
            (
                chat("John", "Thank you, John! Take care and see you soon!"),
                chat("Gina", "See you John, bye!"),
            ),
            (chat("Emma", "I love the sea in winter."), chat("Paul", "I don't care for the sea in winter.")),
            (chat("Emma", "Good luck tomorrow!"), chat("Emma", "How did it go? I hope it went well!")),
        ],
        &[Status::Holds],
    );
}

#[test]
fn news_ends_what_no_longer_holds() {
    older_sides(
        &[
            (event("The king is old."), event("The king is dead.")),
            (event("The thief is Sunna."), event("The thief is Pell.")),
            (event("Market day is Tuesday."), event("Market day is Thursday now.")),
            (event("Bram is married to Sela."), event("Sela died.")),
            (event("I owe Joss five silver."), event("I paid Joss the five silver.")),
            (event("The mayor is alive."), event("The mayor is dead.")),
            (event("A loaf costs three pence at the mill."), event("A loaf costs five pence at the mill.")),
            (event("The north gate is open."), event("They shut the north gate.")),
        ],
        &[Status::Gone, Status::Marked],
    );
}

#[test]
fn statement_of_two_sides_is_not_superseded_by_its_own_words() {
    let told = [
        "I am not the smith, I am his brother.",
        "We're closed today, but we open at dawn.",
        "I don't sell bread, I sell flour.",
        "The bridge is not safe, the ford is.",
    ];
    let pairs: Vec<(Said, Said)> = told
        .iter()
        .flat_map(|text| [(chat("Ann", text), chat("Ann", text)), (event(text), event(text))])
        .collect();
    older_sides(&pairs, &[Status::Holds]);
}

/// Facts that an NPC lived through, and what a player says against each.
const FACTS: [(&str, &str); 12] = [
    ("I saw the mayor in the square this morning, alive and well.", "the mayor is dead"),
    ("The north gate is open.", "the north gate is shut"),
    ("Sunna is the thief.", "Pell is the thief"),
    ("Salt costs four pence.", "salt costs nine pence"),
    ("Wren is my sister.", "Wren is not your sister"),
    ("The king's sword is in the crypt.", "the king's sword was sold to the elves"),
    ("I owe Joss five silver.", "you owe Joss nothing"),
    ("Maud is the captain of the watch.", "Hartwig is the captain of the watch now"),
    ("The bridge is safe.", "the bridge is not safe"),
    ("Bram is married to Sela.", "Bram left Sela"),
    ("I keep the key of the cellar.", "the key of the cellar belongs to the player"),
    ("Ilse likes me.", "Ilse hates you"),
];

/// Ways in which a game writes down what a player said.
const WAYS: [&str; 45] = [
    "The player told me that {}.",
    "The player said that {}.",
    "The player wrote me that {}.",
    "The player shouted, \"{}!\"",
    "The player whispered: \"{}.\"",
    "\"{},\" the player whispered.",
    "\"{}\", said the player.",
    "A note reads: {}.",
    "A letter from the player says that {}.",
    "The player: {}.",
    "Player: \"{}\"",
    "The player insisted {}.",
    "The player let me know that {}.",
    "According to the player, {}.",
    "I heard from the player that {}.",
    "The sign on the door shows that {}.",
    "The stranger scratched that {} into my table.",
    "The player claims {}.",
    "The player came in and said {}.",
    "A tall player signed that {}.",
    "The player sang that {}.",
    "The player made clear to me that {}.",
    "{}, the player whispered.",
    "{} \u{2014} so said the player.",
    "In the player's words: {}.",
    "The player yelled across the yard that {}.",
    "The player swore by the gods that {}.",
    "The player assured me that {}.",
    "xX_Slayer_Xx says {}.",
    "xX_Slayer_Xx: {}",
    "The adventurer explained to me that {}.",
    "The hooded man mentioned that {}.",
    "A voice behind the door called out that {}.",
    "The bard announced in the tavern that {}.",
    "The player repeated that {}.",
    "The player replied: {}.",
    "The player answered that {}.",
    "The player asked me to believe that {}.",
    "The player keeps saying {}.",
    "The player warned me that {}.",
    "The player promised me that {}.",
    "Somebody carved \"{}\" into the gate.",
    "The poster says: {}.",
    "The player typed: {}",
    "They say {}.",
];

#[test]
fn sentence_of_a_player_ends_nothing_that_was_lived() {
    let told = |kind: &'static str, speaker: Option<&'static str>| {
        let said =
            move |way: &str, fact: &str| Said { kind, text: String::leak(way.replace("{}", fact)), speaker };
        WAYS.iter()
            .flat_map(move |way| FACTS.iter().map(move |(lived, fact)| (event(lived), said(way, fact))))
    };
    let pairs: Vec<(Said, Said)> = told("event", None).chain(told("chat", Some("the player"))).collect();
    assert_eq!(pairs.len(), 1_080);
    older_sides(&pairs, &[Status::Holds, Status::Contested]);
}
