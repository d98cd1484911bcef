//! Candidate cuts of a dendrogram.

use kodama::Dendrogram;

/// Returns candidate cuts as numbers of merges, ascending: for every possible number of clusters, the last
/// cut that yields this number.
pub(super) fn coarsest_cuts(tree: &Dendrogram<f32>, n: usize, min_size: usize) -> Vec<usize> {
    let mut cuts: Vec<usize> = last_cuts(tree, n, min_size).into_iter().flatten().collect();
    cuts.sort_unstable();
    cuts
}

/// Returns the last cut into `k` clusters as a number of merges; `None` if no cut has so many.
pub(super) fn coarsest_cut_into(
    tree: &Dendrogram<f32>,
    n: usize,
    min_size: usize,
    k: usize,
) -> Option<usize> {
    last_cuts(tree, n, min_size).get(k).copied().flatten()
}

/// Returns for each number of clusters the last cut with it, as a number of merges. Among all such cuts the last
/// leaves the fewest rows loose. Only groups of at least `min_size` rows count as clusters.
fn last_cuts(tree: &Dendrogram<f32>, n: usize, min_size: usize) -> Vec<Option<usize>> {
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
    last_with
}
