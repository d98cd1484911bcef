//! Stores of conversations, measured by how much of the evidence for later questions is read in them.

use super::reading::{AT_TEN, CUTS, MeanFinding, QuestionFinding, RecallReader, RetainedEntry, interval};
use crate::{
    data::{self, Conversation},
    error::EvaluateError,
    lab::Lab,
    report::{Cell, Section, row},
};

/// Number of seeds over which random stores are averaged.
pub(super) const SEEDS: u64 = 10;

/// Sets of conversations that suites measure on.
pub(super) const SETS: &str =
    "of --data locomo, realtalk, beam, each with memories.jsonl and questions.jsonl";

/// Reads the given sets of conversations, by name.
pub(super) fn sets(lab: &Lab) -> Result<Vec<(String, Vec<Conversation>)>, EvaluateError> {
    let folders = lab.conversation_folders();
    if folders.is_empty() {
        return Err(EvaluateError::NoData("locomo, realtalk or beam"));
    }
    let read = |(name, folder): (String, std::path::PathBuf)| Ok((name, data::conversations(&folder)?));
    folders.into_iter().map(read).collect()
}

/// Findings in one store, over all conversations and trials.
#[derive(Default)]
pub(super) struct Measured {
    entries: usize,
    chars: usize,
    findings: Vec<QuestionFinding>,
}

impl Measured {
    /// Adds the entries of one conversation; returns what is found for each of its questions.
    pub(super) fn add(
        &mut self,
        conversation: &Conversation,
        entries: &[RetainedEntry],
        reader: &mut RecallReader<'_>,
    ) -> Result<&[QuestionFinding], EvaluateError> {
        reader.embed_new(entries, conversation)?;
        self.entries += entries.len();
        self.chars += entries.iter().map(|entry| entry.chars).sum::<usize>();
        let before = self.findings.len();
        self.findings.extend(reader.read(entries, conversation));
        Ok(&self.findings[before..])
    }

    /// Returns the share of evidence read in as much text as ten average turns.
    pub(super) fn recall_at_ten(&self) -> f64 {
        MeanFinding::of(&self.findings).evidence[AT_TEN]
    }

    /// Returns a table of stores for conversations.
    pub(super) fn section(title: &str, conversations: &[Conversation]) -> Section {
        let turns = conversations.iter().flat_map(Conversation::turns).count();
        let questions: usize = conversations.iter().map(|c| c.questions.len()).sum();
        let title = format!(
            "{title}: {questions} questions about {turns} turns of {} conversations, as much text read as k average turns have",
            conversations.len()
        );
        Section::new(title, ["store", "entries", "text", "@5", "@10", "95 % of @10", "@25", "words @10"])
    }

    /// Returns the row of a store that was measured `trials` times.
    pub(super) fn row(
        &self,
        name: &str,
        trials: u64,
        conversations: &[Conversation],
        seed: u64,
    ) -> Vec<Cell> {
        let turns = conversations.iter().flat_map(Conversation::turns);
        let all: usize = turns.map(|turn| turn.text.chars().count()).sum();
        let mean = MeanFinding::of(&self.findings);
        let shares: Vec<f64> = self.findings.iter().map(|found| found.evidence[AT_TEN]).collect();
        let per_trial = |sum: usize| sum as f64 / trials as f64;
        let [five, ten, twenty_five]: [f64; CUTS.len()] = mean.evidence;
        row![
            name,
            format!("{:.0}", per_trial(self.entries)),
            Cell::Share(per_trial(self.chars) / all.max(1) as f64),
            five,
            ten,
            interval(&shares, seed),
            twenty_five,
            mean.words[AT_TEN],
        ]
    }
}
