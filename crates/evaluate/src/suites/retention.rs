//! Whether what is asked later can still be found after the night.

use std::{collections::BTreeMap, num::NonZero};

use nightfold_consolidate::{ClusterError, ConsolidateError, Draft, Points, cluster, themes::Mean};
use nightfold_english::English;
use nightfold_memory::{
    Change, ClusterAlgorithm, Config, Day, Embedder, EmbedderError, LanguagePack as _, Memory, MemoryId,
    MemorySnapshot, ValidConfig, Vector, Vectors,
};
use rand_xoshiro::{
    Xoshiro256Plus,
    rand_core::{RngCore, SeedableRng},
};
use serde::Serialize;

use crate::data::Conversation;

/// How many entries are read at most, where recall is measured.
pub const CUTS: [usize; 3] = [5, 10, 25];

/// Seeds over which the random half is a mean.
const SEEDS: u64 = 10;

/// The share of a memory's content words that a telling must keep to count for it.
const KEPT_WORDS: f64 = 0.6;

/// What is asked: the memories of all days, or what is left of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Store {
    /// Every turn.
    Full,
    /// Half of each NPC-day, drawn by lot; mean over ten seeds.
    RandomHalf,
    /// The longer half of each session, of both speakers together.
    LongestHalf,
    /// The more important half of each NPC-day; of equals the earlier.
    ImportantHalf,
    /// Each NPC-day as half as many k-means clusters, the texts of each put together.
    KmeansChunks,
    /// What the night leaves of each NPC-day, told by rules; its insights count for nothing and are not read.
    Night,
}

impl Store {
    /// All, the night last.
    pub const ALL: [Self; 6] = [
        Self::Full,
        Self::RandomHalf,
        Self::LongestHalf,
        Self::ImportantHalf,
        Self::KmeansChunks,
        Self::Night,
    ];
}

/// How much of the evidence is found in one store.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RetentionScore {
    /// Which store.
    pub store: Store,
    /// How many entries it holds.
    pub entries: f64,
    /// Their share of all turns.
    pub kept: f64,
    /// Mean characters of an entry.
    pub chars: f64,
    /// The mean over questions of the share of evidence among the entries read, for each of [`CUTS`].
    pub recall: [f64; CUTS.len()],
    /// The same conversation by conversation, in the order they were given.
    pub by_conversation: Vec<[f64; CUTS.len()]>,
}

