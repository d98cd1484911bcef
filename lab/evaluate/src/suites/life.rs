//! Share of later questions that can still be answered after a whole life: many nights into one store, with maintenance.

use std::collections::BTreeMap;

use nightfold_memory::{Embedder, EmbedderError, GameTime, Memory, MemoryId, NpcId, ValidConfig};
use rand_xoshiro::{
    Xoshiro256Plus,
    rand_core::{RngCore, SeedableRng},
};
use serde::Serialize;

use super::reading::{AT_TEN, CUTS, MeanFinding, QuestionFinding, RecallReader, RetainedEntry, interval};
use crate::data::Conversation;

/// Number of seeds over which the random store is averaged.
const SEEDS: u64 = 10;

/// Ages of evidence in days at the end of the life, each the start of a class.
const AGES: [u32; 3] = [0, 30, 60];

const DAY: i64 = 86_400;

/// Active entry of an NPC at the end of its life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LivedEntry {
    /// NPC that remembers it.
    pub npc: NpcId,
    /// Its text.
    pub text: String,
    /// Turns that it stands for, those that corroborated it included.
    pub turns: Vec<MemoryId>,
}

/// Entries that are searched at the end of the life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LifeStore {
    /// Every turn.
    Full,
    /// Turns drawn at random, as much text as the life leaves; mean over ten seeds.
    Random,
    /// The longest turns, as much text as the life leaves.
    Longest,
    /// The newest turns, as much text as the life leaves.
    Newest,
    /// Entries that the nights and the maintenance leave.
    Life,
}

impl LifeStore {
    /// All stores, the life last.
    pub const ALL: [Self; 5] = [Self::Full, Self::Random, Self::Longest, Self::Newest, Self::Life];
}

/// Share of evidence of one age that is found in a store.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgeScore {
    /// Age from which the class counts, in days before the end of the life.
    pub from_days: u32,
    /// Number of turns of evidence of this age, counted once for each question.
    pub evidence: usize,
    /// Share of them that is read, at [`AT_TEN`].
    pub recall: f64,
}

/// Questions on what changed or was contradicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangeScore {
    /// Number of questions with an earlier and a later statement.
    pub questions: usize,
    /// Number of them whose later statement is in the store.
    pub stands: usize,
    /// Number of them whose later statement comes before the earlier one when the question is asked.
    pub first: usize,
}

/// Share of evidence found in one store.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LifeScore {
    /// Store that was searched.
    pub store: LifeStore,
    /// Number of entries in the store.
    pub entries: f64,
    /// Text in the store as a share of the text of all turns.
    pub text: f64,
    /// Share of evidence among the entries read, averaged over questions, for each of [`CUTS`].
    pub recall: [f64; CUTS.len()],
    /// Bounds of 95 % of the recall at [`AT_TEN`] if the questions are drawn anew.
    pub interval: [f64; 2],
    /// Share of the answer's content words in the text read, averaged over the questions whose answer has any, for
    /// each of [`CUTS`].
    pub answer_words: [f64; CUTS.len()],
    /// Recall by the age of the evidence.
    pub by_age: Vec<AgeScore>,
    /// Questions on what changed; `None` if the data set has none, and for stores of drawn or chosen turns.
    pub changes: Option<ChangeScore>,
}

/// Reason for the failure of a measurement.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LifeError<E> {
    /// A text could not be embedded.
    #[error(transparent)]
    Embedder(#[from] EmbedderError),
    /// A life could not be lived to its end.
    #[error("{0}")]
    Life(E),
}

/// Measures every store on the same questions.
///
/// `live` returns the active entries of all speakers of a conversation at the end of its last day. As much text is read of
/// every store as k average turns have, and the stores beside the full one hold as much text as the life.
///
/// # Errors
/// [`LifeError`] if the model fails, or any error of `live`.
pub fn life<E>(
    conversations: &[Conversation],
    embedder: &dyn Embedder,
    config: &ValidConfig,
    mut live: impl FnMut(&Conversation) -> Result<Vec<LivedEntry>, E>,
) -> Result<Vec<LifeScore>, LifeError<E>> {
    let mut lived = Vec::with_capacity(conversations.len());
    for conversation in conversations {
        lived.push(entries_of(conversation, &live(conversation).map_err(LifeError::Life)?));
    }
    let mut reader = RecallReader::new(embedder, config.recall.clone());
    let mut scores = Vec::with_capacity(LifeStore::ALL.len());
    for store in LifeStore::ALL {
        let trials = if store == LifeStore::Random { SEEDS } else { 1 };
        let mut measured = Measured::default();
        for trial in 0..trials {
            let seed = config.seed.0.wrapping_add(trial);
            for (conversation, left) in conversations.iter().zip(&lived) {
                let selected;
                let entries = if store == LifeStore::Life {
                    left
                } else {
                    let allowed = left.iter().map(|entry| entry.chars).sum();
                    selected = selected_turns(conversation, store, allowed, seed);
                    &selected
                };
                reader.embed_new(std::slice::from_ref(entries), std::slice::from_ref(conversation))?;
                measured.add(conversation, entries, reader.read(entries, conversation));
                if matches!(store, LifeStore::Full | LifeStore::Life) {
                    measured.add_changes(conversation, entries, &reader.ranks(entries, conversation));
                }
            }
        }
        scores.push(measured.score(store, trials as f64, conversations, config.seed.0));
    }
    Ok(scores)
}

