//! Lots.

/// A small generator (xorshift64*, Marsaglia 2003), so that no dependency's update changes the inputs.
#[derive(Debug)]
pub struct Draw(pub u64);

impl Draw {
    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.draw() >> 33) as usize) % n.max(1)
    }

    /// A number from 0 to below 1.
    pub fn share(&mut self) -> f32 {
        (self.draw() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// One of these.
    ///
    /// # Panics
    /// When there are none.
    pub fn of<'t>(&mut self, words: &[&'t str]) -> &'t str {
        words[self.below(words.len())]
    }
}
