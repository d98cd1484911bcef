//! Days that nobody lived: made from a seed, alike on every machine, for benchmarks.

mod draw;
mod life;

use std::collections::BTreeSet;

use nightfold_memory::Memory;

pub use draw::Draw;

/// A day of a life: `memories` memories of the `night`th night, whose texts come as the lots fall.
///
/// # Errors
/// Never, unless memories change their shape or `npc` is no name.
pub fn day_of_a_life(
    draw: &mut Draw,
    npc: &str,
    night: usize,
    memories: usize,
) -> Result<Vec<Memory>, serde_json::Error> {
    (0..memories).map(|n| life::memory(draw, npc, night, n, memories)).collect()
}

/// A town of NPCs that live through one day each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Town {
    /// How many NPCs.
    pub npcs: usize,
    /// How many memories each.
    pub memories: usize,
    /// The share of an NPC's memories that repeat, word for word, one that it had earlier the same day, 0 to 1; the first
    /// repeats none. On the real days of Generative Agents it is 0.63 to 0.70. What several NPCs live through alike comes
    /// on top, as the lots fall.
    pub repeat_share: f64,
    /// What all lots follow from.
    pub seed: u64,
}

/// How often another text is drawn in place of one that the day has already.
const DRAWS: usize = 1_000;

impl Town {
    /// The name of an NPC.
    pub fn npc(n: usize) -> String {
        format!("Villager {n:05}")
    }

    /// The day of the `npc`th NPC, in order of time. It depends on no other NPC.
    ///
    /// # Errors
    /// Never, unless memories change their shape.
    pub fn day(&self, npc: usize) -> Result<Vec<Memory>, serde_json::Error> {
        // Any odd number far from the others: neither neighbours nor towns of seeds in a row may have like draws.
        let of_town = self.seed.wrapping_mul(0xd1b5_4a32_d192_ed03);
        let mut draw = Draw((of_town ^ (npc as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1);
        (0..8).for_each(|_| _ = draw.draw());
        let name = Self::npc(npc);
        let mut repeats = (self.memories as f64 * self.repeat_share).round() as usize;
        let mut day: Vec<Memory> = Vec::with_capacity(self.memories);
        let mut fresh: Vec<usize> = Vec::new();
        let mut texts = BTreeSet::new();
        for n in 0..self.memories {
            let left = self.memories - n;
            let mut memory = life::memory(&mut draw, &name, 0, n, self.memories)?;
            if !fresh.is_empty() && (repeats >= left || draw.below(left) < repeats) {
                repeats -= 1;
                // The lower of two: some lines come again and again, most hardly ever.
                let again = fresh[draw.below(fresh.len()).min(draw.below(fresh.len()))];
                let Memory { kind, text, importance, .. } = day[again].clone();
                memory = Memory { kind, text, importance, ..memory };
            } else {
                for _ in 0..DRAWS {
                    if !texts.contains(&memory.text) {
                        break;
                    }
                    memory = life::memory(&mut draw, &name, 0, n, self.memories)?;
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
    fn a_town_has_the_share_of_repeats_it_is_asked_for_and_is_the_same_every_time() {
        for (memories, repeat_share, distinct) in
            [(50, 0.6, 20), (50, 0.0, 50), (7, 0.99, 1), (1, 0.5, 1), (400, 0.9, 40)]
        {
            let town = Town { npcs: 3, memories, repeat_share, seed: 42 };
            for npc in 0..3 {
                let day = town.day(npc).unwrap();
                let texts: BTreeSet<&str> = day.iter().map(|m| m.text.as_str()).collect();
                assert_eq!((day.len(), texts.len()), (memories, distinct));
                assert!(day.is_sorted_by_key(|m| m.at));
                assert_eq!(day, town.day(npc).unwrap());
            }
            assert_ne!(town.day(0).unwrap()[0].text, Town { seed: 43, ..town }.day(0).unwrap()[0].text);
        }
    }
}