/// Returns the entries of a life with the turns that they cover.
fn entries_of(conversation: &Conversation, lived: &[LivedEntry]) -> Vec<RetainedEntry> {
    let turns: BTreeMap<&MemoryId, &Memory> = conversation.turns().map(|turn| (&turn.id, turn)).collect();
    let entry = |lived: &LivedEntry| {
        let told: Vec<&Memory> = lived.turns.iter().filter_map(|id| turns.get(id).copied()).collect();
        RetainedEntry::combined(lived.npc.as_str(), &lived.text, &told).placed_by_turns(&told)
    };
    lived.iter().map(entry).collect()
}

/// Returns turns in their original words, as many as fit into the allowed number of characters.
fn selected_turns(
    conversation: &Conversation,
    store: LifeStore,
    allowed: usize,
    seed: u64,
) -> Vec<RetainedEntry> {
    let mut turns: Vec<&Memory> = conversation.turns().collect();
    let length = |turn: &Memory| turn.text.chars().count();
    match store {
        LifeStore::Full | LifeStore::Life => return turns.into_iter().map(RetainedEntry::turn).collect(),
        LifeStore::Random => {
            let mut draws = Xoshiro256Plus::seed_from_u64(seed);
            turns.sort_by_cached_key(|_| draws.next_u64());
        }
        LifeStore::Longest => turns.sort_by_key(|turn| (std::cmp::Reverse(length(turn)), turn.at)),
        LifeStore::Newest => turns.sort_by_key(|turn| (std::cmp::Reverse(turn.at), turn.id.clone())),
    }
    let mut left = allowed;
    turns
        .into_iter()
        .map_while(|turn| {
            left = left.checked_sub(length(turn))?;
            Some(RetainedEntry::turn(turn))
        })
        .collect()
}

/// Findings in one store, over all conversations and trials.
#[derive(Default)]
struct Measured {
    entries: usize,
    chars: usize,
    findings: Vec<QuestionFinding>,
    /// Turns of evidence, and those of them that are read, for each of [`AGES`].
    ages: [(usize, usize); AGES.len()],
    changes: ChangeScore,
}

impl Measured {
    fn add(
        &mut self,
        conversation: &Conversation,
        entries: &[RetainedEntry],
        findings: Vec<QuestionFinding>,
    ) {
        self.entries += entries.len();
        self.chars += entries.iter().map(|entry| entry.chars).sum::<usize>();
        let at: BTreeMap<&MemoryId, GameTime> =
            conversation.turns().map(|turn| (&turn.id, turn.at)).collect();
        let end = at.values().max().copied().unwrap_or(GameTime::ZERO);
        for (question, finding) in conversation.questions.iter().zip(&findings) {
            for id in &question.evidence {
                let days = at.get(id).map_or(0, |at| (end.seconds() - at.seconds()) / DAY);
                let class = AGES.iter().rposition(|from| days >= i64::from(*from)).unwrap_or(0);
                self.ages[class].0 += 1;
                self.ages[class].1 += usize::from(finding.at_ten.contains(id));
            }
        }
        self.findings.extend(findings);
    }

    /// Counts the questions on what changed; `ranks` are the places of the entries for each question, the best first.
    fn add_changes(&mut self, conversation: &Conversation, entries: &[RetainedEntry], ranks: &[Vec<usize>]) {
        let asked =
            conversation.questions.iter().zip(ranks).filter(|(question, _)| question.change.is_known());
        for (question, ranked) in asked {
            let rank = |turns: &[MemoryId]| {
                let states = |place: &usize| entries[*place].covers.iter().any(|turn| turns.contains(turn));
                ranked.iter().position(states)
            };
            let (earlier, later) = (rank(&question.change.earlier), rank(&question.change.later));
            self.changes.questions += 1;
            self.changes.stands += usize::from(later.is_some());
            self.changes.first +=
                usize::from(later.is_some_and(|later| earlier.is_none_or(|earlier| later < earlier)));
        }
    }

