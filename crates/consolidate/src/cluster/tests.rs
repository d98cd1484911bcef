use nightfold_memory::{
    Config, GameTime, ValidConfig, Vectors, config::ChooseK, config::ClusterAlgorithm, config::Reduce,
};
use proptest::prelude::*;

use super::*;

fn with(edit: impl FnOnce(&mut Config)) -> ValidConfig {
    let mut config = Config::default();
    edit(&mut config);
    config.check().unwrap()
}

fn using(algorithm: ClusterAlgorithm) -> ValidConfig {
    with(|c| c.cluster.algorithm = algorithm)
}

fn unit<const D: usize>(row: [f32; D]) -> [f32; D] {
    let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
    row.map(|x| x / length)
}

fn vectors<const D: usize>(rows: impl IntoIterator<Item = [f32; D]>) -> Vectors {
    let mut vectors = Vectors::with_capacity(D, 0);
    rows.into_iter().for_each(|row| vectors.push(&unit(row)).unwrap());
    vectors
}

/// Returns three well-separated bundles of four directions each.
fn bundles() -> Vectors {
    vectors((0..12_u8).map(|i| {
        let mut row = [0.05 * f32::from(i / 3), 0.02, 0.03];
        row[usize::from(i % 3)] += 1.0;
        row
    }))
}

const BUNDLES: [[usize; 4]; 3] = [[0, 3, 6, 9], [1, 4, 7, 10], [2, 5, 8, 11]];

#[test]
fn every_algorithm_finds_well_separated_clusters() {
    for algorithm in ClusterAlgorithm::ALL.into_iter().filter(|&a| a != ClusterAlgorithm::Single) {
        let found = cluster(Points::new(&bundles()), None, &using(algorithm)).unwrap();
        assert_eq!(found.clusters, BUNDLES, "{algorithm}");
        assert!(found.loose.is_empty() && found.silhouette.unwrap() > 0.8, "{algorithm}");
    }
    let one = cluster(Points::new(&bundles()), None, &using(ClusterAlgorithm::Single)).unwrap();
    assert_eq!((one.clusters.len(), one.silhouette), (1, None));
}

#[test]
fn every_choose_k_finds_well_separated_clusters() {
    for choose_k in [ChooseK::Silhouette, ChooseK::Elbow] {
        let config = with(|c| c.cluster.choose_k = choose_k);
        assert_eq!(
            cluster(Points::new(&bundles()), None, &config).unwrap().clusters,
            BUNDLES,
            "{choose_k:?}"
        );
    }
    // The square root of half of twelve memories is 2.4.
    let config = with(|c| (c.cluster.choose_k, c.cluster.k_min) = (ChooseK::Heuristic, 2));
    assert_eq!(cluster(Points::new(&bundles()), None, &config).unwrap().clusters.len(), 2);
}

#[test]
fn small_day_is_one_cluster() {
    for algorithm in ClusterAlgorithm::ALL {
        let few = vectors([[1.0, 0.0], [0.0, 1.0]]);
        let config = using(algorithm);
        assert_eq!(cluster(Points::new(&few), None, &config).unwrap().clusters, [[0, 1]]);
        let none = cluster(Points::new(&Vectors::with_capacity(2, 0)), None, &config).unwrap();
        assert_eq!(none.labels(0), Vec::<i64>::new());
    }
}

#[test]
fn requested_k_is_used_or_rejected() {
    for algorithm in ClusterAlgorithm::ALL.into_iter().filter(|algorithm| algorithm.takes_k()) {
        let config = with(|c| (c.cluster.algorithm, c.cluster.min_size) = (algorithm, 1));
        for k in 1..=12 {
            assert_eq!(cluster(Points::new(&bundles()), Some(k), &config).unwrap().clusters.len(), k);
        }
        let error = cluster(Points::new(&bundles()), Some(13), &config).unwrap_err();
        assert_eq!(error.to_string(), "cannot make 13 clusters of 12 memories; ask for 1 to 12");
    }
    for algorithm in [ClusterAlgorithm::Dbscan, ClusterAlgorithm::Hdbscan, ClusterAlgorithm::Single] {
        let error = cluster(Points::new(&bundles()), Some(3), &using(algorithm)).unwrap_err();
        assert!(matches!(error, ClusterError::UnsupportedCount { k: 3, .. }), "{error}");
    }
}

