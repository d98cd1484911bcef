//! Seeds that no hand writes.

use nightfold_formats::npy;
use nightfold_memory::{
    Grammar, MemoryStore as _, NightPlan, Vectors,
    grammar::{PartOfSpeech, Relation, Word, WordTags},
};
use nightfold_store::SqliteStore;
use nightfold_town::testing::Letters;
use serde_json::{Value, json};

use crate::{language, stores};

/// Returns the seeds in formats of the program's own, each with its path in the folder of the corpora.
pub fn seeds() -> Vec<(String, Vec<u8>)> {
    let plan = stores::plan_of_a_day();
    let store = SqliteStore::in_memory().unwrap();
    let nights = NightPlan::from_json(plan.to_string().as_bytes()).unwrap().nights;
    let run = store.begin_run().unwrap();
    for written in store.apply(run, &nights).unwrap() {
        written.unwrap();
    }
    let mut seeds = vec![
        ("plan/day.json".to_owned(), plan.to_string().into_bytes()),
        ("plan/empty.json".to_owned(), emptied(plan)),
        ("export/day.jsonl".to_owned(), stores::exported(&store)),
        ("npy/two.npy".to_owned(), vectors(2)),
        ("npy/none.npy".to_owned(), vectors(0)),
        ("grammar/two-words".to_owned(), grammar()),
        ("grammar/vector".to_owned(), [0.6_f32, 0.8].map(f32::to_le_bytes).concat()),
        ("cached/vector".to_owned(), cached(&[])),
        ("cached/vector-and-grammar".to_owned(), cached(&grammar())),
        ("cached/verdict".to_owned(), [0.25_f64, 0.5].map(f64::to_le_bytes).concat()),
        ("store/one-byte".to_owned(), vec![100, 0, 0, 0, 13]),
        ("store/pages".to_owned(), (1..40_u32).flat_map(|n| change_at(n * 4_096 + 8, 255)).collect()),
        ("store/text".to_owned(), (0..40_u32).flat_map(|n| change_at(n * 1_237, b'"')).collect()),
    ];
    seeds.extend(language::seeds());
    seeds
}

fn change_at(place: u32, byte: u8) -> Vec<u8> {
    let mut change = place.to_le_bytes().to_vec();
    change.push(byte);
    change
}

/// Returns the plan without its nights.
fn emptied(mut plan: Value) -> Vec<u8> {
    plan["nights"] = json!([]);
    stores::sealed_plan(plan.to_string().as_bytes()).unwrap()
}

fn vectors(rows: usize) -> Vec<u8> {
    let mut vectors = Vectors::with_capacity(3, rows);
    (0..rows).for_each(|_| vectors.push(&[0.6, -0.0, 0.8]).unwrap());
    let mut bytes = Vec::new();
    npy::write(&mut bytes, &vectors).unwrap();
    bytes
}

fn grammar() -> Vec<u8> {
    let words = [
        Word::new(0..1, WordTags::new(PartOfSpeech::Pronoun, Relation::Subject, Some(1))).unwrap(),
        Word::new(2..7, WordTags::new(PartOfSpeech::Verb, Relation::Root, None)).unwrap(),
    ];
    Grammar::new(words).unwrap().to_bytes()
}

/// Record of a text's vector and grammar, without its checksum.
fn cached(grammar: &[u8]) -> Vec<u8> {
    let flags = if grammar.is_empty() { 0 } else { 2 };
    let numbers = Letters::vector("I swept the room");
    let numbers = numbers.into_iter().flat_map(f32::to_le_bytes);
    std::iter::once(flags).chain(numbers).chain(grammar.iter().copied()).collect()
}
