//! Synthetic days, made from a seed, the same on every machine, for benchmarks.

mod village_memory;
mod xorshift;

use std::collections::BTreeSet;

use nightfold_memory::Memory;

pub use xorshift::Xorshift;

/// Returns `memories` random memories of the `night`th night.
///
/// # Errors
/// An error if `npc` is not a valid name, or the generated JSON does not match the shape of a memory.
pub fn synthetic_day(
    draw: &mut Xorshift,
    npc: &str,
    night: usize,
    memories: usize,
) -> Result<Vec<Memory>, serde_json::Error> {
    (0..memories).map(|n| village_memory::memory(draw, npc, night, n, memories)).collect()
}

/// A town of NPCs with one day each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SyntheticTown {
    /// Number of NPCs.
    pub npcs: usize,
    /// Number of memories per NPC.
    pub memories: usize,
    /// Share of an NPC's memories that repeat, word for word, an earlier one of the same day, 0 to 1; the
    /// first repeats none. On the real days of Generative Agents it is 0.63 to 0.70. Memories that several
    /// NPCs share by chance come on top.
    pub repeat_share: f64,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// Number of attempts to draw a text that the day does not have yet.
const DRAWS: usize = 1_000;

impl SyntheticTown {
    /// Returns the name of an NPC.
    pub fn npc(n: usize) -> String {
        format!("Villager {n:05}")
    }

    /// Returns the day of the `npc`th NPC, in order of time. It depends on no other NPC.
    ///
    /// # Errors
    /// Never, unless memories change their shape.
    pub fn day(&self, npc: usize) -> Result<Vec<Memory>, serde_json::Error> {
        // Odd multipliers spread the seeds: neighbouring NPCs and towns of consecutive seeds must not draw alike.
        let of_town = self.seed.wrapping_mul(0xd1b5_4a32_d192_ed03);
        let mut draw = Xorshift((of_town ^ (npc as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1);
        (0..8).for_each(|_| _ = draw.next_u64());
        let name = Self::npc(npc);
        let mut repeats = (self.memories as f64 * self.repeat_share).round() as usize;
        let mut day: Vec<Memory> = Vec::with_capacity(self.memories);
        let mut fresh: Vec<usize> = Vec::new();
        let mut texts = BTreeSet::new();
        for n in 0..self.memories {
            let left = self.memories - n;
            let mut memory = village_memory::memory(&mut draw, &name, 0, n, self.memories)?;
            if !fresh.is_empty() && (repeats >= left || draw.below(left) < repeats) {
                repeats -= 1;
                // The lower of two numbers: some lines repeat often, most hardly ever.
                let again = fresh[draw.below(fresh.len()).min(draw.below(fresh.len()))];
                let Memory { kind, text, importance, .. } = day[again].clone();
                memory.kind = kind;
                memory.text = text;
                memory.importance = importance;
            } else {
                for _ in 0..DRAWS {
                    if !texts.contains(&memory.text) {
                        break;
                    }
                    memory = village_memory::memory(&mut draw, &name, 0, n, self.memories)?;
                }
                texts.insert(memory.text.clone());
                fresh.push(n);
            }
            day.push(memory);
        }
        Ok(day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn town_has_the_requested_share_of_repeats_and_is_reproducible() {
        for (memories, repeat_share, distinct) in
            [(50, 0.6, 20), (50, 0.0, 50), (7, 0.99, 1), (1, 0.5, 1), (400, 0.9, 40)]
        {
            let town = SyntheticTown { npcs: 3, memories, repeat_share, seed: 42 };
            for npc in 0..3 {
                let day = town.day(npc).unwrap();
                let texts: BTreeSet<&str> = day.iter().map(|m| m.text.as_str()).collect();
                assert_eq!((day.len(), texts.len()), (memories, distinct));
                assert!(day.is_sorted_by_key(|m| m.at));
                assert_eq!(day, town.day(npc).unwrap());
            }
            assert_ne!(
                town.day(0).unwrap()[0].text,
                SyntheticTown { seed: 43, ..town }.day(0).unwrap()[0].text
            );
        }
    }
}
