//! Turns that are kept in place of what nights leave: ways to choose that know nothing of nights.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use anyhow::Result;
use nightfold_consolidate::{Points, cluster, themes::mean_direction};
use nightfold_memory::{Embedder, Memory, ValidConfig, Vector, Vectors, config::ClusterAlgorithm};
use rand_xoshiro::{
    Xoshiro256Plus,
    rand_core::{RngCore, SeedableRng},
};

use super::reading::{RetainedEntry, stems};
use crate::data::Conversation;

/// Order in which turns are kept whole, as long as there is room for their text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Selection {
    /// Every turn, however much text it is.
    Full,
    /// Turns by lot.
    Lot,
    /// The longest turns.
    Longest,
    /// Turns with the highest sum of the rarity of their words in the conversation.
    RareWords,
    /// The newest turns.
    Newest,
    /// The turn nearest the centre of each cluster of k-means, with as many clusters as average turns have room.
    Chunks,
}

impl Selection {
    /// Returns turns in their original words, as many as fit into the allowed number of characters.
    pub(super) fn select(
        self,
        conversation: &Conversation,
        allowed: usize,
        seed: u64,
        embedder: &dyn Embedder,
    ) -> Result<Vec<RetainedEntry>> {
        let turns: Vec<&Memory> = conversation.turns().collect();
        let mut order: Vec<usize> = (0..turns.len()).collect();
        match self {
            Self::Full => return Ok(turns.into_iter().map(RetainedEntry::turn).collect()),
            Self::Lot => {
                let mut draws = Xoshiro256Plus::seed_from_u64(seed);
                order.sort_by_cached_key(|_| draws.next_u64());
            }
            Self::Longest => order.sort_by_key(|&row| Reverse(length(turns[row]))),
            Self::RareWords => {
                let rarity = rarities(&turns);
                order.sort_by(|&a, &b| rarity[b].total_cmp(&rarity[a]));
            }
            Self::Newest => order.sort_by_key(|&row| Reverse((turns[row].at, &turns[row].id))),
            Self::Chunks => order = nearest_centres(&turns, allowed, embedder)?,
        }
        let mut left = allowed;
        order.retain(|&row| {
            let rest = left.checked_sub(length(turns[row]));
            left = rest.unwrap_or(left);
            rest.is_some()
        });
        Ok(order.into_iter().map(|row| RetainedEntry::turn(turns[row])).collect())
    }
}

fn length(turn: &Memory) -> usize {
    turn.text.chars().count()
}

/// Returns the sum of the inverse document frequency of each turn's different words.
fn rarities(turns: &[&Memory]) -> Vec<f64> {
    let words: Vec<BTreeSet<String>> = turns.iter().map(|turn| stems(&turn.text)).collect();
    let mut turns_with: BTreeMap<&str, usize> = BTreeMap::new();
    words.iter().flatten().for_each(|word| *turns_with.entry(word).or_default() += 1);
    let rarity = |word: &String| {
        let with = turns_with.get(word.as_str()).copied().unwrap_or(1);
        (turns.len() as f64 / with as f64).ln()
    };
    words.iter().map(|words| words.iter().map(rarity).sum()).collect()
}

/// Orders turns by their place in their cluster, the nearest to its centre first.
fn nearest_centres(turns: &[&Memory], allowed: usize, embedder: &dyn Embedder) -> Result<Vec<usize>> {
    let texts: Vec<String> = turns.iter().map(|turn| RetainedEntry::turn(turn).spoken).collect();
    let vectors: Vectors = embedder.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>())?.vectors;
    let mut config = nightfold_memory::Config::default();
    (config.cluster.algorithm, config.cluster.min_size) = (ClusterAlgorithm::Kmeans, 1);
    (config.cluster.words_weight, config.cluster.time_weight) = (0.0, 0.0);
    let config: ValidConfig = config.check()?;
    let all: usize = turns.iter().map(|turn| length(turn)).sum();
    let room = (allowed * turns.len()).checked_div(all).unwrap_or(0).clamp(1, turns.len().max(1));
    let mut places: Vec<(usize, usize)> = Vec::new();
    for mut members in cluster(Points::new(&vectors), Some(room), &config)?.clusters {
        let centre = mean_direction(members.iter().map(|&row| vectors.row(row)));
        let cosine = |row: usize| {
            let centre = centre.iter().flat_map(Vector::as_slice);
            centre.zip(vectors.row(row)).map(|(a, b)| a * b).sum::<f32>()
        };
        members.sort_by(|&a, &b| cosine(b).total_cmp(&cosine(a)));
        places.extend(members.into_iter().enumerate());
    }
    // Stable: of equal places the larger cluster comes first.
    places.sort_by_key(|(place, _)| *place);
    Ok(places.into_iter().map(|(_, row)| row).collect())
}

#[cfg(test)]
pub(super) mod tests {
    use nightfold_memory::{
        Day, Embedded, EmbedderError, GameTime, Kind, MemoryId, ModelId, NightLabel, NpcId,
    };

    use super::*;

    /// Places a text by its first letter.
    struct Initials(ModelId);

    impl Embedder for Initials {
        fn model(&self) -> &ModelId {
            &self.0
        }

        fn dimensions(&self) -> usize {
            26
        }

        fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
            let mut vectors = Vectors::with_capacity(26, texts.len());
            for text in texts {
                // Behind the speaker.
                let initial = text.as_bytes().get("Ann: ".len()).copied().unwrap_or(b'a');
                let one_hot = |letter: u8| f32::from(u8::from(letter == initial));
                vectors.push(&(b'a'..=b'z').map(one_hot).collect::<Vec<_>>()).unwrap();
            }
            Ok(Embedded::without_grammar(vectors, vec![false; texts.len()]))
        }
    }

    /// Returns a conversation of one speaker, of turns and their days, which have the ids `t0`, `t1` and on.
    pub(in super::super) fn conversation(turns: &[(&str, i64)]) -> Conversation {
        let npc = NpcId::new("Ann").unwrap();
        let turn = |(n, (text, day)): (usize, &(&str, i64))| {
            let at = GameTime::from_seconds(day * 86_400).unwrap();
            Memory::new(npc.clone(), MemoryId::new(format!("t{n}")).unwrap(), at, Kind::Chat, *text)
        };
        let memories: Vec<Memory> = turns.iter().enumerate().map(turn).collect();
        let until = memories.last().unwrap().at;
        let days = vec![Day::new(npc, NightLabel::new("1").unwrap(), until, memories)];
        Conversation { name: "c".to_owned(), days, questions: Vec::new(), votes: BTreeMap::new() }
    }

    #[test]
    fn turns_are_whole_and_no_more_text_than_allowed() {
        let talk =
            conversation(&[("well well well", 0), ("a boat burned", 40), ("a red boat", 50), ("well", 90)]);
        let ids = |selection: Selection| -> Vec<String> {
            let kept = selection.select(&talk, 27, 1, &Initials("initials".parse().unwrap())).unwrap();
            kept.iter().map(|entry| entry.covers[0].to_string()).collect()
        };
        assert_eq!(ids(Selection::Full), ["t0", "t1", "t2", "t3"]);
        assert_eq!(ids(Selection::Longest), ["t0", "t1"]);
        assert_eq!(ids(Selection::RareWords), ["t1", "t2", "t3"]);
        assert_eq!(ids(Selection::Newest), ["t3", "t2", "t1"]);
        assert_eq!(ids(Selection::Chunks), ["t0", "t1"], "one of each of two clusters");
        assert!(!ids(Selection::Lot).is_empty());
    }
}
