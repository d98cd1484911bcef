//! Share of later questions that can still be answered after the night.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZero,
};

use nightfold_consolidate::{
    ClusterError, ConsolidateError, Draft, Points, RecallIndex, RecallQuery, cluster, themes::Mean,
};
use nightfold_english::English;
use nightfold_memory::{
    Change, Confidence, Config, Day, Embedder, EmbedderError, Entry, GameTime, Importance, Kind,
    LanguagePack as _, Memory, MemoryId, MemoryRecord, MemorySnapshot, NightLabel, NpcId, RecordKind, State,
    ValidConfig, Vector, Vectors,
    config::{ClusterAlgorithm, RecallConfig},
};
use rand_xoshiro::{
    Xoshiro256Plus,
    rand_core::{RngCore, SeedableRng},
};
use serde::Serialize;

use crate::data::Conversation;

/// Amounts of text read, in average turns of the conversation, at which recall is measured.
pub const CUTS: [usize; 3] = [5, 10, 25];

/// Number of seeds over which the random half is averaged.
const SEEDS: u64 = 10;

/// Share of a memory's content words that a combined text must keep to cover it.
const KEPT_WORDS: f64 = 0.6;

/// Entries that are searched: all memories, or a reduction of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
    /// The same for each conversation, in the given order.
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

/// Entry of a store that is searched.
struct RetainedEntry {
    /// Texts whose mean vector places the entry, each as `Speaker: text` because a store of two people names
    /// the speaker: the entry's own text, or the sources of a night's synthesis.
    placed_by: Vec<String>,
    /// Text that is read, as `Speaker: text`.
    spoken: String,
    /// Length of the text without the speaker, in characters.
    chars: usize,
    /// Turns that the entry covers.
    covers: Vec<MemoryId>,
}

impl RetainedEntry {
    fn of(npc: &str, text: &str, covers: Vec<MemoryId>) -> Self {
        let spoken = format!("{npc}: {text}");
        Self { placed_by: vec![spoken.clone()], spoken, chars: text.chars().count(), covers }
    }

    fn turn(memory: &Memory) -> Self {
        Self::of(memory.npc.as_str(), &memory.text, vec![memory.id.clone()])
    }

    /// Creates an entry from the joint text of several turns. It covers those whose words it still contains.
    fn combined(npc: &str, text: &str, sources: &[&Memory]) -> Self {
        let said = |m: &&&Memory| {
            let told = English.coverage(&m.text, text);
            told.names_and_numbers && told.content >= KEPT_WORDS
        };
        Self::of(npc, text, sources.iter().filter(said).map(|m| m.id.clone()).collect())
    }
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
    let mut reader = RecallReader { embedder, known: BTreeMap::new(), settings: config.recall.clone() };
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
                by_conversation: vec![[0.0; CUTS.len()]; conversations.len()],
            };
            for trial in 0..trials {
                let seed = config.seed.0.wrapping_add(trial);
                let entries: Vec<Vec<RetainedEntry>> = match store {
                    Store::Night => after_nights(conversations, &vectors, embedder, config)?,
                    Store::KmeansChunks => kmeans_chunks(conversations, &vectors, config)?,
                    _ => conversations.iter().map(|c| selected_turns(c, store, seed)).collect(),
                };
                reader.embed_new(&entries, conversations)?;
                score.add(&entries, conversations, &reader, trials as f64);
            }
            let turns = || conversations.iter().flat_map(Conversation::turns);
            score.kept = score.entries / turns().count().max(1) as f64;
            let chars: usize = turns().map(|turn| turn.text.chars().count()).sum();
            score.text = score.entries * score.chars / chars.max(1) as f64;
            Ok(score)
        })
        .collect()
}