#[test]
fn outlier_is_loose() {
    let mut rows: Vec<[f32; 3]> = (0..6_u8).map(|i| [1.0, 0.02 * f32::from(i), 0.0]).collect();
    rows.extend((0..6_u8).map(|i| [0.0, 1.0, 0.02 * f32::from(i)]));
    rows.push([-1.0, -1.0, -1.0]);
    for algorithm in [ClusterAlgorithm::Dbscan, ClusterAlgorithm::Hdbscan, ClusterAlgorithm::Hierarchical] {
        let config = with(|c| {
            (c.cluster.algorithm, c.cluster.min_size) = (algorithm, 4);
        });
        let found = cluster(Points::new(&vectors(rows.clone())), None, &config).unwrap();
        assert_eq!((found.clusters.len(), found.loose), (2, vec![12]), "{algorithm}");
    }
}

#[test]
fn configured_eps_is_used() {
    let config = with(|c| (c.cluster.algorithm, c.cluster.eps) = (ClusterAlgorithm::Dbscan, 2.0));
    assert_eq!(cluster(Points::new(&bundles()), None, &config).unwrap().clusters.len(), 1);
}

#[test]
fn equal_vectors_form_one_cluster_and_any_k_is_accepted() {
    // Of length 1, except for rounding.
    let same = vectors([[1.0, 1.0, 1.0]; 8]);
    for algorithm in ClusterAlgorithm::ALL {
        let found = cluster(Points::new(&same), None, &using(algorithm)).unwrap();
        // k-means makes at least `k_min` clusters, whatever its input.
        let one = found.clusters.len() == 1 || algorithm == ClusterAlgorithm::Kmeans;
        assert!(one && found.loose.is_empty(), "{algorithm}: {found:?}");
        if algorithm.takes_k() {
            let asked = cluster(Points::new(&same), Some(3), &using(algorithm)).unwrap();
            assert_eq!(asked.labels(8).len(), 8, "{algorithm}");
        }
    }
}

#[test]
fn clusters_over_k_max_are_reduced_to_the_largest() {
    // Twelve pairs in as many directions: every eps and every cut joins either none of the pairs or all of
    // them.
    let pairs = vectors((0..24_u8).map(|i| {
        let mut row = [0.0; 13];
        row[usize::from(i / 2)] = 1.0;
        row[12] = if i % 2 == 0 { 0.05 } else { 0.0 };
        row
    }));
    for algorithm in [ClusterAlgorithm::Dbscan, ClusterAlgorithm::Hierarchical] {
        let config = with(|c| (c.cluster.algorithm, c.cluster.k_growth) = (algorithm, 1.0));
        let found = cluster(Points::new(&pairs), None, &config).unwrap();
        assert!((1..=3).contains(&found.clusters.len()), "{algorithm}: {found:?}");
    }
}

#[test]
fn rows_over_max_distinct_are_rejected() {
    let many = vectors((0..11_u8).map(|i| [1.0, f32::from(i)]));
    let error = cluster(Points::new(&many), None, &with(|c| c.cluster.max_distinct = 10)).unwrap_err();
    assert_eq!(error.to_string(), "there are 11 distinct memories; cluster.max_distinct allows 10");
}

#[test]
fn time_weight_separates_similar_vectors() {
    let alike = vectors((0..8_u8).map(|i| [1.0, 0.001 * f32::from(i % 4)]));
    let times: Vec<GameTime> =
        (0..8).map(|i| GameTime::from_seconds(if i < 4 { i } else { 80_000 + i }).unwrap()).collect();
    let config = with(|c| (c.cluster.time_weight, c.cluster.k_min) = (0.5, 2));
    let found = cluster(Points::new(&alike).with_times(&times).unwrap(), None, &config).unwrap();
    assert_eq!(found.clusters, [[0, 1, 2, 3], [4, 5, 6, 7]]);
    let error = Points::new(&alike).with_times(&times[..3]).unwrap_err();
    assert_eq!(error.to_string(), "3 times were given for 8 vectors");
}

