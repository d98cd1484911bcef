//! Share of later questions that can still be answered after the night.

use std::num::NonZero;

use nightfold_consolidate::{ClusterError, ConsolidateError, Draft, Points, cluster};
use nightfold_english::English;
use nightfold_memory::{
    Change, Config, Day, Embedder, EmbedderError, Memory, MemoryId, MemorySnapshot, ValidConfig, Vectors,
    config::ClusterAlgorithm,
};
use rand_xoshiro::{
    Xoshiro256Plus,
    rand_core::{RngCore, SeedableRng},
};
use serde::Serialize;

use super::reading::{AT_TEN, CUTS, MeanFinding, RecallReader, RetainedEntry, interval};
use crate::data::Conversation;

/// Number of seeds over which the random half is averaged.
const SEEDS: u64 = 10;

/// Entries that are searched: all memories, or a reduction of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Store {
    /// Every turn.
    Full,
    /// Random half of each NPC-day; mean over ten seeds.
    RandomHalf,
    /// The longer half of each session, of both speakers together.
    LongestHalf,
    /// The more important half of each NPC-day; among equally important memories the earlier ones.
    ImportantHalf,
    /// Each NPC-day as k-means clusters, one for every two memories, with the texts of each cluster joined.
    KmeansChunks,
    /// Entries that the night leaves of each NPC-day, worded by the rules; its reflections are not read.
    Night,
}

impl Store {
    /// All stores, the night last.
    pub const ALL: [Self; 6] = [
        Self::Full,
        Self::RandomHalf,
        Self::LongestHalf,
        Self::ImportantHalf,
        Self::KmeansChunks,
        Self::Night,
    ];
}

/// Share of evidence found in one store.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RetentionScore {
    /// Store that was searched.
    pub store: Store,
    /// Number of entries in the store.
    pub entries: f64,
    /// Number of entries as a share of all turns.
    pub kept: f64,
    /// Mean number of characters of an entry.
    pub chars: f64,
    /// Text in the store as a share of the text of all turns.
    pub text: f64,
    /// Share of evidence among the entries read, averaged over questions, for each of [`CUTS`].
    pub recall: [f64; CUTS.len()],
    /// Share of the answer's content words in the text read, averaged over the questions whose answer has any, for
    /// each of [`CUTS`].
    pub answer_words: [f64; CUTS.len()],
    /// Bounds of 95 % of the recall at [`AT_TEN`] if the questions are drawn anew.
    pub interval: [f64; 2],
    /// Recall for each conversation, in the given order.
    pub by_conversation: Vec<[f64; CUTS.len()]>,
}

/// Reason for the failure of a measurement.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RetentionError {
    /// A text could not be embedded.
    #[error(transparent)]
    Embedder(#[from] EmbedderError),
    /// A night failed.
    #[error(transparent)]
    Night(#[from] ConsolidateError),
    /// The chunks for comparison could not be made.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
}

/// Measures every store on the same questions.
///
/// The two speakers of a conversation are two NPCs, a session is a day, and each NPC remembers its own turns.
/// The night is run per NPC and day, each as if it were the first. The entries left of all days of both NPCs
/// are searched by the relevance of `Speaker: text` to the question, as in recall; a night's synthesis is placed by
/// its sources. Entries are read, best first, until the next one would exceed the text length of k average turns of
/// the conversation: the same amount of text of every store.
///
/// # Errors
/// [`RetentionError`] if the model fails, or a night or its clusters are refused.
pub fn retention(
    conversations: &[Conversation],
    embedder: &dyn Embedder,
    config: &ValidConfig,
) -> Result<Vec<RetentionScore>, RetentionError> {
    let vectors = day_vectors(conversations, embedder)?;
    let mut reader = RecallReader::new(embedder, config.recall.clone());
    Store::ALL
        .into_iter()
        .map(|store| {
            let trials = if store == Store::RandomHalf { SEEDS } else { 1 };
            let mut score = RetentionScore {
                store,
                entries: 0.0,
                kept: 0.0,
                chars: 0.0,
                text: 0.0,
                recall: [0.0; CUTS.len()],
                answer_words: [0.0; CUTS.len()],
                interval: [0.0; 2],
                by_conversation: vec![[0.0; CUTS.len()]; conversations.len()],
            };
            let mut shares: Vec<f64> = Vec::new();
            for trial in 0..trials {
                let seed = config.seed.0.wrapping_add(trial);
                let entries: Vec<Vec<RetainedEntry>> = match store {
                    Store::Night => after_nights(conversations, &vectors, embedder, config)?,
                    Store::KmeansChunks => kmeans_chunks(conversations, &vectors, config)?,
                    _ => conversations.iter().map(|c| selected_turns(c, store, seed)).collect(),
                };
                reader.embed_new(&entries, conversations)?;
                shares.extend(score.add(&entries, conversations, &reader, trials as f64));
            }
            score.interval = interval(&shares, config.seed.0);
            let turns = || conversations.iter().flat_map(Conversation::turns);
            score.kept = score.entries / turns().count().max(1) as f64;
            let chars: usize = turns().map(|turn| turn.text.chars().count()).sum();
            score.text = score.entries * score.chars / chars.max(1) as f64;
            Ok(score)
        })
        .collect()
}

impl RetentionScore {
    /// Adds one trial of several; returns each question's share of evidence at [`AT_TEN`].
    fn add(
        &mut self,
        stores: &[Vec<RetainedEntry>],
        asked: &[Conversation],
        reader: &RecallReader<'_>,
        trials: f64,
    ) -> Vec<f64> {
        let mut findings = Vec::new();
        for ((entries, conversation), own) in stores.iter().zip(asked).zip(&mut self.by_conversation) {
            let found = reader.read(entries, conversation);
            let mean = MeanFinding::of(&found);
            own.iter_mut().zip(mean.evidence).for_each(|(sum, share)| *sum += share / trials);
            findings.extend(found);
        }
        let count = stores.iter().map(Vec::len).sum::<usize>() as f64;
        let chars = stores.iter().flatten().map(|e| e.chars).sum::<usize>() as f64;
        self.entries += count / trials;
        self.chars += chars / count.max(1.0) / trials;
        let mean = MeanFinding::of(&findings);
        self.recall.iter_mut().zip(mean.evidence).for_each(|(sum, share)| *sum += share / trials);
        self.answer_words.iter_mut().zip(mean.words).for_each(|(sum, share)| *sum += share / trials);
        findings.iter().map(|found| found.evidence[AT_TEN]).collect()
    }
}

/// Returns the vectors of every day's turns.
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

/// Returns entries of selected turns in their original words.
fn selected_turns(conversation: &Conversation, store: Store, seed: u64) -> Vec<RetainedEntry> {
    let mut draws = Xoshiro256Plus::seed_from_u64(seed);
    let mut below = |n: usize| (draws.next_u64() >> 33) as usize % n.max(1);
    let mut groups: Vec<Vec<&Memory>> = Vec::new();
    let mut last = None;
    for day in &conversation.days {
        // Both speakers together, as in the published figure.
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
        entries.extend(group.into_iter().map(RetainedEntry::turn));
    }
    entries
}

fn kmeans_chunks(
    conversations: &[Conversation],
    vectors: &[Vec<Vectors>],
    config: &ValidConfig,
) -> Result<Vec<Vec<RetainedEntry>>, RetentionError> {
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
                entries.push(RetainedEntry::combined(day.npc.as_str(), &text.join(" "), &sources));
            }
        }
        stores.push(entries);
    }
    Ok(stores)
}