impl RetentionScore {
    fn add(
        &mut self,
        stores: &[Vec<RetainedEntry>],
        asked: &[Conversation],
        reader: &RecallReader<'_>,
        trials: f64,
    ) {
        let mut sums = Found::default();
        let questions = asked.iter().map(|c| c.questions.len()).sum::<usize>().max(1) as f64;
        for ((entries, conversation), own) in stores.iter().zip(asked).zip(&mut self.by_conversation) {
            let found = reader.recall(entries, conversation);
            for cut in 0..CUTS.len() {
                own[cut] += found.evidence[cut] / conversation.questions.len().max(1) as f64 / trials;
            }
            sums += found;
        }
        let count = stores.iter().map(Vec::len).sum::<usize>() as f64;
        let chars = stores.iter().flatten().map(|e| e.chars).sum::<usize>() as f64;
        self.entries += count / trials;
        self.chars += chars / count.max(1.0) / trials;
        let worded = sums.worded.max(1) as f64;
        for cut in 0..CUTS.len() {
            self.recall[cut] += sums.evidence[cut] / questions / trials;
            self.answer_words[cut] += sums.words[cut] / worded / trials;
        }
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

/// Evidence and words read of a store for the questions, summed over them.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    /// Shares of evidence, for each of [`CUTS`].
    evidence: [f64; CUTS.len()],
    /// Shares of the answers' content words, for each of [`CUTS`].
    words: [f64; CUTS.len()],
    /// Number of questions whose answer has content words.
    worded: usize,
}

impl std::ops::AddAssign for Found {
    fn add_assign(&mut self, other: Self) {
        self.evidence.iter_mut().zip(other.evidence).for_each(|(sum, more)| *sum += more);
        self.words.iter_mut().zip(other.words).for_each(|(sum, more)| *sum += more);
        self.worded += other.worded;
    }
}

/// Search in stores by the relevance that recall has.
struct RecallReader<'a> {
    embedder: &'a dyn Embedder,
    known: BTreeMap<String, Vec<f32>>,
    settings: RecallConfig,
}

