//! Stories of beliefs: statements over several nights, and the beliefs expected at their end.

use std::{collections::BTreeMap, path::Path};

use nightfold_memory::{Importance, Kind};
use serde::{Deserialize, Serialize};

use super::{DataError, file::TextFile};

/// Status that a statement must have at the end of a story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BeliefStatus {
    /// Believed: an active, uncontested record says it, its own or one that it repeats.
    Holds,
    /// The statement is no longer believed and exists only in the archive.
    Gone,
    /// Active, and marked as contested.
    Contested,
}

impl BeliefStatus {
    /// Returns the name of the status.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Gone => "gone",
            Self::Contested => "contested",
        }
    }
}

/// One statement of a story.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoryStatement {
    /// Id within the story.
    pub id: String,
    /// Night on which it is consolidated, from 1.
    pub night: u32,
    /// Night before which it happened, if it reached the NPC late.
    #[serde(default)]
    pub at_night: Option<u32>,
    /// Kind of experience.
    pub kind: Kind,
    /// Text of the memory.
    pub text: String,
    /// Importance, 1 to 10.
    #[serde(default)]
    pub importance: Option<Importance>,
    /// Names of the participants and speakers.
    #[serde(default)]
    pub actors: Vec<String>,
}

/// A few statements of one NPC, and the beliefs expected at the end.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeliefStory {
    /// Id of the story.
    pub id: String,
    /// Phenomenon shown by the story.
    pub category: String,
    /// NPC that the memories belong to.
    pub npc: String,
    /// Statements in order.
    pub statements: Vec<StoryStatement>,
    /// Expected status of each statement at the end, by id; statements that may have any status are left out.
    pub end: BTreeMap<String, BeliefStatus>,
}

/// Parts of the project's own stories: `dev`, looked at while nights were written, and `test`, which is not.
pub const STORY_SETS: [&str; 2] = ["dev", "test"];

const DEV: &str = include_str!("../../data/beliefs/dev.jsonl");
const TEST: &str = include_str!("../../data/beliefs/test.jsonl");

/// Returns the part of the project's own stories called `set`.
///
/// # Errors
/// [`DataError`] for a line that is not a story.
pub fn own_stories(set: &str) -> Result<Vec<BeliefStory>, DataError> {
    let text = if set == STORY_SETS[0] { DEV } else { TEST };
    parsed(&TextFile::embedded(set, text))
}

/// Reads stories from a JSONL file.
///
/// # Errors
/// [`DataError`] names the file, the line and the field that is wrong.
pub fn stories(path: &Path) -> Result<Vec<BeliefStory>, DataError> {
    parsed(&TextFile::at(path)?)
}

fn parsed(file: &TextFile) -> Result<Vec<BeliefStory>, DataError> {
    let stories: Vec<BeliefStory> = file.jsonl()?.into_iter().map(|(_, story)| story).collect();
    if stories.is_empty() { Err(DataError::empty(&file.path)) } else { Ok(stories) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_stories_expect_only_their_own_statements() {
        for set in STORY_SETS {
            let stories = own_stories(set).unwrap();
            assert_eq!(stories.len(), 100);
            for story in stories {
                let known = |id: &String| story.statements.iter().any(|s| s.id == *id);
                assert!(story.end.keys().all(known), "{}", story.id);
            }
        }
    }
}
