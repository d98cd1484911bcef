//! Stories of beliefs: statements over several nights, and the beliefs expected at their end.

use std::{collections::BTreeMap, path::Path};

use anyhow::Result;
use nightfold_memory::{Importance, Kind};
use serde::{Deserialize, Serialize};

use super::TextFile;

/// Status that a statement must have at the end of a story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BeliefStatus {
    /// Believed: an active, uncontested record says it, its own or one that it repeats.
    Holds,
    /// The statement is no longer believed and exists only in the archive.
    Gone,
    /// Active, and marked as contested.
    Contested,
}

impl BeliefStatus {
    /// Returns the name of the status.
    pub(crate) fn as_str(self) -> &'static str {
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
pub(crate) struct StoryStatement {
    /// Id within the story.
    pub(crate) id: String,
    /// Night on which it is consolidated, from 1.
    pub(crate) night: u32,
    /// Night before which it happened, if it reached the NPC late.
    #[serde(default)]
    pub(crate) at_night: Option<u32>,
    /// Kind of experience.
    pub(crate) kind: Kind,
    /// Text of the memory.
    pub(crate) text: String,
    /// Importance, 1 to 10.
    #[serde(default)]
    pub(crate) importance: Option<Importance>,
    /// Names of the participants and speakers.
    #[serde(default)]
    pub(crate) actors: Vec<String>,
}

/// A few statements of one NPC, and the beliefs expected at the end.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BeliefStory {
    /// Id of the story.
    pub(crate) id: String,
    /// Phenomenon shown by the story.
    pub(crate) category: String,
    /// NPC that the memories belong to.
    pub(crate) npc: String,
    /// Statements in order.
    pub(crate) statements: Vec<StoryStatement>,
    /// Expected status of each statement at the end, by id; statements that may have any status are left out.
    pub(crate) end: BTreeMap<String, BeliefStatus>,
}

/// Returns the part of the project's own stories called `part`.
///
/// # Errors
/// A line is no story.
pub(crate) fn own_stories(part: &str) -> Result<Vec<BeliefStory>> {
    let [dev, test] =
        [include_str!("../../data/beliefs/dev.jsonl"), include_str!("../../data/beliefs/test.jsonl")];
    TextFile::embedded(part, if part == "dev" { dev } else { test }).lines()
}

/// Reads stories from a JSONL file.
///
/// # Errors
/// The file is missing or empty, or a line is no story.
pub(crate) fn stories(path: &Path) -> Result<Vec<BeliefStory>> {
    TextFile::read(path)?.some_lines()
}

#[cfg(test)]
mod tests {
    use super::{super::PARTS, *};

    #[test]
    fn own_stories_expect_only_their_own_statements() {
        for set in PARTS {
            let stories = own_stories(set).unwrap();
            assert_eq!(stories.len(), 100);
            for story in stories {
                let known = |id: &String| story.statements.iter().any(|s| s.id == *id);
                assert!(story.end.keys().all(known), "{}", story.id);
            }
        }
    }
}
