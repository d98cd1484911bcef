//! Measures the speed of writing nights and reading snapshots: `cargo run --release --example apply_rate
//! [FOLDER | postgres]`, in a SQLite file or in a PostgreSQL server that this program starts.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "it measures, and prints what it measured")]

use std::{
    env,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use nightfold_memory::{Change, Memory, MemoryStore, NpcNight, Vector};
use nightfold_store::{PostgresStore, SqliteStore, testing::PostgresServer};
use serde_json::json;

const DIMENSIONS: usize = 384;
const ENTRIES: usize = 20;

fn vector(seed: usize) -> Vector {
    let mut state = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    };
    let numbers: Vec<f32> = (0..DIMENSIONS).map(|_| next()).collect();
    let length = numbers.iter().map(|x| x * x).sum::<f32>().sqrt();
    Vector::new(numbers.into_iter().map(|x| x / length).collect::<Vec<_>>()).unwrap()
}

fn night(npc: usize, number: usize, base_version: u64) -> NpcNight {
    let (name, ids) = (format!("npc {npc}"), (0..ENTRIES).map(|i| format!("n{number}-m{i}")));
    let text = |id: &str| {
        format!("{name} {id}: met someone at the market and talked about the price of bread, then went home")
    };
    let (mut memories, mut changes) = (Vec::new(), Vec::new());
    for (i, id) in ids.enumerate() {
        let lived = json!({"id": id, "npc": name, "at": number * 86_400 + i, "kind": "event", "text": text(&id),
            "importance": 6, "actors": ["someone"]});
        let memory: Memory = serde_json::from_value(lived).unwrap();
        let change: Change = serde_json::from_value(json!({"do": "store", "id": id, "form": "verbatim",
            "kind": "event", "text": memory.text, "at": memory.at, "last_at": memory.at, "importance": 6,
            "occurrences": 1, "actors": ["someone"], "sources": [],
            "vector": vector((npc * 1_000 + number) * ENTRIES + i),
            "reason": {"rule": "within-budget", "values": {"cohesion": 0.4312, "rank": 3}}}))
        .unwrap();
        memories.push(memory);
        changes.push(change);
    }
    serde_json::from_value(json!({"npc": name, "night": format!("day-{number}"), "at": (number + 1) * 86_400,
        "base_version": base_version, "model": "measured", "memories": memories, "changes": changes, "report": report()}))
    .unwrap()
}

/// Returns consecutive nights of one NPC.
fn consecutive_nights(nights: usize, night: impl Fn(usize, u64) -> NpcNight) -> Vec<NpcNight> {
    let mut version = 0;
    let next = |number| {
        let night = night(number, version);
        version = night.next_version().unwrap();
        night
    };
    (0..nights).map(next).collect()
}

/// Prints the shortest duration of an action over several runs.
fn timed<T>(what: &str, times: usize, action: impl Fn() -> T) -> T {
    let once = || {
        let begun = Instant::now();
        (action(), begun.elapsed())
    };
    let (done, first) = once();
    let best = (1..times).map(|_| once().1).fold(first, Duration::min);
    println!("{what}: {:.2} ms", best.as_secs_f64() * 1e3);
    done
}

fn report() -> serde_json::Value {
    json!({"memories": 20, "distinct": 20, "kept": 20, "stored": 20, "pruned": 0, "chunked": 0, "syntheses": 0,
        "corroborated": 0, "superseded": 0, "reflections": 0, "loose": 0, "clusters": [], "reduction": 0.0,
        "raw_reduction": 0.0, "important_kept": 0, "important": 0, "storage_budget": 10,
        "tokens": {"budget": 0, "estimate": 0, "spent": 0},
        "input": {"blank": 0, "without_importance": 0, "repeated_rows": 0, "renamed_ids": 0,
            "mixed_importance": 0, "equal_times": 0, "already_slept_on": 0, "truncated_texts": 0}})
}

fn measure(store: &dyn MemoryStore, what: &str, nights: &[NpcNight], group: usize) {
    let begun = Instant::now();
    let run = store.begin_run().unwrap();
    for group in nights.chunks(group) {
        store.apply(run, group).unwrap().into_iter().for_each(|outcome| assert!(outcome.is_ok()));
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "{what}: {} nights of {ENTRIES} entries, {group} a call: {seconds:.2} s, {:.0} nights/s",
        nights.len(),
        nights.len() as f64 / seconds
    );
}

/// Writes nights by several workers at once, each with a store of its own.
fn measure_workers(address: &str, workers: usize) {
    let many: Vec<_> = (0..2_000).map(|npc| night(100_000 * workers + npc, 0, 0)).collect();
    let begun = Instant::now();
    thread::scope(|scope| {
        for nights in many.chunks(many.len().div_ceil(workers)) {
            scope.spawn(move || {
                let store = PostgresStore::open(address).unwrap();
                for group in nights.chunks(64) {
                    store.apply(1, group).unwrap().into_iter().for_each(|outcome| assert!(outcome.is_ok()));
                }
            });
        }
    });
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "{workers} workers: 2,000 nights of {ENTRIES} entries, 64 a call: {seconds:.2} s, {:.0} nights/s",
        2e3 / seconds
    );
}

fn main() {
    let place = env::args_os().nth(1);
    if place.as_ref().is_some_and(|place| place == "postgres") {
        let server = PostgresServer::start(true).unwrap().expect("PostgreSQL is installed");
        let address = server.address();
        measure_store(&PostgresStore::open(&address).unwrap());
        for workers in [1, 2, 4] {
            measure_workers(&address, workers);
        }
        return;
    }
    let folder = place.map_or_else(env::temp_dir, PathBuf::from);
    let file = folder.join(format!("apply_rate-{}.db", std::process::id()));
    let store = SqliteStore::open(&file).unwrap();
    measure_store(&store);
    drop(store);
    println!("file: {:.0} MB", file.metadata().unwrap().len() as f64 / 1e6);
    std::fs::remove_file(file).unwrap();
}

fn measure_store(store: &dyn MemoryStore) {
    let many: Vec<_> = (0..2_000).map(|npc| night(npc, 0, 0)).collect();
    measure(store, "2,000 NPCs", &many, 64);
    measure(store, "applied again", &many, 64);
    let singly: Vec<_> = (2_000..2_200).map(|npc| night(npc, 0, 0)).collect();
    measure(store, "one by one", &singly, 1);
    let long = consecutive_nights(500, |number, version| night(5_000, number, version));
    measure(store, "one NPC's 500 nights", &long, 64);
    let past = timed("past of 10,000 entries", 10, || store.snapshot(&long[0].npc).unwrap());
    assert_eq!(past.entries.len(), 10_000);
    let undone = timed("undo the run of 2,000 NPCs", 1, || store.undo_run(1).unwrap());
    assert_eq!(undone.len(), 2_000);
}
