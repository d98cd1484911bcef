//! Expectations as sentences.

use nightfold::consolidate::review::count;
use nightfold_memory::{MemoryId, NpcId};

use crate::scenario::{Expected, ExpectedFate, NightFilter, Scenario};

fn all(words: &[String]) -> String {
    words.iter().map(|word| format!("“{word}”")).collect::<Vec<_>>().join(" and ")
}

/// Returns an expectation as a sentence.
pub(super) fn expected(expected: &Expected, npc: Option<&NpcId>, scenario: &Scenario) -> String {
    let of = npc.map_or_else(String::new, |npc| format!(" of {npc}"));
    let when = |night: &NightFilter| {
        let night = night.and_then(|night| scenario.nights.get(night));
        night.map_or_else(String::new, |night| format!(" on {}", night.label))
    };
    match expected {
        Expected::Memory { id, fate } => match fate {
            ExpectedFate::Kept => format!("{id}{of} is kept word for word"),
            ExpectedFate::Forgotten => format!("{id}{of} is forgotten"),
            ExpectedFate::Told { with } if with.is_empty() => format!("{id}{of} is in a synthesis"),
            ExpectedFate::Told { .. } => {
                let ids: Vec<&str> = expected.ids().into_iter().map(MemoryId::as_str).collect();
                format!("{}{of} are in one synthesis", ids.join(", "))
            }
            ExpectedFate::Known => format!("{id}{of} corroborates an entry"),
            ExpectedFate::Corroborated { times } => {
                format!("{id}{of} was corroborated at least {}", count(*times as usize, "time", "times"))
            }
            ExpectedFate::Superseded { by: None } => format!("{id}{of} is superseded"),
            ExpectedFate::Superseded { by: Some(by) } => format!("{id}{of} is superseded by {by}"),
            ExpectedFate::Contested { by: None } => format!("{id}{of} is contested"),
            ExpectedFate::Contested { by: Some(by) } => format!("{id}{of} is contested with {by}"),
            ExpectedFate::Recalled { query, top, wanted } => {
                let is = if *wanted { "is" } else { "is not" };
                format!("{id}{of} {is} recalled by “{query}” among the first {top}")
            }
        },
        Expected::Mentioned { words, insight, wanted } => {
            let what = if *insight { "insight" } else { "entry" };
            let some = if *wanted { "an active" } else { "no active" };
            format!("{some} {what}{of} mentions {}", all(words))
        }
        Expected::Theme { words, nights } => {
            let nights = count(*nights as usize, "night", "nights");
            format!("a theme{of} with {} on at least {nights}", all(words))
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
