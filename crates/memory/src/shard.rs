//! Shares of the NPCs, for workers that know nothing of each other.

use std::{fmt, ops::Range, str::FromStr};

use sha2::{Digest as _, Sha256};

use crate::id::NpcId;

/// A share of all NPCs, by its index among a count of shares.
///
/// An NPC is in exactly one shard of a count, and on every machine in the same one: that with the index `⌊h · count / 2⁶⁴⌋`,
/// where `h` is its [`hash`](Self::hash). So as many workers as there are shards sleep every NPC once, without a word
/// between them. The shards of a multiple of a count are parts of its shards, one after another.
///
/// ```
/// use nightfold_memory::{NpcId, Shard};
///
/// let shards: Vec<Shard> = ["0/3", "1/3", "2/3"].iter().map(|shard| shard.parse()).collect::<Result<_, _>>()?;
/// let mara = NpcId::new("Mara")?;
/// assert_eq!(shards.iter().filter(|shard| shard.has(&mara)).count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    count: u32,
}

/// Error of a text that names no shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no shard: give INDEX/COUNT, as in 0/4 to 3/4")]
pub struct ShardError(String);

impl Shard {
    /// Returns the shard with an index among a count of shards; none if there is no such shard.
    pub fn new(index: u32, count: u32) -> Option<Self> {
        (index < count).then_some(Self { index, count })
    }

    /// Index, from 0.
    pub fn index(self) -> u32 {
        self.index
    }

    /// Number of shards, at least 1.
    pub fn count(self) -> u32 {
        self.count
    }

    /// True if an NPC is in the shard.
    pub fn has(self, npc: &NpcId) -> bool {
        self.index == Self::index_of(Self::hash(npc), self.count)
    }

    /// Returns the first eight bytes of the SHA-256 of an NPC's name, read as a big-endian number.
    pub fn hash(npc: &NpcId) -> u64 {
        let mut first = [0; 8];
        first.copy_from_slice(&Sha256::digest(npc.as_str())[..8]);
        u64::from_be_bytes(first)
    }

    /// Returns the index of the shard of a hash, among `count` shards.
    pub fn index_of(hash: u64, count: u32) -> u32 {
        // Less than `count`.
        ((u128::from(hash) * u128::from(count)) >> 64) as u32
    }

    /// Returns the indices of the shards of `count` that this shard is made of; none if they are not parts of its kind.
    pub fn parts(self, count: u32) -> Option<Range<u32>> {
        let parts = count / self.count;
        count.is_multiple_of(self.count).then(|| self.index * parts..(self.index + 1) * parts)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let numbers =
            text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        let shard = numbers.and_then(|(index, count)| Self::new(index, count));
        shard.ok_or_else(|| ShardError(text.chars().take(64).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npc(name: &str) -> NpcId {
        NpcId::new(name).unwrap()
    }

    #[test]
    fn every_npc_is_in_one_shard_and_shards_are_balanced() {
        for count in [1, 2, 7, 64] {
            let mut sizes = vec![0_u32; count as usize];
            for n in 0..6_400 {
                let npc = npc(&format!("npc {n}"));
                let of: Vec<u32> =
                    (0..count).filter(|index| Shard::new(*index, count).unwrap().has(&npc)).collect();
                let [index] = of.as_slice() else { panic!("{npc} is in {of:?}") };
                sizes[*index as usize] += 1;
            }
            let mean = 6_400 / count;
            assert!(sizes.iter().all(|size| (mean / 2..=mean * 2).contains(size)), "{sizes:?}");
        }
    }

    /// Other programs compute it too: it never changes.
    #[test]
    fn shard_is_by_the_first_eight_bytes_of_sha_256() {
        // python3 -c 'import hashlib; print(int(hashlib.sha256(b"Mara").hexdigest()[:16], 16) * 16 >> 64)'
        assert!(Shard::new(13, 16).unwrap().has(&npc("Mara")));
        assert!(Shard::new(2, 16).unwrap().has(&npc("Jos\u{e9}")));
    }

    #[test]
    fn shards_of_a_multiple_are_parts() {
        for n in 0..500 {
            let npc = npc(&format!("npc {n}"));
            let of = |count| (0..count).find(|index| Shard::new(*index, count).unwrap().has(&npc)).unwrap();
            let whole = Shard::new(of(6), 6).unwrap();
            assert!(whole.parts(24).unwrap().contains(&of(24)));
        }
        assert_eq!(Shard::new(1, 3).unwrap().parts(6), Some(2..4));
        assert_eq!(Shard::new(1, 3).unwrap().parts(8), None);
        assert_eq!(Shard::index_of(u64::MAX, u32::MAX), u32::MAX - 1);
    }

    #[test]
    fn only_shards_that_there_are_parse() {
        assert_eq!("3/4".parse::<Shard>().unwrap().to_string(), "3/4");
        for wrong in ["", "4", "4/4", "-1/4", "0/0", "1/4/2", "a/b"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
