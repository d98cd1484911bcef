//! Most telling texts of a night, and of all nights of an NPC.

use nightfold_consolidate::review::NightView;
use serde::Serialize;

use super::night::shortened_text;

/// Maximum number of kept memories that are told.
const KEPT: usize = 3;

/// Maximum number of changed beliefs, and of insights, that are told.
const CHANGES: usize = 3;

/// The most telling texts of a night, or of several.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct PageStory {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kept: Vec<Told>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    beliefs: Vec<PageBelief>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    insights: Vec<Told>,
}

/// A text with the weight by which it is chosen.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
struct Told {
    text: String,
    /// Importance and salience.
    #[serde(skip)]
    weight: (u8, f64),
}

/// A statement that does not hold as it did.
#[derive(Debug, Clone, Serialize)]
struct PageBelief {
    /// Sign of the change.
    sign: &'static str,
    /// Words before the statement and before its cause.
    words: [&'static str; 2],
    was: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<String>,
}

impl PageStory {
    pub(super) fn of(view: &NightView<'_>) -> Self {
        let story = view.story();
        let told = |text: &str, weight| Told { text: shortened_text(text), weight };
        let kept = story.kept.iter().take(KEPT);
        let beliefs = story.beliefs.iter().take(CHANGES).map(|belief| PageBelief {
            sign: belief.change.sign(),
            words: belief.change.words(),
            was: if belief.text.is_empty() { belief.id.to_string() } else { shortened_text(belief.text) },
            now: belief.cause.as_ref().map(|cause| match cause.text {
                "" => cause.id.to_string(),
                text => shortened_text(text),
            }),
        });
        let insights = story.insights.iter().take(CHANGES);
        Self {
            kept: kept.map(|memory| told(memory.text, (memory.importance, memory.salience()))).collect(),
            beliefs: beliefs.collect(),
            insights: insights.map(|insight| told(insight.text, (insight.importance, 0.0))).collect(),
        }
    }

    /// Returns the most telling texts of several nights; of changed beliefs the latest.
    pub(super) fn of_all<'a>(nights: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let most_telling = |texts: Vec<Told>, most| {
            let mut texts = texts;
            texts.sort_by(|a, b| b.weight.0.cmp(&a.weight.0).then(b.weight.1.total_cmp(&a.weight.1)));
            texts.truncate(most);
            texts
        };
        let mut beliefs: Vec<PageBelief> = nights.clone().flat_map(|night| night.beliefs.clone()).collect();
        beliefs.drain(..beliefs.len().saturating_sub(CHANGES));
        Self {
            kept: most_telling(nights.clone().flat_map(|night| night.kept.clone()).collect(), KEPT),
            beliefs,
            insights: most_telling(nights.flat_map(|night| night.insights.clone()).collect(), CHANGES),
        }
    }
}
