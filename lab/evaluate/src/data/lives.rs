//! Lives with a key: memories of one NPC over days, and the positions that end among them.

use anyhow::Result;
use nightfold_memory::{Memory, MemoryId};
use serde::Deserialize;

use super::TextFile;

/// Memory whose position no longer holds, or stands in doubt, because of a newer one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct KeyedChange {
    /// Memory that states the position, or rests on it.
    pub(crate) older: MemoryId,
    /// Memory because of which it ends.
    pub(crate) newer: MemoryId,
    /// Type of the question that both answer; empty for a doubt.
    #[serde(default)]
    pub(crate) question: String,
}

/// Key to a life; other keys of its file are skipped. Memories that it does not list stay untouched.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub(crate) struct LifeKey {
    /// Memories whose position ends.
    pub(crate) changes: Vec<KeyedChange>,
    /// Memories that rest on a position that ends: ended, contested and untouched are all right.
    #[serde(default)]
    pub(crate) doubt: Vec<KeyedChange>,
    /// Older memories that may be ended or not.
    #[serde(default)]
    pub(crate) either: Vec<MemoryId>,
}

/// Life of one NPC with its key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KeyedLife {
    /// Name of the life.
    pub(crate) name: String,
    /// Memories in order of time.
    pub(crate) memories: Vec<Memory>,
    /// Positions that end.
    pub(crate) key: LifeKey,
}

macro_rules! own {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../../data/lives/", $name, ".jsonl")),
            include_str!(concat!("../../data/lives/", $name, ".key.json")))),*]
    };
}

/// Names, memories and keys of the project's own lives.
const OWN: [(&str, &str, &str); 3] = own!("liar" "office" "kin");

/// Returns the project's own lives.
///
/// # Errors
/// A line is no memory, or a key has another shape.
pub(crate) fn own_lives() -> Result<Vec<KeyedLife>> {
    OWN.iter().map(|(name, memories, key)| parsed(name, memories, key)).collect()
}

fn parsed(name: &str, memories: &str, key: &str) -> Result<KeyedLife> {
    let memories = TextFile::embedded(&format!("{name}.jsonl"), memories).lines()?;
    let key = TextFile::embedded(&format!("{name}.key.json"), key).json()?;
    Ok(KeyedLife { name: name.to_owned(), memories, key })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_read_without_the_parts_that_are_for_people() {
        let memory = r#"{"id":"a","npc":"Bo","at":"1900-01-01T08:00:00Z","kind":"chat","text":"I live here","actors":["Ann"]}"#;
        let key =
            r#"{"title":"t","changes":[{"older":"a","newer":"b","question":"where","why":"w"}],"traps":[]}"#;
        let life = parsed("small", memory, key).unwrap();
        assert_eq!((life.memories.len(), life.memories[0].actors.len()), (1, 1));
        assert_eq!((life.key.changes[0].question.as_str(), life.key.doubt.len()), ("where", 0));
        let error = parsed("small", memory, "{}").unwrap_err().to_string();
        assert!(error.starts_with("small.key.json:1"), "{error}");
    }

    #[test]
    fn own_keys_name_only_memories_of_their_life() {
        let lives = own_lives().unwrap();
        let sum = |of: fn(&KeyedLife) -> usize| lives.iter().map(of).sum::<usize>();
        assert_eq!((sum(|l| l.memories.len()), sum(|l| l.key.changes.len())), (393, 80));
        assert_eq!((sum(|l| l.key.doubt.len()), sum(|l| l.key.either.len())), (12, 2));
        for life in &lives {
            let pairs = life.key.changes.iter().chain(&life.key.doubt);
            let named = pairs.flat_map(|c| [&c.older, &c.newer]).chain(&life.key.either);
            let unknown = named.filter(|id| !life.memories.iter().any(|m| m.id == **id)).count();
            assert_eq!(unknown, 0, "{}", life.name);
        }
    }
}
