//! Condition on the entries that may answer a question.

use std::collections::BTreeSet;

use nightfold_memory::{GameTime, Kind, MemoryRecord};
use serde::{Deserialize, Serialize};

/// Condition on the entries that may answer a question; the default lets all of them answer. An entry must fulfil all
/// parts that are set.
///
/// ```
/// use nightfold_consolidate::RecallFilter;
/// use nightfold_memory::{GameTime, Kind};
///
/// let of_joss_this_week = RecallFilter::default()
///     .about("Joss")
///     .since(GameTime::from_seconds(7 * 86_400).unwrap())
///     .kinds([Kind::Chat, Kind::Event]);
/// assert!(of_joss_this_week.tags.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecallFilter {
    /// Names of which at least one takes part; empty for anybody.
    pub actors: BTreeSet<String>,
    /// Tags of which the entry has at least one; empty for any.
    pub tags: BTreeSet<String>,
    /// Earliest moment of its last occurrence; `None` for any.
    pub since: Option<GameTime>,
    /// Kinds of experience; empty for all.
    pub kinds: BTreeSet<Kind>,
}

impl RecallFilter {
    /// Requires that somebody of this name, or of one named before, takes part.
    #[must_use]
    pub fn about(mut self, actor: impl Into<String>) -> Self {
        self.actors.insert(actor.into());
        self
    }

    /// Requires this tag, or one given before.
    #[must_use]
    pub fn tagged(mut self, tag: impl Into<String>) -> Self {
        self.tags.insert(tag.into());
        self
    }

    /// Requires that it happened at this moment or later, for the last time if more than once.
    #[must_use]
    pub fn since(self, since: GameTime) -> Self {
        Self { since: Some(since), ..self }
    }

    /// Requires one of these kinds.
    #[must_use]
    pub fn kinds(self, kinds: impl IntoIterator<Item = Kind>) -> Self {
        Self { kinds: kinds.into_iter().collect(), ..self }
    }

    /// True if a record fulfils the condition.
    pub fn matches(&self, record: &MemoryRecord) -> bool {
        let entry = &record.entry;
        let any = |wanted: &BTreeSet<String>, has: &[String]| {
            wanted.is_empty() || has.iter().any(|name| wanted.contains(name))
        };
        any(&self.actors, &entry.actors)
            && any(&self.tags, &entry.tags)
            && self.since.is_none_or(|since| entry.last_at >= since)
            && (self.kinds.is_empty() || self.kinds.contains(&entry.kind))
    }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::{Memory, MemoryId, NightLabel, NpcId, Vector};

    use super::*;

    #[test]
    fn all_parts_that_are_set_must_be_fulfilled() {
        let at = |seconds| GameTime::from_seconds(seconds).unwrap();
        let memory = Memory::new(
            NpcId::new("Ann").unwrap(),
            MemoryId::new("m").unwrap(),
            at(100),
            Kind::Chat,
            "Joss owes me silver",
        )
        .with(|memory| (memory.actors, memory.tags) = (vec!["Joss".to_owned()], vec!["debt".to_owned()]));
        let vector = Vector::new(vec![1.0]).unwrap();
        let record = MemoryRecord::of_today(&memory, vector, NightLabel::new("day-0").unwrap());
        let any = RecallFilter::default;
        for fits in [
            any(),
            any().about("Wren").about("Joss"),
            any().tagged("debt").since(at(100)),
            any().kinds([Kind::Chat]).about("Joss"),
        ] {
            assert!(fits.matches(&record), "{fits:?}");
        }
        for excludes in [
            any().about("Wren"),
            any().about("Joss").tagged("work"),
            any().since(at(101)),
            any().kinds([Kind::Event]),
        ] {
            assert!(!excludes.matches(&record), "{excludes:?}");
        }
    }
}
