//! Steps of one NPC's night from given vectors, by number of distinct memories.

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use nightfold::english::English;
use nightfold_benches::{Words, day, sentence};
use nightfold_consolidate::{Draft, Synthesized};
use nightfold_memory::{Day, Embedder, MemorySnapshot, ModelId, ValidConfig, Vectors};
use nightfold_scenario::synthetic::Xorshift;
use serde_json::json;

const SIZES: [usize; 4] = [20, 50, 200, 800];

fn triage(c: &mut Criterion) {
    let config = ValidConfig::default();
    let model: ModelId = "bench@1".parse().unwrap_or_else(|e| panic!("a model id: {e}"));
    let mut group = c.benchmark_group("night/triage");
    group.sample_size(10);
    for n in SIZES {
        let (memories, vectors) = day(n, 7);
        let draft = Draft::begin(memories, MemorySnapshot::empty(), model.clone(), &config, &English);
        let draft = draft.unwrap_or_else(|e| panic!("a day: {e}"));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter_batched(
                || (draft.clone(), vectors.clone()),
                |(draft, vectors)| draft.triage(vectors, &English),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
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
fn reconcile(c: &mut Criterion) {
    let mut group = c.benchmark_group("night/reconcile");
    group.sample_size(10);
    for n in SIZES {
        let (night, vectors) = synthesized_day(n);
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter_batched(
                || (night.clone(), vectors.clone()),
                |(night, vectors)| {
                    night
                        .reconcile(vectors, &English)
                        .map(|reconciling| reconciling.finish_by_rules(&English))
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, triage, reconcile);
criterion_main!(benches);
