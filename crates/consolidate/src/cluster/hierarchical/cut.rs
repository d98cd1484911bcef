//! Where the tree is cut when nobody says how many clusters there should be.

use kodama::Dendrogram;
use nightfold_memory::ClusterConfig;

/// How many merges to take: the dynamic threshold is the greatest distance at which the day falls into as many themes
/// as it can, up to `cluster.k_max`.
///
/// A fixed distance does not do: one NPC's day is all of one piece, another's all over the place. A theme has
/// `cluster.min_size` memories; what is smaller at that distance is loose. Of cuts with as many themes the last one
/// leaves the fewest loose.
pub(super) fn dynamic(tree: &Dendrogram<f32>, n: usize, settings: &ClusterConfig) -> usize {
    let is_theme = |size: usize| size >= settings.min_size;
    let mut sizes = vec![1; n];
    let mut themes = if is_theme(1) { n } else { 0 };
    let (mut most, mut at) = (0, n.saturating_sub(1));
    for (merges, step) in (1..).zip(tree.steps()) {
        let before = [step.cluster1, step.cluster2].iter().filter(|&&c| is_theme(sizes[c])).count();
        themes = themes + usize::from(is_theme(step.size)) - before;
        sizes.push(step.size);
        if themes <= settings.k_max && themes >= most {
            (most, at) = (themes, merges);
        }
    }
    at
}
