//! Recall of an NPC's entries, by their number.

use nightfold::english::English;
use nightfold_benches::{day, measure};
use nightfold_consolidate::{RecallIndex, RecallQuery};
use nightfold_memory::{Config, MemoryRecord};
use serde_json::json;

const SIZES: [usize; 3] = [100, 1_000, 10_000];

fn entries(n: usize) -> Vec<MemoryRecord> {
    let (day, vectors) = day(n, 11);
    let entry = |(row, memory): (usize, &nightfold_memory::Memory)| {
        let at = memory.at.seconds();
        let entry = json!({
            "npc": "Bench", "id": memory.id, "form": "verbatim", "kind": "event", "text": memory.text, "at": at,
            "last_at": at, "importance": 1 + row % 10, "occurrences": 1, "sources": [memory.id],
            "vector": vectors.row(row), "state": "active", "corroborations": 0, "confidence": "normal",
            "touched_at": at, "night": "day-0",
        });
        serde_json::from_value(entry).unwrap_or_else(|e| panic!("an entry: {e}"))
    };
    day.memories.iter().enumerate().map(entry).collect()
}

fn main() {
    let config = Config::default().recall;
    for n in SIZES {
        let entries = entries(n);
        let asked = &entries[n / 2].entry;
        let vector = asked.vector.clone().unwrap_or_else(|| panic!("a vector"));
        let query = RecallQuery::new(&asked.text, vector.as_slice(), &English);
        let now = entries.last().unwrap_or_else(|| panic!("entries")).entry.at;
        let index = RecallIndex::new(entries, &English);
        measure(&format!("recall/{n}"), || (), |()| index.recall(&query, now, &config));
    }
}
