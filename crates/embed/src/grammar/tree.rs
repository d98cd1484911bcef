//! Highest-scoring trees: Chu & Liu (1965), Edmonds (1967).

/// Scores of arcs between `n` nodes; node 0 is the root, whose dependents are the main words of sentences.
#[derive(Debug, Clone)]
pub(super) struct ArcScores {
    nodes: usize,
    /// Score of each head (column) for each dependent (row).
    scores: Vec<f32>,
}

impl ArcScores {
    /// Returns scores at which no arc is possible.
    pub(super) fn new(nodes: usize) -> Self {
        Self { nodes, scores: vec![f32::NEG_INFINITY; nodes * nodes] }
    }

    /// Scores of all heads for a dependent.
    pub(super) fn of_mut(&mut self, dependent: usize) -> &mut [f32] {
        &mut self.scores[dependent * self.nodes..][..self.nodes]
    }

    fn at(&self, dependent: usize, head: usize) -> f32 {
        self.scores[dependent * self.nodes + head]
    }

    /// Returns the head of every node in the tree with the highest sum of scores; the root's is itself. Of equal
    /// scores, the head with the lowest number is chosen.
    pub(super) fn best_heads(&self) -> Vec<usize> {
        let heads: Vec<usize> = (0..self.nodes).map(|node| self.best_head(node)).collect();
        match cycle(&heads) {
            None => heads,
            Some(cycle) => self.contracted(&cycle, &heads),
        }
    }

    fn best_head(&self, node: usize) -> usize {
        if node == 0 {
            return 0;
        }
        let mut best = 0;
        for head in (0..self.nodes).filter(|&head| head != node) {
            if self.at(node, head) > self.at(node, best) {
                best = head;
            }
        }
        best
    }

    /// Returns the best heads with the nodes of a cycle taken for one node, which is then opened where that costs
    /// least.
    fn contracted(&self, cycle: &[usize], heads: &[usize]) -> Vec<usize> {
        let others: Vec<usize> = (0..self.nodes).filter(|node| !cycle.contains(node)).collect();
        let merged = others.len();
        let mut smaller = Self::new(merged + 1);
        // For each other node: the node of the cycle that is its head, and the one whose head it is, if any.
        let mut as_head = vec![cycle[0]; merged];
        let mut entered = vec![cycle[0]; merged];
        for (row, &node) in others.iter().enumerate() {
            for (column, &head) in others.iter().enumerate().filter(|&(column, _)| column != row) {
                smaller.of_mut(row)[column] = self.at(node, head);
            }
            for &inside in cycle {
                if self.at(node, inside) > smaller.at(row, merged) {
                    smaller.of_mut(row)[merged] = self.at(node, inside);
                    as_head[row] = inside;
                }
                let gain = self.at(inside, node) - self.at(inside, heads[inside]);
                if gain > smaller.at(merged, row) {
                    smaller.of_mut(merged)[row] = gain;
                    entered[row] = inside;
                }
            }
        }
        let found = smaller.best_heads();
        let mut best = heads.to_vec();
        for (row, &node) in others.iter().enumerate() {
            best[node] = if found[row] == merged { as_head[row] } else { others[found[row]] };
        }
        let from = found[merged];
        best[entered[from]] = others[from];
        best
    }
}

/// Returns the nodes of a cycle of heads, in ascending order.
fn cycle(heads: &[usize]) -> Option<Vec<usize>> {
    // The last walk on which each node was met.
    let mut met = vec![0; heads.len()];
    for start in 1..heads.len() {
        let mut node = start;
        while node != 0 && met[node] == 0 {
            met[node] = start;
            node = heads[node];
        }
        if node != 0 && met[node] == start {
            let mut cycle = vec![node];
            let mut next = heads[node];
            while next != node {
                cycle.push(next);
                next = heads[next];
            }
            cycle.sort_unstable();
            return Some(cycle);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(rows: &[&[f32]]) -> ArcScores {
        let mut scores = ArcScores::new(rows.len());
        for (node, row) in rows.iter().enumerate() {
            scores.of_mut(node).copy_from_slice(row);
        }
        scores
    }

    /// Returns the highest sum of scores over all trees.
    fn best_by_trying(scores: &ArcScores) -> f32 {
        let nodes = scores.nodes;
        let mut best = f32::NEG_INFINITY;
        for number in 0..nodes.pow(nodes as u32 - 1) {
            let mut rest = number;
            let mut heads = vec![0];
            for _ in 1..nodes {
                heads.push(rest % nodes);
                rest /= nodes;
            }
            let is_tree = (1..nodes).all(|node| heads[node] != node) && cycle(&heads).is_none();
            if is_tree {
                best = best.max(sum(scores, &heads));
            }
        }
        best
    }

    fn sum(scores: &ArcScores, heads: &[usize]) -> f32 {
        (1..heads.len()).map(|node| scores.at(node, heads[node])).sum()
    }

    #[test]
    fn cycle_is_opened_where_it_costs_least() {
        // Without a tree, 1 and 2 would be each other's heads.
        let scores = scores(&[&[0.0; 3], &[5.0, 0.0, 10.0], &[1.0, 8.0, 0.0]]);
        assert_eq!(scores.best_heads(), [0, 0, 1]);
    }

    #[test]
    fn sum_is_the_highest_of_all_trees() {
        let mut state = 7_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as f32
        };
        for round in 0..300 {
            let nodes = 2 + round % 5;
            let mut scores = ArcScores::new(nodes);
            for node in 1..nodes {
                scores.of_mut(node).fill_with(&mut next);
            }
            let heads = scores.best_heads();
            assert!(cycle(&heads).is_none() && (1..nodes).all(|node| heads[node] != node), "{heads:?}");
            assert_eq!(
                sum(&scores, &heads).to_bits(),
                best_by_trying(&scores).to_bits(),
                "{scores:?} {heads:?}"
            );
        }
    }

    #[test]
    fn scores_that_are_no_numbers_give_a_tree() {
        for value in [f32::NAN, f32::NEG_INFINITY, f32::INFINITY, 0.0] {
            let mut scores = ArcScores::new(5);
            (1..5).for_each(|node| scores.of_mut(node).fill(value));
            let heads = scores.best_heads();
            assert!(cycle(&heads).is_none(), "{value} {heads:?}");
        }
    }
}
