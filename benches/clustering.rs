//! Clustering of one NPC's day from given vectors, by algorithm and number of distinct memories.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use nightfold_benches::day;
use nightfold_consolidate::{Points, cluster};
use nightfold_memory::{Config, config::ClusterAlgorithm};

const SIZES: [usize; 4] = [20, 50, 200, 800];

fn clustering(c: &mut Criterion) {
    for algorithm in ClusterAlgorithm::ALL {
        let mut config = Config::default();
        config.cluster.algorithm = algorithm;
        let config = config.check().unwrap_or_else(|e| panic!("a configuration: {e}"));
        let mut group = c.benchmark_group(format!("cluster/{algorithm}"));
        group.sample_size(10);
        for n in SIZES {
            let (_, vectors) = day(n, 7);
            group.bench_with_input(BenchmarkId::from_parameter(n), &vectors, |b, vectors| {
                b.iter(|| cluster(Points::new(black_box(vectors)), None, &config));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, clustering);
criterion_main!(benches);
