//! Reading of stores: as much text as ten average turns of a conversation, the most relevant entries first.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_consolidate::{RecallIndex, RecallQuery, themes::mean_direction};
use nightfold_english::English;
use nightfold_memory::{
    Confidence, Embedder, EmbedderError, Entry, GameTime, Importance, Kind, LanguagePack as _, Memory,
    MemoryId, MemoryRecord, NightLabel, NpcId, RecordKind, Rule, State, Vector, config::RecallConfig,
};

use crate::data::Conversation;

/// Amount of text read, in average turns of the conversation.
const TURNS_READ: f64 = 10.0;

/// Share of a turn's content words, beside all its names and numbers, that one entry must have to be read in its place.
/// Nights know nothing of it.
const READ_WORDS: f64 = 0.8;

/// Entry of a store that is searched.
#[derive(Debug, Clone)]
pub(super) struct RetainedEntry {
    /// Texts whose mean vector places the entry, each as `Speaker: text` because a store of two people names
    /// the speaker: the entry's own text, or the sources of a night's synthesis.
    pub(super) placed_by: Vec<String>,
    /// Text that is read, as `Speaker: text`.
    pub(super) spoken: String,
    /// Length of the text without the speaker, in characters.
    pub(super) chars: usize,
    /// Turns that the entry covers.
    pub(super) covers: Vec<MemoryId>,
    /// Latest time of the turns.
    pub(super) at: GameTime,
    /// True if it is archived and comes faintly to mind.
    pub(super) faint: bool,
}

impl RetainedEntry {
    fn of(npc: &str, text: &str, covers: Vec<MemoryId>) -> Self {
        let spoken = format!("{npc}: {text}");
        Self {
            placed_by: vec![spoken.clone()],
            spoken,
            chars: text.chars().count(),
            covers,
            at: GameTime::ZERO,
            faint: false,
        }
    }

    pub(super) fn turn(memory: &Memory) -> Self {
        let turn = Self::of(memory.npc.as_str(), &memory.text, vec![memory.id.clone()]);
        Self { at: memory.at, ..turn }
    }

    /// Creates an entry from a text that stands for some turns. It covers those whose words it still contains.
    pub(super) fn combined(npc: &str, text: &str, sources: &[&Memory]) -> Self {
        let said = |m: &&&Memory| {
            let told = English.coverage(&m.text, text);
            told.names_and_numbers && told.content >= READ_WORDS
        };
        let entry = Self::of(npc, text, sources.iter().filter(said).map(|m| m.id.clone()).collect());
        Self { at: sources.iter().map(|m| m.at).max().unwrap_or(GameTime::ZERO), ..entry }
    }

    /// Places the entry by the turns that it tells, if there are any.
    pub(super) fn placed_by_turns(self, turns: &[&Memory]) -> Self {
        let placed_by: Vec<String> =
            turns.iter().map(|turn| format!("{}: {}", turn.npc, turn.text)).collect();
        if placed_by.is_empty() { self } else { Self { placed_by, ..self } }
    }
}

/// Text read in a store for a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QuestionFinding {
    /// Turns of the evidence that are read.
    pub(super) evidence: Vec<MemoryId>,
    /// Share of the evidence that is read.
    pub(super) share: f64,
    /// Share of the answer's content words that are read; `None` for an answer without any.
    pub(super) words: Option<f64>,
}

/// Search in stores by the relevance that recall has.
pub(super) struct RecallReader<'a> {
    embedder: &'a dyn Embedder,
    known: BTreeMap<String, Vec<f32>>,
    settings: RecallConfig,
}

impl<'a> RecallReader<'a> {
    pub(super) fn new(embedder: &'a dyn Embedder, settings: RecallConfig) -> Self {
        Self { embedder, known: BTreeMap::new(), settings }
    }

