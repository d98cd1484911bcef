//! Measures the beliefs of NPCs at the end of stories.

use std::collections::BTreeMap;

use nightfold_memory::{MemoryRecord, State};
use serde::Serialize;

use crate::data::{End, Story};

/// A statement that is not at the end what it must be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WrongBelief {
    /// The story.
    pub story: String,
    /// The phenomenon that the story shows.
    pub category: String,
    /// The statement.
    pub statement: String,
    /// Its words.
    pub text: String,
    /// Expected standing.
    pub expected: End,
    /// Standing found; `None` of one that was let go, and so is not believed though nothing replaced it.
    pub found: Option<End>,
    /// True if a newer statement is not believed while an older one that it replaces still is.
    pub news_lost: bool,
}

/// Number of beliefs of a category that come out right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Right {
    /// Beliefs that come out right.
    pub right: usize,
    /// All of them.
    pub all: usize,
}

/// Result of a set of stories.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct BeliefScore {
    /// All beliefs.
    pub beliefs: Right,
    /// Stories of which every belief is right, and all stories.
    pub stories: Right,
    /// Newer statements that are not believed while an older one that they replace still is.
    pub news_lost: usize,
    /// By the phenomenon that a story shows.
    pub categories: BTreeMap<String, Right>,
    /// Beliefs that came out wrong.
    pub wrong: Vec<WrongBelief>,
}

/// Lives through each story by `live`, which gives all records of its NPC at the end, and compares what is believed.
///
/// # Errors
/// Whatever `live` fails with.
pub fn beliefs<E>(
    stories: &[Story],
    mut live: impl FnMut(&Story) -> Result<Vec<MemoryRecord>, E>,
) -> Result<BeliefScore, E> {
    let mut score = BeliefScore::default();
    for story in stories {
        let records = live(story)?;
        let found: BTreeMap<&str, Option<End>> =
            story.end.keys().map(|id| (id.as_str(), status(id, &records))).collect();
        let still = |end: Option<End>| matches!(end, Some(End::Holds | End::Contested));
        // The old that is still believed as if nothing had happened.
        let stale =
            story.end.iter().any(|(id, end)| *end == End::Gone && found[id.as_str()] == Some(End::Holds));
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
                let news_lost = expected == End::Holds && !still(found) && stale;
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

/// Standing of a statement, by the record that carries it: its own, or one that it confirmed or was told in.
fn status(id: &str, records: &[MemoryRecord]) -> Option<End> {
    let own = records.iter().find(|r| r.entry.id.as_str() == id)?;
    let of = |record: &MemoryRecord| match (record.state, record.contested_with.is_empty()) {
        (State::Active, true) => Some(End::Holds),
        (State::Active, false) => Some(End::Contested),
        (State::Archived, _) => record.superseded_by.is_some().then_some(End::Gone),
    };
    if own.state == State::Active || own.superseded_by.is_some() {
        return of(own);
    }
    let carriers =
        records.iter().filter(|r| r.entry.id != own.entry.id && r.entry.sources.contains(&own.entry.id));
    // The one that is believed counts before one that no longer is.
    carriers.filter(|r| r.entry.form != nightfold_memory::RecordKind::Reflection).filter_map(of).min()
}
