//! Agglomerative grouping by complete linkage: it decides which memories become one synthesis.

use std::{cmp::Ordering, collections::BinaryHeap};

use nightfold_memory::{Entry, Vector, Vectors};

use crate::gram::Gram;

/// Limits that every group must satisfy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Minimum cosine between any two members.
    pub(crate) min_similarity: f64,
    /// Maximum number of members.
    pub(crate) max_members: usize,
    /// Maximum number of characters of all members' texts together.
    pub(crate) max_chars: usize,
}

/// Memories that become one synthesis, or a single memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LinkageGroup {
    /// Rows of the members, in ascending order.
    pub(crate) members: Vec<usize>,
    /// Lowest cosine between any two members; 1 for a single memory.
    pub(crate) similarity: f32,
}

impl LinkageGroup {
    pub(crate) fn single(row: usize) -> Self {
        Self { members: vec![row], similarity: 1.0 }
    }
}

/// Two groups that may be merged. The closest pair is ordered first; among equally close ones, the earlier.
#[derive(PartialEq)]
struct MergeCandidate {
    link: f32,
    a: usize,
    b: usize,
}

impl Eq for MergeCandidate {}

impl Ord for MergeCandidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.link.total_cmp(&other.link).then_with(|| (other.a, other.b).cmp(&(self.a, self.b)))
    }
}

impl PartialOrd for MergeCandidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Merges the two closest groups repeatedly, until no two may be merged or only `target_count` are left. The
/// groups are returned in the order of their first rows.
///
/// `cannot_link` is true for two rows that may never be merged (Wagstaff et al. 2001); `chars` returns the
/// length of a row's text.
pub(crate) fn complete_linkage(
    groups: Vec<LinkageGroup>,
    gram: &Gram,
    bounds: Bounds,
    target_count: usize,
    chars: impl Fn(usize) -> usize,
    cannot_link: impl Fn(usize, usize) -> bool,
) -> Vec<LinkageGroup> {
    let mut slots: Vec<Option<LinkageGroup>> = groups.into_iter().map(Some).collect();
    let mut left = slots.len();
    let link = |x: &LinkageGroup, y: &LinkageGroup| -> Option<f32> {
        let mut lowest = x.similarity.min(y.similarity);
        for &i in &x.members {
            for &j in &y.members {
                lowest = lowest.min(gram.cosine(i, j));
            }
        }
        let fits = |g: &LinkageGroup| g.members.iter().map(|&i| chars(i)).sum::<usize>();
        (f64::from(lowest) >= bounds.min_similarity
            && x.members.len() + y.members.len() <= bounds.max_members
            && fits(x) + fits(y) <= bounds.max_chars
            && !x.members.iter().any(|&i| y.members.iter().any(|&j| cannot_link(i, j))))
        .then_some(lowest)
    };
    let mut heap = BinaryHeap::new();
    for b in 0..slots.len() {
        for a in 0..b {
            if let (Some(x), Some(y)) = (&slots[a], &slots[b])
                && let Some(link) = link(x, y)
            {
                heap.push(MergeCandidate { link, a, b });
            }
        }
    }
    while left > target_count
        && let Some(MergeCandidate { link: similarity, a, b }) = heap.pop()
    {
        // A pair is out of date if one of its groups has been merged since: that slot is empty.
        if slots[a].is_none() || slots[b].is_none() {
            continue;
        }
        let (Some(x), Some(y)) = (slots[a].take(), slots[b].take()) else { continue };
        let mut members = [x.members, y.members].concat();
        members.sort_unstable();
        let merged = LinkageGroup { members, similarity };
        let new = slots.len();
        for (other, group) in slots.iter().enumerate() {
            if let Some(group) = group
                && let Some(link) = link(group, &merged)
            {
                heap.push(MergeCandidate { link, a: other, b: new });
            }
        }
        slots.push(Some(merged));
        left -= 1;
    }
    let mut groups: Vec<LinkageGroup> = slots.into_iter().flatten().collect();
    groups.sort_by_key(|g| g.members[0]);
    groups
}

/// Groups entries with vectors by complete linkage; nothing is grouped if the vectors differ in length.
pub(crate) fn similar_entries<'a>(
    entries: impl Iterator<Item = &'a Entry>,
    bounds: Bounds,
    cannot_link: impl Fn(usize, usize) -> bool,
) -> Vec<LinkageGroup> {
    let mut vectors: Option<Vectors> = None;
    for row in entries.filter_map(|entry| entry.vector.as_ref()).map(Vector::as_slice) {
        let vectors = vectors.get_or_insert_with(|| Vectors::with_capacity(row.len(), 1));
        if vectors.push(row).is_err() {
            return Vec::new();
        }
    }
    let Some(vectors) = vectors else { return Vec::new() };
    let singles = (0..vectors.len()).map(LinkageGroup::single).collect();
    complete_linkage(singles, &Gram::new(&vectors), bounds, 1, |_| 0, cannot_link)
}

#[cfg(test)]
mod tests {

    use super::*;

    fn gram(angles: &[f32]) -> Gram {
        let mut vectors = Vectors::with_capacity(2, angles.len());
        angles.iter().for_each(|a| vectors.push(&[a.cos(), a.sin()]).unwrap());
        Gram::new(&vectors)
    }

    fn members(groups: Vec<LinkageGroup>) -> Vec<Vec<usize>> {
        groups.into_iter().map(|g| g.members).collect()
    }

    const BOUNDS: Bounds = Bounds { min_similarity: 0.8, max_members: 8, max_chars: 1000 };

    #[test]
    fn complete_linkage_requires_similarity_of_every_pair() {
        // In a chain neighbours are close but the ends are not; single linkage would make one group of it.
        let gram = gram(&[0.0, 0.3, 0.8, 1.1]);
        let singles = || (0..4).map(LinkageGroup::single).collect();
        let groups = complete_linkage(singles(), &gram, BOUNDS, 1, |_| 10, |_, _| false);
        assert_eq!(members(groups), [vec![0, 1], vec![2, 3]]);
        let groups = complete_linkage(singles(), &gram, BOUNDS, 3, |_| 10, |_, _| false);
        assert_eq!(groups.len(), 3);
    }

    #[test]
    fn bounds_and_cannot_links_limit_groups() {
        let gram = gram(&[0.0, 0.01, 0.02, 0.03]);
        let singles = || (0..4).map(LinkageGroup::single).collect::<Vec<_>>();
        let at_most = Bounds { max_members: 3, ..BOUNDS };
        assert!(
            complete_linkage(singles(), &gram, at_most, 1, |_| 10, |_, _| false)
                .iter()
                .all(|g| g.members.len() <= 3)
        );
        let short = Bounds { max_chars: 20, ..BOUNDS };
        assert!(
            complete_linkage(singles(), &gram, short, 1, |_| 10, |_, _| false)
                .iter()
                .all(|g| g.members.len() <= 2)
        );
        let groups = complete_linkage(singles(), &gram, BOUNDS, 1, |_| 10, |i, j| i % 2 != j % 2);
        assert_eq!(members(groups), [vec![0, 2], vec![1, 3]]);
    }
}
