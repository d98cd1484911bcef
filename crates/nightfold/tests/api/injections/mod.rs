//! Prompt injections: memories with instructions to the NPC's memory. The plan must equal that of the same day with a
//! neutral text of the same shape in place of the instruction, but for the instruction's own words.
mod harmless;
#[path = "../../../../language/tests/support/hostile.rs"]
mod hostile;
mod obedient;

use std::{collections::BTreeSet, iter};

use crate::support::{config, embed, grammar, memory, nightly, npc, sleeping, town};
use harmless::{GRAMMAR, LIVED, LIVED_STEMS, harmless, weather, words};
use hostile::HOSTILE;
use nightfold::memory::{
    Change, Embedded, Embedder, EmbedderError, Importance, Kind, Memory, MemoryId, ModelId, NightPlan,
    ValidConfig, Vector, Vectors,
};
use nightfold_store::SqliteStore;
use rayon::prelude::*;
use serde_json::Value;

/// Embedder of the neutral form of each text. The instruction and its neutral form get the same vector, so two plans
/// can differ only by what the rules made of the words.
struct Reader {
    model: ModelId,
    reads: fn(&str) -> String,
}

impl Reader {
    fn of(reads: fn(&str) -> String) -> Self {
        Self { model: "toy@1".parse().unwrap(), reads }
    }
}

/// Vector component that is zero for all of the town's texts.
const APART: usize = crate::support::DIMENSIONS;

impl Embedder for Reader {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn dimensions(&self) -> usize {
        APART + 1
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        let mut vectors = Vectors::with_capacity(self.dimensions(), texts.len());
        texts.iter().for_each(|text| vectors.push(&beside(&(self.reads)(text), 0.0)).unwrap());
        let grammar = texts.iter().map(|text| grammar(text)).collect();
        Ok(Embedded { grammar, ..Embedded::without_grammar(vectors, vec![false; texts.len()]) })
    }
}

/// Returns the vector of a text, turned away from the town's texts by `apart`: 1 is orthogonal to all of them.
fn beside(text: &str, apart: f32) -> Vec<f32> {
    let within = (1.0 - apart * apart).sqrt();
    embed(text).into_iter().map(|x| x * within).chain([apart]).collect()
}

/// Two days of one NPC, and a day of another that has a secret.
fn lived() -> Vec<Memory> {
    let mut lived = town(2, 2);
    lived.retain(|m| m.npc == npc("Ann-00") || m.id.as_str().starts_with("d1"));
    let mut secret = memory("Ann-01", 1, 30, SECRET, 8);
    secret.id = MemoryId::new("secret").unwrap();
    lived.push(secret);
    lived
}

const SECRET: &str = "Corwin hid 300 crowns beneath the chapel";

/// Properties of the memory with the instruction, besides its text.
const ROLES: &[Role] = &[
    ("unimportant", |m| m.importance = Some(Importance::new(2).unwrap())),
    ("important", |m| m.importance = Some(Importance::new(9).unwrap())),
    ("pinned", |m| m.pinned = true),
    ("said by a player", |m| {
        m.kind = Kind::Chat;
        m.actors = vec!["Player".to_owned(), "Joss".to_owned()];
    }),
    (FIVE_TIMES, |_| ()),
    (THE_NIGHT_BEFORE_TOO, |_| ()),
    (AT_LENGTH_TOO, |m| m.importance = Some(Importance::new(2).unwrap())),
];
const FIVE_TIMES: &str = "five times in the day";
const THE_NIGHT_BEFORE_TOO: &str = "on the night before too";
const AT_LENGTH_TOO: &str = "at length too, so that one memory says what the other does";

/// Positions of the instruction: alone; in a theme with a synthesis and a reflection; in a theme whose unimportant
/// memories are pruned; close to an entry of an earlier night.
const PLACES: &[Place] = &[
    ("alone", 1, "", 1.0),
    ("in a theme", 0, "Joss asked Ann-00 about the silver and the new axle", 0.3),
    ("in a loose theme", 1, "the east gate of the town is open", 0.65),
    ("beside what is known", 1, "the east gate of the town is open", 0.2),
];

