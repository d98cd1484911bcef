//! Beliefs of NPCs at the end of stories.

use std::collections::BTreeMap;

use nightfold_memory::{MemoryRecord, State};
use serde::Serialize;

use crate::data::{BeliefStatus, BeliefStory};

/// Statement with an unexpected status at the end of a story.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WrongBelief {
    /// Id of the story.
    pub story: String,
    /// Phenomenon shown by the story.
    pub category: String,
    /// Id of the statement.
    pub statement: String,
    /// Text of the statement.
    pub text: String,
    /// Expected status.
    pub expected: BeliefStatus,
    /// Status found; `None` if the statement was pruned, and thus is not believed though nothing replaced it.
    pub found: Option<BeliefStatus>,
    /// True if a newer statement is not believed while an older one that it replaces still is.
    pub news_lost: bool,
}

/// Number of correct beliefs of a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CorrectCount {
    /// Number of correct beliefs.
    pub right: usize,
    /// Number of all beliefs.
    pub all: usize,
}

/// Result of a set of stories.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BeliefScore {
    /// Count of all beliefs.
    pub beliefs: CorrectCount,
    /// Count of stories in which every belief is correct.
    pub stories: CorrectCount,
    /// Number of newer statements that are not believed while an older one that they replace still is.
    pub news_lost: usize,
    /// Counts by the phenomenon of the story.
    pub categories: BTreeMap<String, CorrectCount>,
    /// Beliefs with an unexpected status.
    pub wrong: Vec<WrongBelief>,
}

/// Runs each story by `live`, which returns all records of its NPC at the end, and compares the beliefs.
///
/// # Errors
/// Any error of `live`.
pub fn beliefs<E>(
    stories: &[BeliefStory],
    mut live: impl FnMut(&BeliefStory) -> Result<Vec<MemoryRecord>, E>,
) -> Result<BeliefScore, E> {
    let mut score = BeliefScore::default();
    for story in stories {
        let records = live(story)?;
        let found: BTreeMap<&str, Option<BeliefStatus>> =
            story.end.keys().map(|id| (id.as_str(), status(id, &records))).collect();
        let still =
            |end: Option<BeliefStatus>| matches!(end, Some(BeliefStatus::Holds | BeliefStatus::Contested));
        // True if an outdated statement is still believed.
        let stale = story
            .end
            .iter()
            .any(|(id, end)| *end == BeliefStatus::Gone && found[id.as_str()] == Some(BeliefStatus::Holds));
        let mut all_right = true;
        for (id, &expected) in &story.end {
            let found = found[id.as_str()];
            let right = found == Some(expected);
            all_right &= right;
            for counted in [&mut score.beliefs, score.categories.entry(story.category.clone()).or_default()] {
                counted.all += 1;
                counted.right += usize::from(right);
            }
            if !right {
                let news_lost = expected == BeliefStatus::Holds && !still(found) && stale;
                score.news_lost += usize::from(news_lost);
                let text = story.statements.iter().find(|s| s.id == *id).map_or("", |s| s.text.as_str());
                score.wrong.push(WrongBelief {
                    story: story.id.clone(),
                    category: story.category.clone(),
                    statement: id.clone(),
                    text: text.to_owned(),
                    expected,
                    found,
                    news_lost,
                });
            }
        }
        score.stories.all += 1;
        score.stories.right += usize::from(all_right);
    }
    Ok(score)
}

/// Returns the status of a statement, from the record that carries it: its own, one that it corroborated, or
/// a synthesis. A statement is gone once a position that it holds has ended.
fn status(id: &str, records: &[MemoryRecord]) -> Option<BeliefStatus> {
    let own = records.iter().find(|r| r.entry.id.as_str() == id)?;
    let of = |record: &MemoryRecord| match (record.state, record.contested_with.is_empty()) {
        (State::Active, _) if !record.ended.is_empty() => Some(BeliefStatus::Gone),
        (State::Active, true) => Some(BeliefStatus::Holds),
        (State::Active, false) => Some(BeliefStatus::Contested),
        (State::Archived, _) => record.superseded_by.is_some().then_some(BeliefStatus::Gone),
    };
    if own.state == State::Active || own.superseded_by.is_some() {
        return of(own);
    }
    let carriers =
        records.iter().filter(|r| r.entry.id != own.entry.id && r.entry.sources.contains(&own.entry.id));
    // A believed carrier takes precedence over one that no longer is.
    carriers.filter(|r| r.entry.form != nightfold_memory::RecordKind::Reflection).filter_map(of).min()
}
