//! The steps of one NPC's night from given vectors, by distinct memories.

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use nightfold_benches::day;
use nightfold_consolidate::Draft;
use nightfold_memory::{ModelId, Past, ValidConfig};

const SIZES: [usize; 4] = [20, 50, 200, 800];

fn triage(c: &mut Criterion) {
    let config = ValidConfig::default();
    let model: ModelId = "bench@1".parse().unwrap_or_else(|e| panic!("a model id: {e}"));
    let mut group = c.benchmark_group("night/triage");
    group.sample_size(10);
    for n in SIZES {
        let (memories, vectors) = day(n, 7);
        let draft = Draft::begin(memories, Past::empty(), model.clone(), &config);
        let draft = draft.unwrap_or_else(|e| panic!("a day: {e}"));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter_batched(
                || (draft.clone(), vectors.clone()),
                |(draft, vectors)| draft.triage(vectors),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, triage);
criterion_main!(benches);