    /// Embeds texts that are not embedded yet.
    fn embed_new(&mut self, entries: &[RetainedEntry], asked: &Conversation) -> Result<(), EmbedderError> {
        let questions = asked.questions.iter().map(|question| question.text.as_str());
        let placed_by = entries.iter().flat_map(|entry| entry.placed_by.iter().map(String::as_str));
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
        mean_direction(entry.placed_by.iter().filter_map(|text| self.known.get(text)).map(Vec::as_slice))
    }

    /// Returns the index of a store's entries, whose ids are their places in the list. All are of one importance and,
    /// at the beginning of time, none is older than another, so that relevance alone decides, and of two entries on one
    /// subject the later one if a question asks how things are now.
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
                    at: entry.at,
                    last_at: entry.at,
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
                state: if entry.faint { State::Archived } else { State::Active },
                archived_by: entry.faint.then(|| Rule::OverBudget.to_string()),
                corroborations: 0,
                confidence: Confidence::Normal,
                superseded_by: None,
                contested_with: Vec::new(),
                ended: Vec::new(),
                last_corroborated_at: None,
                touched_at: GameTime::ZERO,
                recalls: 0,
                recalled_at: None,
                night: NightLabel::new("0").ok()?,
                sketch: None,
            })
        };
        RecallIndex::new(entries.iter().enumerate().filter_map(record).collect(), &English)
    }

    /// Returns the places of a store's entries in the list, the one that best answers each question of a conversation
    /// first; empty for a question that is not embedded.
    fn ranks(&self, entries: &[RetainedEntry], conversation: &Conversation) -> Vec<Vec<usize>> {
        let index = self.index(entries);
        let settings = self.settings.clone().with(|c| (c.limit, c.min_relevance) = (usize::MAX, 0.0));
        let ranked = |text: &String| {
            let Some(asked) = self.known.get(text) else { return Vec::new() };
            let found = index.recall(&RecallQuery::new(text, asked, &English), GameTime::ZERO, &settings);
            found.iter().filter_map(|recalled| recalled.memory.entry.id.as_str().parse().ok()).collect()
        };
        conversation.questions.iter().map(|question| ranked(&question.text)).collect()
    }

    /// Reads a store for each question of a conversation.
    pub(super) fn read(
        &mut self,
        entries: &[RetainedEntry],
        conversation: &Conversation,
    ) -> Result<Vec<QuestionFinding>, EmbedderError> {
        self.embed_new(entries, conversation)?;
        let turns: Vec<usize> = conversation.turns().map(|m| m.text.chars().count()).collect();
        let average = turns.iter().sum::<usize>() as f64 / turns.len().max(1) as f64;
        let mut findings = Vec::with_capacity(conversation.questions.len());
        for (question, ranked) in conversation.questions.iter().zip(self.ranks(entries, conversation)) {
            let ranked = ranked.iter().filter_map(|place| entries.get(*place));
            let read = within(ranked, average * TURNS_READ);
            let held = |id: &&MemoryId| read.iter().any(|e| e.covers.contains(id));
            let evidence: Vec<MemoryId> = question.evidence.iter().filter(held).cloned().collect();
            let told: BTreeSet<String> = read.iter().flat_map(|e| stems(&e.spoken)).collect();
            let answer = stems(&question.answer);
            let said = answer.iter().filter(|stem| told.contains(*stem)).count();
            findings.push(QuestionFinding {
                share: evidence.len() as f64 / question.evidence.len().max(1) as f64,
                words: (!answer.is_empty()).then(|| said as f64 / answer.len() as f64),
                evidence,
            });
        }
        Ok(findings)
    }
}

/// Returns the stems of a text's content words.
pub(super) fn stems(text: &str) -> BTreeSet<String> {
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
            at: GameTime::ZERO,
            faint: false,
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
            covers("For the axle I paid Joss his 14 silver. Down burned the mill at dawn."),
            [a.id.clone(), b.id.clone()]
        );
        assert_eq!(
            covers("I paid Joss silver for the axle, and at dawn the mill burned."),
            std::slice::from_ref(&b.id)
        );
        assert!(covers("The mill burned.").is_empty());
        assert!(covers("Things happened.").is_empty());
    }
}
