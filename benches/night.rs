//! Steps of one NPC's night from given vectors, by number of distinct memories.

use nightfold::english::English;
use nightfold_benches::{Words, day, measure, sentence};
use nightfold_consolidate::{Draft, Synthesized};
use nightfold_memory::{Day, Embedder, MemorySnapshot, ModelId, ValidConfig, Vectors};
use nightfold_scenario::synthetic::Xorshift;
use serde_json::json;

const SIZES: [usize; 4] = [20, 50, 200, 800];

fn triage() {
    let config = ValidConfig::default();
    let model: ModelId = "bench@1".parse().unwrap_or_else(|e| panic!("a model id: {e}"));
    for n in SIZES {
        let (memories, vectors) = day(n, 7);
        let draft = Draft::begin(memories, MemorySnapshot::empty(), model.clone(), &config, &English);
        let draft = draft.unwrap_or_else(|e| panic!("a day: {e}"));
        let input = || (draft.clone(), vectors.clone());
        measure(&format!("night/triage/{n}"), input, |(draft, vectors)| draft.triage(vectors, &English));
    }
}

/// Returns a synthesized day of a villager with the vectors of its statements; statements that share words
/// are close.
fn synthesized_day(memories: usize) -> (Synthesized, Vectors) {
    let words = Words::new().unwrap_or_else(|e| panic!("a model id: {e}"));
    let of = |texts: &[&str]| words.embed(texts).unwrap_or_else(|e| panic!("vectors: {e}")).vectors;
    let mut draw = Xorshift(7);
    let memory = |n: usize, draw: &mut Xorshift| {
        json!({
            "id": format!("m{n:05}"), "npc": "Bench", "at": n * 60, "kind": "event",
            "text": sentence(draw, 1, n), "importance": 1 + draw.next_u64() % 10,
        })
    };
    let memories_json: Vec<_> = (0..memories).map(|n| memory(n, &mut draw)).collect();
    let day = json!({"npc": "Bench", "night": "day-0", "until": memories * 60, "memories": memories_json});
    let day: Day = serde_json::from_value(day).unwrap_or_else(|e| panic!("a day: {e}"));
    let config = ValidConfig::default();
    let draft = Draft::begin(day, MemorySnapshot::empty(), words.model().clone(), &config, &English);
    let draft = draft.unwrap_or_else(|e| panic!("a day: {e}"));
    let vectors = of(&draft.texts());
    let told = draft
        .triage(vectors, &English)
        .unwrap_or_else(|e| panic!("a day's themes: {e}"))
        .synthesize_by_rules(&English);
    let vectors = of(&told.texts());
    (told, vectors)
}

/// Measures reconciliation: every statement is compared with the rest of the night.
fn reconcile() {
    for n in SIZES {
        let (night, vectors) = synthesized_day(n);
        let input = || (night.clone(), vectors.clone());
        measure(&format!("night/reconcile/{n}"), input, |(night, vectors)| {
            night.reconcile(vectors, &English).map(|reconciling| reconciling.finish_by_rules(&English))
        });
    }
}

fn main() {
    triage();
    reconcile();
}
