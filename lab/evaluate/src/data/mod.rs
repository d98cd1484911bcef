//! Labelled texts, from files that the user has.
//!
//! Every reader takes the folder of the data, reads all of it, and stops at the first error.

mod banking77;
mod clinc150;
mod conversations;
mod error;
mod file;
#[cfg(test)]
mod fixture;
mod inference;
mod lives;
mod loghub;
mod pairs;
mod questions;
mod readings;
mod scenario;
mod stories;
mod talk;
mod treebank;
mod tweets;
mod votes;

pub use banking77::banking77;
pub use clinc150::{clinc150, clinc150_domains};
pub use conversations::{Conversation, ConversationQuestion, StatementChange, conversations};
pub use error::DataError;
pub use file::MAX_FILE_BYTES;
pub use inference::inference_sets;
pub use lives::{KeyedChange, KeyedLife, LifeKey, own_lives};
pub use loghub::{LabelledLog, loghub};
pub use nightfold_formats::jsonl::JsonError;
pub use pairs::{LabelledPair, LabelledPairs, OWN_SETS, labelled_pairs, memory_pairs, own_pairs, sick};
pub use questions::{QUESTION_SETS, QuestionKind, ScenarioQuestion, scenario_questions};
pub use readings::{ChangeReadings, READ_CHANGES};
pub use scenario::{LabelledDay, LabelledMemory, scenario};
pub use stories::{BeliefStatus, BeliefStory, STORY_SETS, StoryStatement, own_stories, stories};
pub use talk::{TalkSet, talk_sets};
pub use treebank::{TreebankSentence, TreebankWord, ud_ewt};
pub use tweets::tweets;
pub use votes::{VotedRun, voted_runs};

/// Text with a label given by people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledText {
    /// Text as it was written.
    pub text: String,
    /// Label of the text.
    pub label: String,
}

/// Data set of single texts, in the order of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledTexts {
    /// Name of the data set in reports.
    pub name: &'static str,
    /// Texts with their labels.
    pub items: Vec<LabelledText>,
}

impl LabelledTexts {
    fn of(name: &'static str, items: Vec<LabelledText>, file: file::TextFile) -> Result<Self, DataError> {
        if items.is_empty() { Err(DataError::Empty { path: file.path }) } else { Ok(Self { name, items }) }
    }

    /// Returns the texts, in order.
    pub fn texts(&self) -> impl ExactSizeIterator<Item = &str> {
        self.items.iter().map(|item| item.text.as_str())
    }

    /// Returns the label of each text, in the same order.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = &str> {
        self.items.iter().map(|item| item.label.as_str())
    }
}