/// Why it could not be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RetentionError {
    /// A text has no vector.
    #[error(transparent)]
    Embedder(#[from] EmbedderError),
    /// A night could not be slept.
    #[error(transparent)]
    Night(#[from] ConsolidateError),
    /// The chunks to compare with could not be made.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
}

/// An entry as it is read.
struct Entry {
    /// Where it lies: the mean of the vectors of these texts, each as `Speaker: text`, since a store of two people says who
    /// spoke. Its own text; of a night's synthesis what it tells.
    lies_by: Vec<String>,
    chars: usize,
    /// The turns it counts for.
    holds: Vec<MemoryId>,
}

impl Entry {
    fn of(npc: &str, text: &str, holds: Vec<MemoryId>) -> Self {
        Self { lies_by: vec![format!("{npc}: {text}")], chars: text.chars().count(), holds }
    }

    fn turn(memory: &Memory) -> Self {
        Self::of(memory.npc.as_str(), &memory.text, vec![memory.id.clone()])
    }

    /// Several turns as one text. It counts for those it still says.
    fn telling(npc: &str, text: &str, sources: &[&Memory]) -> Self {
        let said = |m: &&&Memory| {
            let told = English.coverage(&m.text, text);
            told.marks && told.content >= KEPT_WORDS
        };
        Self::of(npc, text, sources.iter().filter(said).map(|m| m.id.clone()).collect())
    }
}

/// Measures every store on the same questions.
///
/// The two speakers of a conversation are two NPCs, a session is a day, and each NPC remembers what it said. The night
/// is slept per NPC and day, each as if it were the first. What is left of all days of both is the store that is asked,
/// by the cosine of `Speaker: text` to the question alone, of a night's synthesis by that of what it tells. The best k entries are read, best first, until the next would
/// bring the text read beyond that of k average turns of the conversation.
///
/// # Errors
/// [`RetentionError`] when the model fails, or a night or its clusters are refused.
pub fn retention(
    conversations: &[Conversation],
    embedder: &dyn Embedder,
    config: &ValidConfig,
) -> Result<Vec<RetentionScore>, RetentionError> {
    let vectors = day_vectors(conversations, embedder)?;
    let mut reader = Reader { embedder, known: BTreeMap::new() };
    Store::ALL
        .into_iter()
        .map(|store| {
            let trials = if store == Store::RandomHalf { SEEDS } else { 1 };
            let mut score = RetentionScore {
                store,
                entries: 0.0,
                kept: 0.0,
                chars: 0.0,
                recall: [0.0; CUTS.len()],
                by_conversation: vec![[0.0; CUTS.len()]; conversations.len()],
            };
            for trial in 0..trials {
                let seed = config.seed.0.wrapping_add(trial);
                let entries: Vec<Vec<Entry>> = match store {
                    Store::Night => night(conversations, &vectors, embedder, config)?,
                    Store::KmeansChunks => kmeans_chunks(conversations, &vectors, config)?,
                    _ => conversations.iter().map(|c| picked(c, store, seed)).collect(),
                };
                reader.learn(&entries, conversations)?;
                score.add(&entries, conversations, &reader, trials as f64);
            }
            let turns = conversations.iter().map(|c| c.turns().count()).sum::<usize>();
            score.kept = score.entries / turns.max(1) as f64;
            Ok(score)
        })
        .collect()
}

impl RetentionScore {
    fn add(&mut self, stores: &[Vec<Entry>], asked: &[Conversation], reader: &Reader<'_>, trials: f64) {
        let mut sums = [0.0; CUTS.len()];
        let questions = asked.iter().map(|c| c.questions.len()).sum::<usize>().max(1) as f64;
        for ((entries, conversation), own) in stores.iter().zip(asked).zip(&mut self.by_conversation) {
            let found = reader.recall(entries, conversation);
            for cut in 0..CUTS.len() {
                sums[cut] += found[cut];
                own[cut] += found[cut] / conversation.questions.len().max(1) as f64 / trials;
            }
        }
        let count = stores.iter().map(Vec::len).sum::<usize>() as f64;
        let chars = stores.iter().flatten().map(|e| e.chars).sum::<usize>() as f64;
        self.entries += count / trials;
        self.chars += chars / count.max(1.0) / trials;
        self.recall.iter_mut().zip(sums).for_each(|(mean, sum)| *mean += sum / questions / trials);
    }
}

/// The vectors of every day's turns, as the nights see them.
fn day_vectors(
    conversations: &[Conversation],
    embedder: &dyn Embedder,
) -> Result<Vec<Vec<Vectors>>, EmbedderError> {
    let texts: Vec<&str> = conversations.iter().flat_map(|c| c.turns().map(|m| m.text.as_str())).collect();
    let all = embedder.embed(&texts)?.vectors;
    let mut next = 0;
    let mut of_day = |day: &Day| {
        let rows: Vec<usize> = (next..next + day.memories.len()).collect();
        next += day.memories.len();
        all.pick(&rows)
    };
    Ok(conversations.iter().map(|c| c.days.iter().map(&mut of_day).collect()).collect())
}

/// Some turns of a conversation as they are.
fn picked(conversation: &Conversation, store: Store, seed: u64) -> Vec<Entry> {
    let mut draws = Xoshiro256Plus::seed_from_u64(seed);
    let mut below = |n: usize| (draws.next_u64() >> 33) as usize % n.max(1);
    let mut groups: Vec<Vec<&Memory>> = Vec::new();
    let mut last = None;
    for day in &conversation.days {
        // Of both speakers together: as those measured who gave the figure.
        let joins = store == Store::LongestHalf && last == Some(&day.night);
        last = Some(&day.night);
        match groups.last_mut() {
            Some(group) if joins => group.extend(&day.memories),
            _ => groups.push(day.memories.iter().collect()),
        }
    }
    let mut entries = Vec::new();
    for mut group in groups {
        let half = (group.len() / 2).max(1).min(group.len());
        match store {
            Store::RandomHalf => {
                let mut drawn = Vec::with_capacity(half);
                for _ in 0..half {
                    drawn.push(group.swap_remove(below(group.len())));
                }
                group = drawn;
            }
            Store::LongestHalf => {
                group.sort_by_key(|m| (std::cmp::Reverse(m.text.chars().count()), m.at));
                group.truncate(half);
            }
            Store::ImportantHalf => {
                group.sort_by_key(|m| (std::cmp::Reverse(m.importance()), m.at));
                group.truncate(half);
            }
            Store::Full | Store::KmeansChunks | Store::Night => {}
        }
        entries.extend(group.into_iter().map(Entry::turn));
    }
    entries
}

fn kmeans_chunks(
    conversations: &[Conversation],
    vectors: &[Vec<Vectors>],
    config: &ValidConfig,
) -> Result<Vec<Vec<Entry>>, RetentionError> {
    let mut plain = Config::clone(config);
    (plain.cluster.algorithm, plain.cluster.min_size) = (ClusterAlgorithm::Kmeans, 1);
    let plain = plain.check().unwrap_or_else(|_| config.clone());
    let mut stores = Vec::new();
    for (conversation, vectors) in conversations.iter().zip(vectors) {
        let mut entries = Vec::new();
        for (day, vectors) in conversation.days.iter().zip(vectors) {
            let k = NonZero::new(day.memories.len() / 2).map_or(1, NonZero::get);
            let found = if k > 1 {
                cluster(Points::new(vectors), Some(k), &plain)?.clusters
            } else {
                vec![(0..day.memories.len()).collect()]
            };
            for members in found {
                let sources: Vec<&Memory> = members.iter().map(|&i| &day.memories[i]).collect();
                let text: Vec<&str> = sources.iter().map(|m| m.text.trim()).collect();
                entries.push(Entry::telling(day.npc.as_str(), &text.join(" "), &sources));
            }
        }
        stores.push(entries);
    }
    Ok(stores)
}

/// What the nights leave. The insights of all of them are embedded together.
fn night(
    conversations: &[Conversation],
    vectors: &[Vec<Vectors>],
    embedder: &dyn Embedder,
    config: &ValidConfig,
) -> Result<Vec<Vec<Entry>>, RetentionError> {
    let mut nights = Vec::new();
    for (c, (conversation, vectors)) in conversations.iter().zip(vectors).enumerate() {
        for (day, vectors) in conversation.days.iter().zip(vectors) {
            let draft = Draft::begin(
                day.clone(),
                MemorySnapshot::empty(),
                embedder.model().clone(),
                config,
                &English,
            )?;
            // The night puts a day in its own order, and reads a repeated text once.
            let row = |text: &str| day.memories.iter().position(|m| m.text == text).unwrap_or_default();
            let rows: Vec<usize> = draft.texts().into_iter().map(row).collect();
            nights.push((c, day, draft.triage(vectors.pick(&rows), &English)?.synthesize_by_rules(&English)));
        }
    }
    let texts: Vec<&str> = nights.iter().flat_map(|(_, _, night)| night.texts()).collect();
    let all = embedder.embed(&texts)?.vectors;
    let mut next = 0;
    let mut stores: Vec<Vec<Entry>> = conversations.iter().map(|_| Vec::new()).collect();
    for (c, day, night) in nights {
        let rows: Vec<usize> = (next..next + night.texts().len()).collect();
        next += rows.len();
        let npc = day.npc.as_str();
        let spoken = |text: &str| format!("{npc}: {text}");
        let source = |id: &MemoryId| day.memories.iter().find(|m| m.id == *id);
        // In order: what is corroborated or superseded was written before.
        let mut left: Vec<(MemoryId, String, Vec<&Memory>, Vec<String>)> = Vec::new();
        for change in night.reconcile(all.pick(&rows), &English)?.finish_by_rules(&English).changes {
            match change {
                Change::Store { entry, .. } => {
                    let sources = source(&entry.id).into_iter().collect();
                    let lies_by = vec![spoken(&entry.text)];
                    left.push((entry.id, entry.text, sources, lies_by));
                }
                Change::Chunk { entry, .. } => {
                    let sources: Vec<&Memory> = entry.sources.iter().filter_map(source).collect();
                    let lies_by = sources.iter().map(|memory| spoken(&memory.text)).collect();
                    left.push((entry.id, entry.text, sources, lies_by));
                }
                Change::Corroborate { id, sources, .. } => {
                    let kept = left.iter_mut().filter(|(kept, ..)| *kept == id);
                    kept.for_each(|(_, _, told, _)| told.extend(sources.iter().filter_map(source)));
                }
                Change::Supersede { id, .. } => left.retain(|(kept, ..)| *kept != id),
                _ => {}
            }
        }
        let entry = |(_, text, told, lies_by): (_, String, Vec<_>, _)| Entry {
            lies_by,
            ..Entry::telling(npc, &text, &told)
        };
        stores[c].extend(left.into_iter().map(entry));
    }
    Ok(stores)
}

/// Reads stores by the cosine alone.
struct Reader<'a> {
    embedder: &'a dyn Embedder,
    known: BTreeMap<String, Vec<f32>>,
}

