//! Labelled data: that of the project, and sets in a folder of the user.
//!
//! Every reader reads all of its set, and stops at the first error.

mod conversations;
mod file;
#[cfg(test)]
pub(crate) mod fixture;
mod labelled_days;
mod labelled_texts;
pub(crate) mod lives;
mod pairs;
mod questions;
mod readings;
mod stories;
mod talk;

pub(crate) use conversations::{Conversation, conversations};
pub(crate) use file::TextFile;
pub(crate) use labelled_days::{LabelledDay, labelled_days};
pub(crate) use labelled_texts::{LabelledTexts, drawn_days, loghub, topics};
pub(crate) use lives::{KeyedLife, own_lives};
pub use pairs::{LabelledPair, LabelledPairs, OWN_SETS, own_pairs};
pub(crate) use pairs::{labelled_pairs, memory_pairs, sick};
pub(crate) use questions::{QuestionKind, ScenarioQuestion, scenario_questions};
pub(crate) use readings::{ChangeReadings, READ_CHANGES};
pub(crate) use stories::{BeliefStatus, BeliefStory, own_stories, stories};
pub(crate) use talk::{TalkSet, simulated, talk_sets};

/// Parts of the project's own stories and questions: `dev`, looked at while nights were written, and `test`, which is not.
pub(crate) const PARTS: [&str; 2] = ["dev", "test"];