/// Name of the position, day, text that the instruction lies close to, and distance from it.
type Place = (&'static str, i64, &'static str, f32);
type Role = (&'static str, fn(&mut Memory));

/// Returns the town's memories and one with the text in this role and position.
fn with(text: &str, role: &Role, place: &Place) -> Vec<Memory> {
    let mut memories = lived();
    let texts: Vec<String> = match role.0 {
        FIVE_TIMES => vec![text.to_owned(); 5],
        AT_LENGTH_TOO => vec![text.to_owned(), at_length(text)],
        _ => vec![text.to_owned()],
    };
    let days = if role.0 == THE_NIGHT_BEFORE_TOO { 0..2 } else { place.1..place.1 + 1 };
    for (day, (n, text)) in days.flat_map(|day| (20..).zip(&texts).map(move |said| (day, said))) {
        let mut said = memory("Ann-00", day, n, text, 5);
        said.kind = Kind::Event;
        said.vector = Some(Vector::new(beside(place.2, place.3)).unwrap());
        role.1(&mut said);
        memories.push(said);
    }
    memories
}

fn at_length(text: &str) -> String {
    format!("{text} Then I swept the common room.")
}

fn everywhere() -> impl Iterator<Item = (&'static Place, &'static Role)> {
    PLACES.iter().flat_map(|place| ROLES.iter().map(move |role| (place, role)))
}

fn is_order(id: &str) -> bool {
    (0..2).any(|day| (20..25).any(|n| id == format!("d{day}-m{n}")))
}

/// Settings in which two of the town's clusters are no themes, and texts are compared by what the reader sees in them alone.
fn settings() -> ValidConfig {
    config(|c| (c.themes.proximity, c.cluster.words_weight) = (0.6, 0.0))
}

fn slept(memories: Vec<Memory>, reads: fn(&str) -> String) -> NightPlan {
    let config = settings();
    let (reader, store) = (Reader::of(reads), SqliteStore::in_memory().unwrap());
    let slept = sleeping(&config, &reader, &store).plan(nightly(memories, &config)).unwrap();
    assert!(slept.failures.is_empty(), "{:?}", slept.failures);
    slept.plan
}

// ---- two plans that may differ in nothing but the text

/// Replaces every text of a plan by its form after `reads`: texts of memories and entries, and the names of themes.
fn reword(plan: &mut Value, reads: &dyn Fn(&str) -> String) {
    match plan {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == "text" || name == "name" => *text = reads(text),
                    value => reword(value, reads),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| reword(item, reads)),
        _ => {}
    }
}

fn rename(plan: &mut Value, old: &str, new: &str) {
    match plan {
        Value::String(id) if id == old => new.clone_into(id),
        Value::Object(fields) => fields.values_mut().for_each(|value| rename(value, old, new)),
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, old, new)),
        _ => {}
    }
}

/// Removes differences that follow from the text itself and are no decisions:
/// - the id of a synthesis or insight that rests on the instruction ends in a hash of its text;
/// - clusters and themes with the instruction are named by their characteristic words, the instruction's among them;
/// - the wording of an insight is chosen by a hash of its content, and its vector is that of its text;
/// - such ids begin with words of the text, so changes sorted by id may come in another order;
/// - characteristic words of equal rank are chosen alphabetically, which may pick other words of the instruction;
/// - a theme that lives on over nights is named by such words, sorted by its name, and keeps its recent words;
/// - the version that a night is planned from is a fingerprint of everything written before, texts included.
fn forgive(plan: &mut Value, other: &mut Value) {
    let verbs = |plan: &Value| -> Vec<Value> {
        let nights = plan["nights"].as_array().unwrap().iter();
        nights.flat_map(|n| n["changes"].as_array().unwrap()).map(|c| c["do"].clone()).collect()
    };
    if verbs(plan) != verbs(other) {
        // Their changes differ: a real difference, which must show.
        return;
    }
    let nights = plan["nights"].as_array().unwrap().len();
    let mut heard = false;
    for night in 0..nights {
        let changes = plan["nights"][night]["changes"].as_array().unwrap().len();
        for at in 0..changes {
            let change = &plan["nights"][night]["changes"][at];
            let made = matches!(change["do"].as_str(), Some("chunk" | "reflect"));
            if !made || !change["sources"].as_array().unwrap().iter().any(|id| is_order(id.as_str().unwrap()))
            {
                continue;
            }
            let insight = change["do"] == "reflect";
            for (n, plan) in [&mut *plan, &mut *other].into_iter().enumerate() {
                let change = &mut plan["nights"][night]["changes"][at];
                let id = change["id"].as_str().unwrap().to_owned();
                assert!(id.rsplit_once('-').is_some_and(|(_, hash)| hash.len() == 8), "{n}: {id}");
                change["name"] = Value::Null;
                if insight {
                    change["text"] = Value::Null;
                    change["vector"] = Value::Null;
                }
                rename(plan, &id, &format!("made-{night}-{at}"));
            }
        }
        let themes = plan["nights"][night]["report"]["clusters"].as_array().unwrap().len();
        for theme in 0..themes {
            let name = |plan: &Value| {
                words(plan["nights"][night]["report"]["clusters"][theme]["name"].as_str().unwrap())
            };
            if name(plan).iter().chain(&name(other)).any(|word| !LIVED.contains(word)) {
                for plan in [&mut *plan, &mut *other] {
                    plan["nights"][night]["report"]["clusters"][theme]["name"] = Value::Null;
                }
            }
        }
        for plan in [&mut *plan, &mut *other] {
            let changes = plan["nights"][night]["changes"].as_array_mut().unwrap();
            changes.sort_by_key(Value::to_string);
            if plan["nights"][night]["npc"] == "Ann-00" {
                unname(&mut plan["nights"][night]["themes"]);
            }
            if heard && plan["nights"][night]["npc"] == "Ann-00" {
                plan["nights"][night]["base_version"] = Value::Null;
            }
        }
        let memories = plan["nights"][night]["memories"].as_array().unwrap();
        heard |= memories.iter().any(|m| is_order(m["id"].as_str().unwrap()));
    }
}

