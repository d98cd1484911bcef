//! Candidate cuts of a dendrogram.

use kodama::Dendrogram;

/// Returns candidate cuts as numbers of merges, ascending: for every possible number of clusters, the last
/// cut that yields this number. Among all such cuts the last leaves the fewest rows loose. Only groups of at
/// least `min_size` rows count as clusters.
pub(super) fn coarsest_cuts(tree: &Dendrogram<f32>, n: usize, min_size: usize) -> Vec<usize> {
    let is_cluster = |size: usize| size >= min_size;
    let mut sizes = vec![1; n];
    let mut clusters = if is_cluster(1) { n } else { 0 };
    let mut last_with = vec![None; n + 1];
    last_with[clusters] = Some(0);
    for (merges, step) in (1..).zip(tree.steps()) {
        let before = [step.cluster1, step.cluster2].iter().filter(|&&c| is_cluster(sizes[c])).count();
        clusters = clusters + usize::from(is_cluster(step.size)) - before;
        sizes.push(step.size);
        last_with[clusters] = Some(merges);
    }
    let mut cuts: Vec<usize> = last_with.into_iter().flatten().collect();
    cuts.sort_unstable();
    cuts
}
