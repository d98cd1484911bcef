//! Talk of players that may be a lie: what an NPC only heard never becomes what it knows or thinks itself.

use serde_json::{Value, json};

use crate::support::{Desk, list};

/// Four NPCs, and who takes part in what each of them lives.
const NPCS: [(&str, &[&str]); 4] = [("Mara", &["Joss"]), ("Ada", &["Wren"]), ("Bea", &[]), ("Cora", &[])];

/// Three days of talk in which the lines to each NPC, were they lived, would show something: an open matter, a deed done
/// again and again, a price that rises, and who was part of the day.
const SAID: [[&str; 4]; 3] = [
    [
        "Joss owes me 50 silver.",
        "Wren struck the baker at noon.",
        "Joss bought a keg of herring for 12 pence.",
        "The priest keeps the key under the first barrel.",
    ],
    [
        "I met Joss at the well.",
        "Wren struck the baker and ran.",
        "Joss bought a keg of herring for 14 pence.",
        "I helped the priest to look for the key.",
    ],
    [
        "I sat with Joss at noon.",
        "Wren struck the baker again.",
        "Joss bought a keg of herring for 19 pence.",
        "The priest showed me the key of the cellar.",
    ],
];

/// Parts of the sentences that they would show.
const SHOWN: [&str; 4] = ["still owes", "struck", "price of", "priest"];

/// Returns the entries after three days on which each NPC lives through its lines of [`SAID`], or hears them from these
/// speakers, and sees where a key hangs.
fn known(speakers: Option<&[&str]>) -> Vec<Value> {
    let desk = Desk::new();
    let mut lines = String::new();
    for (day, said) in SAID.iter().enumerate() {
        for ((npc, actors), text) in NPCS.into_iter().zip(said) {
            let mut line = |hour: usize, kind: &str, actors: &[&str], importance: usize, text: &str| {
                let at = format!("1204-05-{:02}T{hour:02}:00:00Z", day + 3);
                let memory = json!({"npc": npc, "id": format!("d{day}-{hour}"), "at": at, "kind": kind, "actors": actors,
                    "importance": importance, "text": text});
                lines.push_str(&format!("{memory}\n"));
            };
            match speakers {
                Some(speakers) => line(8, "chat", speakers, 10, text),
                None => line(8, "event", actors, 10, text),
            }
            line(12, "event", &[], 3, "I hung the key of the cellar on its hook, beside the first barrel.");
            line(13, "event", &[], 3, "The key of the cellar hangs on its hook beside the first barrel.");
        }
    }
    desk.write("days.jsonl", lines);
    desk.run("sleep days.jsonl --by-day --store s.db --apply").ok();
    let entries = desk.run("list --store s.db --all --json").json();
    list(&entries).to_vec()
}

fn reflections(entries: &[Value]) -> Vec<&str> {
    let drawn = entries.iter().filter(|entry| entry["form"] == "reflection");
    drawn.filter_map(|entry| entry["text"].as_str()).collect()
}

#[test]
fn what_is_lived_shows_something() {
    let entries = known(None);
    let drawn = reflections(&entries).join("\n");
    for shown in SHOWN {
        assert!(drawn.contains(shown), "{shown}: {drawn}");
    }
}

#[test]
fn what_others_said_becomes_no_thought_of_the_npc() {
    for actors in [&["Rook"][..], &["Mara", "Rook"], &["Rook Mara"], &[]] {
        let entries = known(Some(actors));
        for thought in reflections(&entries) {
            assert!(!SHOWN.iter().any(|shown| thought.contains(shown)), "{actors:?}: {thought}");
        }
    }
}

#[test]
fn talk_and_what_was_lived_share_no_text() {
    for entry in known(Some(&["Rook"])) {
        let sources = list(&entry["sources"]);
        let said = sources.iter().filter_map(Value::as_str).filter(|id| id.ends_with("-8")).count();
        assert!(said == 0 || said == sources.len(), "{entry:#}");
    }
}

#[test]
fn the_same_words_said_and_lived_are_two_memories() {
    let desk = Desk::new();
    let line = |id: &str, kind: &str, hour: u8| {
        let at = format!("1204-05-03T{hour:02}:00:00Z");
        let text = "The mill wheel is broken.";
        json!({"npc": "Mara", "id": id, "at": at, "kind": kind, "actors": [], "importance": 8, "text": text})
    };
    desk.write("day.jsonl", format!("{}\n{}\n", line("said", "chat", 9), line("seen", "event", 15)));
    desk.run("sleep day.jsonl --store s.db --apply").ok();
    let entries = desk.run("list --store s.db --json").json();
    let seen = list(&entries).iter().find(|entry| entry["id"] == "seen");
    assert_eq!(seen.map(|entry| &entry["kind"]), Some(&json!("event")), "{entries:#}");

    // On a later night, too, what was told before is no reason to lose what is lived.
    let desk = Desk::new();
    desk.write("first.jsonl", format!("{}\n", line("said", "chat", 9)));
    let mut later = line("seen", "event", 15);
    (later["at"], later["importance"]) = (json!("1204-05-04T15:00:00Z"), json!(5));
    desk.write("second.jsonl", format!("{later}\n"));
    desk.run("sleep first.jsonl --store s.db --apply").ok();
    desk.run("sleep second.jsonl --store s.db --apply").ok();
    let entries = desk.run("list --store s.db --json").json();
    assert!(list(&entries).iter().any(|entry| entry["id"] == "seen"), "{entries:#}");
}