impl Reader<'_> {
    /// Embeds what it has not read yet.
    fn learn(&mut self, stores: &[Vec<Entry>], asked: &[Conversation]) -> Result<(), EmbedderError> {
        let questions = asked.iter().flat_map(|c| c.questions.iter().map(|q| q.text.as_str()));
        let lies_by = stores.iter().flatten().flat_map(|e| e.lies_by.iter().map(String::as_str));
        let mut texts: Vec<&str> = lies_by.chain(questions).collect();
        texts.sort_unstable();
        texts.dedup();
        texts.retain(|text| !self.known.contains_key(*text));
        let vectors = self.embedder.embed(&texts)?.vectors;
        let learnt: Vec<(String, Vec<f32>)> =
            texts.iter().zip(vectors.rows()).map(|(text, row)| ((*text).to_owned(), row.to_vec())).collect();
        self.known.extend(learnt);
        Ok(())
    }

    /// Where an entry lies.
    fn place(&self, entry: &Entry) -> Option<Vector> {
        Mean::of(entry.lies_by.iter().filter_map(|text| self.known.get(text)).map(Vec::as_slice)).centre()
    }

    /// The shares of evidence found, summed over the questions.
    fn recall(&self, entries: &[Entry], conversation: &Conversation) -> [f64; CUTS.len()] {
        let turns: Vec<usize> = conversation.turns().map(|m| m.text.chars().count()).collect();
        let average = turns.iter().sum::<usize>() as f64 / turns.len().max(1) as f64;
        let mut sums = [0.0; CUTS.len()];
        let places: Vec<Option<Vector>> = entries.iter().map(|entry| self.place(entry)).collect();
        for question in &conversation.questions {
            let asked = self.known.get(&question.text);
            let cosine = |place: &Option<Vector>| match (place, asked) {
                (Some(place), Some(asked)) => place.as_slice().iter().zip(asked).map(|(x, y)| x * y).sum(),
                _ => 0.0_f32,
            };
            let mut ranked: Vec<(f32, &Entry)> = places.iter().map(cosine).zip(entries).collect();
            // Of equally close ones the earlier: the sort is stable.
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
            for (sum, cut) in sums.iter_mut().zip(CUTS) {
                let read = within(ranked.iter().map(|(_, e)| *e).take(cut), average * cut as f64);
                let held = |id: &&MemoryId| read.iter().any(|e| e.holds.contains(id));
                let found = question.evidence.iter().filter(held).count();
                *sum += found as f64 / question.evidence.len().max(1) as f64;
            }
        }
        sums
    }
}

