//! Clustering of one NPC's day from given vectors, by algorithm and number of distinct memories.

use nightfold_benches::{day, measure};
use nightfold_consolidate::{Points, cluster};
use nightfold_memory::{Config, config::ClusterAlgorithm};

const SIZES: [usize; 4] = [20, 50, 200, 800];

fn main() {
    for algorithm in ClusterAlgorithm::ALL {
        let mut config = Config::default();
        config.cluster.algorithm = algorithm;
        let config = config.check().unwrap_or_else(|e| panic!("a configuration: {e}"));
        for n in SIZES {
            let (_, vectors) = day(n, 7);
            measure(
                &format!("cluster/{algorithm}/{n}"),
                || (),
                |()| cluster(Points::new(&vectors), None, &config),
            );
        }
    }
}