    fn score(self, store: LifeStore, trials: f64, conversations: &[Conversation], seed: u64) -> LifeScore {
        let turns = conversations.iter().flat_map(Conversation::turns);
        let all: usize = turns.map(|turn| turn.text.chars().count()).sum();
        let mean = MeanFinding::of(&self.findings);
        let shares: Vec<f64> = self.findings.iter().map(|found| found.evidence[AT_TEN]).collect();
        let by_age = AGES.iter().zip(self.ages).map(|(from_days, (evidence, read))| AgeScore {
            from_days: *from_days,
            evidence: evidence / trials as usize,
            recall: read as f64 / evidence.max(1) as f64,
        });
        LifeScore {
            store,
            entries: self.entries as f64 / trials,
            text: self.chars as f64 / trials / all.max(1) as f64,
            recall: mean.evidence,
            interval: interval(&shares, seed),
            answer_words: mean.words,
            by_age: by_age.collect(),
            changes: (self.changes.questions > 0).then_some(self.changes),
        }
    }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::{Day, Kind, NightLabel};

    use super::*;
    use crate::data::{ConversationQuestion, StatementChange};

    fn conversation(texts: &[(&str, i64)]) -> Conversation {
        let npc = NpcId::new("Ann").unwrap();
        let memories: Vec<Memory> = texts
            .iter()
            .enumerate()
            .map(|(n, (text, day))| {
                let at = GameTime::from_seconds(day * DAY).unwrap();
                Memory::new(npc.clone(), MemoryId::new(format!("t{n}")).unwrap(), at, Kind::Chat, *text)
            })
            .collect();
        let until = memories.last().unwrap().at;
        let days = vec![Day::new(npc, NightLabel::new("1").unwrap(), until, memories)];
        Conversation { name: "c".to_owned(), days, questions: Vec::new() }
    }

    #[test]
    fn stores_compared_hold_no_more_text_than_the_life() {
        let talk = conversation(&[("a long old turn", 0), ("short", 40), ("newest", 90)]);
        let ids = |store| -> Vec<String> {
            selected_turns(&talk, store, 15, 1).iter().map(|e| e.covers[0].to_string()).collect()
        };
        assert_eq!(ids(LifeStore::Full), ["t0", "t1", "t2"]);
        assert_eq!(ids(LifeStore::Longest), ["t0"]);
        assert_eq!(ids(LifeStore::Newest), ["t2", "t1"]);
        assert!(selected_turns(&talk, LifeStore::Random, 15, 1).iter().map(|e| e.chars).sum::<usize>() <= 15);
    }

    #[test]
    fn combined_entry_covers_the_turns_that_it_still_tells() {
        let talk = conversation(&[("I paid Joss 14 silver", 0), ("The mill burned down", 1)]);
        let turns = vec![MemoryId::new("t0").unwrap(), MemoryId::new("t1").unwrap()];
        let lived =
            LivedEntry { npc: NpcId::new("Ann").unwrap(), text: "I paid Joss 14 silver.".to_owned(), turns };
        let entries = entries_of(&talk, &[lived]);
        assert_eq!(entries[0].covers, [MemoryId::new("t0").unwrap()]);
    }

    #[test]
    fn later_statement_counts_if_it_comes_before_the_earlier_one() {
        let mut talk = conversation(&[("The quota is 1000", 0), ("The quota is 1200", 1)]);
        let [earlier, later] = ["t0", "t1"].map(|id| vec![MemoryId::new(id).unwrap()]);
        talk.questions.push(ConversationQuestion {
            text: "What is the quota?".to_owned(),
            answer: "1200".to_owned(),
            evidence: later.clone(),
            change: StatementChange { earlier, later },
        });
        let entries = selected_turns(&talk, LifeStore::Full, 0, 1);
        let of = |ranks: Vec<usize>| {
            let mut measured = Measured::default();
            measured.add_changes(&talk, &entries, &[ranks]);
            let ChangeScore { questions, stands, first } = measured.changes;
            (questions, stands, first)
        };
        assert_eq!((of(vec![1, 0]), of(vec![0, 1]), of(vec![0])), ((1, 1, 1), (1, 1, 0), (1, 0, 0)));
    }
}