/// The first entries that hold no more text together than is allowed.
fn within<'a>(entries: impl Iterator<Item = &'a Entry>, allowed: f64) -> Vec<&'a Entry> {
    let mut left = allowed;
    entries
        .take_while(|e| {
            left -= e.chars as f64;
            left >= 0.0
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(id: &str, text: &str) -> Memory {
        let json = serde_json::json!({"id": id, "npc": "Ann", "at": 1, "kind": "chat", "text": text});
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn a_blob_uses_up_what_may_be_read() {
        let entry = |chars: usize| Entry { lies_by: Vec::new(), chars, holds: Vec::new() };
        let ten: Vec<Entry> = (0..10).map(|_| entry(10)).collect();
        assert_eq!(within(ten.iter(), 100.0).len(), 10);
        let blobs = [entry(60), entry(60), entry(1)];
        assert_eq!(within(blobs.iter(), 100.0).len(), 1);
    }

    #[test]
    fn a_telling_counts_for_what_it_still_says() {
        let (a, b) =
            (memory("a", "I paid Joss 14 silver for the axle"), memory("b", "The mill burned down at dawn"));
        let holds = |text: &str| Entry::telling("Ann", text, &[&a, &b]).holds;
        assert_eq!(
            holds("I paid Joss 14 silver for the axle. The mill burned at dawn."),
            [a.id.clone(), b.id.clone()]
        );
        assert_eq!(
            holds("I paid Joss silver for the axle, and the mill burned at dawn."),
            std::slice::from_ref(&b.id)
        );
        assert!(holds("Things happened.").is_empty());
    }
}