impl RecallReader<'_> {
    /// Embeds texts that are not embedded yet.
    fn embed_new(
        &mut self,
        stores: &[Vec<RetainedEntry>],
        asked: &[Conversation],
    ) -> Result<(), EmbedderError> {
        let questions = asked.iter().flat_map(|c| c.questions.iter().map(|q| q.text.as_str()));
        let placed_by = stores.iter().flatten().flat_map(|e| e.placed_by.iter().map(String::as_str));
        let mut texts: Vec<&str> = placed_by.chain(questions).collect();
        texts.sort_unstable();
        texts.dedup();
        texts.retain(|text| !self.known.contains_key(*text));
        let vectors = self.embedder.embed(&texts)?.vectors;
        let learnt: Vec<(String, Vec<f32>)> =
            texts.iter().zip(vectors.rows()).map(|(text, row)| ((*text).to_owned(), row.to_vec())).collect();
        self.known.extend(learnt);
        Ok(())
    }

    /// Returns the vector that places an entry.
    fn place(&self, entry: &RetainedEntry) -> Option<Vector> {
        Mean::of(entry.placed_by.iter().filter_map(|text| self.known.get(text)).map(Vec::as_slice)).centre()
    }

    /// Returns the index of a store's entries, whose ids are their places in the list. All are of one moment and
    /// one importance, so that relevance alone decides.
    fn index(&self, entries: &[RetainedEntry]) -> RecallIndex {
        let record = |(number, entry): (usize, &RetainedEntry)| {
            let id = MemoryId::new(format!("{number:06}")).ok()?;
            Some(MemoryRecord {
                npc: NpcId::new("everybody").ok()?,
                entry: Entry {
                    id,
                    form: RecordKind::Verbatim,
                    kind: Kind::Chat,
                    text: entry.spoken.clone(),
                    at: GameTime::ZERO,
                    last_at: GameTime::ZERO,
                    importance: Importance::DEFAULT,
                    occurrences: 1,
                    actors: Vec::new(),
                    tags: Vec::new(),
                    place: None,
                    pinned: false,
                    emotion: None,
                    sources: Vec::new(),
                    vector: self.place(entry),
                },
                state: State::Active,
                archived_by: None,
                corroborations: 0,
                confidence: Confidence::Normal,
                superseded_by: None,
                contested_with: Vec::new(),
                last_corroborated_at: None,
                touched_at: GameTime::ZERO,
                recalls: 0,
                recalled_at: None,
                night: NightLabel::new("0").ok()?,
            })
        };
        RecallIndex::new(entries.iter().enumerate().filter_map(record).collect(), &English)
    }

    /// Returns what is found for the questions of a conversation.
    fn recall(&self, entries: &[RetainedEntry], conversation: &Conversation) -> Found {
        let turns: Vec<usize> = conversation.turns().map(|m| m.text.chars().count()).collect();
        let average = turns.iter().sum::<usize>() as f64 / turns.len().max(1) as f64;
        let index = self.index(entries);
        let settings = self.settings.clone().with(|c| (c.limit, c.min_relevance) = (usize::MAX, 0.0));
        let mut sums = Found::default();
        for question in &conversation.questions {
            let Some(asked) = self.known.get(&question.text) else { continue };
            let query = RecallQuery::new(&question.text, asked, &English);
            let ranked = index.recall(&query, GameTime::ZERO, &settings);
            let entry = |id: &MemoryId| id.as_str().parse().ok().and_then(|n: usize| entries.get(n));
            let ranked: Vec<&RetainedEntry> =
                ranked.iter().filter_map(|r| entry(&r.memory.entry.id)).collect();
            let answer = stems(&question.answer);
            sums.worded += usize::from(!answer.is_empty());
            for (at, cut) in CUTS.into_iter().enumerate() {
                let read = within(ranked.iter().copied(), average * cut as f64);
                let held = |id: &&MemoryId| read.iter().any(|e| e.covers.contains(id));
                let found = question.evidence.iter().filter(held).count();
                sums.evidence[at] += found as f64 / question.evidence.len().max(1) as f64;
                let words: BTreeSet<String> = read.iter().flat_map(|e| stems(&e.spoken)).collect();
                let said = answer.iter().filter(|stem| words.contains(*stem)).count();
                sums.words[at] += said as f64 / answer.len().max(1) as f64;
            }
        }
        sums
    }
}

/// Returns the stems of a text's content words.
fn stems(text: &str) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    English.content_stems(text, &mut |stem| {
        stems.insert(stem.to_owned());
    });
    stems
}

/// Returns the first entries whose joint length stays within the limit.
fn within<'a>(entries: impl Iterator<Item = &'a RetainedEntry>, allowed: f64) -> Vec<&'a RetainedEntry> {
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
    fn long_entries_use_up_the_text_limit() {
        let entry = |chars: usize| RetainedEntry {
            placed_by: Vec::new(),
            spoken: String::new(),
            chars,
            covers: Vec::new(),
        };
        let ten: Vec<RetainedEntry> = (0..10).map(|_| entry(10)).collect();
        assert_eq!(within(ten.iter(), 100.0).len(), 10);
        let blobs = [entry(60), entry(60), entry(1)];
        assert_eq!(within(blobs.iter(), 100.0).len(), 1);
    }

    #[test]
    fn combined_text_covers_turns_whose_words_it_keeps() {
        let (a, b) =
            (memory("a", "I paid Joss 14 silver for the axle"), memory("b", "The mill burned down at dawn"));
        let covers = |text: &str| RetainedEntry::combined("Ann", text, &[&a, &b]).covers;
        assert_eq!(
            covers("I paid Joss 14 silver for the axle. The mill burned at dawn."),
            [a.id.clone(), b.id.clone()]
        );
        assert_eq!(
            covers("I paid Joss silver for the axle, and the mill burned at dawn."),
            std::slice::from_ref(&b.id)
        );
        assert!(covers("Things happened.").is_empty());
    }
}
