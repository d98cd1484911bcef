//! What of the last prompt can be used again.

/// Tokens that are computed at a time. Fewer make a prompt slower; of more, less is used again.
pub(super) const BLOCK: usize = 64;

/// The beginning of the last prompt, as far as what was computed of it may be used again.
///
/// What a model computes of a token depends, in the last bits, on which tokens were computed with it. So prompts are
/// computed in blocks that begin at multiples of [`BLOCK`] whatever is held already, and only whole ones that wanted
/// no words yet are held: a block that is used again is to the bit what it would be, and so is the answer.
#[derive(Debug, Default)]
pub(super) struct Held<T>(Vec<T>);

impl<T: PartialEq + Copy> Held<T> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Keeps what is held of the beginning of `prompt`, and says how many tokens that is. The last block of a prompt is
    /// never held, as it gives the first word of the answer.
    pub(super) fn keep(&mut self, prompt: &[T]) -> usize {
        let most = prompt.len().saturating_sub(1);
        let same = self.0.iter().zip(&prompt[..most]).take_while(|(held, wanted)| held == wanted).count();
        self.0.truncate(same - same % BLOCK);
        self.0.len()
    }

    /// Holds a block that was computed, unless it is the last.
    pub(super) fn push(&mut self, block: &[T], last: bool) {
        if !last {
            self.0.extend_from_slice(block);
        }
    }

    /// Forgets all of it.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Computes a prompt as a session does; the blocks that were computed, by where they begin.
    fn compute(held: &mut Held<u8>, prompt: &[u8]) -> Vec<(usize, Vec<u8>)> {
        let from = held.keep(prompt);
        let blocks = prompt[from..].chunks(BLOCK).count();
        let mut computed = Vec::new();
        for (i, block) in prompt[from..].chunks(BLOCK).enumerate() {
            computed.push((from + i * BLOCK, block.to_vec()));
            held.push(block, i + 1 == blocks);
        }
        computed
    }

    #[test]
    fn whole_blocks_of_the_same_beginning_are_held() {
        let (a, b) = ([1_u8; 200], [2_u8; 30]);
        let mut held = Held::new();
        assert_eq!(held.keep(&a), 0);
        compute(&mut held, &a);
        assert_eq!(held.keep(&a), 192);
        assert_eq!(held.keep(&[&a[..100], &b].concat()), 64);
        assert_eq!(held.keep(&a), 64);
        assert_eq!(held.keep(&b), 0);
        // A prompt of whole blocks computes its last one again.
        compute(&mut held, &a[..128]);
        assert_eq!(held.keep(&a[..128]), 64);
        held.clear();
        assert_eq!((held.keep(&a), held.keep(&[])), (0, 0));
    }

    proptest! {
        /// Whatever was asked before, every block that stands for a prompt is one that a fresh session computes too.
        #[test]
        fn what_is_held_is_what_would_be_computed(
            prompts in proptest::collection::vec((1_usize..400, 0_usize..400), 1..8),
        ) {
            let mut held = Held::new();
            let mut memory: Vec<(usize, Vec<u8>)> = Vec::new();
            for (length, turn) in prompts {
                let prompt: Vec<u8> = (0..length).map(|i| u8::from(i >= turn)).collect();
                let from = held.keep(&prompt);
                memory.retain(|(at, _)| *at < from);
                memory.extend(compute(&mut held, &prompt));
                prop_assert_eq!(&memory, &compute(&mut Held::new(), &prompt));
            }
        }
    }
}