/// Returns the entries left by the nights. The reflections of all nights are embedded together.
fn after_nights(
    conversations: &[Conversation],
    vectors: &[Vec<Vectors>],
    embedder: &dyn Embedder,
    config: &ValidConfig,
) -> Result<Vec<Vec<RetainedEntry>>, RetentionError> {
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
            // The night reorders a day and takes a repeated text once.
            let row = |text: &str| day.memories.iter().position(|m| m.text == text).unwrap_or_default();
            let rows: Vec<usize> = draft.texts().into_iter().map(row).collect();
            nights.push((c, day, draft.triage(vectors.pick(&rows), &English)?.synthesize_by_rules(&English)));
        }
    }
    let texts: Vec<&str> = nights.iter().flat_map(|(_, _, night)| night.texts()).collect();
    let all = embedder.embed(&texts)?.vectors;
    let mut next = 0;
    let mut stores: Vec<Vec<RetainedEntry>> = conversations.iter().map(|_| Vec::new()).collect();
    for (c, day, night) in nights {
        let rows: Vec<usize> = (next..next + night.texts().len()).collect();
        next += rows.len();
        let npc = day.npc.as_str();
        let spoken = |text: &str| format!("{npc}: {text}");
        let source = |id: &MemoryId| day.memories.iter().find(|m| m.id == *id);
        // In order: corroborated and superseded entries were written before.
        let mut left: Vec<(MemoryId, String, Vec<&Memory>, Vec<String>)> = Vec::new();
        for change in night.reconcile(all.pick(&rows), &English)?.finish_by_rules(&English).changes {
            match change {
                Change::Store { entry, .. } => {
                    let sources = source(&entry.id).into_iter().collect();
                    let placed_by = vec![spoken(&entry.text)];
                    left.push((entry.id, entry.text, sources, placed_by));
                }
                Change::Chunk { entry, .. } => {
                    let sources: Vec<&Memory> = entry.sources.iter().filter_map(source).collect();
                    let placed_by = sources.iter().map(|memory| spoken(&memory.text)).collect();
                    left.push((entry.id, entry.text, sources, placed_by));
                }
                Change::Corroborate { id, sources, .. } => {
                    let kept = left.iter_mut().filter(|(kept, ..)| *kept == id);
                    kept.for_each(|(_, _, told, _)| told.extend(sources.iter().filter_map(source)));
                }
                Change::Supersede { id, .. } => left.retain(|(kept, ..)| *kept != id),
                _ => {}
            }
        }
        let entry = |(_, text, told, placed_by): (_, String, Vec<_>, _)| RetainedEntry {
            placed_by,
            ..RetainedEntry::combined(npc, &text, &told)
        };
        stores[c].extend(left.into_iter().map(entry));
    }
    Ok(stores)
}
