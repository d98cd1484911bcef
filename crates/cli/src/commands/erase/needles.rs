//! Erased texts, to be looked for in bytes: of each, only what finds it again is held.

#![expect(clippy::disallowed_types, reason = "every byte of a store is looked up, and nothing is listed")]

use std::{
    collections::{HashMap, hash_map::Entry},
    hash::{DefaultHasher, Hasher},
};

/// Least length of a text that is looked for, in bytes: shorter ones stand in other texts by chance.
pub(super) const MIN_BYTES: usize = 16;
/// Longest text that is looked for as a whole, in bytes; of a longer one, the beginning is.
pub(super) const MAX_BYTES: usize = 1024;

/// First bytes of a text, by which it is found.
type Head = [u8; MIN_BYTES];

/// Length and hash of a text.
type Print = (usize, [u64; 2]);

/// Texts to look for.
#[derive(Debug, Default)]
pub(super) struct Needles {
    by_head: HashMap<Head, Vec<Print>>,
}

impl Needles {
    /// Adds a text, as it is and as JSON has it.
    pub(super) fn add(&mut self, text: &str) {
        self.insert(text.as_bytes());
        let json = serde_json::Value::from(text).to_string();
        let inner = json.trim_matches('"');
        if inner != text {
            self.insert(inner.as_bytes());
        }
    }

    fn insert(&mut self, text: &[u8]) {
        let text = text.get(..MAX_BYTES).unwrap_or(text);
        let Some(head) = text.first_chunk() else { return };
        let prints = self.by_head.entry(*head).or_default();
        if !prints.contains(&print(text)) {
            prints.push(print(text));
        }
    }

    /// Drops the texts that stand in a text which rightly stays, and returns their number.
    pub(super) fn drop_found(&mut self, text: &str) -> usize {
        let mut dropped = 0;
        let bytes = text.as_bytes();
        for at in 0..bytes.len() {
            let Some(head) = bytes.get(at..).and_then(|rest| rest.first_chunk()) else { break };
            if let Entry::Occupied(mut prints) = self.by_head.entry(*head) {
                let before = prints.get().len();
                prints.get_mut().retain(|found| !is_at(bytes, at, found));
                dropped += before - prints.get().len();
                if prints.get().is_empty() {
                    prints.remove();
                }
            }
        }
        dropped
    }

    /// Returns the first of the bytes at which a text stands.
    pub(super) fn find(&self, bytes: &[u8]) -> Option<usize> {
        let heads = bytes.windows(MIN_BYTES).enumerate();
        let mut found = heads.filter(|(at, head)| {
            let prints = self.by_head.get(*head);
            prints.is_some_and(|prints| prints.iter().any(|found| is_at(bytes, *at, found)))
        });
        found.next().map(|(at, _)| at)
    }
}

fn is_at(bytes: &[u8], at: usize, (length, hash): &Print) -> bool {
    bytes.get(at..at + length).is_some_and(|text| print(text).1 == *hash)
}

fn print(text: &[u8]) -> Print {
    // They never leave this process, so any hash will do that is long enough.
    let hash = |salt| {
        let mut hash = DefaultHasher::new();
        hash.write_u8(salt);
        hash.write(text);
        hash.finish()
    };
    (text.len(), [hash(0), hash(1)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_plain_and_as_json_unless_they_rightly_stay() {
        let mut needles = Needles::default();
        needles.add("He said \"the bridge is out\" and left.");
        needles.add("It rained on us all day long.");
        needles.add("short");
        assert_eq!(needles.find(b"..He said \"the bridge is out\" and left.."), Some(2));
        assert!(needles.find(br#"{"t":"He said \"the bridge is out\" and left."}"#).is_some());
        assert_eq!(needles.find(b"He said \"the bridge is out\" and stayed. short"), None);
        assert_eq!(needles.drop_found("Then it was so. It rained on us all day long. Bad."), 1);
        assert_eq!(needles.find(b"It rained on us all day long."), None);
    }
}
