//! Reuse of what was computed for the previous prompt.

/// Number of tokens computed at a time. A smaller number makes prompts slower; a larger one allows less
/// reuse.
pub(super) const BLOCK: usize = 64;

/// Beginning of the previous prompt whose computed state may be reused.
///
/// The computed state of a token depends, in its last bits, on the tokens that were computed with it.
/// Therefore prompts are computed in blocks that begin at multiples of [`BLOCK`], whatever is cached, and
/// only full blocks after which no token was sampled are cached: a reused block equals a newly computed one
/// bit for bit, and so does the answer.
#[derive(Debug, Default)]
pub(super) struct PrefixCache<T>(Vec<T>);

impl<T: PartialEq + Copy> PrefixCache<T> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Truncates the cache to the common beginning with `prompt`, and returns its length in tokens. The last
    /// block of a prompt is never cached, as the first token of the answer is sampled from it.
    pub(super) fn keep(&mut self, prompt: &[T]) -> usize {
        let most = prompt.len().saturating_sub(1);
        let same = self.0.iter().zip(&prompt[..most]).take_while(|(held, wanted)| held == wanted).count();
        self.0.truncate(same - same % BLOCK);
        self.0.len()
    }

    /// Caches a computed block, unless it is the last.
    pub(super) fn push(&mut self, block: &[T], last: bool) {
        if !last {
            self.0.extend_from_slice(block);
        }
    }

    /// Empties the cache.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Computes a prompt as a session does; returns the computed blocks with their positions.
    fn compute(cache: &mut PrefixCache<u8>, prompt: &[u8]) -> Vec<(usize, Vec<u8>)> {
        let from = cache.keep(prompt);
        let blocks = prompt[from..].chunks(BLOCK).count();
        let mut computed = Vec::new();
        for (i, block) in prompt[from..].chunks(BLOCK).enumerate() {
            computed.push((from + i * BLOCK, block.to_vec()));
            cache.push(block, i + 1 == blocks);
        }
        computed
    }

    #[test]
    fn full_blocks_of_a_common_beginning_are_cached() {
        let (a, b) = ([1_u8; 200], [2_u8; 30]);
        let mut cache = PrefixCache::new();
        assert_eq!(cache.keep(&a), 0);
        compute(&mut cache, &a);
        assert_eq!(cache.keep(&a), 192);
        assert_eq!(cache.keep(&[&a[..100], &b].concat()), 64);
        assert_eq!(cache.keep(&a), 64);
        assert_eq!(cache.keep(&b), 0);
        // A prompt of whole blocks computes its last one again.
        compute(&mut cache, &a[..128]);
        assert_eq!(cache.keep(&a[..128]), 64);
        cache.clear();
        assert_eq!((cache.keep(&a), cache.keep(&[])), (0, 0));
    }

    proptest! {
        /// Whatever was asked before, each cached block is one that a fresh session computes too.
        #[test]
        fn cached_blocks_equal_newly_computed_ones(
            prompts in proptest::collection::vec((1_usize..400, 0_usize..400), 1..8),
        ) {
            let mut cache = PrefixCache::new();
            let mut memory: Vec<(usize, Vec<u8>)> = Vec::new();
            for (length, turn) in prompts {
                let prompt: Vec<u8> = (0..length).map(|i| u8::from(i >= turn)).collect();
                let from = cache.keep(&prompt);
                memory.retain(|(at, _)| *at < from);
                memory.extend(compute(&mut cache, &prompt));
                prop_assert_eq!(&memory, &compute(&mut PrefixCache::new(), &prompt));
            }
        }
    }
}