/// Removes the parts of themes that depend only on the instruction's words.
fn unname(themes: &mut Value) {
    let Some(themes) = themes.as_array_mut() else { return };
    for theme in themes.iter_mut() {
        theme["id"] = Value::Null;
        theme["words"] = Value::Null;
        for seen in theme["recent"].as_array_mut().unwrap() {
            if let Some(terms) = seen.get_mut("terms").and_then(Value::as_array_mut) {
                terms.retain(|term| LIVED_STEMS.contains(term.as_str().unwrap()));
            }
        }
    }
    themes.sort_by_key(Value::to_string);
}

#[track_caller]
fn assert_equal(mut plan: Value, mut other: Value, what: &str) {
    forgive(&mut plan, &mut other);
    if plan != other {
        let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
        let (plan, other) = (pretty(&plan), pretty(&other));
        let differs = plan.lines().zip(other.lines()).find(|(a, b)| a != b);
        panic!("{what}: {differs:?}");
    }
}

/// Returns a plan without its seal, which every word of it changes.
fn json(plan: &NightPlan) -> Value {
    let mut plan = serde_json::to_value(plan).unwrap();
    plan.as_object_mut().unwrap().remove("seal");
    plan
}

#[test]
fn injected_instruction_is_treated_like_neutral_text() {
    HOSTILE.par_iter().for_each(|text| {
        for (place, role) in everywhere() {
            let mut plan = json(&slept(with(text, role, place), harmless));
            reword(&mut plan, &harmless);
            let other = json(&slept(with(&harmless(text), role, place), str::to_owned));
            assert_equal(plan, other, &format!("{text:?} {} {}", role.0, place.0));
        }
    });
}

/// An instruction far from all other texts has no effect beyond itself, not even by its numbers, negations and signs.
#[test]
fn isolated_instruction_has_no_effect_beyond_itself() {
    let read = |text: &&&str| {
        !text.is_empty() && words(text).iter().all(|w| GRAMMAR.contains(&w.as_str()) || !LIVED.contains(w))
    };
    let apart: Vec<&&str> = HOSTILE.iter().filter(read).collect();
    assert!(apart.len() >= 40, "{}", apart.len());
    // What is said at length too has another memory beside it.
    for role in ROLES.iter().filter(|role| role.0 != AT_LENGTH_TOO) {
        for text in &apart {
            let plain = weather(text.len());
            let mut plan = json(&slept(with(text, role, &PLACES[0]), str::to_owned));
            reword(&mut plan, &|t| if t == **text { plain.clone() } else { t.to_owned() });
            let other = json(&slept(with(&plain, role, &PLACES[0]), str::to_owned));
            assert_equal(plan, other, &format!("{text:?} {}", role.0));
        }
    }
}

/// Guard for the tests above, which prove little if no rule acts on the instructions.
#[test]
fn fixture_covers_every_fate_of_an_instruction() {
    let ends = |text: &&str| -> BTreeSet<&'static str> {
        let plans = everywhere().map(|(place, role)| slept(with(text, role, place), str::to_owned));
        let changes = plans.flat_map(|plan| plan.nights).flat_map(|night| night.changes);
        let of_order = |c: &Change| iter::once(c.id()).chain(c.sources()).any(|id| is_order(id.as_str()));
        changes.filter(of_order).map(|change| change.verb()).collect()
    };
    let ends: BTreeSet<&str> = HOSTILE.par_iter().flat_map_iter(ends).collect();
    let all = ["chunk", "collapse", "corroborate", "prune", "reflect", "store"];
    assert!(all.iter().all(|verb| ends.contains(verb)), "{ends:?}");
}
