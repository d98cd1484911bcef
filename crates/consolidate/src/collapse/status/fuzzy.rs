//! Joins status lines that say the same in slightly different words.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{LanguagePack, config::CollapseConfig};

use super::{DisjointSets, Phase, Signature, signature::token_key};

/// Minimum number of words shared by two lines that are joined.
pub(in crate::collapse) const FUZZY_SHARED: usize = 4;

/// Joins sets by word overlap: in order of creation, each set joins the nearest cluster whose overlap is
/// sufficient (Jaccard 1901), or starts a new cluster.
pub(super) fn join_overlapping(
    sets: &mut DisjointSets,
    signatures: &[Signature],
    settings: &CollapseConfig,
    pack: &dyn LanguagePack,
) {
    let mut clusters: Vec<(usize, Vec<&str>)> = Vec::new();
    // Only clusters of one context that share a word are compared.
    let mut with_word: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    let mut seen_roots = BTreeSet::new();
    for at in sets.order.clone() {
        let root = sets.find(at);
        if !seen_roots.insert(root) {
            continue;
        }
        let Signature { context, text } = &signatures[at];
        let Some(words) = token_key(text, pack) else { continue };
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for cluster in words.iter().filter_map(|w| with_word.get(&(context.as_str(), *w))).flatten() {
            *shared.entry(*cluster).or_default() += 1;
        }
        let similarity = |(cluster, shared): (usize, usize)| {
            let all = clusters[cluster].1.len() + words.len() - shared;
            (shared as f64 / all as f64, cluster)
        };
        let near = shared
            .into_iter()
            .filter(|(_, shared)| *shared >= FUZZY_SHARED)
            .map(similarity)
            .filter(|(similarity, _)| *similarity >= settings.fuzzy_similarity)
            // Among equally near clusters the earlier.
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        if let Some((_, cluster)) = near {
            sets.join(clusters[cluster].0, at, Phase::Fuzzy);
        } else {
            words.iter().for_each(|word| with_word.entry((context, *word)).or_default().push(clusters.len()));
            clusters.push((at, words));
        }
    }
}
