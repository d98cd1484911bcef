//! Where the tree may be cut.

use kodama::Dendrogram;

/// After how many merges the day falls into some number of themes for the last time, for every such number, in order
/// of merges. Of all cuts with as many themes, the last one leaves the fewest loose.
pub(super) fn coarsest(tree: &Dendrogram<f32>, n: usize, min_size: usize) -> Vec<usize> {
    let is_theme = |size: usize| size >= min_size;
    let mut sizes = vec![1; n];
    let mut themes = if is_theme(1) { n } else { 0 };
    let mut last_with = vec![None; n + 1];
    last_with[themes] = Some(0);
    for (merges, step) in (1..).zip(tree.steps()) {
        let before = [step.cluster1, step.cluster2].iter().filter(|&&c| is_theme(sizes[c])).count();
        themes = themes + usize::from(is_theme(step.size)) - before;
        sizes.push(step.size);
        last_with[themes] = Some(merges);
    }
    let mut cuts: Vec<usize> = last_with.into_iter().flatten().collect();
    cuts.sort_unstable();
    cuts
}