#[test]
fn shared_words_join_texts_of_equal_vectors() {
    let alike = vectors((0..8_u8).map(|i| [1.0, 0.001 * f32::from(i % 4)]));
    let (bread, axle) = (["bread".to_owned(), "oven".to_owned()], ["axle".to_owned(), "wheel".to_owned()]);
    let words: Vec<&[String]> = (0..8).map(|i| if i % 2 == 0 { &bread[..] } else { &axle[..] }).collect();
    let config = with(|c| c.cluster.words_weight = 0.5);
    let found = cluster(Points::new(&alike).with_words(&words).unwrap(), Some(2), &config).unwrap();
    assert_eq!(found.clusters, [[0, 2, 4, 6], [1, 3, 5, 7]]);
    let error = Points::new(&alike).with_words(&words[..3]).unwrap_err();
    assert_eq!(error.to_string(), "3 texts were given for 8 vectors");
}

#[test]
fn reduced_dimensions_keep_well_separated_clusters() {
    let wide = vectors((0..12_u8).map(|i| {
        let mut row = [0.02; 6];
        row[usize::from(i % 3)] = 1.0;
        row[3 + usize::from(i / 3 % 3)] += 0.1;
        row
    }));
    for reduce in [Reduce::Truncate, Reduce::Pca] {
        let config = with(|c| (c.cluster.reduce, c.cluster.dimensions) = (reduce, 3));
        let found = cluster(Points::new(&wide), Some(3), &config).unwrap();
        assert_eq!(found.clusters, BUNDLES, "{reduce:?}");
    }
}

#[test]
fn clusters_below_min_size_become_loose() {
    let labels = [Some(1), Some(0), Some(1), Some(2), Some(2), Some(2), None];
    assert_eq!(Clustering::from_labels(&labels, 2).labels(7), [1, -1, 1, 0, 0, 0, -1]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn clusters_do_not_depend_on_row_order(
        (rows, order) in prop::collection::vec(prop::array::uniform4(0.01_f32..1.0), 5..24).prop_flat_map(|rows| {
            let order: Vec<usize> = (0..rows.len()).collect();
            (Just(rows), Just(order).prop_shuffle())
        }),
        algorithm in prop::sample::select(ClusterAlgorithm::ALL.to_vec()),
    ) {
        let config = using(algorithm);
        let straight = cluster(Points::new(&vectors(rows.clone())), None, &config).unwrap();
        let shuffled: Vec<[f32; 4]> = order.iter().map(|&i| rows[i]).collect();
        let found = cluster(Points::new(&vectors(shuffled)), None, &config).unwrap();
        let back = |clusters: &[Vec<usize>]| {
            let mut sets: Vec<Vec<usize>> =
                clusters.iter().map(|c| c.iter().map(|&i| order[i]).collect()).collect();
            sets.iter_mut().for_each(|s| s.sort_unstable());
            sets.sort();
            sets
        };
        let mut expected = straight.clusters.clone();
        expected.sort();
        prop_assert_eq!(back(&found.clusters), expected);
        prop_assert_eq!(found.silhouette, straight.silhouette);
    }

    #[test]
    fn every_row_is_in_one_cluster_or_loose(
        rows in prop::collection::vec(prop::array::uniform4(0.01_f32..1.0), 0..40),
        algorithm in prop::sample::select(ClusterAlgorithm::ALL.to_vec()),
    ) {
        let n = rows.len();
        let config = using(algorithm);
        let found = cluster(Points::new(&vectors(rows)), None, &config).unwrap();
        let mut all: Vec<usize> = found.clusters.iter().flatten().chain(&found.loose).copied().collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..n).collect::<Vec<_>>());
        prop_assert!(found.clusters.len() <= config.cluster.k_max(n) || algorithm == ClusterAlgorithm::Hdbscan);
        let whole_day = found.clusters.len() == 1 && n < config.cluster.small_day;
        prop_assert!(whole_day || found.clusters.iter().all(|c| c.len() >= config.cluster.min_size));
    }
}
