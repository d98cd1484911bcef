//! Labelled data: that of the project, and sets in a folder of the user.
//!
//! Every reader takes the folder of the data, reads all of it, and stops at the first error.

mod conversations;
mod error;
mod file;
#[cfg(test)]
mod fixture;
mod inference;
mod labelled_texts;
mod lives;
mod loghub;
mod pairs;
mod questions;
mod readings;
mod scenario;
mod stories;
mod talk;
mod votes;

pub use conversations::{Conversation, ConversationQuestion, StatementChange, conversations};
pub use error::DataError;
pub use inference::inference_sets;
pub use labelled_texts::{LabelledText, LabelledTexts, banking77, clinc150, tweets};
pub use lives::{KeyedChange, KeyedLife, LifeKey, own_lives};
pub use loghub::{LabelledLog, loghub};
pub use pairs::{LabelledPair, LabelledPairs, OWN_SETS, labelled_pairs, memory_pairs, own_pairs, sick};
pub use questions::{QUESTION_SETS, QuestionKind, ScenarioQuestion, scenario_questions};
pub use readings::{ChangeReadings, READ_CHANGES};
pub use scenario::{LabelledDay, LabelledMemory, scenario};
pub use stories::{BeliefStatus, BeliefStory, STORY_SETS, StoryStatement, own_stories, stories};
pub use talk::{TalkSet, talk_sets};
pub use votes::{VotedRun, voted_runs};

/// Reads a file with a value a line.
pub(crate) fn lines<T: serde::de::DeserializeOwned>(path: &std::path::Path) -> Result<Vec<T>, DataError> {
    Ok(file::TextFile::at(path)?.jsonl()?.into_iter().map(|(_, value)| value).collect())
}
