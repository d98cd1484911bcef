//! Pseudo-random numbers for synthetic days.

/// Pseudo-random number generator (xorshift64*, Marsaglia 2003), written here so that no dependency's update
/// changes the inputs.
#[derive(Debug)]
pub struct Xorshift(pub u64);

impl Xorshift {
    /// Returns the next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.next_u64() >> 33) as usize) % n.max(1)
    }

    /// Returns a number from 0 to below 1.
    pub fn unit(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// Returns one of these words.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<'t>(&mut self, words: &[&'t str]) -> &'t str {
        words[self.below(words.len())]
    }
}
