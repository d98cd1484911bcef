//! Texts that people have labelled, from files the user has.
//!
//! Every reader takes the folder that holds the data, reads all of it, and stops at the first thing that is wrong.

mod banking77;
mod clinc150;
mod error;
mod file;
#[cfg(test)]
mod fixture;
mod inference;
mod locomo;
mod loghub;
mod pairs;
mod scenario;
mod stories;
mod tweets;

pub use banking77::banking77;
pub use clinc150::{clinc150, clinc150_domains};
pub use error::DataError;
pub use file::MAX_FILE_BYTES;
pub use inference::inference_sets;
pub use locomo::{Conversation, Question, locomo};
pub use loghub::{LabelledLog, loghub};
pub use nightfold_formats::jsonl::JsonError;
pub use pairs::{LabelledPair, LabelledPairs, OWN_SETS, labelled_pairs, memory_pairs, own_pairs, sick};
pub use scenario::{LabelledDay, LabelledMemory, scenario};
pub use stories::{End, STORY_SETS, Statement, Story, own_stories, stories};
pub use tweets::tweets;

/// A text and the label people gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    /// What was written.
    pub text: String,
    /// What it is about.
    pub label: String,
}

/// A data set of single texts, in the order of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledTexts {
    /// What the data set is called in reports.
    pub name: &'static str,
    /// The texts with their labels.
    pub items: Vec<Labelled>,
}

impl LabelledTexts {
    fn of(name: &'static str, items: Vec<Labelled>, file: file::TextFile) -> Result<Self, DataError> {
        if items.is_empty() { Err(DataError::Empty { path: file.path }) } else { Ok(Self { name, items }) }
    }

    /// The texts, in order.
    pub fn texts(&self) -> impl ExactSizeIterator<Item = &str> {
        self.items.iter().map(|item| item.text.as_str())
    }

    /// The label of each text, in the same order.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = &str> {
        self.items.iter().map(|item| item.label.as_str())
    }
}
