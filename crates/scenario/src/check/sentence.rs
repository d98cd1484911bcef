//! Expectations as sentences.

use nightfold_memory::{MemoryId, NpcId};

use crate::read::{Expected, NightFilter, Scenario};

fn all(words: &[String]) -> String {
    words.iter().map(|word| format!("“{word}”")).collect::<Vec<_>>().join(" and ")
}

fn ids(ids: &[MemoryId]) -> String {
    ids.iter().map(MemoryId::as_str).collect::<Vec<_>>().join(", ")
}

/// Returns an expectation as a sentence.
pub(super) fn expected(expected: &Expected, npc: Option<&NpcId>, scenario: &Scenario) -> String {
    let of = npc.map_or_else(String::new, |npc| format!(" of {npc}"));
    let when = |night: &NightFilter| {
        let night = night.and_then(|night| scenario.nights.get(night));
        night.map_or_else(String::new, |night| format!(" on {}", night.label))
    };
    match expected {
        Expected::Kept(id) => format!("{id}{of} is kept word for word"),
        Expected::Forgotten(id) => format!("{id}{of} is forgotten"),
        Expected::Told(id) => format!("{id}{of} is in a synthesis"),
        Expected::ToldTogether(these) => format!("{}{of} are in one synthesis", ids(these)),
        Expected::Known(id) => format!("{id}{of} corroborates an entry"),
        Expected::Corroborated { id, times } => format!("{id}{of} was corroborated at least {times} times"),
        Expected::Superseded { id, by: None } => format!("{id}{of} is superseded"),
        Expected::Superseded { id, by: Some(by) } => format!("{id}{of} is superseded by {by}"),
        Expected::Contested { id, by: None } => format!("{id}{of} is contested"),
        Expected::Contested { id, by: Some(by) } => format!("{id}{of} is contested with {by}"),
        Expected::Recalled { id, query, top, wanted } => {
            let is = if *wanted { "is" } else { "is not" };
            format!("{id}{of} {is} recalled by “{query}” among the first {top}")
        }
        Expected::Mentioned { words, insight, wanted } => {
            let what = if *insight { "insight" } else { "entry" };
            let some = if *wanted { "an active" } else { "no active" };
            format!("{some} {what}{of} mentions {}", all(words))
        }
        Expected::Theme { words, nights } => {
            format!("a theme{of} with {} on at least {nights} nights", all(words))
        }
        Expected::Reduction(within, night) => format!(
            "{:.1} % to {:.1} % of the different memories{of} are gone{}",
            within.from * 100.0,
            within.to * 100.0,
            when(night)
        ),
        Expected::ImportantKept(night) => format!("every important memory{of} is kept whole{}", when(night)),
        Expected::TokensUnder(most, night) => {
            format!("no night{of} takes more than {most} tokens{}", when(night))
        }
        Expected::Insights(within) => format!("{} to {} insights{of} are active", within.from, within.to),
        Expected::ActiveEntries(within) => format!("{} to {} entries{of} are active", within.from, within.to),
    }
}
